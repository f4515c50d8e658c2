import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import { isUuid } from "@keyhearth/engine/fields/schemas";
import { upcast } from "@keyhearth/engine/records/kind";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { findWalletLine } from "@keyhearth/engine/records/wallet";
import {
  type AddressProof,
  placeOf,
  type WalletAccount,
  walletAccount,
} from "@keyhearth/engine/records/wallet-account";
import { sql } from "kysely";
import { type AddressOf, rowsOf } from "./asked-addresses.ts";
import type { Db } from "./connect.ts";
import { findByAddress } from "./private-keys.ts";
import { isSearchable, signingKeyCache } from "./signing-keys.ts";
import type { StoredRecord } from "./stored-record.ts";
import { defineTable, type TableOf } from "./table.ts";
import { deletedWallets, type wallets } from "./wallets.ts";
import { type Bound, type PageRange, rangeOf } from "./windows.ts";

export const walletAccounts = defineTable({
  kind: walletAccount,
  name: "wallet_accounts",
  id: "wallet_account_id",
  columns: {
    wallet_id: { type: "uuid", of: ({ walletId }) => walletId },
    path: { type: "text", of: ({ path }) => path },
    address_format: { type: "text", of: ({ addressFormat }) => addressFormat },
    place: { type: "text", of: placeOf },
    address: { type: "text", of: ({ address }) => address },
    created_at_ms: { type: "bigint", of: ({ createdAtMs }) => createdAtMs },
  },
  side: {
    name: "wallet_account_names",
    columns: { name: "text" },
    rows: ({ name }) => (name === null ? [] : [{ name }]),
  },
  owned: { by: "wallets", column: "wallet_id", order: "place", left: "deleted_wallets" },
  // The same bytes may have made it at once.
  isRepeated: ({ votedAs }) => votedAs !== undefined,
  removed: (current, next) => [
    { column: "wallet_id", ids: deletedWallets(current, next) },
    { column: "wallet_account_id", ids: deletedAccounts(current, next) },
  ],
  finds: {
    "accounts-at": { find: findAt },
    "accounts-named": { find: findNamed },
    "accounts-by-id": { find: findByIds },
    "signing-key": { find: findToSignWith, cache: signingKeyCache },
  },
});

type Tables = TableOf<typeof walletAccounts> &
  TableOf<typeof wallets> & {
    wallet_account_names: { organization_id: string; name: string; wallet_account_id: string };
  };

/**
 * Of an account `a`: its wallet is there. A deleted wallet leaves accounts until pruning has removed them, which are
 * never shown and keep nothing from others.
 */
export const HAS_WALLET = sql<boolean>`EXISTS (
  SELECT 1 FROM wallets AS w WHERE w.organization_id = a.organization_id AND w.wallet_id = a.wallet_id)`;

/** Accounts that the next document marks as deleted, in wallets that it still lists. */
function deletedAccounts(current: OrganizationDocument, next: OrganizationDocument): string[] {
  return next.wallets.flatMap(({ walletId, deletedAccounts: after }) => {
    const before = findWalletLine(current, walletId)?.deletedAccounts ?? [];
    const had = new Set(before.map(({ walletAccountId }) => walletAccountId));
    return after.flatMap(({ walletAccountId: id }) => (had.has(id) ? [] : [id]));
  });
}

/** Accounts that already exist at one of these places in a wallet. */
async function findAt(
  db: Db,
  organizationId: string,
  { walletId, places }: { walletId: string; places: string[] },
): Promise<StoredRecord[]> {
  if (places.length === 0) return [];
  const rows = await db
    .withTables<Tables>()
    .selectFrom("wallet_accounts")
    .select(["digest", "record as bytes"])
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "=", walletId)
    .where("place", "in", places)
    .execute();
  return rows;
}

async function findNamed(
  db: Db,
  organizationId: string,
  { names }: { names: string[] },
): Promise<StoredRecord[]> {
  if (names.length === 0) return [];
  const rows = await db
    .withTables<Tables>()
    .selectFrom("wallet_account_names as n")
    .innerJoin("wallet_accounts as a", (join) =>
      join
        .onRef("a.organization_id", "=", "n.organization_id")
        .onRef("a.wallet_account_id", "=", "n.wallet_account_id"),
    )
    .select(["a.digest", "a.record as bytes"])
    .where("n.organization_id", "=", organizationId)
    .where("n.name", "in", names)
    .where(HAS_WALLET)
    .execute();
  return rows;
}

