import { anyCase, dynamic, int, map, string, struct, uint } from "../types.ts";
import type { Chain } from "./chain.ts";

const EthereumTransaction = struct("EthereumTransaction", {
  from: anyCase,
  to: anyCase,
  data: string,
  value: int,
  gas: int,
  gas_price: int,
  chain_id: int,
  nonce: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  max_fee_per_blob_gas: int,
  type: string,
  function_name: string,
  function_signature: string,
  contract_call_args: map({ kind: "dynamic", objects: "maps", addresses: true }),
});

const Eip712TypedData = struct("Eip712TypedData", {
  primary_type: string,
  domain: struct("Eip712Domain", {
    name: string,
    version: string,
    chain_id: uint,
    verifying_contract: anyCase,
  }),
  message: map(dynamic),
});

const Eip7702Authorization = struct("Eip7702Authorization", {
  address: anyCase,
  chain_id: int,
  nonce: int,
});

/** Ethereum, and the chains with the same transactions. */
export const ethereum: Chain = {
  name: "eth",
  signed: {
    tx: {
      type: EthereumTransaction,
      saidBy: { param: "type", value: "TRANSACTION_TYPE_ETHEREUM" },
      kinds: ["ETH_SEND_TRANSACTION"],
      absent: ["max_fee_per_blob_gas"],
      unset: ["contract_call_args"],
      unread: ["chain_id", "max_fee_per_gas", "max_priority_fee_per_gas"],
      keys: { contract_call_args: "flat" },
    },
    eip_712: {
      type: Eip712TypedData,
      saidBy: { param: "encoding", value: "PAYLOAD_ENCODING_EIP712" },
      unread: ["domain.chain_id"],
      keys: { message: "nested" },
      batches: /^message\[\].*$/,
    },
    eip_7702_authorization: {
      type: Eip7702Authorization,
      saidBy: { param: "encoding", value: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION" },
    },
  },
};
