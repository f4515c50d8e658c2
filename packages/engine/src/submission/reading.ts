import { ApiError } from "../errors.ts";
import type { ActivityDeclaration, Sources } from "./define.ts";

/** The result of a declaration's `read`: a value, or the error that refuses the request. */
export type Reading = { value: unknown } | { error: ApiError };

/** Reads an intent once, for policies, checks and the handler. */
export function readIntent(
  { read }: ActivityDeclaration,
  sources: Sources,
  intent: unknown,
): Reading {
  try {
    return { value: read?.(sources, intent) };
  } catch (error) {
    // The key of a waiting activity may have been deleted. Then policies are asked without it.
    if (error instanceof ApiError) return { error };
    throw error;
  }
}

/** Returns the value, or throws the error. */
export function openReading(reading: Reading): unknown {
  if ("error" in reading) throw reading.error;
  return reading.value;
}
