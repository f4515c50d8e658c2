import type { RecordKind } from "@keyhearth/engine/records/kind";
import type { Want } from "@keyhearth/engine/records/kinds";
import type { ColumnType } from "kysely";
import type { Db } from "./connect.ts";
import type { Lookup } from "./lookups.ts";
import type { StoredRecord } from "./stored-record.ts";

/** The types of columns beside `record`, and what they hold. */
type Values = { uuid: string; text: string; bigint: number };

export type SqlType = keyof Values;

/** A column that is filled from the record's body, for queries. */
export type Column<B> = { [S in SqlType]: { type: S; of(body: B): Values[S] } }[SqlType];

/**
 * A table of one kind of record: organization, id, digest and the record itself, with further
 * columns beside them and, if the kind is replaced, its version.
 */
export type RecordTable<B, N extends string, I extends string, C> = {
  kind: RecordKind<B> & { write?: { isReplaced?: boolean } };
  name: N;
  /** The column of the record's id. */
  id: I;
  columns: C;
  /** A table with rows of its own for each record of a kind that is written once. */
  side?: SideTable<B>;
  /** By what, besides its id, the record leads to its organization. */
  lookups?(
    body: B,
    organization: Pick<Lookup, "organizationId" | "parentOrganizationId">,
  ): Lookup[];
  /** How a record is found for what a request wants. */
  finds: { [W in Want["type"]]?: Finder<Extract<Want, { type: W }>> };
};

/** Its rows hold the organization, the record's id and these columns. */
export type SideTable<B> = {
  name: string;
  columns: Record<string, SqlType>;
  rows(body: B): Record<string, string | number>[];
};

export type Finder<W> = (
  | { id(want: W): string }
  | { find(db: Db, organizationId: string, want: W): Promise<StoredRecord[]> }
) & { cache?: CacheRule<W> };

/** What was found for a want is kept between requests, by its key. A record that is replaced is not. */
export type CacheRule<W> = {
  keyOf(want: W): string;
  /** The oldest leave when there are more wants, or more bytes, than this. */
  max: { wants: number } | { bytes: number };
};

/** Ties the types of one table together. It adds nothing at run time. */
export function defineTable<
  B,
  const N extends string,
  const I extends string,
  const C extends Record<string, Column<B>>,
>(table: RecordTable<B, N, I, C>): RecordTable<B, N, I, C> {
  return table;
}

/** A table as the loops over all of them see it. */
export type AnyTable = RecordTable<unknown, string, string, Record<string, Column<unknown>>>;

/** The table for the query builder: `db.withTables<TableOf<typeof wallets>>()`. */
export type TableOf<T> =
  T extends RecordTable<infer _B, infer N, infer I, infer C>
    ? {
        [Name in N]: { organization_id: string; digest: string; record: Uint8Array } & {
          [Id in I]: string;
        } & { [K in keyof C]: C[K] extends { type: "bigint" } ? Int : string };
      }
    : never;

/** `bigint` comes back as text from some drivers; `connect.ts` makes it a number everywhere. */
type Int = ColumnType<number, number, number>;
