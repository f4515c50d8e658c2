import { bool, int, list, string, struct } from "../types.ts";
import type { Chain } from "./chain.ts";

const TronPermission = struct("TronPermission", {
  type: string,
  id: int,
  permission_name: string,
  threshold: int,
  parent_id: int,
  operations: string,
  keys: list(struct("TronKey", { address: string, weight: int })),
});

const TronTransaction = struct("TronTransaction", {
  ref_block_bytes: string,
  ref_block_hash: string,
  expiration: int,
  timestamp: int,
  data: string,
  fee_limit: int,
  /** One struct for all contract types. Fields of other types are missing. */
  contract: list(
    struct("TronContract", {
      type: string,
      owner_address: string,
      permission_id: int,
      to_address: string,
      amount: int,
      contract_address: string,
      data: string,
      call_value: int,
      call_token_value: int,
      token_id: int,
      resource: string,
      balance: int,
      receiver_address: string,
      lock: bool,
      lock_period: int,
      frozen_balance: int,
      unfreeze_balance: int,
      owner: TronPermission,
      witness: TronPermission,
      actives: list(TronPermission),
    }),
  ),
});

/** Fields that only contracts of some types have. */
const OF_SOME_TYPES = [
  ...["to_address", "amount", "contract_address", "data", "call_value", "call_token_value"],
  ...["token_id", "resource", "balance", "receiver_address", "lock", "lock_period"],
  ...["frozen_balance", "unfreeze_balance", "owner", "witness", "actives"],
];

export const tron: Chain = {
  name: "tron",
  signed: {
    tx: {
      type: TronTransaction,
      saidBy: { param: "type", value: "TRANSACTION_TYPE_TRON" },
      absent: OF_SOME_TYPES.map((field) => `contract[].${field}`),
      mayBeNegative: /./,
      neverEmpty: /^contract$/,
      idleIfEmpty: /^contract\[\].*$/,
    },
  },
};
