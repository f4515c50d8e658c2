import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { equalBytes } from "@keyhearth/crypto/encoding";
import type { Db, Store } from "./connect.ts";

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** The record of one version of a document, as it was written. */
export type PastRecord = { version: number; digest: string; record: Uint8Array };

export type PastVersion = { organizationId: string; version: number };

/**
 * The version that an old one is stored as a difference from. No version can be deleted: the
 * vote that replaced it names it, to show the voter and to explain the decision. But most of it is
 * also in the versions around it. Only one of 256 versions stays whole, and two differences lead from
 * it to any other.
 */
export function baseOf(version: number): number | null {
  const index = version - 1;
  for (const step of [16, 256]) {
    if (index % step !== 0) return index - (index % step) + 1;
  }
  return null;
}

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
  for (const { base, version } of rows) {
    // A damaged table must not lead around in circles.
    if (base === null || base === baseOf(version)) continue;
    throw new Error(`document version ${version} of ${organizationId} names ${base} as its base`);
  }
  const needed = new Set(rows.flatMap(({ base }) => base ?? []));
  const bases = needed.size > 0 ? await readPastRecords(db, organizationId, [...needed]) : [];
  return Promise.all(
    rows.map(async ({ base, ...row }) => {
      if (base === null) return row;
      const found = bases.find(({ version }) => version === base);
      if (!found) throw new Error(`no document version ${base} of ${organizationId}`);
      return { ...row, record: await expand(row.record, found.record) };
    }),
  );
}

/** Versions of any organization that wait to be stored as differences. */
export async function listPastDocuments(db: Db, limit: number): Promise<PastVersion[]> {
  const rows = await db
    .selectFrom("past_documents")
    .select(["organization_id", "version"])
    .orderBy("organization_id")
    .orderBy("version")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ organizationId: row.organization_id, version: row.version }));
}

/** Stores an old version as a difference, if that gives back exactly the same bytes. */
export async function shrinkPastDocument(
  store: Store,
  { organizationId, version }: PastVersion,
): Promise<void> {
  const base = baseOf(version);
  const [row] = await readPastRecords(store.db, organizationId, [version]);
  const [under] = base === null ? [] : await readPastRecords(store.db, organizationId, [base]);
  const difference = row && under ? await differenceOf(row.record, under.record) : null;
  await store.run(
    "shrink-past-document",
    `WITH shrunk AS (
       UPDATE organization_documents SET record = $3::bytea, base = $4::bigint
       WHERE organization_id = $1::uuid AND version = $2::bigint AND digest = $5::text
         AND base IS NULL AND $3::bytea IS NOT NULL
     )
     DELETE FROM past_documents WHERE organization_id = $1::uuid AND version = $2::bigint`,
    [organizationId, version, difference, base, row?.digest ?? ""],
  );
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

/** Null if the record is not smaller that way. */
async function differenceOf(record: Uint8Array, base: Uint8Array): Promise<Uint8Array | null> {
  const params = { [constants.ZSTD_c_windowLog]: WINDOW_LOG };
  const difference = await compress(record, { dictionary: Buffer.from(base), params });
  const isExact = equalBytes(await expand(difference, base), record);
  return isExact && difference.length < record.length ? difference : null;
}

/** 16 MiB: more than any document and its base. */
const WINDOW_LOG = 24;
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

async function expand(difference: Uint8Array, base: Uint8Array): Promise<Uint8Array> {
  return decompress(difference, {
    dictionary: Buffer.from(base),
    maxOutputLength: MAX_RECORD_BYTES,
  });
}
