import { concatBytes, decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { encodeInteger, encodeRlp, type RlpItem } from "@keyhearth/crypto/transactions/rlp";
import { type Hex, isAddress } from "../evm/key.ts";
import { codes, Eip1193Error, invalidParams } from "./errors.ts";
import { isObject } from "./node.ts";
import { isBytes, isQuantity, toQuantity } from "./quantity.ts";

// Transactions as JSON-RPC writes them: integers and bytes in hex.

/** A transaction as a page asks for it. What is left out is filled in from the chain. */
export type TransactionRequest = {
  from: Hex;
  to?: Hex;
  data: Hex;
  value: Hex;
  type?: Hex;
  chainId?: Hex;
  nonce?: Hex;
  gas?: Hex;
  gasPrice?: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
  accessList?: AccessList;
  authorizationList?: SignedAuthorization[];
};

type AccessList = { address: Hex; storageKeys: Hex[] }[];
type SignedAuthorization = Record<"chainId" | "address" | "nonce" | "yParity" | "r" | "s", Hex>;

/** Calls the node of the transaction's chain. */
export type Call = (method: string, params: unknown[]) => Promise<unknown>;

/** Reads a transaction. Refuses members that it does not know, because they would not be signed. */
export function parseTransaction(value: unknown): TransactionRequest {
  if (!isObject(value)) throw invalidParams("params[0] must be a transaction");
  // As in JSON, null is a member that is left out.
  const given = Object.entries(value).filter(([, each]) => each !== undefined && each !== null);
  const { input, ...rest } = Object.fromEntries(given);
  const transaction = { value: "0x0", ...rest, data: rest.data ?? input ?? "0x" };
  const problems = Object.entries(transaction)
    .filter(([name, each]) => !Object.hasOwn(members, name) || !members[name]?.(each))
    .map(([name]) =>
      Object.hasOwn(members, name) ? `${name} is malformed` : `${name} is not supported`,
    );
  if (!("from" in transaction)) problems.push("from is missing");
  if (input !== undefined && !isSameText(input, transaction.data)) {
    problems.push("data and input differ");
  }
  if (problems.length === 0) return transaction as TransactionRequest; // every member is checked
  throw invalidParams(`The transaction cannot be signed: ${problems.join(", ")}`);
}

const members: Record<string, (value: unknown) => boolean> = {
  from: isAddress,
  to: isAddress,
  data: isBytes,
  value: isQuantity,
  // Transactions with blobs are left to adapters that can carry the blobs.
  type: (value) => isQuantity(value) && [0n, 1n, 2n, 4n].includes(BigInt(value)),
  chainId: isQuantity,
  nonce: isQuantity,
  gas: isQuantity,
  gasPrice: isQuantity,
  maxFeePerGas: isQuantity,
  maxPriorityFeePerGas: isQuantity,
  accessList: (value) => isListOf(value, { address: isAddress, storageKeys: areWords }),
  authorizationList: (value) =>
    isListOf(value, {
      chainId: isQuantity,
      address: isAddress,
      nonce: isQuantity,
      yParity: isQuantity,
      r: isQuantity,
      s: isQuantity,
    }),
};

/**
 * Fills in what a request leaves out, as wallets do: the next nonce, the gas that the node estimates,
 * and fees for twice the current base fee.
 */
export async function completeTransaction(
  request: TransactionRequest,
  chainId: Hex,
  call: Call,
): Promise<Required<Pick<TransactionRequest, "type" | "nonce" | "gas">> & TransactionRequest> {
  const ask = async (method: string, ...params: unknown[]) => {
    const answer = await call(method, params);
    if (isQuantity(answer)) return answer;
    throw new Eip1193Error(codes.internal, `The node answered ${method} without a number`);
  };
  const { gas: _, ...estimated } = request;
  const [nonce, gas, fees] = await Promise.all([
    request.nonce ?? ask("eth_getTransactionCount", request.from, "pending"),
    request.gas ?? ask("eth_estimateGas", estimated),
    feesOf(request, ask, call),
  ]);
  const transaction = { ...request, ...fees, chainId, nonce, gas };
  assertFees(transaction);
  return transaction;
}

async function feesOf(
  request: TransactionRequest,
  ask: (method: string) => Promise<Hex>,
  call: Call,
): Promise<{ type: Hex } & Partial<TransactionRequest>> {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList } = request;
  const baseFee = () => baseFeeOf(call);
  let type = request.type && toQuantity(request.type);
  if (authorizationList) type ??= "0x4";
  if (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) type ??= "0x2";
  if (gasPrice !== undefined) type ??= accessList ? "0x1" : "0x0";
  type ??= (await baseFee()) === undefined ? (accessList ? "0x1" : "0x0") : "0x2";
  if (type === "0x0" || type === "0x1") {
    return { type, gasPrice: gasPrice ?? (await ask("eth_gasPrice")) };
  }
  const tip = maxPriorityFeePerGas ?? maxFeePerGas ?? (await ask("eth_maxPriorityFeePerGas"));
  const most = maxFeePerGas ?? toQuantity(2n * ((await baseFee()) ?? 0n) + BigInt(tip));
  return { type, maxFeePerGas: most, maxPriorityFeePerGas: tip };
}

