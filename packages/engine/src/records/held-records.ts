import { type Bounds, createBoundedCache } from "../memory/bounded-cache.ts";
import { heapSizeOf } from "../memory/heap-size.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { CompiledPolicies } from "./compiled-policies.ts";
import { type Brought, isOfType, toBrought } from "./kinds.ts";
import { verifyRecord } from "./notarize.ts";
import type { OrganizationDocument } from "./organization.ts";
import { createOrganization, heldSizeOf, type Organization } from "./organization-index.ts";
import { type RecordHeader, recordDigest } from "./record.ts";

/** A record whose notarization verified, in its current shape. */
export type VerifiedRecord = Brought & {
  /** The lookups of an organization's document. Undefined for other records. */
  organization?: Organization;
};

/**
 * The parsed and verified records that the core holds, by digest, so that the host can name them
 * instead of sending them. Of each record, only the newest version is held.
 */
export type HeldRecords = {
  /** Bytes of memory that all held records cost together. */
  readonly cost: number;
  get(digest: string): VerifiedRecord | undefined;
  /** Verifies a record and holds it. Throws if the notarization does not verify. */
  add(bytes: Uint8Array): VerifiedRecord;
};

export function createHeldRecords(
  keyring: Keyring,
  policies: CompiledPolicies,
  bounds: Bounds,
): HeldRecords {
  /** The digest of the newest version of each held record. */
  const newest = new Map<string, string>();
  const records = createBoundedCache<VerifiedRecord>(bounds, ({ header }, digest) => {
    if (newest.get(nameOf(header)) === digest) newest.delete(nameOf(header));
  });

  function hold(record: VerifiedRecord, cost: number) {
    const { header, digest } = record;
    const name = nameOf(header);
    const before = newest.get(name);
    const held = before === undefined ? undefined : records.get(before);
    if (held && held.header.version > header.version) return;
    if (before !== undefined) records.delete(before);
    newest.set(name, digest);
    records.set(digest, { organizationId: header.organizationId, value: record, cost });
  }

  return {
    get cost() {
      return records.cost;
    },
    get: records.get,
    add(bytes) {
      const digest = recordDigest(bytes);
      const known = records.get(digest);
      if (known) return known;
      const record = toBrought(verifyRecord(keyring, bytes), digest);
      // Not activities: they change with every vote and would push out the others.
      if (record.header.type === "activity") return record;
      if (!isOfType("organization")(record)) {
        hold(record, heapSizeOf(record));
        return record;
      }
      const compile = (document: OrganizationDocument) => policies.of(document, digest);
      const held = { ...record, organization: createOrganization(record.body, compile) };
      hold(held, heapSizeOf(record.header) + heldSizeOf(record.body));
      return held;
    },
  };
}

function nameOf({ type, organizationId, id }: RecordHeader): string {
  return `${type} ${organizationId} ${id}`;
}
