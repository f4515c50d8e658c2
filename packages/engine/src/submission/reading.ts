import { ApiError } from "../errors.ts";
import type { ActivityDeclaration, Sources } from "./define.ts";

/** What a declaration's `read` came to: its value, or the error that refused the request. */
export type Reading = { value: unknown } | { error: ApiError };

/** Reads an intent once, for policies, checks and the handler alike. */
export function readIntent(
  { read }: ActivityDeclaration,
  sources: Sources,
  intent: unknown,
): Reading {
  try {
    return { value: read?.(sources, intent) };
  } catch (error) {
    // Of a waiting activity the key may be gone: policies are then asked without it.
    if (error instanceof ApiError) return { error };
    throw error;
  }
}

/** The value, or the error thrown. */
export function openReading(reading: Reading): unknown {
  if ("error" in reading) throw reading.error;
  return reading.value;
}
