import { randomBytes } from "node:crypto";
import { styleText } from "node:util";
import type { Span } from "@keyhearth/policy/ast";

/** The result of a command: text for people, JSON for programs, an exit code for shells. */
export type Report = {
  readonly exitCode: number;
  readonly json: unknown;
  readonly text: (paint: Paint) => string;
};

type Style = "bold" | "dim" | "red" | "green" | "yellow";

/**
 * Colours a text, or leaves it as it is if colours are not wanted. What it adds has a mark that `shown` needs, so that
 * a text from elsewhere cannot colour itself.
 */
export type Paint = (style: Style | Style[], text: string) => string;

/** Uses colours on a terminal that supports them, unless NO_COLOR or FORCE_COLOR says otherwise. */
export function paintFor(stream: NodeJS.WritableStream, isColorWanted: boolean): Paint {
  const isColored = isColorWanted && styleText("red", "x", { stream }) !== "x";
  if (!isColored) return (_, text) => text;
  return (style, text) => {
    const [before = "", after = ""] = styleText(style, "x", { validateStream: false }).split("x");
    return `${marked(before)}${text}${marked(after)}`;
  };
}

/** Nobody else knows it, and it is another one in every run. */
const MARK = `\u001b${randomBytes(16).toString("hex")}`;

function marked(codes: string): string {
  return codes.replaceAll("\u001b", MARK);
}

/**
 * A text of several lines as it may be written: the colours of `paintFor` and line ends work, and everything else that
 * would steer the terminal is made visible. Every way to a terminal goes through it.
 */
export function shown(text: string): string {
  return text
    .split(MARK)
    .map((part, i) => {
      const [code = ""] = i === 0 ? [] : (/^\[[0-9;]*m/.exec(part) ?? []);
      return `${code === "" ? "" : `\u001b${code}`}${plainLines(part.slice(code.length))}`;
    })
    .join("");
}

/** One line about the current work, only on a terminal. */
export type Progress = { readonly show: (text: string) => void; readonly clear: () => void };

export function progressOn(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (text) => stream.write(`\r\u001b[K${plain(text)}`),
    clear: () => stream.write("\r\u001b[K"),
  };
}

/**
 * Text from elsewhere in a form that is safe to show within a line. Characters that would control the terminal, begin
 * a line, change the order in which text is displayed or show nothing are written as their code points.
 */
export function plain(text: string): string {
  return plainLines(text).replaceAll("\n", "\\u{a}");
}

/** The same for a text whose lines are its own. */
export function plainLines(text: string): string {
  return text.replace(STEERING, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** The same without what is not shown as it is, for those who read a text as data and need no code points. */
export function withoutSteering(text: string): string {
  return text.replace(STEERING, "");
}

/** The beginning of a text that is too long, with a mark that it goes on. No character is cut in two. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/**
 * A value as JSON for programs and people. Whatever steers a terminal is escaped, so that the text means the same
 * and shows what it has.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(STEERING, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Text from a file, on one line. */
export function oneLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = plain(text.replace(/\s+/g, " "));
  return line.length > limit ? `${line.slice(0, limit - 3)}...` : line;
}

/** The lines of a source with carets under the given places. Text far from them is left out. */
export function pointAt(source: string, spans: readonly Span[]): string[] {
  const rows = rowsOf(source, spans);
  const isShort = rows.length <= MAX_ROWS;
  const lines: string[] = [];
  for (const { text, carets } of rows) {
    if (carets !== "") lines.push(text, carets);
    else if (isShort) lines.push(text);
    else if (lines.at(-1) !== LEFT_OUT) lines.push(LEFT_OUT);
  }
  return lines;
}

/** Rows as columns, as wide as their widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  return rows.map((row) => {
    const cells = row.map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - widthOf(cell)));
    return cells.join("  ").trimEnd();
  });
}

/** A sentence as lines, broken at spaces. */
export function wrap(text: string, width = ROW_WIDTH): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

export function indent(lines: readonly string[], by = 2): string[] {
  return lines.map((line) => (line === "" ? "" : " ".repeat(by) + line));
}

/** `1 case`, `2 cases`. */
export function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : nouns}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function join(words: readonly string[], conjunction = "and"): string {
  const [last = "", ...before] = [...words].reverse();
  return before.length === 0 ? last : `${before.reverse().join(", ")} ${conjunction} ${last}`;
}

/**
 * Control characters except line feed and tab, line separators, marks that change text direction, and characters
 * that show nothing, such as a space of no width in a word of a policy.
 */
const STEERING =
  /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Default_Ignorable_Code_Point}/gu;

const LEFT_OUT = "...";
const ROW_WIDTH = 96;
const MAX_ROWS = 12;

type Row = { text: string; carets: string };

/** Rows of at most ROW_WIDTH columns, each with the carets that belong under it. */
function rowsOf(source: string, spans: readonly Span[]): Row[] {
  const rows: Row[] = [];
  let row = { text: "", carets: "" };
  let offset = 0;
  const put = (shown: string, start: number, end: number) => {
    if (row.text.length + shown.length > ROW_WIDTH) breakRow();
    const isMarked = spans.some((span) => {
      return start < Math.max(span.end, span.start + 1) && span.start < end;
    });
    row.text += shown;
    row.carets += (isMarked ? "^" : " ").repeat(shown.length);
  };
  const next = () => {
    rows.push(row);
    row = { text: "", carets: "" };
  };
  /** Breaks after a nearby space, if there is one. */
  const breakRow = () => {
    const { text, carets } = row;
    const blank = text.lastIndexOf(" ") + 1;
    const at = blank > ROW_WIDTH / 2 ? blank : text.length;
    row = { text: text.slice(0, at), carets: carets.slice(0, at) };
    next();
    row = { text: text.slice(at), carets: carets.slice(at) };
  };
  for (const character of source) {
    const end = offset + character.length;
    if (character === "\n") {
      if (spans.some(({ start }) => start === offset)) put(" ", offset, end);
      next();
    } else if (character !== "\r") {
      put(character === "\t" ? "  " : plain(character), offset, end);
    }
    offset = end;
  }
  // A place can be the end of the text.
  put(" ", offset, offset + 1);
  next();
  const trimmed = rows.map(({ text, carets }) => {
    return { text: text.trimEnd(), carets: carets.trimEnd() };
  });
  const last = trimmed.findLastIndex(({ text, carets }) => text !== "" || carets !== "");
  return trimmed.slice(0, last + 1);
}

/** Width of a painted text in columns. Escape sequences take none. */
function widthOf(text: string): number {
  const [first = "", ...others] = text.split(MARK);
  return [...first, ...others.flatMap((part) => [...part.replace(/^\[[0-9;]*m/, "")])].length;
}
