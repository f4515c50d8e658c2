import type { Sources } from "../chains/sources.ts";
import { ApiError } from "../errors.ts";
import { type Named, namedUser } from "../people/named-users.ts";
import type { ActivityDeclaration } from "./define.ts";

/** The result of a declaration's `read`: a value, or the error that refuses the request. */
export type Reading = ({ value: unknown } | { error: ApiError }) & {
  /** The user whom the request names other than by id. */
  named?: Named;
};

/** Reads an intent once, for policies, checks and the handler. */
export function readIntent(
  { read, namesUserBy }: ActivityDeclaration,
  sources: Sources,
  intent: unknown,
): Reading {
  const named = namesUserBy ? { named: namedUser(namesUserBy, intent, sources) } : {};
  try {
    return { value: read?.(sources, intent), ...named };
  } catch (error) {
    // The key of a waiting activity may have been deleted. Then policies are asked without it.
    if (error instanceof ApiError) return { error, ...named };
    throw error;
  }
}

/** Returns the value, or throws the error. */
export function openReading(reading: Reading): unknown {
  if ("error" in reading) throw reading.error;
  return reading.value;
}
