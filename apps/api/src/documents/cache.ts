import { type BoundedCache, createBoundedCache } from "@keyhearth/engine/memory/bounded-cache";
import { createCompiledPolicies } from "@keyhearth/engine/records/compiled-policies";
import type { Want } from "@keyhearth/engine/records/kinds";
import { createOrganization, heldSizeOf } from "@keyhearth/engine/records/organization-index";
import type { StoredDocument } from "../store/organizations.ts";
import type { StoredRecord } from "../store/stored-record.ts";
import type { CacheRule } from "../store/table.ts";
import { recordTables } from "../store/tables.ts";

/**
 * What the host keeps of the database between requests. It may be out of date: the commit compares
 * versions, and an error that rests on a cached record is checked against the database first.
 */
export type Cache = {
  document(organizationId: string): StoredDocument | undefined;
  /** The same, if the database held it a moment ago. */
  freshDocument(organizationId: string): StoredDocument | undefined;
  /** The database still holds the cached document. */
  refreshDocument(organizationId: string): void;
  /** Returns the document with policies that are compiled only once. A newer one is not replaced. */
  keepDocument(stored: StoredDocument): StoredDocument;
  forgetDocument(organizationId: string): void;
  /** The records found for a want while this document was current, if its table has a cache rule. */
  findRecords(document: DocumentName, want: Want): StoredRecord[] | undefined;
  keepRecords(document: DocumentName, want: Want, records: StoredRecord[]): void;
};

/** One version of an organization's document. */
export type DocumentName = Pick<StoredDocument, "organizationId" | "digest">;

const MB = 1024 * 1024;

/**
 * Other processes may change what this one keeps. The signer takes an older document for an alarm only if it was
 * replaced much longer ago than this.
 */
const FRESH_MS = 30_000;

type KeptDocument = { stored: StoredDocument; readAtMs: number };

/** In bytes of memory. One organization cannot displace what the others use. */
export const CACHE_BOUNDS = {
  documents: { max: 64 * MB, maxPerOrganization: 16 * MB },
  policies: { max: 32 * MB, maxPerOrganization: 16 * MB },
};

export function createCache(
  { documents: bounds, policies } = CACHE_BOUNDS,
  now = () => performance.now(),
): Cache {
  const documents = createBoundedCache<KeptDocument>(bounds);
  const compiled = createCompiledPolicies(policies);
  const wants = createWants();

  return {
    document: (organizationId) => documents.get(organizationId)?.stored,
    freshDocument(organizationId) {
      const kept = documents.get(organizationId);
      return kept && now() - kept.readAtMs < FRESH_MS ? kept.stored : undefined;
    },
    refreshDocument(organizationId) {
      const kept = documents.get(organizationId);
      if (kept) kept.readAtMs = now();
    },
    keepDocument(stored) {
      const { organizationId, document, digest, bytes } = stored;
      const organization = createOrganization(document, () => compiled.of(document, digest));
      const value = { ...stored, ...alone(stored), organization };
      const cost = bytes.length + heldSizeOf(document);
      // A request that took long may have read it before another one changed it.
      const isOld = (documents.get(organizationId)?.stored.version ?? 0) > stored.version;
      const kept = { stored: value, readAtMs: now() };
      if (!isOld) documents.set(organizationId, { organizationId, value: kept, cost });
      return value;
    },
    forgetDocument: documents.delete,
    findRecords({ organizationId, digest }, want) {
      const kept = wants.get(want.type);
      return kept?.records.get(`${organizationId} ${kept.rule.keyOf(want, digest)}`);
    },
    keepRecords({ organizationId, digest }, want, records) {
      const kept = wants.get(want.type);
      if (!kept) return;
      const key = `${organizationId} ${kept.rule.keyOf(want, digest)}`;
      const value = records.map(alone);
      kept.records.set(key, { organizationId, value, cost: costOf(value) });
    },
  };
}

/** The records found for wants of one type. */
type Kept = { rule: CacheRule<Want>; records: BoundedCache<StoredRecord[]> };

/** One entry for each type of want that has a cache rule. */
function createWants(): Map<Want["type"], Kept> {
  const wants = new Map<Want["type"], Kept>();
  for (const { finds } of recordTables) {
    for (const [type, finder] of Object.entries(finds)) {
      // A table declares each finder under the type of its want.
      const rule = finder.cache as CacheRule<Want> | undefined;
      if (!rule) continue;
      const bounds = { max: rule.maxBytes, maxPerOrganization: rule.maxBytes / 2 };
      wants.set(type as Want["type"], { rule, records: createBoundedCache(bounds) });
    }
  }
  return wants;
}

/** What a record takes besides its bytes: its digest, and the buffer. */
const RECORD_COST = 500;

/** A driver returns parts of larger buffers, which would stay in memory as a whole. */
function alone({ digest, bytes }: StoredRecord): StoredRecord {
  return { digest, bytes: new Uint8Array(bytes) };
}

function costOf(records: StoredRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes.length + RECORD_COST, 0);
}
