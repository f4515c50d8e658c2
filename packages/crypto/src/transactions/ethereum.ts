import { keccak256 } from "#primitives";
import { orderOf } from "../curves.ts";
import { concatBytes, equalBytes } from "../encoding/bytes.ts";
import type { RecoverableSignature } from "../keys/keys.ts";
import {
  byteString,
  type Fields,
  fixed,
  fixedItem,
  integer,
  list,
  nested,
  placeOf,
  refusedField,
} from "./ethereum-fields.ts";
import { MalformedError } from "./malformed.ts";
import { decodeInteger, decodeRlp, encodeInteger, encodeRlp, type RlpItem } from "./rlp.ts";

// Unsigned Ethereum transactions: legacy (yellow paper, EIP-155), EIP-2930, EIP-1559, EIP-4844 and
// EIP-7702. Each has a fixed list of fields. A transaction that no chain could ever accept is
// refused here, because nobody needs a signature for it.

/** Addresses have 20 bytes, storage keys and blob hashes 32. Amounts are in wei. */
export type EthereumTransaction =
  | LegacyTransaction
  | Type1Transaction
  | Type2Transaction
  | Type3Transaction
  | Type4Transaction;

/** `chainId` is null before EIP-155. The signature is then valid on every chain. */
export type LegacyTransaction = Payment & {
  readonly type: "LEGACY";
  readonly chainId: bigint | null;
  readonly gasPrice: bigint;
};

/** EIP-2930. */
export type Type1Transaction = Payment & {
  readonly type: "TYPE_1";
  readonly chainId: bigint;
  readonly gasPrice: bigint;
  readonly accessList: AccessList;
};

/** EIP-1559. */
export type Type2Transaction = Payment & FeeMarket & { readonly type: "TYPE_2" };

/** EIP-4844, without the blobs, commitments and proofs, which are not signed. */
export type Type3Transaction = Payment &
  FeeMarket & {
    readonly type: "TYPE_3";
    readonly to: Uint8Array;
    readonly maxFeePerBlobGas: bigint;
    readonly blobVersionedHashes: readonly Uint8Array[];
  };

/** EIP-7702. */
export type Type4Transaction = Payment &
  FeeMarket & {
    readonly type: "TYPE_4";
    readonly to: Uint8Array;
    readonly authorizationList: readonly SignedAuthorization[];
  };

export type AccessList = readonly {
  readonly address: Uint8Array;
  readonly storageKeys: readonly Uint8Array[];
}[];

/** Signed by an account to take on the code of `address`. A `chainId` of 0 means any chain. */
export type SignedAuthorization = {
  readonly chainId: bigint;
  readonly address: Uint8Array;
  readonly nonce: bigint;
  readonly yParity: 0 | 1;
  readonly r: bigint;
  readonly s: bigint;
};

/** `to` is null if the transaction creates a contract. */
type Payment = {
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
};

type FeeMarket = {
  readonly chainId: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly accessList: AccessList;
};

/** Nodes do not relay longer transactions. */
export const MAX_ETHEREUM_TRANSACTION_LENGTH = 128 * 1024;

/**
 * Decodes the unsigned serialization of a transaction. Throws a `MalformedError` for anything else,
 * such as a transaction that is already signed, or a value in a second encoding.
 */
export function decodeEthereumTransaction(bytes: Uint8Array): EthereumTransaction {
  if (bytes.length > MAX_ETHEREUM_TRANSACTION_LENGTH) {
    throw refused(
      `has ${bytes.length} bytes; at most ${MAX_ETHEREUM_TRANSACTION_LENGTH} are allowed`,
    );
  }
  // A copy, so that the result does not change when the caller's bytes do.
  const transaction = decodeFields(new Uint8Array(bytes));
  // Invariant: the decoded fields, which the digest is made of, are everything that the bytes say.
  if (!equalBytes(encodeUnsignedTransaction(transaction), bytes)) {
    throw refused("is not in canonical form");
  }
  return transaction;
}

/**
 * The 20 bytes of `to` as a view of `bytes`, or null if the transaction creates a contract. Reads
 * only the list of fields: what `decodeEthereumTransaction` would refuse in the others passes.
 * Throws a `MalformedError` if there is no such field.
 */
export function ethereumRecipient(bytes: Uint8Array): Uint8Array | null {
  return recipientOrNull(readFields(bytes).fields);
}

/** The 32 bytes that the sender signs. */
export function ethereumSigningDigest(transaction: EthereumTransaction): Uint8Array {
  return keccak256(encodeUnsignedTransaction(transaction));
}

