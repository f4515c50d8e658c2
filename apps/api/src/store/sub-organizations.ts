import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import type { Db } from "./connect.ts";
import { lookupHash } from "./lookups.ts";
import type { LookupKind } from "./schema.ts";
import { isSearchable } from "./signing-keys.ts";
import type { TableOf } from "./table.ts";
import type { walletAccounts } from "./wallet-accounts.ts";
import { readInWindows, WINDOW_ROWS } from "./windows.ts";

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
  { limit, before, after }: SubOrganizationPage,
): Promise<string[]> {
  const isBackward = before !== undefined && after === undefined;
  let query = db
    .selectFrom("organizations")
    .select("organization_id")
    .where("parent_organization_id", "=", parentOrganizationId)
    .where("deleted_at_ms", "is", null)
    .orderBy("organization_id", isBackward ? "desc" : "asc")
    .limit(limit);
  if (before !== undefined) query = query.where("organization_id", "<", before);
  if (after !== undefined) query = query.where("organization_id", ">", after);
  return inOrder(await query.execute(), isBackward);
}

/** The same, but only those that match the value. */
export async function listSubOrganizationsBy(
  db: Db,
  parentOrganizationId: string,
  kind: LookupKind,
  value: string,
  { limit, before, after }: SubOrganizationPage,
): Promise<string[]> {
  const isBackward = before !== undefined && after === undefined;
  let query = db
    .selectFrom("lookups")
    .select("organization_id")
    .distinct()
    .where("kind", "=", kind)
    .where("value_hash", "=", lookupHash(kind, value))
    .where("parent_organization_id", "=", parentOrganizationId)
    .orderBy("organization_id", isBackward ? "desc" : "asc")
    .limit(limit);
  if (before !== undefined) query = query.where("organization_id", "<", before);
  if (after !== undefined) query = query.where("organization_id", ">", after);
  return inOrder(await query.execute(), isBackward);
}

/** The same, for those in which a user has proved any contact. */
export async function listVerifiedSubOrganizations(
  db: Db,
  parentOrganizationId: string,
  { limit, before, after }: SubOrganizationPage,
  goOn: () => void,
): Promise<string[]> {
  const isBackward = before !== undefined && after === undefined;
  const inRange = (from: string | undefined, to?: string) => {
    const bounds: [string | undefined, "<" | ">" | "<=" | ">="][] = [
      [isBackward ? from : before, "<"],
      [isBackward ? after : from, ">"],
      [to, isBackward ? ">=" : "<="],
    ];
    let query = db
      .selectFrom("organizations as o")
      .select("o.organization_id")
      .where("o.parent_organization_id", "=", parentOrganizationId)
      .where("o.deleted_at_ms", "is", null)
      .orderBy("o.organization_id", isBackward ? "desc" : "asc");
    for (const [id, operator] of bounds) {
      if (id !== undefined) query = query.where("o.organization_id", operator, id);
    }
    return query;
  };
  const found = await readInWindows<{ organization_id: string }, string>({
    limit,
    from: isBackward ? before : after,
    async endAfter(from) {
      const last = await inRange(from)
        .offset(WINDOW_ROWS - 1)
        .limit(1)
        .executeTakeFirst();
      return last?.organization_id;
    },
    async read({ from, to, limit }) {
      const query = inRange(from, to).where(({ exists, selectFrom }) =>
        exists(
          selectFrom("lookups as l")
            .select("l.kind")
            .whereRef("l.organization_id", "=", "o.organization_id")
            .where("l.kind", "in", ["VERIFIED_EMAIL", "VERIFIED_PHONE_NUMBER"]),
        ),
      );
      return { rows: await query.limit(limit).execute() };
    },
    goOn,
  });
  return inOrder(found, isBackward);
}

/**
 * The same, for those with an account of this address. Accounts have no lookups: a wallet may have many,
 * and the index of their addresses finds them already.
 */
export async function listSubOrganizationsByAddress(
  db: Db,
  parentOrganizationId: string,
  address: string,
  { limit, before, after }: SubOrganizationPage,
): Promise<string[]> {
  if (!isSearchable(address)) return [];
  const isBackward = before !== undefined && after === undefined;
  let query = db
    .withTables<TableOf<typeof walletAccounts>>()
    .selectFrom("wallet_accounts as a")
    .innerJoin("organizations as o", "o.organization_id", "a.organization_id")
    .select("a.organization_id")
    .distinct()
    .where("a.address", "=", canonicalAddress(address))
    .where("o.parent_organization_id", "=", parentOrganizationId)
    .orderBy("a.organization_id", isBackward ? "desc" : "asc")
    .limit(limit);
  if (before !== undefined) query = query.where("a.organization_id", "<", before);
  if (after !== undefined) query = query.where("a.organization_id", ">", after);
  return inOrder(await query.execute(), isBackward);
}

function inOrder(rows: { organization_id: string }[], isBackward: boolean): string[] {
  if (isBackward) rows.reverse();
  return rows.map((row) => row.organization_id);
}
