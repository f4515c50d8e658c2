import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { SegmentHead } from "@keyhearth/engine/receipts/receipts";

/** The newest document and the newest segment of one organization. */
export type Known = { document: SegmentHead | null; segment: SegmentHead | null };

// A bucket holds the organizations whose ids begin with the same two bytes, in no order. An entry is
// id (16) | document's version (8) | its digest (32) | segment's number (8) | its digest (32), with
// the number 0 for none.
const ID_BYTES = 16;
const HEAD_BYTES = 40;
const ENTRY_BYTES = ID_BYTES + 2 * HEAD_BYTES;

/** The entries of a bucket that are new or other than before, one after the other. */
export function changedEntries(before: Uint8Array | null, after: Uint8Array): Uint8Array[] {
  const changed: Uint8Array[] = [];
  for (let at = 0; at < after.length; at += ENTRY_BYTES) {
    const entry = after.subarray(at, at + ENTRY_BYTES);
    if (!before || !entry.every((byte, index) => before[at + index] === byte)) changed.push(entry);
  }
  return changed;
}

/** The entries of a bucket in the order of their ids. */
export function sortedEntries(content: Uint8Array): Uint8Array[] {
  return changedEntries(null, content).sort(Buffer.compare);
}

/** The buckets with these entries, of which each replaces the one of its organization. */
export function withEntries(
  read: (bucket: number) => Uint8Array | null,
  entries: Uint8Array,
): Map<number, Uint8Array> {
  if (entries.length % ENTRY_BYTES !== 0) throw new Error("marks that are cut short");
  const buckets = new Map<number, Uint8Array>();
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    const id = entries.slice(at, at + ID_BYTES);
    const bucket = new DataView(id.buffer).getUint16(0);
    const known = decodeBucket(entries.subarray(at, at + ENTRY_BYTES), id);
    buckets.set(bucket, encodeBucket(buckets.get(bucket) ?? read(bucket), id, known));
  }
  return buckets;
}

export function toBytes(organizationId: string): { id: Uint8Array; bucket: number } {
  const id = decodeHex(organizationId.replaceAll("-", ""));
  if (id.length !== ID_BYTES) throw new Error("an organization's id has 16 bytes");
  return { id, bucket: new DataView(id.buffer).getUint16(id.byteOffset) };
}

export function decodeBucket(content: Uint8Array | null, id: Uint8Array): Known {
  const at = content ? indexOf(content, id) : -1;
  if (!content || at < 0) return { document: null, segment: null };
  return {
    document: decodeHead(content, at + ID_BYTES),
    segment: decodeHead(content, at + ID_BYTES + HEAD_BYTES),
  };
}

/** The bucket with a new or another entry for this id. */
export function encodeBucket(
  content: Uint8Array | null,
  id: Uint8Array,
  { document, segment }: Known,
): Uint8Array {
  const before = content ?? new Uint8Array(0);
  const found = indexOf(before, id);
  const at = found < 0 ? before.length : found;
  const after = new Uint8Array(Math.max(before.length, at + ENTRY_BYTES));
  after.set(before);
  after.set(id, at);
  encodeHead(after, at + ID_BYTES, document);
  encodeHead(after, at + ID_BYTES + HEAD_BYTES, segment);
  return after;
}

function indexOf(content: Uint8Array, id: Uint8Array): number {
  for (let at = 0; at < content.length; at += ENTRY_BYTES) {
    if (id.every((byte, index) => content[at + index] === byte)) return at;
  }
  return -1;
}

function decodeHead(content: Uint8Array, at: number): SegmentHead | null {
  const view = new DataView(content.buffer, content.byteOffset + at, HEAD_BYTES);
  const number = Number(view.getBigUint64(0));
  if (number === 0) return null;
  // Not text that was put together byte by byte: V8 keeps all its pieces, which takes 4 KB.
  const digest = Buffer.from(content.buffer, content.byteOffset + at + 8, 32).toString("hex");
  return { number, digest };
}

function encodeHead(content: Uint8Array, at: number, head: SegmentHead | null) {
  if (!head) return;
  const view = new DataView(content.buffer, content.byteOffset + at, HEAD_BYTES);
  view.setBigUint64(0, BigInt(head.number));
  content.set(decodeHex(head.digest), at + 8);
}
