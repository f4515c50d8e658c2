import { promisify } from "node:util";
import zlib from "node:zlib";
import { equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { sql } from "kysely";
import type { Db, Store } from "./connect.ts";
import { chargeStorage, ROW_BYTES } from "./family-storage.ts";

// Not functions of the module: the emulator, which stores no differences, runs on versions of Node.js without them.
const compress = (...given: Compressing) => promisify(zlib.zstdCompress)(...given);
const decompress = (...given: Compressing) => promisify(zlib.zstdDecompress)(...given);
type Compressing = [bytes: Uint8Array, options: zlib.ZstdOptions];

/** The record of one version of a document, as it was written. */
export type PastRecord = { version: number; digest: string; record: Uint8Array };

/** Before every organization. */
const FIRST = "00000000-0000-0000-0000-000000000000";

export type PastVersion = { organizationId: string; version: number };

/** The records of these versions, newest first, whole again. */
export async function readPastRecords(
  db: Db,
  organizationId: string,
  versions: number[],
): Promise<PastRecord[]> {
  const rows = await db
    .selectFrom("organization_documents")
    .select(["version", "digest", "record", "base"])
    .where("organization_id", "=", organizationId)
    .where("version", "in", versions)
    .orderBy("version", "desc")
    .execute();
  const needed = new Set(rows.flatMap(({ base }) => base ?? []));
  const bases = needed.size > 0 ? await readWhole(db, organizationId, [...needed]) : [];
  return Promise.all(
    rows.map(async ({ base, ...row }) => {
      if (base === null) return row;
      const found = bases.find(({ version }) => version === base);
      if (!found) throw new Error(`no document version ${base} of ${organizationId}`);
      return { ...row, record: await expand(row.record, found.record) };
    }),
  );
}

/** Versions that are stored whole. Differences are only from these. */
function readWhole(db: Db, organizationId: string, versions: number[]) {
  return db
    .selectFrom("organization_documents")
    .select(["version", "record"])
    .where("organization_id", "=", organizationId)
    .where("version", "in", versions)
    .where("base", "is", null)
    .execute();
}

/**
 * Versions of any organization that wait to be stored as differences: those of the organizations after this one, and
 * then from the beginning. So one that keeps changing does not keep the others waiting.
 */
export async function listPastDocuments(
  db: Db,
  { after, limit }: { after: string | null; limit: number },
): Promise<PastVersion[]> {
  const waiting = db
    .selectFrom("past_documents")
    .select(["organization_id", "version"])
    .orderBy("organization_id")
    .orderBy("version");
  const rows = await waiting
    .where("organization_id", ">", after ?? FIRST)
    .limit(limit)
    .execute();
  if (after !== null && rows.length < limit) {
    const before = waiting.where("organization_id", "<=", after);
    rows.push(...(await before.limit(limit - rows.length).execute()));
  }
  return rows.map((row) => ({ organizationId: row.organization_id, version: row.version }));
}

/**
 * Stores an old version as the difference from an earlier one. Unless the operator gives history an end, no version can
 * be deleted: the vote that replaced it names it, to show the voter and to explain the decision. But most of it is also in
 * the versions around it. A version that differs too much stays whole, and the next ones differ from
 * it.
 */
export async function shrinkPastDocument(store: Store, past: PastVersion): Promise<void> {
  const { organizationId, version } = past;
  const [row] = await readPastRecords(store.db, organizationId, [version]);
  const base = await findBase(store, past);
  const difference = row && base ? await differenceOf(row.record, base.record) : null;
  if (!row || !base || !difference) return leavePastDocument(store, past);
  await store.run(
    "shrink-past-document",
    `WITH shrunk AS (
       UPDATE organization_documents SET record = $3::bytea, base = $4::bigint
       WHERE organization_id = $1::uuid AND version = $2::bigint AND digest = $5::text
         AND base IS NULL
       RETURNING organization_id, $6::bigint AS bytes
     ), charged AS (
       ${chargeStorage("shrunk")}
     )
     DELETE FROM past_documents WHERE organization_id = $1::uuid AND version = $2::bigint`,
    [
      organizationId,
      version,
      difference,
      base.version,
      row.digest,
      difference.length - row.record.length,
    ],
  );
}

/** The newest earlier version that has left the list and stayed whole, as it does from then on. */
async function findBase(
  { db }: Store,
  { organizationId, version }: PastVersion,
): Promise<{ version: number; record: Uint8Array } | undefined> {
  return db
    .selectFrom("organization_documents as d")
    .select(["d.version", "d.record"])
    .where("d.organization_id", "=", organizationId)
    .where("d.version", "<", version)
    .where("d.base", "is", null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("past_documents as p")
            .select("p.version")
            .where("p.organization_id", "=", organizationId)
            .whereRef("p.version", "=", "d.version"),
        ),
      ),
    )
    .orderBy("d.version", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** A version as it is stored: what it is a difference from, if it is one, and how many bytes it has. */
export type StoredVersion = { version: number; base: number | null; bytes: number };

/** The oldest versions that there are, in their order. */
export async function listVersions(
  db: Db,
  organizationId: string,
  limit: number,
): Promise<StoredVersion[]> {
  return db
    .selectFrom("organization_documents")
    .select(["version", "base"])
    .select(sql<number>`octet_length(record)`.as("bytes"))
    .where("organization_id", "=", organizationId)
    .orderBy("version")
    .limit(limit)
    .execute();
}

/** Versions from this one on that are stored as differences from earlier ones. */
export async function listDependents(
  db: Db,
  organizationId: string,
  { from, limit }: { from: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom("organization_documents")
    .select("version")
    .where("organization_id", "=", organizationId)
    .where("version", ">=", from)
    .where("base", "<", from)
    .orderBy("version")
    .limit(limit)
    .execute();
  return rows.map(({ version }) => version);
}

/** The oldest version that there is. Those before it were deleted by their age. */
export async function findFirstVersion(db: Db, organizationId: string): Promise<number> {
  const [first] = await listVersions(db, organizationId, 1);
  return first?.version ?? 0;
}

export async function isVersionRemoved(
  db: Db,
  organizationId: string,
  version: number,
): Promise<boolean> {
  return version < (await findFirstVersion(db, organizationId));
}

/** Stores a version as the difference from another one that stays whole, or whole itself. */
export async function rebasePastDocument(
  store: Store,
  { organizationId, version }: PastVersion,
  newBase: number,
): Promise<void> {
  const [row] = await readPastRecords(store.db, organizationId, [version]);
  const [base] = await readWhole(store.db, organizationId, [newBase]);
  if (!row) return;
  const difference = base && version > newBase ? await differenceOf(row.record, base.record) : null;
  const record = difference ?? row.record;
  await store.run(
    "rebase-past-document",
    `WITH old AS (
       SELECT organization_id, version, octet_length(record) AS bytes FROM organization_documents
       WHERE organization_id = $1::uuid AND version = $2::bigint AND base < $4::bigint
       FOR UPDATE SKIP LOCKED
     ), rebased AS (
       UPDATE organization_documents d SET record = $3::bytea, base = $5::bigint
       FROM old WHERE d.organization_id = old.organization_id AND d.version = old.version
       RETURNING d.organization_id, octet_length($3::bytea) - old.bytes AS bytes
     )
     ${chargeStorage("rebased")}`,
    [organizationId, version, record, newBase, difference ? newBase : null],
  );
}

/**
 * Deletes the versions before this one, unless one that stays is a difference from them: all at once, because the oldest
 * that is there says which are gone. Returns how many.
 */
export async function deletePastDocuments(
  store: Store,
  organizationId: string,
  before: number,
): Promise<number> {
  const rows = await store.run(
    "delete-past-documents",
    `WITH old AS MATERIALIZED (
       SELECT version FROM organization_documents
       WHERE organization_id = $1::uuid AND version < $2::bigint
         AND NOT EXISTS (SELECT 1 FROM organization_documents kept
           WHERE kept.organization_id = $1::uuid AND kept.version >= $2::bigint AND kept.base < $2::bigint)
         AND $2::bigint <= (SELECT o.version FROM organizations o WHERE o.organization_id = $1::uuid)
       ORDER BY version FOR UPDATE SKIP LOCKED
     ), gone AS (
       DELETE FROM organization_documents
       WHERE organization_id = $1::uuid AND version IN (SELECT version FROM old)
       RETURNING organization_id, version, -(${ROW_BYTES} + octet_length(record)) AS bytes
     ), unlisted AS (
       DELETE FROM past_documents
       WHERE organization_id = $1::uuid AND version IN (SELECT version FROM old)
     ), charged AS (
       ${chargeStorage("gone")}
     )
     SELECT version FROM gone`,
    [organizationId, before],
  );
  return rows.length;
}

/** Takes a version off the list as it is. */
export async function leavePastDocument(
  store: Store,
  { organizationId, version }: PastVersion,
): Promise<void> {
  await store.run(
    "leave-past-document",
    "DELETE FROM past_documents WHERE organization_id = $1::uuid AND version = $2::bigint",
    [organizationId, version],
  );
}

/** Null if the record differs too much. */
async function differenceOf(record: Uint8Array, base: Uint8Array): Promise<Uint8Array | null> {
  const params = { [zlib.constants.ZSTD_c_windowLog]: WINDOW_LOG };
  const difference = await compress(record, { dictionary: Buffer.from(base), params });
  const most = Math.min(record.length, Math.max(record.length / 32, MIN_DIFFERENCE));
  const isExact = equalBytes(await expand(difference, base), record);
  return isExact && difference.length < most ? difference : null;
}

/** A small document may differ more, because a whole version of it costs little. */
const MIN_DIFFERENCE = 4096;

/** 16 MiB: more than any document and its base. */
const WINDOW_LOG = 24;
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

async function expand(difference: Uint8Array, base: Uint8Array): Promise<Uint8Array> {
  return decompress(difference, {
    dictionary: Buffer.from(base),
    maxOutputLength: MAX_RECORD_BYTES,
  });
}