async function findByIds(
  db: Db,
  organizationId: string,
  { walletAccountIds }: { walletAccountIds: string[] },
): Promise<StoredRecord[]> {
  if (walletAccountIds.length === 0) return [];
  const rows = await db
    .withTables<Tables>()
    .selectFrom("wallet_accounts as a")
    .select(["digest", "record as bytes"])
    .where("organization_id", "=", organizationId)
    .where("wallet_account_id", "in", walletAccountIds)
    .where(HAS_WALLET)
    .execute();
  return rows;
}

/** The account with this address, its wallet, and the private key with the same public key, if any. */
async function findToSignWith(
  db: Db,
  organizationId: string,
  { signWith }: { signWith: string },
): Promise<StoredRecord[]> {
  // An id names a private key: no address format looks like an id.
  if (!isSearchable(signWith) || isUuid(signWith)) return [];
  const row = await db
    .withTables<Tables>()
    .selectFrom("wallet_accounts as a")
    .innerJoin("wallets as w", (join) =>
      join
        .onRef("w.organization_id", "=", "a.organization_id")
        .onRef("w.wallet_id", "=", "a.wallet_id"),
    )
    .select(["a.digest", "a.record", "w.digest as wallet_digest", "w.record as wallet_record"])
    .where("a.organization_id", "=", organizationId)
    .where("a.address", "=", canonicalAddress(signWith))
    .limit(1)
    .executeTakeFirst();
  if (!row) return [];
  // If the account's key is a private key too, that one signs.
  const { publicKey } = upcast(walletAccount, readRecord(row.record));
  return [
    { digest: row.digest, bytes: row.record },
    { digest: row.wallet_digest, bytes: row.wallet_record },
    ...(await findByAddress(db, organizationId, [publicKey])),
  ];
}

/** Position of an account in lists: ordered by time, then by id. */
export type ListPlace = { createdAtMs: number; walletAccountId: string };

/**
 * A page of the accounts of these wallets, oldest first. With `after` it holds later ones. With
 * `before` alone it holds those that come right before it.
 */
export async function listWalletAccounts(
  db: Db,
  organizationId: string,
  {
    walletIds,
    limit,
    ...sought
  }: {
    walletIds: string[];
    limit: number;
    before?: ListPlace | undefined;
    after?: ListPlace | undefined;
  },
): Promise<WalletAccount[]> {
  const [only, ...others] = walletIds;
  if (only === undefined) return [];
  const range = rangeOf("asc", sought);
  let query = db
    .withTables<Tables>()
    .selectFrom("wallet_accounts")
    .select("record")
    .where("organization_id", "=", organizationId)
    .orderBy("created_at_ms", range.direction)
    .orderBy("wallet_account_id", range.direction)
    .limit(limit);
  // Several wallets are all of an organization, and hardly an account is of none of them. With a condition on them, the
  // database would read and sort all accounts.
  if (others.length === 0) query = query.where("wallet_id", "=", only);
  for (const [operator, place] of range.bounds()) query = query.where(comparison(operator, place));
  const rows = await query.execute();
  const wanted = new Set(walletIds);
  let page = accountsOf(rows).filter(({ walletId }) => wanted.has(walletId));
  // A deleted wallet may have left any number.
  const isShort = rows.length === limit && page.length < limit;
  if (isShort) page = await listOfEach(db, organizationId, walletIds, { limit, range });
  if (range.isReversed) page.reverse();
  return page;
}

