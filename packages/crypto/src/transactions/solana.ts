import { encodeBase58 } from "../encoding/base58.ts";
import { MalformedError } from "./malformed.ts";
import { assertEnd, type Cursor, count, takeByte, takeBytes } from "./solana-cursor.ts";

// Solana's wire format of transactions: a compact array of signature slots, then the message that
// is signed, either legacy or version 0. Decoding is strict: a value has one encoding, no bytes may
// be left over, and a form that the runtime would refuse is refused here.

/** A decoded transaction. Its byte fields are views of one copy of the input. */
export type SolanaTransaction = {
  readonly version: "legacy" | 0;
  /** A slot of 64 bytes for each required signer, in order. A slot holds zeros if it is not signed. */
  readonly signatures: readonly Uint8Array[];
  /** The bytes that are signed. */
  readonly message: Uint8Array;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** The static keys, 32 bytes each. The fee payer comes first, then the other signers. */
  readonly accountKeys: readonly Uint8Array[];
  readonly recentBlockhash: Uint8Array;
  readonly instructions: readonly SolanaInstruction[];
  /** Empty in a legacy message. */
  readonly addressTableLookups: readonly SolanaAddressTableLookup[];
};

export type SolanaInstruction = {
  /** The position of the program among the static keys. Never 0. */
  readonly programIndex: number;
  /**
   * Positions among all accounts: the static keys, then the writable accounts of all lookups in
   * order, then the read-only ones.
   */
  readonly accountIndexes: Uint8Array;
  readonly data: Uint8Array;
};

export type SolanaAddressTableLookup = {
  readonly tableKey: Uint8Array;
  readonly writableIndexes: Uint8Array;
  readonly readonlyIndexes: Uint8Array;
};

/** The maximum length of a transaction with all its signatures: one packet of the network. */
export const MAX_SOLANA_TRANSACTION_BYTES = 1232;

/**
 * Decodes a transaction, or a message alone, to which it adds empty slots. Throws a MalformedError.
 *
 * A message of version 0 begins with 0x80. No transaction does, because 128 signatures do not fit.
 * But a legacy message can be crafted to read as a transaction too, because signature slots can
 * hold any bytes. So both readings are tried, and bytes that pass both are refused. An unsigned
 * transaction is never ambiguous: read as a message, the zeros of its first slot would mean that it
 * has no accounts.
 */
export function decodeSolanaTransaction(bytes: Uint8Array): SolanaTransaction {
  if (bytes.length === 0) throw new MalformedError("the transaction has no bytes");
  if (bytes.length > MAX_SOLANA_TRANSACTION_BYTES) throw tooLong(bytes.length);
  const copy = new Uint8Array(bytes); // the `slice` of Node's own byte arrays does not copy
  if ((copy[0] as number) >= VERSIONED) return decodeMessage(copy); // not empty
  if (!beginsLikeLegacyMessage(copy)) return decodeWhole(copy);
  const whole = attempt(() => decodeWhole(copy));
  const message = attempt(() => decodeMessage(copy));
  if (whole instanceof MalformedError) {
    if (!(message instanceof MalformedError)) return message;
    throw new MalformedError(
      `as a transaction: ${whole.message}; as a message alone: ${message.message}`,
    );
  }
  if (message instanceof MalformedError) return whole;
  throw new MalformedError(
    "the bytes read as a transaction and as a message alone: leave the signature slots empty",
  );
}

/** The bytes that the signers sign. */
export function solanaMessage(transaction: SolanaTransaction): Uint8Array {
  return transaction.message.slice();
}

/**
 * Encodes the transaction with a signature of 64 bytes in the slot of the signer that has this
 * public key of 32 bytes. The other slots do not change. Does not verify the signature. Throws a
 * MalformedError if the transaction does not require this signer.
 */
export function encodeSignedSolanaTransaction(
  transaction: SolanaTransaction,
  publicKey: Uint8Array,
  signature: Uint8Array,
): Uint8Array {
  if (signature.length !== SIGNATURE_BYTES) throw new Error("signature must be 64 bytes");
  const { accountKeys, signatures, requiredSignatures, message } = transaction;
  const slot = accountKeys.findIndex((key) => isSameKey(key, publicKey));
  if (slot < 0 || slot >= requiredSignatures) {
    const signers = accountKeys.slice(0, requiredSignatures).map(encodeBase58);
    throw new MalformedError(
      `the transaction requires signatures of ${signers.join(", ")}, not of the account that signs`,
    );
  }
  const messageStart = 1 + signatures.length * SIGNATURE_BYTES;
  const wire = new Uint8Array(messageStart + message.length);
  wire[0] = signatures.length; // below 128, so the compact array's length is this byte
  signatures.forEach((each, i) => {
    wire.set(i === slot ? signature : each, 1 + i * SIGNATURE_BYTES);
  });
  wire.set(message, messageStart);
  return wire;
}

