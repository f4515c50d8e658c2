import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Db } from "./connect.ts";
import { lookupHash } from "./lookups.ts";
import type { LookupKind } from "./schema.ts";
import { isSearchable } from "./signing-keys.ts";
import type { TableOf } from "./table.ts";
import { HAS_WALLET, type walletAccounts } from "./wallet-accounts.ts";
import { type PageRange, rangeOf, readInWindows, WINDOW_ROWS } from "./windows.ts";

export type SubOrganizationPage = {
  limit: number;
  before?: string | undefined;
  after?: string | undefined;
};

export async function hasSubOrganization(
  db: Db,
  parentOrganizationId: string,
  organizationId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("organizations")
    .select("organization_id")
    .where("parent_organization_id", "=", parentOrganizationId)
    .where("organization_id", "=", organizationId)
    .where("deleted_at_ms", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** A page of this organization's sub-organizations, in the order of their ids. */
export async function listSubOrganizations(
  db: Db,
  parentOrganizationId: string,
  { limit, ...sought }: SubOrganizationPage,
): Promise<string[]> {
  const range = rangeOf("asc", sought);
  let query = db
    .selectFrom("organizations")
    .select("organization_id")
    .where("parent_organization_id", "=", parentOrganizationId)
    .where("deleted_at_ms", "is", null)
    .orderBy("organization_id", range.direction)
    .limit(limit);
  for (const [operator, id] of range.bounds()) query = query.where("organization_id", operator, id);
  return inOrder(await query.execute(), range);
}

/** The same, but only those that match the value. */
export async function listSubOrganizationsBy(
  db: Db,
  parentOrganizationId: string,
  kind: LookupKind,
  value: string,
  { limit, ...sought }: SubOrganizationPage,
): Promise<string[]> {
  const range = rangeOf("asc", sought);
  let query = db
    .selectFrom("lookups")
    .select("organization_id")
    .distinct()
    .where("kind", "=", kind)
    .where("value_hash", "=", lookupHash(kind, value))
    .where("parent_organization_id", "=", parentOrganizationId)
    .orderBy("organization_id", range.direction)
    .limit(limit);
  for (const [operator, id] of range.bounds()) query = query.where("organization_id", operator, id);
  return inOrder(await query.execute(), range);
}

/** The same, for those in which a user has proved any contact. */
export async function listVerifiedSubOrganizations(
  db: Db,
  parentOrganizationId: string,
  { limit, ...sought }: SubOrganizationPage,
  goOn: () => void,
): Promise<string[]> {
  const range = rangeOf("asc", sought);
  const inPart = (part: { from: string | undefined; to?: string | undefined }) => {
    let query = db
      .selectFrom("organizations as o")
      .select("o.organization_id")
      .where("o.parent_organization_id", "=", parentOrganizationId)
      .where("o.deleted_at_ms", "is", null)
      .orderBy("o.organization_id", range.direction);
    for (const [operator, id] of range.bounds(part)) {
      query = query.where("o.organization_id", operator, id);
    }
    return query;
  };
  const found = await readInWindows<{ organization_id: string }, string>({
    limit,
    from: range.from,
    endAfter: (from) => lastOfWindow(inPart({ from })),
    async read({ from, to, limit }) {
      const query = inPart({ from, to }).where(({ exists, selectFrom }) =>
        exists(
          selectFrom("lookups as l")
            .select("l.kind")
            .whereRef("l.organization_id", "=", "o.organization_id")
            .where("l.kind", "in", [...VERIFIED]),
        ),
      );
      try {
        return { rows: await query.limit(limit).execute() };
      } catch (error) {
        if (!isUnsupported(error)) throw error;
      }
      // Citus has the two tables on different nodes, so it reads one after the other.
      const rows = await inPart({ from, to }).limit(WINDOW_ROWS).execute();
      const verified = await db
        .selectFrom("lookups")
        .select("organization_id")
        .distinct()
        .where(
          sql<boolean>`organization_id = ANY (${rows.map((row) => row.organization_id)}::uuid[])`,
        )
        .where("kind", "in", [...VERIFIED])
        .execute();
      const those = new Set(verified.map((row) => row.organization_id));
      return { rows: rows.filter((row) => those.has(row.organization_id)).slice(0, limit) };
    },
    goOn,
  });
  return inOrder(found, range);
}

const VERIFIED = ["VERIFIED_EMAIL", "VERIFIED_PHONE_NUMBER"] as const;

/** PostgreSQL's feature_not_supported. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "0A000";
}

/**
 * The same, for those with an account of this address. Accounts have no lookups: a wallet may have many,
 * and the index of their addresses finds them already.
 */
export async function listSubOrganizationsByAddress(
  db: Db,
  parentOrganizationId: string,
  address: string,
  { limit, ...sought }: SubOrganizationPage,
  goOn: () => void,
): Promise<string[]> {
  if (!isSearchable(address)) return [];
  const range = rangeOf("asc", sought);
  // Organizations with other parents may have the address too.
  const inPart = (part: { from: string | undefined; to?: string | undefined }) => {
    let query = db
      .withTables<TableOf<typeof walletAccounts>>()
      .selectFrom("wallet_accounts as a")
      .select("a.organization_id")
      .where("a.address", "=", canonicalAddress(address))
      .orderBy("a.organization_id", range.direction);
    for (const [operator, id] of range.bounds(part)) {
      query = query.where("a.organization_id", operator, id);
    }
    return query;
  };
  const found = await readInWindows<{ organization_id: string }, string>({
    limit,
    from: range.from,
    endAfter: (from) => lastOfWindow(inPart({ from })),
    async read({ from, to, limit }) {
      const query = inPart({ from, to })
        .innerJoin("organizations as o", "o.organization_id", "a.organization_id")
        .where("o.parent_organization_id", "=", parentOrganizationId)
        .where(HAS_WALLET)
        .distinct();
      return { rows: await query.limit(limit).execute() };
    },
    goOn,
  });
  return inOrder(found, range);
}

/** The id with which a window of these rows ends. */
async function lastOfWindow<DB, Tables extends keyof DB, T extends { organization_id: string }>(
  rows: SelectQueryBuilder<DB, Tables, T>,
): Promise<string | undefined> {
  const last = await rows
    .offset(WINDOW_ROWS - 1)
    .limit(1)
    .executeTakeFirst();
  return last?.organization_id;
}

function inOrder(rows: { organization_id: string }[], { isReversed }: PageRange<string>): string[] {
  if (isReversed) rows.reverse();
  return rows.map((row) => row.organization_id);
}
