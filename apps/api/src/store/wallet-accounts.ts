import { isUuid } from "@keyhearth/engine/fields";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { type WalletAccount, walletAccount } from "@keyhearth/engine/records/wallet-account";
import { sql } from "kysely";
import type { Db } from "./connect.ts";
import { isSearchable, signingKeyCache, spellings } from "./signing-keys.ts";
import type { StoredRecord } from "./stored-record.ts";
import { defineTable, type TableOf } from "./table.ts";
import type { wallets } from "./wallets.ts";

export const walletAccounts = defineTable({
  kind: walletAccount,
  name: "wallet_accounts",
  id: "wallet_account_id",
  columns: {
    wallet_id: { type: "uuid", of: ({ walletId }) => walletId },
    path: { type: "text", of: ({ path }) => path },
    address_format: { type: "text", of: ({ addressFormat }) => addressFormat },
    address: { type: "text", of: ({ address }) => address },
    created_at_ms: { type: "bigint", of: ({ createdAtMs }) => createdAtMs },
  },
  finds: {
    "accounts-at": { find: findAt },
    "signing-key": { find: findToSignWith, cache: signingKeyCache },
  },
});

type Tables = TableOf<typeof walletAccounts> & TableOf<typeof wallets>;

/** Accounts that already exist at one of these places in a wallet. */
async function findAt(
  db: Db,
  organizationId: string,
  { walletId, places }: { walletId: string; places: { path: string; addressFormat: string }[] },
): Promise<StoredRecord[]> {
  if (places.length === 0) return [];
  const rows = await db
    .withTables<Tables>()
    .selectFrom("wallet_accounts")
    .select(["digest", "record", "path", "address_format"])
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "=", walletId)
    .where(
      "path",
      "in",
      places.map(({ path }) => path),
    )
    .execute();
  return rows
    .filter((row) =>
      places.some((at) => at.path === row.path && at.addressFormat === row.address_format),
    )
    .map((row) => ({ digest: row.digest, bytes: row.record }));
}

/** The account with this address, and its wallet. Hex addresses match in any case. */
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
    .where("a.address", "in", spellings(signWith))
    .limit(1)
    .executeTakeFirst();
  if (!row) return [];
  return [
    { digest: row.digest, bytes: row.record },
    { digest: row.wallet_digest, bytes: row.wallet_record },
  ];
}

/** Position of an account in lists: ordered by time, then by id. */
export type AccountPlace = { createdAtMs: number; walletAccountId: string };

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
    before,
    after,
  }: {
    walletIds: string[];
    limit: number;
    before?: AccountPlace | undefined;
    after?: AccountPlace | undefined;
  },
): Promise<WalletAccount[]> {
  if (walletIds.length === 0) return [];
  const isBackward = before !== undefined && after === undefined;
  const direction = isBackward ? "desc" : "asc";
  let query = db
    .withTables<Tables>()
    .selectFrom("wallet_accounts")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "in", walletIds)
    .orderBy("created_at_ms", direction)
    .orderBy("wallet_account_id", direction)
    .limit(limit);
  if (before) query = query.where(comparison("<", before));
  if (after) query = query.where(comparison(">", after));
  const rows = await query.execute();
  if (isBackward) rows.reverse();
  return rows.map(({ record }) => upcast(walletAccount, readRecord(record)));
}

export async function findAccountPlace(
  db: Db,
  organizationId: string,
  walletAccountId: string,
): Promise<AccountPlace | undefined> {
  const row = await db
    .withTables<Tables>()
    .selectFrom("wallet_accounts")
    .select(["created_at_ms", "wallet_account_id"])
    .where("organization_id", "=", organizationId)
    .where("wallet_account_id", "=", walletAccountId)
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
  let query = db
    .withTables<Tables>()
    .selectFrom("wallet_accounts")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "=", walletId)
    .orderBy("created_at_ms")
    .orderBy("wallet_account_id")
    .limit(1);
  if (address !== undefined) query = query.where("address", "in", spellings(address));
  if (path !== undefined) query = query.where("path", "=", path);
  const row = await query.executeTakeFirst();
  return row && upcast(walletAccount, readRecord(row.record));
}

function comparison(operator: "<" | ">", { createdAtMs, walletAccountId }: AccountPlace) {
  return sql<boolean>`(created_at_ms, wallet_account_id) ${sql.raw(operator)} (${createdAtMs}::bigint, ${walletAccountId}::uuid)`;
}