function decodeWhole(bytes: Uint8Array): SolanaTransaction {
  const cursor = cursorOf(bytes);
  const signatureCount = takeLength(cursor, "the number of signatures");
  const signatures: Uint8Array[] = [];
  for (let i = 0; i < signatureCount; i++) {
    signatures.push(takeBytes(cursor, SIGNATURE_BYTES, `signature ${i}`));
  }
  const message = readMessage(cursor);
  if (signatureCount !== message.requiredSignatures) {
    throw cursor.refuse(
      `${count(signatureCount, "signature slot")}, but the message requires ${count(message.requiredSignatures, "signature")}: give every signer a slot, with zeros if it has not signed`,
    );
  }
  return { ...message, signatures };
}

function decodeMessage(bytes: Uint8Array): SolanaTransaction {
  const message = readMessage(cursorOf(bytes));
  const { requiredSignatures } = message;
  const wireLength = 1 + requiredSignatures * SIGNATURE_BYTES + bytes.length;
  if (wireLength > MAX_SOLANA_TRANSACTION_BYTES) throw tooLong(wireLength);
  const signatures = Array.from(
    { length: requiredSignatures },
    () => new Uint8Array(SIGNATURE_BYTES),
  );
  return { ...message, signatures };
}

/** Whether the bytes begin like a legacy message, with a possible header and number of accounts. */
function beginsLikeLegacyMessage(bytes: Uint8Array): boolean {
  const [required = 0, readonlySigned = 0, readonlyUnsigned = 0, accounts = 0] = bytes;
  return required > readonlySigned && accounts >= required + readonlyUnsigned;
}

/** Reads a message up to the end of the bytes. */
function readMessage(cursor: Cursor): Omit<SolanaTransaction, "signatures"> {
  const start = cursor.offset;
  const version = takeVersion(cursor);
  const requiredSignatures = takeByte(cursor, "the number of required signatures");
  const readonlySigned = takeByte(cursor, "the number of read-only signers");
  const readonlyUnsigned = takeByte(cursor, "the number of read-only accounts that do not sign");
  const accountKeys = takeKeys(cursor);
  assertHeader(cursor, { requiredSignatures, readonlySigned, readonlyUnsigned, accountKeys });
  const recentBlockhash = takeBytes(cursor, KEY_BYTES, "the recent blockhash");
  const instructions = takeInstructions(cursor);
  const addressTableLookups = version === 0 ? takeAddressTableLookups(cursor) : [];
  assertEnd(cursor, "the message");
  assertIndexes(cursor, { accountKeys, instructions, addressTableLookups });
  return {
    version,
    message: cursor.bytes.subarray(start),
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    accountKeys,
    recentBlockhash,
    instructions,
    addressTableLookups,
  };
}

function takeVersion(cursor: Cursor): "legacy" | 0 {
  const first = cursor.bytes[cursor.offset];
  if (first === undefined || first < VERSIONED) return "legacy";
  const version = takeByte(cursor, "the version") - VERSIONED;
  if (version !== 0) {
    throw cursor.refuse(`message version ${version}: expected legacy or version 0`);
  }
  return version;
}

function takeKeys(cursor: Cursor): Uint8Array[] {
  const length = takeLength(cursor, "the number of accounts");
  const keys: Uint8Array[] = [];
  for (let i = 0; i < length; i++) {
    const key = takeBytes(cursor, KEY_BYTES, `account ${i}`);
    // The runtime refuses a transaction that loads an account twice.
    const twin = keys.findIndex((other) => isSameKey(other, key));
    if (twin >= 0) throw cursor.refuse(`accounts ${twin} and ${i} are both ${encodeBase58(key)}`);
    keys.push(key);
  }
  return keys;
}

type Header = Pick<
  SolanaTransaction,
  "requiredSignatures" | "readonlySigned" | "readonlyUnsigned" | "accountKeys"
>;

function assertHeader(
  cursor: Cursor,
  { requiredSignatures, readonlySigned, readonlyUnsigned, accountKeys }: Header,
): void {
  if (requiredSignatures === 0) throw cursor.refuse("no signature is required: at least 1 must be");
  // The fee payer signs and is writable.
  if (readonlySigned >= requiredSignatures) {
    throw cursor.refuse(
      `${count(readonlySigned, "read-only signer")} of ${requiredSignatures}: the first must be writable`,
    );
  }
  if (requiredSignatures + readonlyUnsigned > accountKeys.length) {
    throw cursor.refuse(
      `the header counts ${count(requiredSignatures, "signer")} and ${readonlyUnsigned} other read-only accounts, but there are only ${count(accountKeys.length, "account")}`,
    );
  }
}

