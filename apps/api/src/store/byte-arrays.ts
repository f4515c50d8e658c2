/** The type `bytea[]`. */
export const BYTEA_ARRAY = 1001;
const BYTEA = 17;

/**
 * A list of bytes in PostgreSQL's binary form of `bytea[]`, which drivers send as it is. Their own forms are text, and
 * so twice as long.
 */
export function encodeByteArrays(list: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const dimensions = 1;
  // Its members: dimensions, whether there are NULLs, the type of an element, the length, the first index.
  for (const [i, member] of [dimensions, 0, BYTEA, list.length, 1].entries()) {
    head.writeInt32BE(member, i * INT_BYTES);
  }
  const encoded = Buffer.concat([head, ...list.flatMap((bytes) => [lengthOf(bytes), bytes])]);
  // A small one is a part of a buffer that others share.
  if (encoded.length === encoded.buffer.byteLength) ownBuffers.add(encoded);
  return encoded;
}

const ownBuffers = new WeakSet<Uint8Array>();

/** Those of the values that were encoded for this statement alone: another thread may take them without a copy. */
export function encodedIn(values: readonly unknown[]): ArrayBuffer[] {
  return values
    .filter((value) => value instanceof Uint8Array && ownBuffers.has(value))
    .map((value) => (value as Uint8Array<ArrayBuffer>).buffer);
}

const INT_BYTES = 4;
const HEAD_BYTES = 5 * INT_BYTES;

function lengthOf({ length }: Uint8Array): Buffer {
  const bytes = Buffer.alloc(INT_BYTES);
  bytes.writeInt32BE(length);
  return bytes;
}
