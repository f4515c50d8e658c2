import { isWellFormed } from "./bytes.ts";

/**
 * The canonical JSON text of a value (RFC 8785): keys sorted by UTF-16 code units, no white space.
 * Accepts strings, safe integers, booleans, null, arrays and plain objects. Refuses everything
 * else, so that nothing is dropped or rounded before it is signed.
 */
export function canonicalJson(value: unknown): string {
  if (isFlatAndSorted(value)) return JSON.stringify(value);
  return write(value, 64);
}

/** Of texts and numbers, with its keys in order: JavaScript writes the same text, in half of the time. */
function isFlatAndSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !isPlain(value)) return false;
  let last = "";
  for (const [index, [key, member]] of Object.entries(value).entries()) {
    const isText = typeof member === "string" && isWellFormed(member);
    if (!isText && !Number.isSafeInteger(member)) return false;
    if ((index > 0 && key <= last) || !isWellFormed(key)) return false;
    last = key;
  }
  return true;
}

function write(value: unknown, depthLeft: number): string {
  if (depthLeft === 0) throw refused();
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    if (!isWellFormed(value)) throw refused();
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw refused();
    return String(value);
  }
  if (Array.isArray(value)) {
    // Array.from visits holes, which `map` would skip.
    return `[${Array.from(value, (element) => write(element, depthLeft - 1)).join(",")}]`;
  }
  if (typeof value !== "object" || !isPlain(value)) throw refused();
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${write(key, depthLeft - 1)}:${write(member, depthLeft - 1)}`);
  return `{${members.join(",")}}`;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function refused(): Error {
  return new Error("value has no canonical form");
}
