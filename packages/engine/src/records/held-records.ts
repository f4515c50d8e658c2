import type { Keyring } from "../keys/keyring.ts";
import { createOrganization, type Organization } from "../people/organization.ts";
import { currentBody } from "./kinds.ts";
import { verifyRecord } from "./notarize.ts";
import type { OrganizationDocument } from "./organization.ts";
import { type NotarizedRecord, recordDigest } from "./record.ts";

/** A record whose notarization verified, in its current shape. */
export type HeldRecord = NotarizedRecord & {
  digest: string;
  size: number;
  /** Of an organization's document: what requests look up in it. */
  organization?: Organization;
};

/**
 * The records that the core holds parsed and verified, by digest: a host names them instead of
 * sending them. Bounded by bytes, the least recently used leave first.
 */
export type HeldRecords = {
  get(digest: string): HeldRecord | undefined;
  /** Verifies and holds. Throws if the notarization does not verify. */
  add(bytes: Uint8Array): HeldRecord;
};

export function createHeldRecords(keyring: Keyring, maxBytes: number): HeldRecords {
  const records = new Map<string, HeldRecord>();
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
      const record = verifyRecord(keyring, bytes);
      const body = currentBody(record);
      const held: HeldRecord = {
        header: record.header,
        body,
        digest: recordDigest(bytes),
        size: bytes.length,
        ...(record.header.type === "organization" && {
          organization: createOrganization(body as OrganizationDocument),
        }),
      };
      // Activities change with every vote and are read once; holding them would push out the rest.
      if (held.header.type === "activity" || records.has(held.digest)) return held;
      records.set(held.digest, held);
      bytesHeld += held.size;
      evict();
      return held;
    },
  };
}
