import type { Want } from "@keyhearth/engine/records/kinds";
import type { Db } from "../store/connect.ts";
import { findById } from "../store/find-by-id.ts";
import type { StoredRecord } from "../store/stored-record.ts";
import type { Finder } from "../store/table.ts";
import { recordTables } from "../store/tables.ts";
import type { Cache, DocumentName } from "./cache.ts";

/** The records that a request wants in addition to the organization's document. */
export async function findWanted(
  db: Db,
  organizationId: string,
  want: Want,
): Promise<StoredRecord[]> {
  for (const table of recordTables) {
    // A table declares each finder under the type of its want.
    const finder = table.finds[want.type] as Finder<Want> | undefined;
    if (!finder) continue;
    if ("find" in finder) {
      const found = await finder.find(db, organizationId, want);
      if (found.length > 0) return found;
    } else {
      const found = await findById(db, table, organizationId, finder.id(want));
      if (found) return [found];
    }
  }
  // No table finds the activity that a vote is about: the caller has it.
  return [];
}

/** The same, but uses cached records if there are any. */
export async function findCachedOrWanted(
  db: Db,
  cache: Cache,
  document: DocumentName,
  want: Want,
): Promise<StoredRecord[]> {
  return cache.findRecords(document, want) ?? findAndKeep(db, cache, document, want);
}

/** Reads the records from the database even if they are cached, and keeps them. */
export async function findAndKeep(
  db: Db,
  cache: Cache,
  document: DocumentName,
  want: Want,
): Promise<StoredRecord[]> {
  const records = await findWanted(db, document.organizationId, want);
  if (records.length > 0) cache.keepRecords(document, want, records);
  return records;
}
