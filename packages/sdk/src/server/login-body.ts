import { decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { ProxyRefusal } from "./refusal.ts";

// Bodies of the calls of logins. A member that a call does not know is an error, and so is one that is given twice.

/** Says what is wrong with a value, after the name of its field. */
type Check = (value: unknown) => string | undefined;

export type Shape = Record<string, { check: Check; isNeeded: boolean }>;

export type Body = Record<string, unknown>;

export function needed(check: Check) {
  return { check, isNeeded: true };
}

export function optional(check: Check) {
  return { check, isNeeded: false };
}

export function text(most: number): Check {
  return (value) =>
    typeof value === "string" && value !== "" && value.length <= most
      ? undefined
      : `must be text of 1 to ${most} characters`;
}

export function oneOf(...values: string[]): Check {
  return (value) =>
    typeof value === "string" && values.includes(value)
      ? undefined
      : `must be one of ${values.join(", ")}`;
}

export const object: Check = (value) => (isObject(value) ? undefined : "must be an object");

export function objects(most: number): Check {
  return (value) =>
    Array.isArray(value) && value.length <= most && value.every(isObject)
      ? undefined
      : `must be a list of at most ${most} objects`;
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A body that has exactly the members of its call. Everything that is wrong is in one refusal, without any value. */
export function readBody(bytes: Uint8Array, shape: Shape): Body {
  let body: unknown;
  try {
    body = parseStrictJson(decodeUtf8(bytes), { maxDepth: 8 });
  } catch {
    throw new ProxyRefusal("BAD_REQUEST_BODY", "the body must be one JSON object in UTF-8");
  }
  if (!isObject(body)) {
    throw new ProxyRefusal("BAD_REQUEST_BODY", "the body must be one JSON object");
  }
  const given = new Map(Object.entries(body));
  const problems: { field: string; what: string }[] = [];
  for (const [field, { check, isNeeded }] of Object.entries(shape)) {
    const value = given.get(field);
    if (value === undefined && !isNeeded) continue;
    const what = value === undefined ? "is missing" : check(value);
    if (what !== undefined) problems.push({ field, what });
  }
  for (const field of given.keys()) {
    if (Object.hasOwn(shape, field)) continue;
    const known = Object.keys(shape).join(", ") || "none";
    problems.push({ field: field.slice(0, 64), what: `is unknown; this call takes: ${known}` });
  }
  const [first] = problems;
  if (!first) return body;
  const all = problems.map(({ field, what }) => `\`${field}\` ${what}`).join("; ");
  throw new ProxyRefusal("FIELD_INVALID", all, first.field);
}
