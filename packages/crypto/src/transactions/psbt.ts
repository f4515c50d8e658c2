import { concatBytes, encodeHex } from "../encoding/bytes.ts";
import {
  assertPossible,
  type BitcoinInput,
  type BitcoinOutput,
  type BitcoinTransaction,
  cursorOf,
  decodeUnsignedTransaction,
  encodeBytes,
  encodeCompactSize,
  joinBytes,
  takeCompactSize,
} from "./bitcoin-transaction.ts";
import { MalformedError } from "./malformed.ts";
import { globalFields, inputFields, outputFields, type Shapes } from "./psbt-fields.ts";
import {
  assertEnd,
  bytesLeft,
  type Cursor,
  count,
  takeBytes,
  takeUint,
  takeUint32,
} from "./solana-cursor.ts";

// Partially signed Bitcoin transactions, version 0 (BIP-174) and version 2 (BIP-370). Decoding is
// strict: a known field must have the form and the version that the BIPs define, no key may appear twice,
// and no bytes may be left over. Unknown fields stay as they are.

export type Psbt = {
  readonly version: 0 | 2;
  readonly transaction: BitcoinTransaction;
  readonly global: PsbtMap;
  /** One for each input and output of the transaction. */
  readonly inputs: readonly PsbtMap[];
  readonly outputs: readonly PsbtMap[];
};

/** The fields in the order of the wire. */
export type PsbtMap = readonly PsbtField[];

export type PsbtField = {
  readonly type: number;
  /** What follows the type in the key, such as a public key. */
  readonly keyData: Uint8Array;
  readonly value: Uint8Array;
};

/** Decodes a PSBT. Its byte fields are views of one copy of the input. Throws a MalformedError. */
export function decodePsbt(bytes: Uint8Array): Psbt {
  const cursor = cursorOf(new Uint8Array(bytes), "PSBT"); // Node's own `slice` does not copy
  if (encodeHex(cursor.bytes.subarray(0, MAGIC.length)) !== encodeHex(MAGIC)) {
    throw new MalformedError(
      "not a PSBT, which begins with 70736274ff: put the unsigned transaction into a PSBT of version 0 or 2",
    );
  }
  cursor.offset = MAGIC.length;
  const global = takeMap(cursor, "the global map", globalFields);
  const version = versionOf(global);
  assertVersion(global, "the global map", globalFields, version);
  const unsigned = version === 0 ? unsignedOf(global) : null;
  const inputs = takeMaps(cursor, "input", inputFields, {
    version,
    length: unsigned?.inputs.length ?? countOf(global, 0x04, "the number of inputs"),
  });
  const outputs = takeMaps(cursor, "output", outputFields, {
    version,
    length: unsigned?.outputs.length ?? countOf(global, 0x05, "the number of outputs"),
  });
  assertEnd(cursor, "the PSBT");
  const transaction = unsigned ?? transactionOf(global, inputs, outputs);
  assertPossible(transaction);
  return { version, transaction, global, inputs, outputs };
}

export function encodePsbt({ global, inputs, outputs }: Psbt): Uint8Array {
  return joinBytes([MAGIC, ...[global, ...inputs, ...outputs].map(encodeMap)]);
}

/** The value of a field whose key is its type alone. */
export function fieldOf(map: PsbtMap, type: number): Uint8Array | undefined {
  return map.find((field) => field.type === type)?.value;
}

/** A little-endian number of 32 bits, whose length the decoder has checked. */
export function uint32Of(map: PsbtMap, type: number): number | undefined {
  const value = fieldOf(map, type);
  return value && takeUint32(cursorOf(value, "PSBT"), "the value");
}

/** Adds a field in the order of the types, or replaces the value if its key is there. */
export function withField(map: PsbtMap, added: PsbtField): PsbtMap {
  const isSameKey = ({ type, keyData }: PsbtField) =>
    type === added.type && encodeHex(keyData) === encodeHex(added.keyData);
  if (map.some(isSameKey)) return map.map((field) => (isSameKey(field) ? added : field));
  const after = map.findIndex(({ type }) => type > added.type);
  const at = after < 0 ? map.length : after;
  return [...map.slice(0, at), added, ...map.slice(at)];
}

function takeMaps(
  cursor: Cursor,
  noun: string,
  shapes: Shapes,
  { length, version }: { length: number; version: 0 | 2 },
): PsbtMap[] {
  // Each map has at least its end.
  if (length > bytesLeft(cursor)) {
    throw cursor.refuse(`${count(length, noun)}, but not as many maps`);
  }
  return Array.from({ length }, (_, i) => {
    const subject = `the map of ${noun} ${i}`;
    const map = takeMap(cursor, subject, shapes);
    assertVersion(map, subject, shapes, version);
    return map;
  });
}