async function baseFeeOf(call: Call): Promise<bigint | undefined> {
  const block = await call("eth_getBlockByNumber", ["latest", false]);
  const fee = isObject(block) ? block.baseFeePerGas : undefined;
  return isQuantity(fee) ? BigInt(fee) : undefined;
}

// A member that the type does not have would be left out of what is signed.
function assertFees(transaction: TransactionRequest): void {
  const { type, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const isDynamic = type === "0x2" || type === "0x4";
  const problems = [
    isDynamic && gasPrice !== undefined && "gasPrice",
    !isDynamic && maxFeePerGas !== undefined && "maxFeePerGas",
    !isDynamic && maxPriorityFeePerGas !== undefined && "maxPriorityFeePerGas",
    type === "0x0" && transaction.accessList !== undefined && "accessList",
    type !== "0x4" && transaction.authorizationList !== undefined && "authorizationList",
  ].filter((each) => each !== false);
  if (problems.length === 0) return;
  throw invalidParams(`A transaction of type ${type} has no ${problems.join(" and no ")}`);
}

/** The bytes to sign (EIP-155, EIP-2718), in hex without 0x. */
export function encodeTransaction(transaction: TransactionRequest): string {
  const { type = "0x0", chainId, nonce, gas, value, data, accessList, ...rest } = transaction;
  const to = rest.to === undefined ? new Uint8Array() : bytes(rest.to);
  const call = [integer(gas), to, integer(value), bytes(data)];
  if (type === "0x0") {
    const empty = new Uint8Array();
    const fields = [integer(nonce), integer(rest.gasPrice), ...call, integer(chainId)];
    return encodeHex(encodeRlp([...fields, empty, empty]));
  }
  const fees =
    type === "0x1"
      ? [integer(rest.gasPrice)]
      : [integer(rest.maxPriorityFeePerGas), integer(rest.maxFeePerGas)];
  const access = (accessList ?? []).map(
    ({ address, storageKeys }): RlpItem => [bytes(address), storageKeys.map(bytes)],
  );
  const fields: RlpItem[] = [integer(chainId), integer(nonce), ...fees, ...call, access];
  if (type === "0x4") fields.push((rest.authorizationList ?? []).map(authorizationItem));
  return encodeHex(concatBytes(integer(type), encodeRlp(fields)));
}

function authorizationItem({
  chainId,
  address,
  nonce,
  yParity,
  r,
  s,
}: SignedAuthorization): RlpItem {
  const signature = [integer(yParity), integer(r), integer(s)];
  return [integer(chainId), bytes(address), integer(nonce), ...signature];
}

function areWords(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => isBytes(each) && each.length === 66);
}

function isListOf(value: unknown, shape: Record<string, (value: unknown) => boolean>): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (each) =>
        isObject(each) &&
        Object.keys(each).every((name) => Object.hasOwn(shape, name)) &&
        Object.entries(shape).every(([name, isValid]) => isValid(each[name])),
    )
  );
}

function isSameText(a: unknown, b: unknown): boolean {
  return typeof a === "string" && typeof b === "string" && a.toLowerCase() === b.toLowerCase();
}

function integer(value: Hex = "0x0"): Uint8Array {
  return encodeInteger(BigInt(value));
}

function bytes(hex: Hex): Uint8Array {
  return decodeHex(hex.slice(2));
}
