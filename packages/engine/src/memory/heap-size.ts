/**
 * About the bytes of heap that plain data takes: JSON, lists, maps and big integers. Never less than
 * V8 was measured to take, so that whoever chooses the data cannot make it look smaller than it is.
 * Data that is used in several places counts in each of them.
 */
export function heapSizeOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      // Two bytes for each character: one character outside Latin-1 makes a text that wide.
      return 24 + 2 * value.length;
    case "number":
      return 16;
    case "bigint":
      return 64;
    case "object":
      return value === null ? 0 : sizeOfObject(value);
    default:
      return 0;
  }
}

function sizeOfObject(value: object): number {
  if (ArrayBuffer.isView(value)) return 200 + value.byteLength;
  let size = 64;
  if (value instanceof Map) {
    for (const [key, item] of value) size += 48 + heapSizeOf(key) + heapSizeOf(item);
    return size;
  }
  // The names of members are shared by all objects of one shape.
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) size += 8 + heapSizeOf(item);
  return size;
}
