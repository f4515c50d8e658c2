import type { CallToolResult } from "@modelcontextprotocol/server";
import { InputError } from "../errors.ts";
import { failureOf } from "../failures.ts";
import { cutText, withoutSteering } from "../output.ts";
import type { Agent } from "./agent.ts";

// What the tools answer. Whatever comes from the service, such as names that other people chose, is data for a model
// that may follow what it reads: it is bounded, and has nothing that hides or steers.

const LONGEST_TEXT = 16_000;
const LONGEST_VALUE = 500;
const MOST_ITEMS = 100;
const DEEPEST = 8;

/** A text from the service, within a line. */
export function data(text: string, limit = LONGEST_VALUE): string {
  return cutText(withoutSteering(text.toWellFormed()).replace(/\s+/g, " ").trim(), limit);
}

/** The same for every text in a value. */
export function dataIn(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return data(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "…";
  if (Array.isArray(value)) {
    return value.slice(0, MOST_ITEMS).map((item) => dataIn(item, depth + 1));
  }
  const members = Object.entries(value).slice(0, MOST_ITEMS);
  return Object.fromEntries(members.map(([name, each]) => [data(name), dataIn(each, depth + 1)]));
}

/** An answer: the facts for programs, and lines for a model or a person. */
export function answer(facts: Record<string, unknown>, lines: readonly string[]): CallToolResult {
  return { structuredContent: facts, content: [textOf(lines)] };
}

/** A mistake or a refusal, which the caller is to read. Undefined for a bug. */
export async function refusal(
  error: unknown,
  { asked }: Agent,
  added: { readonly json?: Record<string, unknown>; readonly lines?: readonly string[] } = {},
): Promise<CallToolResult | undefined> {
  const failure =
    error instanceof InputError
      ? { message: error.message, lines: [], json: { message: error.message } }
      : await failureOf(error, asked);
  if (failure === undefined) return undefined;
  const facts = dataIn({ error: { ...failure.json, ...added.json } }) as Record<string, unknown>;
  const lines = [failure.message, ...failure.lines, ...(added.lines ?? [])];
  return {
    isError: true,
    structuredContent: facts,
    content: [textOf(lines.map((line) => data(line, 1000)))],
  };
}

function textOf(lines: readonly string[]) {
  return { type: "text" as const, text: cutText(lines.join("\n"), LONGEST_TEXT) };
}
