import type { Keyring } from "./keyring.ts";
import { verifyRecord } from "./notarize.ts";
import { activity } from "./records/activity.ts";
import { type RecordKind, upcast } from "./records/kind.ts";
import { organization } from "./records/organization.ts";
import { privateKey } from "./records/private-key.ts";
import { type NotarizedRecord, recordDigest } from "./records/record.ts";
import { sessions } from "./records/sessions.ts";
import { wallet, walletAccount } from "./records/wallet.ts";

/** A record whose notarization verified, in its current shape. */
export type HeldRecord = NotarizedRecord & { digest: string; size: number };

/**
 * The records that the core holds parsed and verified, by digest: a host names them instead of
 * sending them. Bounded by bytes, the least recently used leave first.
 */
export type HeldRecords = {
  get(digest: string): HeldRecord | undefined;
  /** Verifies and holds. Throws if the notarization does not verify. */
  add(bytes: Uint8Array): HeldRecord;
};

const kinds: Partial<Record<string, RecordKind<unknown>>> = {
  organization,
  sessions,
  wallet,
  "wallet-account": walletAccount,
  "private-key": privateKey,
  activity,
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
      const kind = kinds[record.header.type];
      const held: HeldRecord = {
        header: record.header,
        body: kind ? upcast(kind, record) : record.body,
        digest: recordDigest(bytes),
        size: bytes.length,
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
