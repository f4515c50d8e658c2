import type { Want } from "@keyhearth/engine/records/kinds";
import type { StoredDocument } from "./store/organizations.ts";
import type { StoredRecord } from "./store/stored-record.ts";
import type { CacheRule } from "./store/table.ts";
import { recordTables } from "./store/tables.ts";

/**
 * What the host keeps of the database between requests. It may be out of date: the commit compares
 * versions, and an error that rests on a cached record is checked against the database first.
 */
export type Cache = {
  document(organizationId: string): StoredDocument | undefined;
  keepDocument(stored: StoredDocument): void;
  forgetDocument(organizationId: string): void;
  /** The records found for a want, if its table has a cache rule for it. */
  findRecords(organizationId: string, want: Want): StoredRecord[] | undefined;
  keepRecords(organizationId: string, want: Want, records: StoredRecord[]): void;
};

export function createCache({
  maxDocumentBytes = 64 * 1024 * 1024,
}: {
  maxDocumentBytes?: number;
} = {}): Cache {
  const documents = new Map<string, StoredDocument>();
  let documentBytes = 0;
  const wants = createWants();

  function drop(organizationId: string) {
    const known = documents.get(organizationId);
    if (!known) return;
    documents.delete(organizationId);
    documentBytes -= known.bytes.length;
  }

  return {
    document(organizationId) {
      const known = documents.get(organizationId);
      if (!known) return undefined;
      documents.delete(organizationId);
      documents.set(organizationId, known);
      return known;
    },
    keepDocument(stored) {
      drop(stored.organizationId);
      documents.set(stored.organizationId, stored);
      documentBytes += stored.bytes.length;
      for (const oldest of documents.keys()) {
        if (documentBytes <= maxDocumentBytes) break;
        drop(oldest);
      }
    },
    forgetDocument: drop,
    findRecords(organizationId, want) {
      const kept = wants.get(want.type);
      return kept?.records.get(`${organizationId} ${kept.rule.keyOf(want)}`);
    },
    keepRecords(organizationId, want, records) {
      const kept = wants.get(want.type);
      if (kept) keep(kept, `${organizationId} ${kept.rule.keyOf(want)}`, records);
    },
  };
}

/** The records found for wants of one type, oldest first. */
type Kept = { rule: CacheRule<Want>; records: Map<string, StoredRecord[]>; bytes: number };

/** One entry for each type of want that has a cache rule. */
function createWants(): Map<Want["type"], Kept> {
  const wants = new Map<Want["type"], Kept>();
  for (const { finds } of recordTables) {
    for (const [type, finder] of Object.entries(finds)) {
      // A table declares each finder under the type of its want.
      const rule = finder.cache as CacheRule<Want> | undefined;
      if (rule) wants.set(type as Want["type"], { rule, records: new Map(), bytes: 0 });
    }
  }
  return wants;
}

function keep(kept: Kept, key: string, records: StoredRecord[]) {
  const { rule, records: all } = kept;
  forget(kept, key);
  all.set(key, records);
  kept.bytes += bytesOf(records);
  for (const oldest of all.keys()) {
    const isFull = "wants" in rule.max ? all.size > rule.max.wants : kept.bytes > rule.max.bytes;
    if (!isFull) break;
    forget(kept, oldest);
  }
}

function forget(kept: Kept, key: string) {
  const records = kept.records.get(key);
  if (!records) return;
  kept.records.delete(key);
  kept.bytes -= bytesOf(records);
}

function bytesOf(records: StoredRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
