import { sha256 } from "#primitives";
import { concatBytes, encodeHex } from "../encoding/bytes.ts";
import { MalformedError } from "./malformed.ts";
import {
  assertEnd,
  type Cursor,
  takeByte,
  takeBytes,
  takeUint,
  takeUint32,
} from "./solana-cursor.ts";

// Bitcoin's wire format of transactions. Each value has only one encoding, and no bytes may be left over.

export type BitcoinTransaction = {
  readonly version: number;
  readonly inputs: readonly BitcoinInput[];
  readonly outputs: readonly BitcoinOutput[];
  readonly locktime: number;
};

export type BitcoinInput = {
  /** The hash of the transaction that made the output, as it is on the wire. */
  readonly txid: Uint8Array;
  readonly vout: number;
  readonly sequence: number;
};

/** The amount is in satoshi. */
export type BitcoinOutput = { readonly amount: bigint; readonly script: Uint8Array };

/** Every satoshi that can exist. */
const MAX_AMOUNT = 2_100_000_000_000_000n;

/** Decodes a transaction whose inputs are not signed. Throws a MalformedError. */
export function decodeUnsignedTransaction(bytes: Uint8Array, subject: string): BitcoinTransaction {
  const cursor = cursorOf(bytes, subject);
  const version = takeUint32(cursor, "the version");
  const inputs = takeInputs(cursor, (length, i) => {
    if (length > 0) throw cursor.refuse(`input ${i} has a signature script: leave it empty`);
  });
  const outputs = takeOutputs(cursor);
  const locktime = takeUint32(cursor, "the locktime");
  assertEnd(cursor, "the locktime");
  return { version, inputs, outputs, locktime };
}

/** The id and the outputs of a transaction as the network has it. Throws a MalformedError. */
export function decodeSignedTransaction(
  bytes: Uint8Array,
  subject: string,
): { txid: Uint8Array; outputs: readonly BitcoinOutput[] } {
  const cursor = cursorOf(bytes, subject);
  const version = takeBytes(cursor, 4, "the version");
  // Without this mark, the byte is the number of inputs, which is never 0.
  const hasWitnesses = bytes[4] === 0;
  if (hasWitnesses && takeUint(cursor, 2, "the witness flag") !== 0x0100n) {
    throw cursor.refuse("no input, or an unknown witness flag");
  }
  const start = cursor.offset;
  const inputs = takeInputs(cursor, (length, i) => {
    takeBytes(cursor, length, `the signature script of input ${i}`);
  });
  const outputs = takeOutputs(cursor);
  const body = bytes.subarray(start, cursor.offset);
  if (hasWitnesses) for (let i = 0; i < inputs.length; i++) skipWitness(cursor, i);
  const locktime = takeBytes(cursor, 4, "the locktime");
  assertEnd(cursor, "the locktime");
  return { txid: hash256(concatBytes(version, body, locktime)), outputs };
}

/** Encodes a transaction without signature scripts and witnesses. */
export function encodeUnsignedTransaction({
  version,
  inputs,
  outputs,
  locktime,
}: BitcoinTransaction): Uint8Array {
  const noScript = Uint8Array.of(0);
  return joinBytes([
    uint32(version),
    encodeCompactSize(inputs.length),
    ...inputs.flatMap((input) => [encodeOutpoint(input), noScript, uint32(input.sequence)]),
    encodeCompactSize(outputs.length),
    ...outputs.map(encodeOutput),
    uint32(locktime),
  ]);
}

/** Where the length of an input's signature script is in an unsigned transaction. */
export function signatureScriptOffset({ inputs }: BitcoinTransaction, input: number): number {
  return 4 + encodeCompactSize(inputs.length).length + input * 41 + 36;
}

export function encodeOutpoint({ txid, vout }: BitcoinInput): Uint8Array {
  return concatBytes(txid, uint32(vout));
}

export function encodeOutput({ amount, script }: BitcoinOutput): Uint8Array {
  return concatBytes(uint64(amount), encodeBytes(script));
}

/** Decodes one output. Throws a MalformedError. */
export function decodeOutput(bytes: Uint8Array, subject: string): BitcoinOutput {
  const cursor = cursorOf(bytes, subject);
  const output = takeOutput(cursor, "the output");
  assertEnd(cursor, "the output");
  return output;
}