function takeInstructions(cursor: Cursor): SolanaInstruction[] {
  const length = takeLength(cursor, "the number of instructions");
  const instructions: SolanaInstruction[] = [];
  for (let i = 0; i < length; i++) {
    instructions.push({
      programIndex: takeByte(cursor, `the program of instruction ${i}`),
      accountIndexes: takeCounted(cursor, "account", `instruction ${i}`),
      data: takeCounted(cursor, "data", `instruction ${i}`),
    });
  }
  return instructions;
}

function takeAddressTableLookups(cursor: Cursor): SolanaAddressTableLookup[] {
  const length = takeLength(cursor, "the number of address table lookups");
  const lookups: SolanaAddressTableLookup[] = [];
  for (let i = 0; i < length; i++) {
    const lookup = {
      tableKey: takeBytes(cursor, KEY_BYTES, `the table of address table lookup ${i}`),
      writableIndexes: takeCounted(cursor, "writable index", `address table lookup ${i}`),
      readonlyIndexes: takeCounted(cursor, "read-only index", `address table lookup ${i}`),
    };
    if (lookup.writableIndexes.length + lookup.readonlyIndexes.length === 0) {
      throw cursor.refuse(`address table lookup ${i} has no index: leave it out`);
    }
    lookups.push(lookup);
  }
  return lookups;
}

function assertIndexes(
  cursor: Cursor,
  {
    accountKeys,
    instructions,
    addressTableLookups,
  }: Pick<SolanaTransaction, "accountKeys" | "instructions" | "addressTableLookups">,
): void {
  let accounts = accountKeys.length;
  for (const { writableIndexes, readonlyIndexes } of addressTableLookups) {
    accounts += writableIndexes.length + readonlyIndexes.length;
  }
  if (accounts > MAX_ACCOUNTS) {
    throw cursor.refuse(`${accounts} accounts: at most ${MAX_ACCOUNTS} can be named`);
  }
  instructions.forEach(({ programIndex, accountIndexes }, i) => {
    if (programIndex === 0) {
      throw cursor.refuse(`instruction ${i}: its program is account 0, which pays the fee`);
    }
    if (programIndex >= accounts) {
      throw cursor.refuse(
        `instruction ${i}: its program is account ${programIndex} of ${accounts}, counted from 0`,
      );
    }
    // The table may hold a different program by the time the transaction runs.
    if (programIndex >= accountKeys.length) {
      throw cursor.refuse(
        `instruction ${i}: its program comes from an address lookup table: name it among the static accounts`,
      );
    }
    for (const index of accountIndexes) {
      if (index >= accounts) {
        throw cursor.refuse(
          `instruction ${i}: it names account ${index} of ${accounts}, counted from 0`,
        );
      }
    }
  });
}

/** A compact array of bytes. */
function takeCounted(cursor: Cursor, what: string, whose: string): Uint8Array {
  const length = takeLength(cursor, `the ${what} length of ${whose}`);
  return takeBytes(cursor, length, `the ${what} array of ${whose}`);
}

/** A compact-u16: seven bits in each byte, lowest first, in as few bytes as possible. */
function takeLength(cursor: Cursor, what: string): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = takeByte(cursor, what);
    value |= (byte & 0x7f) << shift;
    if (shift === 14 && byte > 3) throw cursor.refuse(`${what} is more than 65535`);
    if (byte < 0x80) {
      if (byte === 0 && shift > 0) throw cursor.refuse(`${what} is written with needless bytes`);
      return value;
    }
  }
}

function isSameKey(a: Uint8Array, b: Uint8Array): boolean {
  // Keys are public, so the time of the comparison may depend on them.
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function attempt<Result>(decode: () => Result): Result | MalformedError {
  try {
    return decode();
  } catch (error) {
    if (error instanceof MalformedError) return error;
    throw error;
  }
}

function cursorOf(bytes: Uint8Array): Cursor {
  return { bytes, offset: 0, refuse: (problem) => new MalformedError(problem) };
}

function tooLong(length: number): MalformedError {
  return new MalformedError(
    `${length} bytes with all signatures: the network accepts at most ${MAX_SOLANA_TRANSACTION_BYTES}`,
  );
}

const VERSIONED = 0x80;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const MAX_ACCOUNTS = 256;
