import { isWellFormed } from "./bytes.ts";

/**
 * Parses JSON like `JSON.parse`, but refuses text on which parsers are known to disagree: duplicate
 * keys, `__proto__` keys, keys that cannot be written without an escape, lone surrogates (also escaped
 * ones) and deep nesting.
 */
export function parseStrictJson(text: string, { maxDepth = 32 } = {}): unknown {
  const hasEscapes = text.includes("\\");
  let value: unknown;
  try {
    value = JSON.parse(hasEscapes ? withPlainKeys(text) : text);
  } catch {
    throw malformed();
  }
  if (!isWellFormed(text)) throw malformed();
  // A duplicate key is written twice but kept once.
  if (countWrittenMembers(text) !== countKeptMembers(value, maxDepth)) throw malformed();
  // Escapes are the only other source of lone surrogates.
  if (hasEscapes && !isWellFormedThroughout(value)) throw malformed();
  return value;
}

/**
 * The same text, with keys that need no escape written without one. V8 takes an escaped key for another
 * key if it has just read an object whose key looks like the escape, so that what one client sends could
 * change how the request of another is read (https://github.com/nodejs/node/issues/63785). It reads
 * strings that are values, and keys without escapes, as they are.
 *
 * @throws if a key needs an escape or a string has no end. `JSON.parse` finds other mistakes.
 */
function withPlainKeys(text: string): string {
  let plain = "";
  let copied = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    if (end < 0) throw malformed();
    if (isFollowedByColon(text, end)) {
      const written = text.slice(start, end + 1);
      if (written.includes("\\")) {
        plain += `${text.slice(copied, start)}"${unescapeKey(written)}"`;
        copied = end + 1;
      }
    }
    start = text.indexOf('"', end + 1);
  }
  return copied === 0 ? text : plain + text.slice(copied);
}

/** Whether the string that ends at `quote` is the key of a member. */
export function isFollowedByColon(text: string, quote: number): boolean {
  let next = quote + 1;
  while (isSpace(text.charCodeAt(next))) next++;
  return text.charCodeAt(next) === COLON;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function unescapeKey(written: string): string {
  const key: string = JSON.parse(written);
  if (JSON.stringify(key) !== `"${key}"`) throw malformed();
  return key;
}

/** Counts the members of all objects in valid JSON: the colons outside strings. */
function countWrittenMembers(text: string): number {
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COLON) members++;
    else if (code === QUOTE) i = endOfString(text, i);
  }
  return members;
}

/** Index of the quote that closes the string opened at `start`, or -1 if nothing does. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function countKeptMembers(value: unknown, depthLeft: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depthLeft === 0) throw malformed();
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) members += countKeptMembers(element, depthLeft - 1);
    return members;
  }
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw malformed();
    // JSON.parse gives plain objects, so indexing by their own key is safe.
    const member = (value as Record<string, unknown>)[key];
    members += 1 + countKeptMembers(member, depthLeft - 1);
  }
  return members;
}

function isWellFormedThroughout(value: unknown): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormedThroughout);
  return Object.entries(value).every(
    ([key, member]) => isWellFormed(key) && isWellFormedThroughout(member),
  );
}

function malformed(): Error {
  return new Error("malformed json");
}

const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
