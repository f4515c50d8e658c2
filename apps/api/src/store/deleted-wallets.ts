import type { Store } from "./connect.ts";

/**
 * A wallet has any number of accounts. A statement removes so many of them at most, which takes ten to thirty
 * milliseconds: nobody else has the embedded database meanwhile.
 */
export const REMOVED_AT_ONCE = 1000;

/**
 * The same for the end of an ordered query. The planner doesn't know the number, so it expects a part of the rows, and reads
 * them from an index in order. If it expects fewer rows than there are, it would otherwise read and sort all of them.
 */
export const LIMIT_OF_REMOVED = `LIMIT (SELECT ${REMOVED_AT_ONCE})`;

/**
 * Removes some accounts of one deleted wallet, with their names, and the note about the wallet with the last ones.
 * Returns whether there was a wallet. Another process that does the same takes another wallet.
 */
export async function deleteLeftAccounts({ run, isDistributed }: Store): Promise<boolean> {
  // Citus locks rows of one organization, so there the wallet is found before.
  const [left] = isDistributed
    ? await run("find-left-accounts", `SELECT organization_id, wallet_id ${FIRST_LEFT}`, [])
    : [];
  if (isDistributed && !left) return false;
  const organization = left ? "$1::uuid" : "(SELECT organization_id FROM wallet)";
  // It goes on behind what it has removed, because an index finds that too until the next vacuum.
  const rows = await run(
    "delete-left-accounts",
    `WITH wallet AS (
       SELECT organization_id, wallet_id, place ${
         left
           ? "FROM deleted_wallets WHERE organization_id = $1::uuid AND wallet_id = $2::uuid"
           : FIRST_LEFT
       } FOR UPDATE SKIP LOCKED
     ), chosen AS (
       SELECT wallet_account_id, place FROM wallet_accounts
       WHERE organization_id = ${organization} AND wallet_id = (SELECT wallet_id FROM wallet)
         AND place > (SELECT place FROM wallet)
       ORDER BY place ${LIMIT_OF_REMOVED}
     ), removed AS (
       DELETE FROM wallet_accounts WHERE organization_id = ${organization}
         AND wallet_account_id = ANY (ARRAY(SELECT wallet_account_id FROM chosen))
     ), removed_names AS (
       DELETE FROM wallet_account_names WHERE organization_id = ${organization}
         AND wallet_account_id = ANY (ARRAY(SELECT wallet_account_id FROM chosen))
     ), gone_on AS (
       UPDATE deleted_wallets AS d SET place = (SELECT max(place) FROM chosen) FROM wallet
       WHERE d.organization_id = ${organization} AND d.wallet_id = wallet.wallet_id
         AND (SELECT count(*) FROM chosen) = ${REMOVED_AT_ONCE}
     ), finished AS (
       DELETE FROM deleted_wallets AS d USING wallet
       WHERE d.organization_id = ${organization} AND d.wallet_id = wallet.wallet_id
         AND (SELECT count(*) FROM chosen) < ${REMOVED_AT_ONCE}
     )
     SELECT wallet_id FROM wallet`,
    left ? [left.organization_id, left.wallet_id] : [],
  );
  return rows.length > 0;
}

const FIRST_LEFT = "FROM deleted_wallets ORDER BY organization_id, wallet_id LIMIT 1";
