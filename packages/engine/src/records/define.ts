import type { RecordKind } from "./kind.ts";
import type { OrganizationDocument } from "./organization.ts";
import type { RecordHeader } from "./record.ts";

/** A record of one kind, its body in the current shape. */
export type RecordOf<T extends string, B> = {
  header: RecordHeader & { type: T };
  body: B;
  digest: string;
};

/** Is this the record, or one of those, that the want asks for? */
// The type of a method: the list of kinds holds answers that each take records of their own kind.
export type Answer<T extends string, B, W> = {
  answer(record: RecordOf<T, B>, want: W): boolean;
}["answer"];

/** Of one request: the document it is decided by, and the brought records of one kind. */
export type Source<T extends string, B> = {
  document: OrganizationDocument;
  records: readonly RecordOf<T, B>[];
};

/** Everything the core knows of a kind of record that stands beside the organization's document. */
export type RecordDefinition<T extends string, B, W, F, N extends string> = RecordKind<B> & {
  type: T;
  /** Stands in the record's header. */
  idOf(body: B): string;
  /**
   * How a request asks for it: the name of each want, its parameters, and which records answer it.
   * A want can be answered by records of several kinds.
   */
  answers?: { [K in keyof W]: Answer<T, B, W[K]> };
  /**
   * Does the organization stand by this record? One that is not bound does not exist for handlers
   * and policies, although its notarization verifies.
   */
  isBound(record: RecordOf<T, B>, document: OrganizationDocument): boolean;
  /** How handlers find it among the bound records: these functions are part of `records`. */
  finders?(source: Source<T, B>): F;
  /**
   * The handlers' function for writing it. A record that is replaced counts its versions; any other
   * is written once.
   */
  write?: { name: N; isReplaced?: boolean };
};

/** Ties the types of one kind together. The body's type is that of the parameter of `idOf`. */
export function defineRecord<
  const T extends string,
  B,
  W extends object = Record<never, never>,
  F extends object = Record<never, never>,
  const N extends string = never,
>(definition: RecordDefinition<T, B, W, F, N>): RecordDefinition<T, B, W, F, N> {
  return definition;
}
