import { canonicalJson } from "./canonical.ts";
import { parseStrictJson } from "./json.ts";

// Type guards for JSON values. An object must have exactly the expected members.

export type Guard<T> = (value: unknown) => value is T;

/** A guard for objects with exactly these members. */
export function exactly<T extends object>(members: { [K in keyof T]: Guard<T[K]> }): Guard<T> {
  const guards = Object.entries<Guard<unknown>>(members);
  return (value): value is T => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const given = new Map<string, unknown>(Object.entries(value));
    return (
      given.size === guards.length &&
      guards.every(([key, is]) => given.has(key) && is(given.get(key)))
    );
  };
}

export function literal<T extends string>(text: T): Guard<T> {
  return (value): value is T => value === text;
}

export function matching(pattern: RegExp): Guard<string> {
  return (value): value is string => typeof value === "string" && pattern.test(value);
}

export const uuid = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

/** Hex of a SHA-256 digest. */
export const digest = matching(/^[0-9a-f]{64}$/);

export function orNull<T>(is: Guard<T>): Guard<T | null> {
  return (value): value is T | null => value === null || is(value);
}

/** An integer that every JSON parser reads exactly. */
export function integerFrom(least: number): Guard<number> {
  return (value): value is number => Number.isSafeInteger(value) && Number(value) >= least;
}

/** Parses canonical JSON text of a known shape. Undefined for any other text. */
export function parseCanonical<T>(text: string, is: Guard<T>): T | undefined {
  try {
    const value = parseStrictJson(text);
    return canonicalJson(value) === text && is(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
