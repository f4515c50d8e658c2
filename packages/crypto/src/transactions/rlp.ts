import { MalformedError } from "./malformed.ts";

// Recursive length prefix (Ethereum yellow paper, appendix B). Each item has exactly one encoding.

export type RlpItem = Uint8Array | readonly RlpItem[];

/**
 * Decodes an item. Its byte strings are views of `bytes`. Refuses lengths with needless bytes,
 * single bytes below 0x80 with a prefix, more than 8 nested lists, and bytes left over, so that
 * `encodeRlp` returns the same bytes. Errors start with `subject` and number the bytes from
 * `offset`.
 */
export function decodeRlp(bytes: Uint8Array, { subject, offset = 0 }: RlpSource): RlpItem {
  const reader: Reader = { bytes, position: 0, subject, offset };
  const item = readItem(reader, bytes.length, MAX_DEPTH);
  if (reader.position < bytes.length) {
    throw refused(reader, reader.position, `${bytes.length - reader.position} bytes too many`);
  }
  return item;
}

export function encodeRlp(item: RlpItem): Uint8Array {
  const bytes = new Uint8Array(encodedLength(item));
  writeItem(item, bytes, 0);
  return bytes;
}

/** Encodes a non-negative integer as big-endian bytes without leading zeros. 0 has no bytes. */
export function encodeInteger(value: bigint): Uint8Array {
  if (value < 0n) throw new Error("negative integer");
  if (value === 0n) return new Uint8Array(0);
  const hex = value.toString(16);
  const bytes = new Uint8Array((hex.length + 1) >> 1);
  for (let end = hex.length, i = bytes.length - 1; i >= 0; i--, end -= 2) {
    bytes[i] = Number.parseInt(hex.slice(Math.max(0, end - 2), end), 16);
  }
  return bytes;
}

/** Decodes an integer from big-endian bytes of any length. */
export function decodeInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  let i = 0;
  // Six bytes at a time, because they fit into an exact JavaScript number.
  for (; i < bytes.length; ) {
    const end = Math.min(i + 6, bytes.length);
    const shift = BigInt(8 * (end - i));
    let group = 0;
    for (; i < end; i++) group = group * 256 + at(bytes, i);
    value = value === 0n ? BigInt(group) : (value << shift) | BigInt(group);
  }
  return value;
}

type RlpSource = { subject: string; offset?: number };

type Reader = Required<RlpSource> & { readonly bytes: Uint8Array; position: number };

function readItem(reader: Reader, end: number, depthLeft: number): RlpItem {
  const { bytes, position: start } = reader;
  if (start >= end) throw refused(reader, start, "ends where an item should start");
  const prefix = at(bytes, start);
  if (prefix < 0x80) {
    reader.position = start + 1;
    return bytes.subarray(start, start + 1);
  }
  const isList = prefix >= 0xc0;
  const length = readLength(reader, isList ? prefix - 0xc0 : prefix - 0x80);
  const from = reader.position;
  if (length > end - from) {
    throw refused(reader, start, `needs ${length} more bytes, but has only ${end - from}`);
  }
  if (isList) {
    if (depthLeft === 0) throw refused(reader, start, `more than ${MAX_DEPTH} nested lists`);
    return readList(reader, from + length, depthLeft - 1);
  }
  if (length === 1 && at(bytes, from) < 0x80) {
    throw refused(reader, start, "a single byte below 0x80 must not have a prefix");
  }
  reader.position = from + length;
  return bytes.subarray(from, from + length);
}

function readList(reader: Reader, end: number, depthLeft: number): RlpItem[] {
  const items: RlpItem[] = [];
  while (reader.position < end) items.push(readItem(reader, end, depthLeft));
  return items;
}

/** Reads the length after a prefix. `code` is the prefix without the kind of the item. */
function readLength(reader: Reader, code: number): number {
  const start = reader.position++;
  if (code <= MAX_SHORT) return code;
  const count = code - MAX_SHORT;
  const { bytes } = reader;
  // Four bytes are enough for the length of any input.
  if (count > 4) throw refused(reader, start, "longer than any input");
  if (reader.position + count > bytes.length) throw refused(reader, start, "its length is cut off");
  let length = 0;
  for (let i = 0; i < count; i++) length = length * 256 + at(bytes, reader.position++);
  if (at(bytes, start + 1) === 0) throw refused(reader, start, "its length has a leading zero");
  if (length <= MAX_SHORT) throw refused(reader, start, "its length must be part of the prefix");
  return length;
}

function encodedLength(item: RlpItem): number {
  if (item instanceof Uint8Array) {
    return isOwnEncoding(item) ? 1 : prefixLength(item.length) + item.length;
  }
  const length = contentLength(item);
  return prefixLength(length) + length;
}

function contentLength(items: readonly RlpItem[]): number {
  let length = 0;
  for (const item of items) length += encodedLength(item);
  return length;
}

/** Writes the item at `start` and returns where it ends. */
function writeItem(item: RlpItem, bytes: Uint8Array, start: number): number {
  if (item instanceof Uint8Array) {
    const from = isOwnEncoding(item) ? start : writePrefix(0x80, item.length, bytes, start);
    bytes.set(item, from);
    return from + item.length;
  }
  let end = writePrefix(0xc0, contentLength(item), bytes, start);
  for (const child of item) end = writeItem(child, bytes, end);
  return end;
}

function writePrefix(kind: number, length: number, bytes: Uint8Array, start: number): number {
  const count = prefixLength(length) - 1;
  if (count === 0) {
    bytes[start] = kind + length;
    return start + 1;
  }
  bytes[start] = kind + MAX_SHORT + count;
  for (let i = count, rest = length; i > 0; i--, rest = Math.floor(rest / 256)) {
    bytes[start + i] = rest % 256;
  }
  return start + 1 + count;
}

function prefixLength(length: number): number {
  if (length <= MAX_SHORT) return 1;
  let count = 2;
  for (let rest = Math.floor(length / 256); rest > 0; rest = Math.floor(rest / 256)) count++;
  return count;
}

function isOwnEncoding(bytes: Uint8Array): boolean {
  return bytes.length === 1 && at(bytes, 0) < 0x80;
}

function refused({ subject, offset }: Reader, position: number, reason: string): MalformedError {
  return new MalformedError(`${subject}, byte ${offset + position}: ${reason}`);
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] as number; // callers stay within the length
}

/** Transactions need four: the fields, the access list, an entry and its keys. */
const MAX_DEPTH = 8;
const MAX_SHORT = 55;
