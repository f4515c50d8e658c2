import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { nearest } from "@keyhearth/policy/errors";
import { MAX_INT } from "@keyhearth/policy/limits";
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { InputError } from "./errors.ts";
import { pointAt } from "./output.ts";

// JSON with its places in a file: errors can point to the exact place, no member is given twice, and
// integers of any size are exact.

/** A value in a file, and its place there. */
export type Json = {
  readonly file: string;
  readonly source: string;
  readonly node: Node;
  /** Such as `cases[3].expected`; empty for the whole file. */
  readonly path: string;
  /** The `name` of the case or policy it belongs to. */
  readonly of?: string;
};

/** Reads a file, or standard input for `-`. Throws an InputError that points to what is wrong. */
export async function readJson(file: string): Promise<Json> {
  return parseJson(labelOf(file), await readText(file));
}

/** The name of a file in messages. */
export function labelOf(file: string): string {
  return file === "-" ? "(standard input)" : file;
}

export function parseJson(file: string, source: string): Json {
  if (isTooDeep(source)) {
    throw new InputError(`${file} is nested deeper than ${MAX_LEVELS} levels`, { file });
  }
  const problems: ParseError[] = [];
  const node = parseTree(source, problems, { disallowComments: true });
  const [problem] = problems;
  if (problem || !node) throw notJson(file, source, problem);
  const json = { file, source, node, path: "" };
  refuseTwins(json);
  return json;
}

/** What a member must be; `accepted` ends the sentence "must be ...". */
type Accepted = string;

/** The members of an object. Throws if one is missing or unknown. */
export function members<Required extends string, Optional extends string>(
  json: Json,
  accepted: Accepted,
  required: readonly Required[],
  optional: readonly Optional[],
): Record<Required, Json> & Partial<Record<Optional, Json>> {
  const found = membersOf(json, accepted);
  const known: string[] = [...required, ...optional];
  for (const [name, member] of found) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? `known are ${quoteAll(known)}` : `did you mean \`${near}\`?`;
    throw wrong(member, `is unknown: ${hint}`);
  }
  for (const name of required) {
    if (!found.has(name)) throw wrong({ ...json, path: join(json, name) }, "is missing");
  }
  // All of `required` are present, and nothing outside the two lists.
  return Object.fromEntries(found) as Record<Required, Json> & Partial<Record<Optional, Json>>;
}

/** The members of an object that may have any names. */
export function membersOf(json: Json, accepted: Accepted): Map<string, Json> {
  if (json.node.type !== "object") throw mustBe(json, accepted);
  return new Map(
    children(json.node).map((property) => {
      const { name, value } = read(property);
      return [name, { ...json, node: value, path: join(json, name) }];
    }),
  );
}

export function items(json: Json, accepted: Accepted): Json[] {
  if (json.node.type !== "array") throw mustBe(json, accepted);
  return children(json.node).map((node, i) => ({ ...json, node, path: `${json.path}[${i}]` }));
}

export function text(json: Json, accepted: Accepted = "a text"): string {
  if (json.node.type !== "string") throw mustBe(json, accepted);
  return json.node.value;
}

export function boolean(json: Json): boolean {
  if (json.node.type !== "boolean") throw mustBe(json, "true or false");
  return json.node.value;
}

export function positive(json: Json): number {
  const { type, value } = json.node;
  if (type !== "number" || !Number.isSafeInteger(value) || value < 1) {
    throw mustBe(json, "a whole number from 1");
  }
  return value;
}

/** One of a fixed set of texts. */
export function oneOf<Word extends string>(json: Json, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === json.node.value);
  if (word === undefined) throw mustBe(json, `one of ${quoteAll(words)}`);
  return word;
}

/**
 * The value in JavaScript. An integer that a number would round gets the form that `inputFromJson` of
 * the policy language reads.
 */
export function plainValue(json: Json): unknown {
  return unwrap(json.node, json.source);
}

/** The value as written in the file, cut to fit into a sentence. */
function shown({ node, source }: Json): string {
  const written = source.slice(node.offset, node.offset + node.length).replace(/\s+/g, " ");
  return written.length > 60 ? `${written.slice(0, 57)}...` : written;
}

export function mustBe(json: Json, accepted: Accepted): InputError {
  return wrong(json, `must be ${accepted}, and is ${shown(json)}`);
}

/** An error about the value. `problem` continues a sentence that begins with the value's name. */
export function wrong(json: Json, problem: string, cause?: unknown): InputError {
  const { file, source, path, of, node } = json;
  const { line, column } = placeOf(source, node.offset);
  const whose = of === undefined ? "" : ` (${JSON.stringify(of)})`;
  const subject = path === "" ? "the file" : `\`${path}\`${whose}`;
  return new InputError(
    `${file}:${line}:${column}: ${subject} ${problem}`,
    { file, member: path, of, line, column },
    { cause },
  );
}

