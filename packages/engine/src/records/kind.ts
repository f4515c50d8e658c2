import { recordRefused } from "../errors.ts";
import type { NotarizedRecord } from "./record.ts";

type Body = Record<string, unknown>;

/** A type of record and the history of its shape. `upcasts[n]` turns schema n into schema n + 1. */
export type RecordKind<T> = {
  type: string;
  schema: number;
  upcasts: Record<number, (body: Body) => Body>;
  /** Never present. It gives the kind the type of its body. */
  readonly body?: T;
};

/** Converts a body of any earlier schema to the current one. */
export function upcast<T>(kind: RecordKind<T>, { header, body }: NotarizedRecord): T {
  if (header.type !== kind.type) {
    throw recordRefused(`expected a record of type ${kind.type}, got ${header.type}`);
  }
  if (header.schema > kind.schema) {
    throw recordRefused(
      `${kind.type} record of schema ${header.schema} is newer than this version`,
    );
  }
  let current = body as Body;
  for (let schema = header.schema; schema < kind.schema; schema++) {
    const step = kind.upcasts[schema];
    if (!step) throw recordRefused(`${kind.type} record of unknown schema ${schema}`);
    current = step(current);
  }
  // This code wrote it, or an earlier version did and it was upcast. The MAC protects it.
  return current as T;
}