/** Refuses what no block could ever contain. */
export function assertPossible({ inputs, outputs }: BitcoinTransaction): void {
  if (inputs.length === 0) throw new MalformedError("the transaction has no input");
  if (outputs.length === 0) throw new MalformedError("the transaction has no output");
  const spent = new Set<string>();
  inputs.forEach((input, i) => {
    const outpoint = encodeHex(encodeOutpoint(input));
    if (spent.has(outpoint)) throw new MalformedError(`input ${i} spends the output of another`);
    if (input.vout === 0xffffffff) {
      throw new MalformedError(`input ${i} spends no output, like that of a block's reward`);
    }
    spent.add(outpoint);
  });
  outputs.forEach(({ amount }, i) => {
    assertAmount(amount, `output ${i}`);
  });
  assertAmount(total(outputs), "the sum of the outputs");
}

/** The sum of amounts. */
export function total(outputs: readonly BitcoinOutput[]): bigint {
  return outputs.reduce((sum, { amount }) => sum + amount, 0n);
}

/** The id as explorers show it: in hex, with its bytes reversed. */
export function displayedTxid(txid: Uint8Array): string {
  return encodeHex(Uint8Array.from(txid).reverse());
}

/** A number of one to nine bytes, in as few as possible. */
export function takeCompactSize(cursor: Cursor, what: string): number {
  const first = takeByte(cursor, what);
  if (first < 0xfd) return first;
  const width = first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
  const value = takeUint(cursor, width, what);
  if (value < (width === 2 ? 0xfdn : 1n << BigInt(width * 4))) {
    throw cursor.refuse(`${what} is written with needless bytes`);
  }
  if (value > 0xffffffffn) throw cursor.refuse(`${what} is longer than any input`);
  return Number(value);
}

export function encodeCompactSize(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value);
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >> 8);
  return concatBytes(Uint8Array.of(0xfe), uint32(value));
}

/** The bytes after their length. */
export function encodeBytes(bytes: Uint8Array): Uint8Array {
  return concatBytes(encodeCompactSize(bytes.length), bytes);
}

/** Joins any number of parts. As arguments of one call, they could be too many for the stack. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function hash256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** Little-endian. */
export function uint32(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
}

/** Little-endian. */
export function uint64(value: bigint): Uint8Array {
  return concatBytes(uint32(Number(value & 0xffffffffn)), uint32(Number(value >> 32n)));
}

/** Errors start with `subject`. */
export function cursorOf(bytes: Uint8Array, subject: string): Cursor {
  return { bytes, offset: 0, refuse: (problem) => new MalformedError(`${subject}: ${problem}`) };
}

function takeInputs(
  cursor: Cursor,
  readScript: (length: number, input: number) => void,
): BitcoinInput[] {
  return takeList(cursor, "inputs", (i) => {
    const txid = takeBytes(cursor, 32, `the transaction id of input ${i}`);
    const vout = takeUint32(cursor, `the output index of input ${i}`);
    readScript(takeCompactSize(cursor, `the script length of input ${i}`), i);
    return { txid, vout, sequence: takeUint32(cursor, `the sequence of input ${i}`) };
  });
}

function takeOutputs(cursor: Cursor): BitcoinOutput[] {
  return takeList(cursor, "outputs", (i) => takeOutput(cursor, `output ${i}`));
}

function takeOutput(cursor: Cursor, what: string): BitcoinOutput {
  const amount = takeUint(cursor, 8, `the amount of ${what}`);
  if (amount > MAX_AMOUNT) throw cursor.refuse(`${what}: ${TOO_MUCH}`);
  const length = takeCompactSize(cursor, `the script length of ${what}`);
  return { amount, script: takeBytes(cursor, length, `the script of ${what}`) };
}

function takeList<T>(cursor: Cursor, what: string, take: (index: number) => T): T[] {
  const length = takeCompactSize(cursor, `the number of ${what}`);
  const items: T[] = [];
  for (let i = 0; i < length; i++) items.push(take(i));
  return items;
}

function skipWitness(cursor: Cursor, input: number): void {
  takeList(cursor, `witness items of input ${input}`, (i) => {
    const what = `witness item ${i} of input ${input}`;
    takeBytes(cursor, takeCompactSize(cursor, `the length of ${what}`), what);
  });
}

function assertAmount(amount: bigint, what: string): void {
  if (amount > MAX_AMOUNT) throw new MalformedError(`${what}: ${TOO_MUCH}`);
}

const TOO_MUCH = "more bitcoin than can exist";
