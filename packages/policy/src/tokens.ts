import type { Span } from "./ast.ts";
import { PolicyError, quote } from "./errors.ts";
import { MAX_LENGTH } from "./limits.ts";

/** `text` is the source of the token; for a string, the text inside its quotes. */
export type Token = Span & {
  readonly kind: "int" | "string" | "name" | "symbol" | "end";
  readonly text: string;
};

/** Splits an expression into tokens; the last one marks the end of the text. */
export function tokenize(source: string): Token[] {
  if (source.length > MAX_LENGTH) {
    throw failure(source, MAX_LENGTH, source.length, {
      message: `an expression may have ${MAX_LENGTH} characters, but this one has ${source.length}`,
    });
  }
  const tokens: Token[] = [];
  let start = 0;
  while (start < source.length) {
    TOKEN.lastIndex = start;
    const match = TOKEN.exec(source);
    if (!match) throw unknownCharacter(source, start);
    const end = TOKEN.lastIndex;
    const [, int, tail, name, quoted, symbol] = match;
    if (tail) {
      throw failure(source, start, end, {
        message: `${quote(match[0])} is neither a number nor a name`,
        expected: "decimal digits",
      });
    }
    if (int !== undefined) tokens.push({ kind: "int", text: int, start, end });
    if (name !== undefined) tokens.push({ kind: "name", text: oneCopy(name), start, end });
    if (quoted !== undefined) tokens.push({ kind: "string", text: oneCopy(quoted), start, end });
    if (symbol !== undefined) tokens.push({ kind: "symbol", text: symbol, start, end });
    start = end;
  }
  tokens.push({ kind: "end", text: "", start: source.length, end: source.length });
  return tokens;
}

/**
 * The engine's own copy of the text: it keeps one for all objects with such a key. What many policies
 * have in common then stays in the processor's cache while they are evaluated one after the other. And
 * unlike a part that was cut out of a text, it does not keep the whole text in memory.
 */
export function oneCopy(text: string): string {
  const [key = text] = Object.keys({ [text]: true });
  return key;
}

/**
 * The number of tokens: what it takes to compile an expression grows with it. It ends where the
 * text cannot be split, and once it is beyond the limit.
 */
export function countTokens(source: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  let start = 0;
  while (start < source.length && count <= limit) {
    TOKEN.lastIndex = start;
    if (!TOKEN.test(source)) return count;
    if (!BLANK.has(source.charCodeAt(start))) count++;
    start = TOKEN.lastIndex;
  }
  return count;
}

const BLANK = new Set([" ", "\t", "\r", "\n"].map((blank) => blank.charCodeAt(0)));

// Blanks, a number (and letters that must not follow it), a name, text in quotes, a symbol.
const TOKEN =
  /[ \t\r\n]+|([0-9]+)([A-Za-z_][A-Za-z0-9_]*)?|([A-Za-z_][A-Za-z0-9_]*)|'([^']*)'|(\|\||&&|==|!=|<=|>=|\.\.|[<>!\-.[\](){},:])/y;

const REPLACEMENTS = new Map([
  ['"', "'"],
  ["&", "&&"],
  ["|", "||"],
  ["=", "=="],
]);

function unknownCharacter(source: string, start: number) {
  const character = String.fromCodePoint(source.codePointAt(start) ?? 0);
  if (character === "'") {
    return failure(source, start, source.length, {
      message: "this text has no closing quote",
      expected: "`'`",
    });
  }
  return failure(source, start, start + character.length, {
    message: `${quote(character)} has no meaning here`,
    suggestion: REPLACEMENTS.get(character),
  });
}

function failure(
  source: string,
  start: number,
  end: number,
  detail: { message: string; expected?: string; suggestion?: string },
) {
  return new PolicyError({ code: "POLICY_PARSE", source, span: { start, end }, ...detail });
}
