import { parseStrictJson } from "../encoding/json.ts";
import { MalformedError, quoted } from "./malformed.ts";

// Checks the members of JSON from a client. `place` starts the message of every error.

export type JsonObject = { readonly [name: string]: unknown };

/** Parses JSON text of at most `maxLength` UTF-16 units. Refuses text that parsers read differently. */
export function parseJson(
  text: string,
  { subject, maxLength, maxDepth }: { subject: string; maxLength: number; maxDepth: number },
): unknown {
  if (text.length > maxLength) {
    throw new MalformedError(
      `${subject} has ${text.length} characters; at most ${maxLength} are allowed`,
    );
  }
  try {
    return parseStrictJson(text, { maxDepth });
  } catch (cause) {
    const reason = `is not JSON, has a duplicate key, or is more than ${maxDepth} levels deep`;
    throw new MalformedError(`${subject} ${reason}`, { cause });
  }
}

/** The value as an object with exactly these members. */
export function objectWith(value: unknown, names: readonly string[], place: string): JsonObject {
  const object = anyObject(value, place);
  for (const name of names) {
    if (!Object.hasOwn(object, name)) throw refused(place, `member \`${name}\` is missing`);
  }
  for (const name of Object.keys(object)) {
    if (!names.includes(name)) throw refused(place, `unknown member ${quoted(name)}`);
  }
  return object;
}

export function anyObject(value: unknown, place: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refused(place, `expected an object, got ${kindOf(value)}`);
  }
  return value as JsonObject; // JSON.parse gives plain objects
}

export function arrayOf(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refused(place, `expected a list, got ${kindOf(value)}`);
  return value;
}

export function textOf(value: unknown, place: string): string {
  if (typeof value !== "string") throw refused(place, `expected a string, got ${kindOf(value)}`);
  return value;
}

/** The kind of a JSON value, with its article. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  return Array.isArray(value)
    ? "a list"
    : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

export function refused(place: string, reason: string, options?: ErrorOptions): MalformedError {
  return new MalformedError(`${place}: ${reason}`, options);
}
