import type { RecordKind } from "./kind.ts";
import type { OrganizationDocument } from "./organization.ts";
import type { RecordHeader } from "./record.ts";

/** A record of one kind, with its body in the current shape. */
export type RecordOf<T extends string, B> = {
  header: RecordHeader & { type: T };
  body: B;
  digest: string;
};

/** Is this record one of those that the want asks for? */
// A method type, so that one list can hold the answers of all kinds.
export type Answer<T extends string, B, W> = {
  answer(record: RecordOf<T, B>, want: W): boolean;
}["answer"];

/** The document of a request, and the records of one kind that came with it. */
export type Source<T extends string, B> = {
  document: OrganizationDocument;
  records: readonly RecordOf<T, B>[];
};

/** Everything that the core knows about a kind of record besides the organization's document. */
export type RecordDefinition<T extends string, B, W, F, N extends string> = RecordKind<B> & {
  type: T;
  /** The id in the record's header. */
  idOf(body: B): string;
  /**
   * How a request asks for this kind: the name of each want, its parameters, and the records that
   * answer it. Records of several kinds can answer the same want.
   */
  answers?: { [K in keyof W]: Answer<T, B, W[K]> };
  /**
   * Does the organization still have this record? One that is not bound does not exist for handlers
   * and policies, although its notarization verifies.
   */
  isBound(record: RecordOf<T, B>, document: OrganizationDocument): boolean;
  /** The functions by which handlers find it among the bound records. They are part of `records`. */
  finders?(source: Source<T, B>): F;
  /**
   * The name of the function by which handlers write it. Each write of a replaced record is a new
   * version. Any other record is written only once.
   */
  write?: { name: N; isReplaced?: boolean };
};

/** Connects the types of one kind. The type of the body is that of the parameter of `idOf`. */
export function defineRecord<
  const T extends string,
  B,
  W extends object = Record<never, never>,
  F extends object = Record<never, never>,
  const N extends string = never,
>(definition: RecordDefinition<T, B, W, F, N>): RecordDefinition<T, B, W, F, N> {
  return definition;
}
