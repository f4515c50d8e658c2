import { ApiError, shorten } from "@keyhearth/engine/errors";

const MAX_DEPTH = 32;

/**
 * Parses a body, and says what makes it unreadable and where. The strict parser itself only accepts
 * or refuses, because it also runs where the keys are.
 */
export function explainUnreadable<T>(body: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const isAboutBody = error instanceof ApiError && error.reason === "BAD_REQUEST_BODY";
    const why = isAboutBody && error.field === undefined ? whyUnreadable(body) : null;
    if (why === null) throw error;
    throw new ApiError("INVALID_ARGUMENT", "BAD_REQUEST_BODY", `bad request body: ${why}`, {
      cause: error,
    });
  }
}

/** Why the strict parser refuses a text, and where; null if it does not. */
export function whyUnreadable(text: string): string | null {
  if (text.trim() === "") return "it is empty; expected a JSON object";
  if (text.startsWith("\ufeff"))
    return "it starts with a byte order mark; send the JSON without it";
  const scan: Scan = { text, at: 0 };
  try {
    skipSpace(scan);
    scanValue(scan, MAX_DEPTH);
    skipSpace(scan);
    if (scan.at < text.length) throw problem(scan, "the JSON ends, but more text follows");
    return null;
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

const needsEscape =
  "a key contains a quotation mark, a backslash or a control character, which keys here must not";

class Unreadable extends Error {}

/** A text and the place that has been read. */
type Scan = { readonly text: string; at: number };

function problem({ text, at }: Scan, what: string, place = at): Unreadable {
  const before = text.slice(0, place).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return new Unreadable(`${what}, at line ${before.length}, column ${column}`);
}

function scanValue(scan: Scan, depthLeft: number) {
  switch (scan.text[scan.at]) {
    case "{":
      return scanMembers(scan, depthLeft);
    case "[":
      return scanElements(scan, depthLeft);
    case '"':
      return void scanString(scan);
    default:
      return scanWord(scan);
  }
}

function scanMembers(scan: Scan, depthLeft: number) {
  if (depthLeft === 0) throw tooDeep(scan);
  const keys = new Set<string>();
  scan.at++;
  skipSpace(scan);
  if (scan.text[scan.at] === "}") return void scan.at++;
  for (;;) {
    const place = scan.at;
    if (scan.text[place] !== '"') throw unexpected(scan, "a key in double quotes");
    const key = scanString(scan);
    if (keys.has(key)) throw problem(scan, `the key \`${shorten(key)}\` is given twice`, place);
    if (key === "__proto__") throw problem(scan, "the key `__proto__` is not allowed", place);
    // V8 mixes up keys that need an escape, see `parseStrictJson`.
    if (JSON.stringify(key) !== `"${key}"`) throw problem(scan, needsEscape, place);
    keys.add(key);
    skipSpace(scan);
    expectCharacter(scan, ":");
    skipSpace(scan);
    scanValue(scan, depthLeft - 1);
    if (isLast(scan, "}")) return;
  }
}

function scanElements(scan: Scan, depthLeft: number) {
  if (depthLeft === 0) throw tooDeep(scan);
  scan.at++;
  skipSpace(scan);
  if (scan.text[scan.at] === "]") return void scan.at++;
  do scanValue(scan, depthLeft - 1);
  while (!isLast(scan, "]"));
}

/** Reads the comma or the bracket that follows a member or an element. */
function isLast(scan: Scan, bracket: "}" | "]"): boolean {
  skipSpace(scan);
  if (scan.text[scan.at] === bracket) {
    scan.at++;
    return true;
  }
  if (scan.text[scan.at] !== ",") throw unexpected(scan, `\`,\` or \`${bracket}\``);
  scan.at++;
  skipSpace(scan);
  return false;
}

function expectCharacter(scan: Scan, character: string) {
  if (scan.text[scan.at] !== character) throw unexpected(scan, `\`${character}\``);
  scan.at++;
}

/** Reads a string and returns its value. */
function scanString(scan: Scan): string {
  const start = scan.at;
  const { text } = scan;
  for (scan.at++; text[scan.at] !== '"'; scan.at++) {
    const character = text[scan.at];
    if (character === undefined) throw problem(scan, "a string has no end", start);
    if (character < " ") throw problem(scan, "a string contains an unescaped control character");
    if (character !== "\\") continue;
    if (!/^\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(scan.at, scan.at + 6))) {
      throw problem(scan, "a string contains an escape that JSON does not have");
    }
    scan.at++;
  }
  scan.at++;
  // The loop has checked that it is a string of JSON.
  const value = String(JSON.parse(text.slice(start, scan.at)));
  if (!value.isWellFormed())
    throw problem(scan, "a string contains half of a surrogate pair", start);
  return value;
}

function scanWord(scan: Scan) {
  const pattern = /true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
  pattern.lastIndex = scan.at;
  const [word] = pattern.exec(scan.text) ?? [];
  if (word === undefined) throw unexpected(scan, "a JSON value");
  scan.at += word.length;
}

function skipSpace(scan: Scan) {
  while (" \t\n\r".includes(scan.text[scan.at] ?? "x")) scan.at++;
}

function unexpected(scan: Scan, expected: string): Unreadable {
  const found = scan.text[scan.at];
  if (found === undefined) return problem(scan, `it ends too early: expected ${expected}`);
  const shown = String.fromCodePoint(scan.text.codePointAt(scan.at) ?? 0);
  return problem(scan, `expected ${expected}, got \`${shorten(shown)}\``);
}

function tooDeep(scan: Scan): Unreadable {
  return problem(scan, `it is nested more than ${MAX_DEPTH} levels deep`);
}
