import { encodeHex } from "@keyhearth/crypto/encoding";
import {
  type AbiValue,
  type DecodedCall,
  decodeCall,
  type UndecodableCall,
} from "@keyhearth/crypto/transactions/abi-call";
import type { Authorization } from "@keyhearth/crypto/transactions/eip-7702";
import type { EthereumTransaction } from "@keyhearth/crypto/transactions/ethereum";
import type { TypedData, TypedValue } from "@keyhearth/crypto/transactions/typed-data";
import { caseInsensitive, type Input, signedInteger, unread } from "@keyhearth/policy/environment";
import type { Roots } from "../policies/environment.ts";
import type { Facts } from "../records/facts.ts";
import { contractAbiOf } from "./contract-interfaces.ts";

const ETHEREUM = "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM";

/** The contract that a transaction calls; null where it makes one. */
export function calledContract({ to }: EthereumTransaction): string | null {
  return to && addressText(to);
}

/** `eth.tx`. What the type of the transaction does not have stays unset: reading it is an error. */
export function ethereumRoots(
  facts: Facts,
  transaction: EthereumTransaction,
  sender: string,
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
        chain_id: chainId ?? unread("the chain of a transaction that any chain takes"),
        ...feesOf(transaction),
        ...(to ? callOf(facts, to, data) : noCall),
      },
    },
  };
}

/** `gas_price` is the most that a unit of gas may cost, whatever the type. */
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

/** The call by the interface of the contract. The contract may read arguments that do not decode. */
function callOf(facts: Facts, to: string, data: Uint8Array): { [name: string]: Input } {
  const record = facts.records.contractInterface(ETHEREUM, to);
  const call = record && decodeCall(contractAbiOf(record), data);
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

/** Of two arguments with one name neither can be meant by it. */
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

/**
 * `eth.eip_712`. Members keep the type that the client's JSON gave them: an integer that was sent as
 * text is its decimal digits, also where it was sent in hexadecimal ones. What a domain leaves out
 * binds it to nothing: texts read as '', and the chain is any.
 */
export function typedDataRoots({ primaryType, domain, message }: TypedData): Roots {
  const { name, version, chainId, verifyingContract } = domain;
  return {
    eth: {
      eip_712: {
        primary_type: primaryType,
        domain: {
          name: name ?? "",
          version: version ?? "",
          chain_id: chainId ?? unread("the chain of typed data that names none"),
          verifying_contract: verifyingContract ? addressText(verifyingContract) : "",
        },
        message: messageOf(message),
      },
    },
  };
}

function messageOf(value: TypedValue): Input {
  switch (value.kind) {
    case "struct": {
      const members: { [name: string]: Input } = Object.create(null);
      for (const [name, member] of value.members) members[name] = messageOf(member);
      return members;
    }
    case "array":
      return value.items.map(messageOf);
    case "address":
    case "bytes":
      return caseInsensitive(value.text);
    case "uint":
      return value.text === null ? value.value : String(value.value);
    case "int":
      return value.text === null ? signedInteger(value.value) : String(value.value);
    case "bool":
      return value.value;
    case "string":
      return value.text;
  }
}

/** `eth.eip_7702_authorization`. */
export function authorizationRoots({ address, chainId, nonce }: Authorization): Roots {
  return {
    eth: {
      eip_7702_authorization: {
        address: addressText(address),
        chain_id: chainId,
        nonce,
      },
    },
  };
}

/** In lower case: policies compare addresses in any case, and a checksum costs a hash. */
function addressText(bytes: Uint8Array): string {
  return `0x${encodeHex(bytes)}`;
}