/** The serialization that `decodeEthereumTransaction` reads. */
export function encodeUnsignedTransaction(transaction: EthereumTransaction): Uint8Array {
  if (transaction.type === "LEGACY" && transaction.chainId !== null) {
    // EIP-155: the chain id and two zeros take the place of the signature.
    return serialize("LEGACY", [
      ...fieldsOf(transaction),
      encodeInteger(transaction.chainId),
      EMPTY,
      EMPTY,
    ]);
  }
  return serialize(transaction.type, fieldsOf(transaction));
}

/** The serialization that nodes accept. r and s have 32 bytes each. Does not verify the signature. */
export function encodeSignedTransaction(
  transaction: EthereumTransaction,
  { r, s, recovery }: RecoverableSignature,
): Uint8Array {
  if (r.length !== 32 || s.length !== 32) throw new Error("malformed signature");
  return serialize(transaction.type, [
    ...fieldsOf(transaction),
    encodeInteger(signatureV(transaction, recovery)),
    encodeInteger(decodeInteger(r)),
    encodeInteger(decodeInteger(s)),
  ]);
}

/** By EIP-155 for a legacy transaction with a chain id, 27 or 28 without; the parity of y otherwise. */
function signatureV(transaction: EthereumTransaction, recovery: 0 | 1): bigint {
  const parity = BigInt(recovery);
  if (transaction.type !== "LEGACY") return parity;
  return transaction.chainId === null ? 27n + parity : 35n + 2n * transaction.chainId + parity;
}

function decodeFields(bytes: Uint8Array): EthereumTransaction {
  const { type, fields } = readFields(bytes);
  switch (type) {
    case "LEGACY":
      return decodeLegacy(fields);
    case "TYPE_1":
      return decodeType1(fields);
    case "TYPE_2":
      return { type, ...feeMarket(fields), to: recipientOrNull(fields) };
    case "TYPE_3":
      return decodeType3(fields);
    case "TYPE_4":
      return decodeType4(fields);
  }
}

/** The fields by name, of which only the number is checked. */
function readFields(bytes: Uint8Array): { type: EthereumTransaction["type"]; fields: Fields } {
  const [first] = bytes;
  if (first === undefined) throw refused("is empty");
  if (first >= 0xc0) {
    const items = listIn(bytes, 0);
    const names = items.length === EIP_155_FIELDS.length ? EIP_155_FIELDS : LEGACY_FIELDS;
    return { type: "LEGACY", fields: named(items, names, "LEGACY") };
  }
  const type = TYPES[first];
  if (!type) {
    throw refused(
      `starts with byte 0x${first.toString(16).padStart(2, "0")}: expected a type from 0x01 to 0x04, or a list (0xc0 or more) for a legacy transaction`,
    );
  }
  const items = listIn(bytes, 1);
  if (type === "TYPE_3") assertWithoutBlobs(items);
  return { type, fields: named(items, FIELDS[type], type) };
}

function listIn(bytes: Uint8Array, offset: number): readonly RlpItem[] {
  const item = decodeRlp(bytes.subarray(offset), { subject: "transaction", offset });
  if (item instanceof Uint8Array) throw refused("is not a list of fields");
  return item;
}

function assertWithoutBlobs(items: readonly RlpItem[]) {
  if (items.length !== 4 || items[0] instanceof Uint8Array) return;
  throw refused(
    "TYPE_3 comes with blobs, commitments and proofs, which are not signed: send only the list of its fields",
  );
}

function decodeLegacy(fields: Fields): LegacyTransaction {
  const isProtected = fields.names === EIP_155_FIELDS;
  if (isProtected && (!isZero(fields, "r") || !isZero(fields, "s"))) throw alreadySigned();
  return {
    type: "LEGACY",
    chainId: isProtected ? legacyChainId(fields) : null,
    nonce: nonce(fields),
    gasPrice: integer(fields, "gasPrice"),
    gas: integer(fields, "gas", 64),
    to: recipientOrNull(fields),
    value: integer(fields, "value"),
    data: byteString(fields, "data"),
  };
}

function decodeType1(fields: Fields): Type1Transaction {
  return {
    type: "TYPE_1",
    chainId: integer(fields, "chainId"),
    nonce: nonce(fields),
    gasPrice: integer(fields, "gasPrice"),
    gas: integer(fields, "gas", 64),
    to: recipientOrNull(fields),
    value: integer(fields, "value"),
    data: byteString(fields, "data"),
    accessList: accessList(fields),
  };
}

