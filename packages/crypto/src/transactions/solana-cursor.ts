/** Bytes that are read from front to back. `refuse` creates an error that names the current place. */
export type Cursor = {
  readonly bytes: Uint8Array;
  offset: number;
  readonly refuse: (problem: string) => Error;
};

export function bytesLeft({ bytes, offset }: Cursor): number {
  return bytes.length - offset;
}

/** The next bytes, as a view. */
export function takeBytes(cursor: Cursor, length: number, what: string): Uint8Array {
  const left = bytesLeft(cursor);
  if (length > left)
    throw cursor.refuse(
      `${what} takes ${count(length, "byte")}, but the data has only ${left} more`,
    );
  const start = cursor.offset;
  cursor.offset += length;
  return cursor.bytes.subarray(start, cursor.offset);
}

export function takeByte(cursor: Cursor, what: string): number {
  const byte = cursor.bytes[cursor.offset];
  if (byte === undefined) throw cursor.refuse(`${what} is missing: the bytes end before it`);
  cursor.offset++;
  return byte;
}

/** A little-endian unsigned integer. */
export function takeUint(cursor: Cursor, width: number, what: string): bigint {
  const bytes = takeBytes(cursor, width, what);
  let value = 0n;
  for (let i = width - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number); // in range
  return value;
}

/** A little-endian unsigned integer of 32 bits. */
export function takeUint32(cursor: Cursor, what: string): number {
  const [a = 0, b = 0, c = 0, d = 0] = takeBytes(cursor, 4, what);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

/** A byte that is 0 or 1. */
export function takeFlag(cursor: Cursor, what: string): boolean {
  const byte = takeByte(cursor, what);
  if (byte > 1) throw cursor.refuse(`${what} is ${byte}: expected 0 or 1`);
  return byte === 1;
}

export function assertEnd(cursor: Cursor, what: string): void {
  const left = bytesLeft(cursor);
  if (left > 0) throw cursor.refuse(`${count(left, "byte")} after the end of ${what}`);
}

/** A number and its noun, for messages. */
export function count(quantity: number, noun: string): string {
  return `${quantity} ${noun}${quantity === 1 ? "" : "s"}`;
}