function takeMap(cursor: Cursor, subject: string, shapes: Shapes): PsbtMap {
  const fields: PsbtField[] = [];
  const keys = new Set<string>();
  for (;;) {
    const keyLength = takeCompactSize(cursor, `the length of a key in ${subject}`);
    if (keyLength === 0) return fields;
    const key = takeBytes(cursor, keyLength, `a key in ${subject}`);
    const text = encodeHex(key);
    if (keys.has(text)) throw cursor.refuse(`${subject} has a key twice: ${text.slice(0, 80)}`);
    keys.add(text);
    const keyCursor = cursorOf(key, `PSBT: a key in ${subject}`);
    const type = takeCompactSize(keyCursor, "its type");
    const keyData = key.subarray(keyCursor.offset);
    const shape = shapes.get(type);
    const name = `${shape?.name ?? `field ${type}`} in ${subject}`;
    const valueLength = takeCompactSize(cursor, `the length of ${name}`);
    const value = takeBytes(cursor, valueLength, name);
    if (shape && !shape.keyData.includes(keyData.length)) {
      throw cursor.refuse(`${name}: ${count(keyData.length, "byte")} of key data do not fit it`);
    }
    if (shape?.value && !shape.value.includes(value.length)) {
      throw cursor.refuse(
        `${name}: ${count(value.length, "byte")}, expected ${shape.value.join(" or ")}`,
      );
    }
    fields.push({ type, keyData, value });
  }
}

function encodeMap(map: PsbtMap): Uint8Array {
  const fields = map.flatMap(({ type, keyData, value }) => {
    return [encodeBytes(concatBytes(encodeCompactSize(type), keyData)), encodeBytes(value)];
  });
  return joinBytes([...fields, Uint8Array.of(0)]);
}

function versionOf(global: PsbtMap): 0 | 2 {
  const version = uint32Of(global, 0xfb) ?? 0;
  if (version === 0 || version === 2) return version;
  throw new MalformedError(`PSBT: version ${version}, expected 0 or 2`);
}

/** Refuses a field of the other version, and a missing field that this version requires. */
function assertVersion(map: PsbtMap, subject: string, shapes: Shapes, version: 0 | 2): void {
  for (const [type, shape] of shapes) {
    const isThere = map.some((field) => field.type === type);
    if (isThere && shape.only !== undefined && shape.only !== version) {
      throw new MalformedError(
        `PSBT: ${shape.name} in ${subject} belongs to version ${shape.only}, but the PSBT has version ${version}`,
      );
    }
    if (!isThere && shape.required === version) {
      throw new MalformedError(`PSBT: ${shape.name} is missing from ${subject}`);
    }
  }
}

function unsignedOf(global: PsbtMap): BitcoinTransaction {
  return decodeUnsignedTransaction(required(global, 0x00), "PSBT: the unsigned transaction");
}

function countOf(global: PsbtMap, type: number, what: string): number {
  const cursor = cursorOf(required(global, type), "PSBT");
  const value = takeCompactSize(cursor, what);
  assertEnd(cursor, what);
  return value;
}

/** The transaction of version 2, whose parts are in the maps. */
function transactionOf(
  global: PsbtMap,
  inputs: readonly PsbtMap[],
  outputs: readonly PsbtMap[],
): BitcoinTransaction {
  return {
    version: uint32Of(global, 0x02) ?? 0, // required
    inputs: inputs.map(
      (map): BitcoinInput => ({
        txid: required(map, 0x0e),
        vout: uint32Of(map, 0x0f) ?? 0, // required
        sequence: uint32Of(map, 0x10) ?? 0xffffffff,
      }),
    ),
    outputs: outputs.map(
      (map): BitcoinOutput => ({
        amount: takeUint(cursorOf(required(map, 0x03), "PSBT"), 8, "the amount"),
        script: required(map, 0x04),
      }),
    ),
    locktime: locktimeOf(global, inputs),
  };
}

/** The highest locktime that an input requires, of the kind that all these inputs accept (BIP-370). */
function locktimeOf(global: PsbtMap, inputs: readonly PsbtMap[]): number {
  const times: number[] = [];
  const heights: number[] = [];
  let requiring = 0;
  inputs.forEach((map, i) => {
    const time = uint32Of(map, 0x11);
    const height = uint32Of(map, 0x12);
    if (time !== undefined && time < FIRST_TIME) {
      throw new MalformedError(
        `PSBT: input ${i} requires the time ${time}, which is below 500000000`,
      );
    }
    if (height !== undefined && (height === 0 || height >= FIRST_TIME)) {
      throw new MalformedError(
        `PSBT: input ${i} requires the height ${height}, expected 1 to 499999999`,
      );
    }
    if (time !== undefined) times.push(time);
    if (height !== undefined) heights.push(height);
    if (time !== undefined || height !== undefined) requiring++;
  });
  if (requiring === 0) return uint32Of(global, 0x03) ?? 0;
  const accepted = [heights, times].find(({ length }) => length === requiring);
  if (accepted) return Math.max(...accepted);
  throw new MalformedError(
    "PSBT: one input requires a locktime in blocks and another one in seconds, which no transaction can have",
  );
}

/** A field that `assertVersion` has checked to be there. */
function required(map: PsbtMap, type: number): Uint8Array {
  const value = fieldOf(map, type);
  if (!value) throw new MalformedError(`PSBT: field ${type} is missing`);
  return value;
}

/** Locktimes from here on are times, in seconds. */
export const FIRST_TIME = 500_000_000;

const MAGIC = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff);
