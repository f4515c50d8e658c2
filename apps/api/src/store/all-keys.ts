import { type RawBuilder, sql } from "kysely";
import { readActivity } from "./activities.ts";
import type { Db } from "./connect.ts";
import { type StoredDocument, toStoredDocument } from "./organizations.ts";
import { privateKeys } from "./private-keys.ts";
import type { AnyTable } from "./table.ts";
import { walletAccounts } from "./wallet-accounts.ts";
import { wallets } from "./wallets.ts";

// Walks through whole tables in the order of their primary keys, some rows at a time, for what looks at everything.

/** A document may be a megabyte. */
const DOCUMENTS_A_READ = 16;
const RECORDS_A_READ = 500;

const NOWHERE = "00000000-0000-0000-0000-000000000000";

/** The current documents of all organizations that were not deleted. */
export async function* readAllDocuments(
  db: Db,
  limit = DOCUMENTS_A_READ,
): AsyncGenerator<StoredDocument[], undefined> {
  let after = NOWHERE;
  for (;;) {
    const rows = await db
      .selectFrom("organizations as o")
      .innerJoin("organization_documents as d", (join) =>
        join
          .onRef("d.organization_id", "=", "o.organization_id")
          .onRef("d.version", "=", "o.version"),
      )
      .select(["o.organization_id", "d.version", "d.digest", "d.record"])
      .where("o.deleted_at_ms", "is", null)
      .where("o.organization_id", ">", after)
      .orderBy("o.organization_id")
      .limit(limit)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => toStoredDocument(row.organization_id, row));
    after = last.organization_id;
  }
}

export type KeyRecord = { organizationId: string; id: string; bytes: Uint8Array };

/** The tables of keys, by what a person calls a row of each. */
const tables = { wallet: wallets, account: walletAccounts, "private key": privateKeys } as const;

export type KeyKind = keyof typeof tables;

export const keyKinds = Object.keys(tables) as KeyKind[];

/** The records of all keys of a kind. */
export async function* readAllKeys(
  db: Db,
  kind: KeyKind,
  limit = RECORDS_A_READ,
): AsyncGenerator<KeyRecord[], undefined> {
  const table: Pick<AnyTable, "name" | "id"> = tables[kind];
  const id = sql.ref(table.id);
  let after: [string, string] = [NOWHERE, NOWHERE];
  for (;;) {
    const found: RawBuilder<{ organization_id: string; id: string; record: Uint8Array }> = sql`
      SELECT organization_id, ${id} AS id, record FROM ${sql.table(table.name)}
      WHERE (organization_id, ${id}) > (${after[0]}::uuid, ${after[1]}::uuid)
      ORDER BY organization_id, ${id} LIMIT ${limit}`;
    const { rows } = await found.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => ({
      organizationId: row.organization_id,
      id: row.id,
      bytes: row.record,
    }));
    after = [last.organization_id, last.id];
  }
}

/** The ids of the keys of a kind that these organizations have. */
export async function findKeyIds(
  db: Db,
  kind: KeyKind,
  organizationIds: readonly string[],
): Promise<Set<string>> {
  const { name, id } = tables[kind];
  const { rows } = await sql<{ id: string }>`
    SELECT ${sql.ref(id)} AS id FROM ${sql.table(name)}
    WHERE organization_id IN (${sql.join(organizationIds)})`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** How many keys of a kind there are. */
export async function countKeys(db: Db, kind: KeyKind): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    SELECT count(*) AS count FROM ${sql.table(tables[kind].name)}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** When the last activity was made. Its id begins with its time, and this reads all ids. */
export async function findLastActivityMs(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom("activities")
    .select("record")
    .orderBy("activity_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row ? readActivity({ bytes: row.record, released: null }).createdAtMs : null;
}