export function quoteAll(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

const MAX_LEVELS = 256;

/** The text of a file, or of standard input for `-`. */
export async function readText(file: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = file === "-" ? await buffer(process.stdin) : await readFile(file);
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new InputError(`cannot read ${labelOf(file)}: ${reason}`, { file }, { cause });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InputError(`${labelOf(file)} is not UTF-8 text`, { file }, { cause });
  }
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
      return "permission denied";
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}

/**
 * Counts brackets outside texts, because the parser recurses over the levels. A loop and not a pattern:
 * a pattern needs memory for each character of a long text, and gives up without it.
 */
function isTooDeep(source: string) {
  let depth = 0;
  let isText = false;
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (isText && character === "\\") i++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth > MAX_LEVELS) return true;
  }
  return false;
}

function notJson(file: string, source: string, problem: ParseError | undefined): InputError {
  const offset = Math.min(problem?.offset ?? 0, source.length);
  const { line, column, lineStart, lineEnd } = placeOf(source, offset);
  const words = problem ? PROBLEMS[printParseErrorCode(problem.error)] : undefined;
  const start = offset - lineStart;
  const end = Math.min(start + (problem?.length ?? 1), lineEnd - lineStart);
  const excerpt = pointAt(source.slice(lineStart, lineEnd), [{ start, end }]);
  const what = source.trim() === "" ? "it is empty" : (words ?? "this is not expected here");
  return new InputError(`${file}:${line}:${column}: the file is not JSON: ${what}`, {
    file,
    line,
    column,
    excerpt,
  });
}

const PROBLEMS: Readonly<Record<string, string>> = {
  InvalidSymbol: "a word or sign that JSON does not know",
  InvalidNumberFormat: "this is not a number",
  PropertyNameExpected: "the name of a member was expected, in double quotes",
  ValueExpected: "a value was expected",
  ColonExpected: "`:` was expected",
  CommaExpected: "`,` was expected",
  CloseBraceExpected: "`}` was expected",
  CloseBracketExpected: "`]` was expected",
  EndOfFileExpected: "the end was expected",
  InvalidCommentToken: "comments are not allowed",
  UnexpectedEndOfComment: "comments are not allowed",
  UnexpectedEndOfString: "this text has no end",
  UnexpectedEndOfNumber: "this number has no end",
  InvalidUnicode: "`\\u` needs four hexadecimal digits",
  InvalidEscapeCharacter: "this text has an escape that JSON does not know",
  InvalidCharacter: "this text has a control character",
};

/** In JSON the last of two members wins, but a reader of the file may see only the first. */
function refuseTwins(json: Json) {
  if (json.node.type === "object") {
    const seen = new Set<string>();
    for (const property of children(json.node)) {
      const { name, value } = read(property);
      const member = { ...json, node: value, path: join(json, name) };
      if (seen.has(name)) throw wrong(member, "is given twice");
      seen.add(name);
      refuseTwins(member);
    }
  } else if (json.node.type === "array") {
    for (const item of items(json, "a list")) refuseTwins(item);
  }
}

function unwrap(node: Node, source: string): unknown {
  switch (node.type) {
    case "object": {
      const value: Record<string, unknown> = Object.create(null);
      for (const property of children(node)) {
        const member = read(property);
        value[member.name] = unwrap(member.value, source);
      }
      return value;
    }
    case "array":
      return children(node).map((item) => unwrap(item, source));
    case "number": {
      const digits = source.slice(node.offset, node.offset + node.length);
      if (Number.isSafeInteger(node.value) || !/^-?\d+$/.test(digits)) return node.value;
      return BigInt(digits) > MAX_INT ? { $uint: digits } : { $int: digits };
    }
    default:
      return node.value;
  }
}

function children(node: Node): Node[] {
  return node.children ?? [];
}

function read(property: Node): { name: string; value: Node } {
  const [name, value] = children(property);
  // A file without errors has both for every property.
  return { name: name?.value, value: value as Node };
}

function join({ path }: Json, name: string) {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

function placeOf(source: string, offset: number) {
  // Looking back from -1 would find a line end at 0.
  const lineStart = offset === 0 ? 0 : source.lastIndexOf("\n", offset - 1) + 1;
  const newline = source.indexOf("\n", offset);
  return {
    line: source.slice(0, lineStart).split("\n").length,
    column: [...source.slice(lineStart, offset)].length + 1,
    lineStart,
    lineEnd: newline < 0 ? source.length : newline,
  };
}
