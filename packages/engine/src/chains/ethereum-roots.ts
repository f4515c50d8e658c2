import type { ContractAbi } from "@keyhearth/crypto/transactions/abi";
import {
  type AbiValue,
  type DecodedCall,
  decodeCall,
  type UndecodableCall,
} from "@keyhearth/crypto/transactions/abi-call";
import type { EthereumTransaction } from "@keyhearth/crypto/transactions/ethereum";
import { caseInsensitive, type Input, unread } from "@keyhearth/policy/environment";
import type { Roots } from "../keys/policy-roots.ts";
import type { InterfaceOf } from "./chain.ts";

/** `eth.tx`. The blob fee and the arguments of a call are absent where there are none. */
export function ethereumRoots(
  transaction: EthereumTransaction,
  sender: string,
  interfaceOf: InterfaceOf<ContractAbi>,
): Roots {
  const { type, data, value, gas, nonce, chainId } = transaction;
  const to = transaction.to && hexOf(transaction.to);
  return {
    eth: {
      tx: {
        from: sender,
        to: to ?? "",
        data: () => hexOf(data),
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
      return {
        gas_price: transaction.gasPrice,
        max_fee_per_gas: unread(ONE_PRICE),
        max_priority_fee_per_gas: unread(ONE_PRICE),
      };
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

// Not absent: the client chooses the type of the transaction, and pays such fees with each type.
const ONE_PRICE = "a fee of a transaction that has only `gas_price`";

const noCall = { function_name: "", function_signature: "" };

/** The call, decoded by the interface. If it does not decode, the contract may still accept it. */
function callOf(
  interfaceOf: InterfaceOf<ContractAbi>,
  to: string,
  data: Uint8Array,
): { [name: string]: Input } {
  const kept = interfaceOf(to);
  const call = kept && decodeCall(kept.parse(), data);
  const isCut = kept && data.length > 0 && data.length < 4;
  if (isCut) return { ...noCall, contract_call_args: unread("a call that is cut short") };
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
    const isOne = name !== "" && !seen.has(name);
    named[name] = isOne ? argumentOf(value) : unread("an argument without a name of its own");
    seen.add(name);
  }
  return named;
}

function argumentOf(argument: AbiValue): Input {
  switch (argument.kind) {
    case "address":
    case "bytes":
      return caseInsensitive(hexOf(argument.bytes));
    case "uint":
    case "int":
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
 * In lower case: policies ignore the case of addresses, and a checksum would cost a hash. It makes
 * fewer strings than `encodeHex`, which joins the digits of one byte after the other.
 */
export function hexOf(bytes: Uint8Array): string {
  let text = "0x";
  // In pieces, since a function can be called with only so many arguments.
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    const piece = bytes.subarray(start, start + PIECE_BYTES);
    const codes = new Array<number>(2 * piece.length);
    piece.forEach((byte, i) => {
      codes[2 * i] = DIGITS.charCodeAt(byte >> 4);
      codes[2 * i + 1] = DIGITS.charCodeAt(byte & 15);
    });
    text += String.fromCharCode(...codes);
  }
  return text;
}

const DIGITS = "0123456789abcdef";
const PIECE_BYTES = 1024;
