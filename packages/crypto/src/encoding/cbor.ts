// Reading CBOR (RFC 8949) as authenticators write it (CTAP2): definite lengths, shortest heads only.

export const UNSIGNED = 0;
export const NEGATIVE = 1;
export const BYTE_STRING = 2;
export const TEXT_STRING = 3;
export const ARRAY = 4;
export const MAP = 5;
const SIMPLE = 7;

export type Head = { major: number; argument: number; end: number };

/** The first byte of an item and the argument of up to two bytes that follows it. */
export function readHead(bytes: Uint8Array, start: number): Head {
  const first = byteAt(bytes, start);
  const major = first >> 5;
  const short = first & 31;
  if (short < 24) return { major, argument: short, end: start + 1 };
  if (short === 24) {
    const argument = byteAt(bytes, start + 1);
    if (argument < 24) throw malformed();
    return { major, argument, end: start + 2 };
  }
  if (short === 25) {
    const argument = (byteAt(bytes, start + 1) << 8) | byteAt(bytes, start + 2);
    if (argument < 256) throw malformed();
    return { major, argument, end: start + 3 };
  }
  throw malformed();
}

/** The bytes of a byte string or text whose head was read. */
export function readString(
  bytes: Uint8Array,
  { argument, end }: Head,
): { value: Uint8Array; end: number } {
  if (end + argument > bytes.length) throw malformed();
  return { value: new Uint8Array(bytes.subarray(end, end + argument)), end: end + argument };
}

/** Where the item ends that starts here. What it says is not looked at. */
export function endOfItem(bytes: Uint8Array, start: number, depth = 4): number {
  const head = readHead(bytes, start);
  switch (head.major) {
    case UNSIGNED:
    case NEGATIVE:
      return head.end;
    case BYTE_STRING:
    case TEXT_STRING:
      return readString(bytes, head).end;
    case ARRAY:
    case MAP: {
      if (depth === 0) throw malformed();
      let end = head.end;
      const items = head.major === MAP ? 2 * head.argument : head.argument;
      for (let i = 0; i < items; i++) end = endOfItem(bytes, end, depth - 1);
      return end;
    }
    case SIMPLE:
      // False, true and null.
      if (head.argument >= 20 && head.argument <= 22) return head.end;
      throw malformed();
    default:
      throw malformed();
  }
}

function byteAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw malformed();
  return byte;
}

function malformed(): Error {
  return new Error("malformed CBOR");
}
