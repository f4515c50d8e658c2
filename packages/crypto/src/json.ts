/**
 * Parses JSON like `JSON.parse`, but refuses text on which parsers are known to disagree: duplicate
 * keys, `__proto__` keys, lone surrogates (also escaped ones) and deep nesting.
 */
export function parseStrictJson(text: string, { maxDepth = 32 } = {}): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed();
  }
  if (!text.isWellFormed()) throw malformed();
  // A duplicate key is written twice but kept once.
  if (countWrittenMembers(text) !== countKeptMembers(value, maxDepth)) throw malformed();
  // Escapes are the only other source of lone surrogates.
  if (text.includes("\\") && !isWellFormedThroughout(value)) throw malformed();
  return value;
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

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
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
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormedThroughout);
  return Object.entries(value).every(
    ([key, member]) => key.isWellFormed() && isWellFormedThroughout(member),
  );
}

function malformed(): Error {
  return new Error("malformed json");
}

const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
