import { checksumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { isUuid } from "@keyhearth/engine/fields";
import type { Db } from "./connect.ts";

/** A stored record by its digest, as the core asks for it. */
export type StoredRecord = { digest: string; bytes: Uint8Array };

/**
 * The records to sign with: a private key by id or address, or a wallet account by address with
 * its wallet. Hex addresses match in any case.
 */
export async function findSigningRecords(
  db: Db,
  organizationId: string,
  signWith: string,
): Promise<StoredRecord[]> {
  // PostgreSQL refuses a text with a NUL, even to compare with.
  if (signWith.includes("\0")) return [];
  if (isUuid(signWith)) {
    const byId = await findPrivateKey(db, organizationId, signWith);
    if (byId) return [byId];
  }
  const account = await findAccountWithWallet(db, organizationId, signWith);
  if (account) return account;
  const key = await db
    .selectFrom("private_key_addresses as a")
    .innerJoin("private_keys as k", (join) =>
      join
        .onRef("k.organization_id", "=", "a.organization_id")
        .onRef("k.private_key_id", "=", "a.private_key_id"),
    )
    .select(["k.digest", "k.record"])
    .where("a.organization_id", "=", organizationId)
    .where("a.address", "in", spellings(signWith))
    .limit(1)
    .executeTakeFirst();
  return key ? [{ digest: key.digest, bytes: key.record }] : [];
}

export async function findPrivateKey(
  db: Db,
  organizationId: string,
  privateKeyId: string,
): Promise<StoredRecord | undefined> {
  const row = await db
    .selectFrom("private_keys")
    .select(["digest", "record"])
    .where("organization_id", "=", organizationId)
    .where("private_key_id", "=", privateKeyId)
    .executeTakeFirst();
  return row && { digest: row.digest, bytes: row.record };
}

export async function findWallet(
  db: Db,
  organizationId: string,
  walletId: string,
): Promise<StoredRecord | undefined> {
  const row = await db
    .selectFrom("wallets")
    .select(["digest", "record"])
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "=", walletId)
    .executeTakeFirst();
  return row && { digest: row.digest, bytes: row.record };
}

export async function findSessions(
  db: Db,
  organizationId: string,
  userId: string,
): Promise<StoredRecord | undefined> {
  const row = await db
    .selectFrom("sessions")
    .select(["digest", "record"])
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row && { digest: row.digest, bytes: row.record };
}

/** Accounts that already stand at one of these places of a wallet. */
export async function listAccountsAt(
  db: Db,
  organizationId: string,
  walletId: string,
  places: { path: string; addressFormat: string }[],
): Promise<StoredRecord[]> {
  if (places.length === 0) return [];
  const rows = await db
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

async function findAccountWithWallet(db: Db, organizationId: string, address: string) {
  const row = await db
    .selectFrom("wallet_accounts as a")
    .innerJoin("wallets as w", (join) =>
      join
        .onRef("w.organization_id", "=", "a.organization_id")
        .onRef("w.wallet_id", "=", "a.wallet_id"),
    )
    .select(["a.digest", "a.record", "w.digest as wallet_digest", "w.record as wallet_record"])
    .where("a.organization_id", "=", organizationId)
    .where("a.address", "in", spellings(address))
    .limit(1)
    .executeTakeFirst();
  if (!row) return undefined;
  return [
    { digest: row.digest, bytes: row.record },
    { digest: row.wallet_digest, bytes: row.wallet_record },
  ];
}

/** As given and, for hex, as an Ethereum address with its checksum or in lower case. */
export function spellings(address: string): string[] {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return [address];
  return [
    ...new Set([address, address.toLowerCase(), checksumAddress(address.slice(2).toLowerCase())]),
  ];
}