function decodeType3(fields: Fields): Type3Transaction {
  return {
    type: "TYPE_3",
    ...feeMarket(fields),
    to: recipient(fields),
    maxFeePerBlobGas: integer(fields, "maxFeePerBlobGas"),
    blobVersionedHashes: blobVersionedHashes(fields),
  };
}

function decodeType4(fields: Fields): Type4Transaction {
  return {
    type: "TYPE_4",
    ...feeMarket(fields),
    to: recipient(fields),
    authorizationList: authorizationList(fields),
  };
}

function feeMarket(fields: Fields) {
  const maxPriorityFeePerGas = integer(fields, "maxPriorityFeePerGas");
  const maxFeePerGas = integer(fields, "maxFeePerGas");
  // Invalid by EIP-1559. Usually the two were swapped by mistake.
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw refusedField(fields, "maxPriorityFeePerGas", "exceeds maxFeePerGas");
  }
  return {
    chainId: integer(fields, "chainId"),
    nonce: nonce(fields),
    maxPriorityFeePerGas,
    maxFeePerGas,
    gas: integer(fields, "gas", 64),
    value: integer(fields, "value"),
    data: byteString(fields, "data"),
    accessList: accessList(fields),
  };
}

function named(items: readonly RlpItem[], names: readonly string[], type: string): Fields {
  const count = items.length;
  // A signature adds three fields. For legacy transactions, EIP-155 has fields in their place.
  if (count !== names.length && type !== "LEGACY" && count === names.length + 3) {
    throw alreadySigned();
  }
  if (count !== names.length) {
    const expected = type === "LEGACY" ? "6, or 9 with a chain id" : `${names.length}`;
    throw refused(`${type} has ${count} fields, expected ${expected}`);
  }
  return { where: "transaction", names, items };
}

/** EIP-2681: an account could send nothing after the greatest nonce. */
function nonce(fields: Fields): bigint {
  const value = integer(fields, "nonce", 64);
  if (value === MAX_UINT64) throw refusedField(fields, "nonce", "must be below 2^64 - 1");
  return value;
}

function legacyChainId(fields: Fields): bigint {
  const chainId = integer(fields, "chainId");
  if (chainId === 0n) {
    throw refusedField(fields, "chainId", "must not be 0: leave out the last three fields instead");
  }
  // v = 2 chainId + 36 must fit into 256 bits too.
  if (chainId > MAX_LEGACY_CHAIN_ID) throw refusedField(fields, "chainId", "too large for EIP-155");
  return chainId;
}

function recipientOrNull(fields: Fields): Uint8Array | null {
  return byteString(fields, "to").length === 0 ? null : fixed(fields, "to", 20);
}

function recipient(fields: Fields): Uint8Array {
  if (byteString(fields, "to").length === 0) {
    throw refusedField(fields, "to", "is empty, and this type cannot create a contract");
  }
  return fixed(fields, "to", 20);
}

function accessList(fields: Fields): AccessList {
  const place = placeOf(fields, "accessList");
  return list(fields, "accessList").map((item, i) => {
    const entry = nested(item, ACCESS_FIELDS, `${place}, entry ${i}`);
    const keys = list(entry, "storageKeys");
    return {
      address: fixed(entry, "address", 20),
      storageKeys: keys.map((key, k) =>
        fixedItem(key, 32, () => `${placeOf(entry, "storageKeys")}, key ${k}`),
      ),
    };
  });
}

function blobVersionedHashes(fields: Fields): Uint8Array[] {
  const name = "blobVersionedHashes";
  const hashes = list(fields, name).map((item, i) => {
    const place = () => `${placeOf(fields, name)}, hash ${i}`;
    const hash = fixedItem(item, 32, place);
    if (hash[0] !== 1) throw new MalformedError(`${place()}: version byte must be 0x01`);
    return hash;
  });
  if (hashes.length === 0) throw refusedField(fields, name, "must not be empty");
  return hashes;
}

function authorizationList(fields: Fields): SignedAuthorization[] {
  const name = "authorizationList";
  const place = placeOf(fields, name);
  const authorizations = list(fields, name).map((item, i) => {
    const entry = nested(item, AUTHORIZATION_FIELDS, `${place}, entry ${i}`);
    const address = fixed(entry, "address", 20);
    return {
      chainId: integer(entry, "chainId"),
      address,
      nonce: nonce(entry),
      yParity: yParity(entry),
      // EIP-7702 skips an authorization without a valid signature that has a low s.
      r: scalar(entry, "r", SECP256K1_ORDER - 1n),
      s: scalar(entry, "s", SECP256K1_ORDER / 2n),
    };
  });
  if (authorizations.length === 0) throw refusedField(fields, name, "must not be empty");
  return authorizations;
}

