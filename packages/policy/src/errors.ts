import type { Span } from "./ast.ts";

export type PolicyErrorCode =
  | "POLICY_PARSE"
  | "POLICY_TYPE"
  | "POLICY_UNKNOWN_FIELD"
  | "POLICY_WRONG_ROOT";

type Problem = {
  code: PolicyErrorCode;
  message: string;
  source: string;
  span: Span;
  /** What was expected here. */
  expected?: string;
  /** A replacement for the text the error points to. */
  suggestion?: string;
};

/** Why an expression cannot become a policy, and where it is wrong. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly code: PolicyErrorCode;
  readonly start: number;
  readonly end: number;
  /** Both count from 1; the column in characters, not code units. */
  readonly line: number;
  readonly column: number;
  /** The source line, with carets under the wrong text. */
  readonly excerpt: string;
  readonly expected: string | undefined;
  readonly suggestion: string | undefined;

  constructor({ code, message, source, span, expected, suggestion }: Problem) {
    const hint = suggestion === undefined ? "" : `; did you mean \`${suggestion}\`?`;
    super(message + hint);
    const place = locate(source, span);
    this.code = code;
    this.start = span.start;
    this.end = span.end;
    this.line = place.line;
    this.column = place.column;
    this.excerpt = place.excerpt;
    this.expected = expected;
    this.suggestion = suggestion;
  }
}

/** The error for a person: the message, the position, an excerpt and what was expected. */
export function describe({ message, line, column, excerpt, expected }: PolicyError): string {
  const lines = [message, `line ${line}, column ${column}`, excerpt];
  if (expected !== undefined && !message.includes(expected)) lines.push(`expected ${expected}`);
  return lines.join("\n");
}

/** Text from the user for a message, short enough for one line. */
export function quote(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return `\`${line.length > 60 ? `${line.slice(0, 57)}...` : line}\``;
}

/** The candidate closest to what was typed, if any is close. Case and underscores do not count. */
export function nearest(typed: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(typed);
  if (wanted.length > 100) return undefined;
  let best: string | undefined;
  let bestDistance = Math.min(MAX_EDITS, Math.max(1, Math.floor(wanted.length / 3))) + 1;
  for (const candidate of candidates) {
    const text = plain(candidate);
    // Each character more or less is an edit.
    if (Math.abs(text.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, text, bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Nobody takes a name with more edits for what was meant, and looking for it takes long. */
const MAX_EDITS = 12;

const WINDOW = 100;

function locate(source: string, { start, end }: Span) {
  const lineStart = source.lastIndexOf("\n", start - 1) + 1;
  const newline = source.indexOf("\n", start);
  const lineEnd = newline < 0 ? source.length : newline;
  // A long line is cut to a window around the place.
  const from = Math.max(lineStart, start - WINDOW / 2);
  const shown = source.slice(from, Math.min(lineEnd, from + WINDOW)).replace(/\r$/, "");
  const before = source.slice(from, start).replace(/[^\t]/gu, " ");
  const marked = source.slice(start, Math.min(end, lineEnd, from + WINDOW));
  return {
    line: source.slice(0, lineStart).split("\n").length,
    column: [...source.slice(lineStart, start)].length + 1,
    excerpt: `${shown}\n${before}${"^".repeat(Math.max(1, [...marked].length))}`,
  };
}

function plain(text: string) {
  return text.replaceAll("_", "").toLowerCase();
}

/** Edits of one character and swaps of neighbours; Infinity if they are certainly as many as `limit`. */
function editDistance(a: string, b: string, limit: number) {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    // Places that are further apart take as many edits as the limit.
    const [from, to] = [Math.max(1, i - limit + 1), Math.min(b.length, i + limit - 1)];
    for (let j = from; j <= to; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        at(previous, j) + 1,
        at(row, j - 1) + 1,
        at(previous, j - 1) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(before, j - 2) + 1);
      }
      row[j] = cost;
      least = Math.min(least, cost);
    }
    // No later row has less: a swap, which reaches past one row, is an edit too.
    if (least >= limit) return Number.POSITIVE_INFINITY;
    [before, previous] = [previous, row];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number) {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
