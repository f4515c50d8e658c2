import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import { isUuid } from "@keyhearth/engine/fields/schemas";
import { upcast } from "@keyhearth/engine/records/kind";
import {
  findPrivateKeyLine,
  type PrivateKey,
  privateKey,
} from "@keyhearth/engine/records/private-key";
import { readRecord } from "@keyhearth/engine/records/record";
import type { AddressProof } from "@keyhearth/engine/records/wallet-account";
import { sql } from "kysely";
import { type AddressOf, rowsOf } from "./asked-addresses.ts";
import type { Db } from "./connect.ts";
import { findById } from "./find-by-id.ts";
import { isSearchable, signingKeyCache } from "./signing-keys.ts";
import type { StoredRecord } from "./stored-record.ts";
import { defineTable, type TableOf } from "./table.ts";

export const privateKeys = defineTable({
  kind: privateKey,
  name: "private_keys",
  id: "private_key_id",
  columns: {},
  side: {
    name: "private_key_addresses",
    columns: { address: "text" },
    rows: ({ addresses, publicKey }) => {
      // An account of the same key can have another address. Its public key finds the private key. In
      // Taproot, the negative of the key is the same key too.
      const negative = publicKey.replace(/^0[23](?=.{64}$)/, (it) => (it === "02" ? "03" : "02"));
      const texts = new Set([...addresses.map(({ address }) => address), publicKey, negative]);
      return [...texts].map((address) => ({ address }));
    },
  },
  removed: (current, next) => [
    {
      column: "private_key_id",
      ids: current.privateKeys.flatMap(({ privateKeyId }) =>
        findPrivateKeyLine(next, privateKeyId) ? [] : [privateKeyId],
      ),
    },
  ],
  finds: { "signing-key": { find: findToSignWith, cache: signingKeyCache } },
});

type Tables = TableOf<typeof privateKeys> & {
  private_key_addresses: { organization_id: string; address: string; private_key_id: string };
};

/** Finds a private key by its id or by one of its addresses, as the core does. */
async function findToSignWith(
  db: Db,
  organizationId: string,
  { signWith }: { signWith: string },
): Promise<StoredRecord[]> {
  if (!isSearchable(signWith)) return [];
  if (isUuid(signWith)) {
    const byId = await findById(db, privateKeys, organizationId, signWith);
    if (byId) return [byId];
  }
  return findByAddress(db, organizationId, [canonicalAddress(signWith)]);
}

/** A private key with one of these addresses, or with this public key. */
export async function findByAddress(
  db: Db,
  organizationId: string,
  addresses: string[],
): Promise<StoredRecord[]> {
  const key = await db
    .withTables<Tables>()
    .selectFrom("private_key_addresses as a")
    .innerJoin("private_keys as k", (join) =>
      join
        .onRef("k.organization_id", "=", "a.organization_id")
        .onRef("k.private_key_id", "=", "a.private_key_id"),
    )
    .select(["k.digest", "k.record"])
    .where("a.organization_id", "=", organizationId)
    .where("a.address", "in", addresses)
    .limit(1)
    .executeTakeFirst();
  return key ? [{ digest: key.digest, bytes: key.record }] : [];
}

/** These private keys of the organization, in any order. */
export async function listPrivateKeys(
  db: Db,
  organizationId: string,
  privateKeyIds: string[],
): Promise<PrivateKey[]> {
  if (privateKeyIds.length === 0) return [];
  const rows = await db
    .withTables<Tables>()
    .selectFrom("private_keys")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("private_key_id", "in", privateKeyIds)
    .execute();
  return rows.map(({ record }) => upcast(privateKey, readRecord(record)));
}

/** How many bytes the record of each of these private keys has. One that is missing is deleted. */
export async function sizesOfPrivateKeys(
  db: Db,
  organizationId: string,
  privateKeyIds: string[],
): Promise<Map<string, number>> {
  if (privateKeyIds.length === 0) return new Map();
  const rows = await db
    .withTables<Tables>()
    .selectFrom("private_keys")
    .select(["private_key_id as id", sql<number>`octet_length(record)`.as("size")])
    .where("organization_id", "=", organizationId)
    .where("private_key_id", "in", privateKeyIds)
    .execute();
  return new Map(rows.map(({ id, size }) => [id, size]));
}

/** The signer's statements about these addresses, as far as private keys have them. */
export async function findKeyProofs(
  db: Db,
  asked: readonly AddressOf[],
): Promise<(AddressOf & { proof: AddressProof })[]> {
  if (asked.length === 0) return [];
  const rows = await db
    .withTables<Tables>()
    .selectFrom(rowsOf(asked).as("asked"))
    .innerJoin("private_key_addresses as a", (join) =>
      join
        .onRef("a.organization_id", "=", "asked.organization_id")
        .onRef("a.address", "=", "asked.address"),
    )
    .innerJoin("private_keys as k", (join) =>
      join
        .onRef("k.organization_id", "=", "a.organization_id")
        .onRef("k.private_key_id", "=", "a.private_key_id"),
    )
    .distinctOn(["k.organization_id", "k.private_key_id"])
    .select(["k.organization_id", "k.record"])
    .execute();
  return rows.flatMap(({ organization_id: organizationId, record }) =>
    upcast(privateKey, readRecord(record)).addresses.map((each) => ({ organizationId, ...each })),
  );
}