function yParity(fields: Fields): 0 | 1 {
  const value = integer(fields, "yParity");
  if (value > 1n) throw refusedField(fields, "yParity", "must be 0 or 1");
  return value === 0n ? 0 : 1;
}

function scalar(fields: Fields, name: string, most: bigint): bigint {
  const value = integer(fields, name);
  if (value === 0n || value > most) {
    throw refusedField(fields, name, "is not part of a valid signature");
  }
  return value;
}

function isZero(fields: Fields, name: string): boolean {
  return byteString(fields, name).length === 0;
}

function refused(reason: string): MalformedError {
  return new MalformedError(`transaction ${reason}`);
}

function alreadySigned(): MalformedError {
  return refused("is already signed: send it without its signature");
}

function fieldsOf(transaction: EthereumTransaction): RlpItem[] {
  const { type, nonce, gas, to, value, data } = transaction;
  const payment = [encodeInteger(gas), to ?? EMPTY, encodeInteger(value), data];
  if (type === "LEGACY") {
    return [encodeInteger(nonce), encodeInteger(transaction.gasPrice), ...payment];
  }
  const start = [encodeInteger(transaction.chainId), encodeInteger(nonce)];
  const access = transaction.accessList.map((entry) => [entry.address, entry.storageKeys]);
  if (type === "TYPE_1") {
    return [...start, encodeInteger(transaction.gasPrice), ...payment, access];
  }
  const fees = [
    encodeInteger(transaction.maxPriorityFeePerGas),
    encodeInteger(transaction.maxFeePerGas),
  ];
  const common = [...start, ...fees, ...payment, access];
  switch (type) {
    case "TYPE_2":
      return common;
    case "TYPE_3":
      return [
        ...common,
        encodeInteger(transaction.maxFeePerBlobGas),
        transaction.blobVersionedHashes,
      ];
    case "TYPE_4":
      return [...common, transaction.authorizationList.map(authorizationFields)];
  }
}

function authorizationFields(authorization: SignedAuthorization): RlpItem {
  const { chainId, address, nonce, yParity, r, s } = authorization;
  return [
    encodeInteger(chainId),
    address,
    encodeInteger(nonce),
    encodeInteger(BigInt(yParity)),
    encodeInteger(r),
    encodeInteger(s),
  ];
}

function serialize(type: EthereumTransaction["type"], fields: readonly RlpItem[]): Uint8Array {
  const encoded = encodeRlp(fields);
  const number = TYPE_NUMBERS[type];
  return number === null ? encoded : concatBytes(Uint8Array.of(number), encoded);
}

const TYPE_NUMBERS = { LEGACY: null, TYPE_1: 1, TYPE_2: 2, TYPE_3: 3, TYPE_4: 4 };
const TYPES = [undefined, "TYPE_1", "TYPE_2", "TYPE_3", "TYPE_4"] as const;

const LEGACY_FIELDS = ["nonce", "gasPrice", "gas", "to", "value", "data"];
const EIP_155_FIELDS = [...LEGACY_FIELDS, "chainId", "r", "s"];
const TYPE_1_FIELDS = ["chainId", ...LEGACY_FIELDS, "accessList"];
const TYPE_2_FIELDS = [
  "chainId",
  "nonce",
  "maxPriorityFeePerGas",
  "maxFeePerGas",
  "gas",
  "to",
  "value",
  "data",
  "accessList",
];
const TYPE_3_FIELDS = [...TYPE_2_FIELDS, "maxFeePerBlobGas", "blobVersionedHashes"];
const TYPE_4_FIELDS = [...TYPE_2_FIELDS, "authorizationList"];
const FIELDS = {
  TYPE_1: TYPE_1_FIELDS,
  TYPE_2: TYPE_2_FIELDS,
  TYPE_3: TYPE_3_FIELDS,
  TYPE_4: TYPE_4_FIELDS,
};
const ACCESS_FIELDS = ["address", "storageKeys"];
const AUTHORIZATION_FIELDS = ["chainId", "address", "nonce", "yParity", "r", "s"];

const EMPTY = new Uint8Array(0);
const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_LEGACY_CHAIN_ID = (2n ** 256n - 1n - 36n) / 2n;
const SECP256K1_ORDER = orderOf("CURVE_SECP256K1");
