import type { StructType } from "../types.ts";

/** What policies see of one chain. */
export type Chain = {
  /** The name that expressions start from. */
  readonly name: string;
  /** What can be signed for it, by the field of that name. Each is a root of its own. */
  readonly signed: { readonly tx: Signed; readonly [field: string]: Signed };
};

/**
 * Something that a request signs. Fields and patterns are of paths below it, in which `[]` stands for
 * every index and key.
 */
export type Signed = {
  readonly type: StructType;
  /** The parameter that says that a request signs this. */
  readonly saidBy: { readonly param: "type" | "encoding"; readonly value: string };
  /** Kinds of activities that always sign this. */
  readonly kinds?: readonly string[];
  /**
   * Fields that only some of these have, or only some elements of a list. A DENY that reads one is
   * skipped without it, unless it is of an element.
   */
  readonly absent?: readonly string[];
  /** Fields that are absent in the same way if no interface of a contract fits. */
  readonly unset?: readonly string[];
  /** Fields that the service may not be able to tell, which is an error. */
  readonly unread?: readonly string[];
  /** Structs of which this is true too, and the field, if other structs always have fields of that name. */
  readonly unreadOf?: Readonly<Record<string, string>>;
  /** Maps with keys that only some of these have: flat, or with maps inside. */
  readonly keys?: Readonly<Record<string, "flat" | "nested">>;
  /** Numbers that may be negative. */
  readonly mayBeNegative?: RegExp;
  /** Lists whose elements are the separate things that a request does. */
  readonly batches?: RegExp;
  /** Lists with at least one element. */
  readonly neverEmpty?: RegExp;
  /** Lists that do nothing if they are empty. */
  readonly idleIfEmpty?: RegExp;
};
