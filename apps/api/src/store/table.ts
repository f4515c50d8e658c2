import type { RecordKind } from "@keyhearth/engine/records/kind";
import type { Want } from "@keyhearth/engine/records/kinds";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { ColumnType } from "kysely";
import type { Db } from "./connect.ts";
import type { Lookup } from "./lookups.ts";
import type { StoredRecord } from "./stored-record.ts";

/** The types of the columns other than `record`, and their values in code. */
type Values = { uuid: string; text: string; bigint: number };

export type SqlType = keyof Values;

/** A column for queries, filled from the record's body. */
export type Column<B> = { [S in SqlType]: { type: S; of(body: B): Values[S] } }[SqlType];

/**
 * A table of one kind of record: organization, id, digest, the record itself, further columns and,
 * if records of the kind can be replaced, the version.
 */
export type RecordTable<B, N extends string, I extends string, C> = {
  kind: RecordKind<B> & { write?: { isReplaced?: boolean } };
  name: N;
  /** The column of the record's id. */
  id: I;
  columns: C;
  /** A second table with several rows for each record. Only for kinds that are written once. */
  side?: SideTable<B>;
  /**
   * Values other than the id by which the record's organization can be found. Their subject is the
   * record's id, so that they are removed with it.
   */
  lookups?(
    body: B,
    organization: Pick<Lookup, "organizationId" | "parentOrganizationId">,
  ): Lookup[];
  /**
   * The rows that the next document no longer vouches for: those with one of the ids in a column.
   * They are deleted with its commit, so that no deleted key stays in the database.
   */
  removed?(current: OrganizationDocument, next: OrganizationDocument): Removed[];
  /**
   * If an owner has any number of these records: the owner's table, the column of its id, a column by which an index
   * orders those of an owner, and the table for deleted owners of which a commit has left some. Readers look for the owner.
   */
  owned?: Owned;
  /** Whether a record that no document counts may be written again, with the same id. */
  isRepeated?(body: B): boolean;
  /** How to find records for what a request wants. */
  finds: { [W in Want["type"]]?: Finder<Extract<Want, { type: W }>> };
};

export type Owned = { by: string; column: string; order: string; left: string };

/** Rows of a table that have one of these ids in a column. */
export type Removed = { column: string; ids: string[] };

/** Each row holds the organization, the record's id and these columns. */
export type SideTable<B> = {
  name: string;
  columns: Record<string, SqlType>;
  rows(body: B): Record<string, string | number>[];
};

export type Finder<W> = (
  | { id(want: W): string }
  | { find(db: Db, organizationId: string, want: W): Promise<StoredRecord[]> }
) & { cache?: CacheRule<W> };

/** Keeps the records found for a want between requests. Not for kinds that can be replaced. */
export type CacheRule<W> = {
  /** Includes the digest of the document if a change of it can change what the want finds. */
  keyOf(want: W, documentDigest: string): string;
  /** The least recently used are dropped once all together, or half of it for one organization, take more. */
  maxBytes: number;
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

/** A table of any kind, for loops over all tables. */
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

/** Some drivers return `bigint` as text; `connect.ts` makes it a number everywhere. */
type Int = ColumnType<number, number, number>;