/** The same page, from the pages of each wallet, in the order in which it is read. */
async function listOfEach(
  db: Db,
  organizationId: string,
  walletIds: string[],
  { limit, range }: { limit: number; range: PageRange<ListPlace> },
): Promise<WalletAccount[]> {
  const { direction } = range;
  const wanted = sql<{ wallet_id: string }>`(
    SELECT * FROM unnest(${walletIds}::uuid[]) AS r (wallet_id)
  )`;
  // The index has all that the order needs, so the records of one page are read.
  const page = db
    .withTables<Tables>()
    .selectFrom(wanted.as("wanted"))
    .innerJoinLateral(
      ({ selectFrom }) => {
        let query = selectFrom("wallet_accounts")
          .select(["created_at_ms", "wallet_account_id"])
          .where("organization_id", "=", organizationId)
          .whereRef("wallet_id", "=", "wanted.wallet_id")
          .orderBy("created_at_ms", direction)
          .orderBy("wallet_account_id", direction)
          .limit(limit);
        for (const [operator, place] of range.bounds()) {
          query = query.where(comparison(operator, place));
        }
        return query.as("own");
      },
      (join) => join.onTrue(),
    )
    .select(["own.created_at_ms", "own.wallet_account_id"])
    .orderBy("own.created_at_ms", direction)
    .orderBy("own.wallet_account_id", direction)
    .limit(limit);
  const rows = await db
    .withTables<Tables>()
    .selectFrom(page.as("page"))
    .innerJoin("wallet_accounts as a", "a.wallet_account_id", "page.wallet_account_id")
    .select("a.record")
    .where("a.organization_id", "=", organizationId)
    .orderBy("page.created_at_ms", direction)
    .orderBy("page.wallet_account_id", direction)
    .execute();
  return accountsOf(rows);
}

function accountsOf(rows: { record: Uint8Array }[]): WalletAccount[] {
  return rows.map(({ record }) => upcast(walletAccount, readRecord(record)));
}

export async function findAccountPlace(
  db: Db,
  organizationId: string,
  walletAccountId: string,
): Promise<ListPlace | undefined> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("wallet_accounts as a")
    .select(["created_at_ms", "wallet_account_id"])
    .where("organization_id", "=", organizationId)
    .where("wallet_account_id", "=", walletAccountId)
    .where(HAS_WALLET)
    .executeTakeFirst();
  return row && { createdAtMs: row.created_at_ms, walletAccountId: row.wallet_account_id };
}

/**
 * The oldest account of the wallet with this address, path or both. One path can have several
 * accounts, which differ in their address format.
 */
export async function findWalletAccount(
  db: Db,
  organizationId: string,
  walletId: string,
  { address, path }: { address?: string | undefined; path?: string | undefined },
): Promise<WalletAccount | undefined> {
  let found = db
    .withTables<Tables>()
    .selectFrom("wallet_accounts")
    .select(["record", "created_at_ms", "wallet_account_id"])
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "=", walletId)
    // They are few, and found before they are sorted: the other way, all accounts would be read to find none.
    .offset(0);
  if (address !== undefined) found = found.where("address", "=", canonicalAddress(address));
  if (path !== undefined) found = found.where("path", "=", path);
  const row = await db
    .selectFrom(found.as("found"))
    .select("record")
    .orderBy("created_at_ms")
    .orderBy("wallet_account_id")
    .limit(1)
    .executeTakeFirst();
  return row && upcast(walletAccount, readRecord(row.record));
}

/** The signer's statements about these addresses, as far as accounts have them. */
export async function findAccountProofs(
  db: Db,
  asked: readonly AddressOf[],
): Promise<(AddressOf & { proof: AddressProof })[]> {
  if (asked.length === 0) return [];
  const rows = await db
    .withTables<Tables>()
    .selectFrom(rowsOf(asked).as("asked"))
    .innerJoin("wallet_accounts as a", (join) =>
      join
        .onRef("a.organization_id", "=", "asked.organization_id")
        .onRef("a.address", "=", "asked.address"),
    )
    .select(["a.organization_id", "a.record"])
    .where(HAS_WALLET)
    .execute();
  return rows.map(({ organization_id: organizationId, record }) => ({
    organizationId,
    ...upcast(walletAccount, readRecord(record)),
  }));
}

function comparison(operator: Bound<ListPlace>[0], { createdAtMs, walletAccountId }: ListPlace) {
  return sql<boolean>`(created_at_ms, wallet_account_id) ${sql.raw(operator)} (${createdAtMs}::bigint, ${walletAccountId}::uuid)`;
}
