import type { Keyring } from "../keys/keyring.ts";
import { createOrganization, type Organization } from "../people/organization.ts";
import { type Brought, isOfType, toBrought } from "./kinds.ts";
import { verifyRecord } from "./notarize.ts";
import { recordDigest } from "./record.ts";

/** A record whose notarization verified, in its current shape. */
export type VerifiedRecord = Brought & {
  size: number;
  /** The lookups of an organization's document. Undefined for other records. */
  organization?: Organization;
};

/**
 * The parsed and verified records that the core holds, by digest, so that the host can name them
 * instead of sending them. Limited in bytes: the least recently used are dropped first.
 */
export type HeldRecords = {
  get(digest: string): VerifiedRecord | undefined;
  /** Verifies a record and holds it. Throws if the notarization does not verify. */
  add(bytes: Uint8Array): VerifiedRecord;
};

export function createHeldRecords(keyring: Keyring, maxBytes: number): HeldRecords {
  const records = new Map<string, VerifiedRecord>();
  let bytesHeld = 0;

  function evict() {
    for (const [digest, record] of records) {
      if (bytesHeld <= maxBytes) return;
      records.delete(digest);
      bytesHeld -= record.size;
    }
  }

  return {
    get(digest) {
      const record = records.get(digest);
      if (!record) return undefined;
      records.delete(digest);
      records.set(digest, record);
      return record;
    },
    add(bytes) {
      const record = toBrought(verifyRecord(keyring, bytes), recordDigest(bytes));
      const held: VerifiedRecord = {
        ...record,
        size: bytes.length,
        ...(isOfType("organization")(record) && { organization: createOrganization(record.body) }),
      };
      // Not activities: they change with every vote and would push out the others.
      if (held.header.type === "activity" || records.has(held.digest)) return held;
      records.set(held.digest, held);
      bytesHeld += held.size;
      evict();
      return held;
    },
  };
}
