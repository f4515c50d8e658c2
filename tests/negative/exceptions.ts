import type { Mistake } from "./cases.ts";

/** A mistake that is accepted in a field, in every request that has the field. */
export type Exception = {
  /** The end of the field's path, without positions in lists. */
  field: string;
  mistakes: Mistake[];
  /** The end of an operation's name, if others refuse it. */
  operation?: string;
  why: string;
};

export const exceptions: readonly Exception[] = [];
