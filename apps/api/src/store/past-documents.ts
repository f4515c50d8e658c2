import { promisify } from "node:util";
import zlib from "node:zlib";
import { equalBytes } from "@keyhearth/crypto/encoding/bytes";
import type { Db, Store } from "./connect.ts";
import { chargeStorage } from "./family-storage.ts";

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
 * Stores an old version as the difference from an earlier one. No version can be deleted: the vote
 * that replaced it names it, to show the voter and to explain the decision. But most of it is also in
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
