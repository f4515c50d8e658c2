import { readRecord, recordDigest } from "@keyhearth/engine/records/record";

// What a host has: every record that it ever saw, and which of them it says are current.

export type StoredRecord = {
  /** The step that brought it, and its place in the proposal: `s7/0`. */
  name: string;
  /** What it is the record of: `sessions <organization> <id>`. */
  place: string;
  type: string;
  organizationId: string;
  id: string;
  version: number;
  digest: string;
  bytes: Uint8Array;
  body: unknown;
};

export type Host = {
  records: Map<string, StoredRecord>;
  /** The current record of each place. */
  current: Map<string, StoredRecord>;
  add(name: string, bytes: Uint8Array): StoredRecord;
  commit(record: StoredRecord): void;
  /** All records of one place, committed or not. */
  at(place: string): StoredRecord[];
};

export function createHost(): Host {
  const records = new Map<string, StoredRecord>();
  const current = new Map<string, StoredRecord>();
  const places = new Map<string, StoredRecord[]>();
  return {
    records,
    current,
    add(name, bytes) {
      const { header, body } = readRecord(bytes);
      const { type, organizationId, id, version } = header;
      const place = placeOf(type, organizationId, id);
      const digest = recordDigest(bytes);
      const record = { name, place, type, organizationId, id, version, digest, bytes, body };
      records.set(name, record);
      places.set(place, [...(places.get(place) ?? []), record]);
      return record;
    },
    commit(record) {
      current.set(record.place, record);
    },
    at: (place) => places.get(place) ?? [],
  };
}

export function placeOf(type: string, organizationId: string, id: string): string {
  return `${type} ${organizationId} ${id}`;
}
