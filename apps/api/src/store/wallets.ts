import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { type WalletAccount, walletAccount } from "@keyhearth/engine/records/wallet-account";
import { sql } from "kysely";
import type { Db } from "./connect.ts";
import { spellings } from "./keys.ts";

/** Place of an account in the order of lists: by time, then by id. */
export type AccountPlace = { createdAtMs: number; walletAccountId: string };

/**
 * A page of the accounts of these wallets, oldest first. `after` leads on; `before`, without
 * `after`, to the ones that come before it.
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
    .selectFrom("wallet_accounts")
    .select(["created_at_ms", "wallet_account_id"])
    .where("organization_id", "=", organizationId)
    .where("wallet_account_id", "=", walletAccountId)
    .executeTakeFirst();
  return row && { createdAtMs: row.created_at_ms, walletAccountId: row.wallet_account_id };
}

/**
 * The oldest account of the wallet that has the address and stands at the path, of those that are
 * given. One path can hold several accounts, which differ in the form of their address.
 */
export async function findWalletAccount(
  db: Db,
  organizationId: string,
  walletId: string,
  { address, path }: { address?: string | undefined; path?: string | undefined },
): Promise<WalletAccount | undefined> {
  let query = db
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
