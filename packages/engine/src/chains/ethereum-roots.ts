import { encodeHex } from "@keyhearth/crypto/encoding";
import type { ContractAbi } from "@keyhearth/crypto/transactions/abi";
import {
  type AbiValue,
  type DecodedCall,
  decodeCall,
  type UndecodableCall,
} from "@keyhearth/crypto/transactions/abi-call";
import type { EthereumTransaction } from "@keyhearth/crypto/transactions/ethereum";
import { type Input, signedInteger, unread } from "@keyhearth/policy/environment";
import type { Roots } from "../policies/roots.ts";
import type { InterfaceOf } from "./chain.ts";

/** The contract that a transaction calls. Null if it creates a contract. */
export function calledContract({ to }: EthereumTransaction): string | null {
  return to && addressText(to);
}

/** `eth.tx`. Fields that the type of transaction does not have are unset: reading them is an error. */
export function ethereumRoots(
  transaction: EthereumTransaction,
  sender: string,
  interfaceOf: InterfaceOf<ContractAbi>,
): Roots {
  const { type, data, value, gas, nonce, chainId } = transaction;
  const to = calledContract(transaction);
  return {
    eth: {
      tx: {
        from: sender,
        to: to ?? "",
        data: `0x${encodeHex(data)}`,
        value,
        gas,
        nonce,
        type,
        chain_id: chainId ?? unread("the chain of a transaction that any chain accepts"),
        ...feesOf(transaction),
        ...(to ? callOf(interfaceOf, to, data) : noCall),
      },
    },
  };
}

/** `gas_price` is the highest price of a unit of gas, for every type. */
function feesOf(transaction: EthereumTransaction): { [name: string]: Input } {
  switch (transaction.type) {
    case "LEGACY":
    case "TYPE_1":
      return { gas_price: transaction.gasPrice };
    case "TYPE_2":
    case "TYPE_3":
    case "TYPE_4":
      return {
        gas_price: transaction.maxFeePerGas,
        max_fee_per_gas: transaction.maxFeePerGas,
        max_priority_fee_per_gas: transaction.maxPriorityFeePerGas,
        ...(transaction.type === "TYPE_3" && {
          max_fee_per_blob_gas: transaction.maxFeePerBlobGas,
        }),
      };
  }
}

const noCall = { function_name: "", function_signature: "" };

/** The call, decoded by the interface. If it does not decode, the contract may still accept it. */
function callOf(
  interfaceOf: InterfaceOf<ContractAbi>,
  to: string,
  data: Uint8Array,
): { [name: string]: Input } {
  const kept = interfaceOf(to);
  const call = kept && decodeCall(kept.parse(), data);
  if (!call) return noCall;
  return {
    function_name: call.functionName,
    function_signature: call.selector,
    contract_call_args: call.kind === "decoded" ? argumentsOf(call) : unreadCall(call),
  };
}

function unreadCall({ reason }: UndecodableCall): Input {
  return unread(`a call that is not encoded as the interface says (${reason})`);
}

/** Two arguments with the same name cannot be told apart, so neither can be read. */
function argumentsOf(call: DecodedCall): { [name: string]: Input } {
  const named: { [name: string]: Input } = Object.create(null);
  const seen = new Set<string>();
  for (const { name, value } of call.arguments) {
    named[name] = name === "" || seen.has(name) ? undefined : argumentOf(value);
    seen.add(name);
  }
  return named;
}

function argumentOf(argument: AbiValue): Input {
  switch (argument.kind) {
    case "address":
      return addressText(argument.bytes);
    case "bytes":
      return `0x${encodeHex(argument.bytes)}`;
    case "uint":
      return argument.value;
    case "int":
      return signedInteger(argument.value);
    case "bool":
      return argument.value;
    case "string":
      return argument.text;
    case "array":
    case "tuple":
      return argument.items.map(argumentOf);
  }
}

/** In lower case: policies ignore the case of addresses, and a checksum would cost a hash. */
export function addressText(bytes: Uint8Array): string {
  return `0x${encodeHex(bytes)}`;
}
