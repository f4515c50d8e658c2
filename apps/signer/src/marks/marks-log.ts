import { readStateFile } from "@keyhearth/outbound/state-file";
import type { Known } from "./marks-buckets.ts";

/**
 * Reads the log that kept the marks before they were a database. Its records have a fixed length:
 *
 *   kind (1) | organization (16) | number (8) | digest (32) | check (4)
 */
export type MarksLog = { clockMs: number; marks: Map<string, Known>; isTorn: boolean };

const KIND_DOCUMENT = 1;
const KIND_SEGMENT = 2;
const KIND_CLOCK = 3;

const RECORD_BYTES = 61;

/** Of 17 million records. */
const MAX_BYTES = 1024 ** 3;

/**
 * Null if it is damaged. A killed process left at most one broken record, at the end. Anything else was
 * not written by a signer.
 */
export function readMarksLog(path: string): MarksLog | null {
  const bytes = readStateFile(path, MAX_BYTES);
  const log: MarksLog = { clockMs: 0, marks: new Map(), isTorn: false };
  for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
    const record = bytes.subarray(at, at + RECORD_BYTES);
    if (!isWhole(record)) {
      log.isTorn = true;
      // The first record was always synced, so there is one.
      return at > 0 && at + RECORD_BYTES >= bytes.length ? log : null;
    }
    addRecord(log, record);
  }
  return bytes.length > 0 ? log : null;
}

function addRecord(log: MarksLog, record: Buffer) {
  const number = Number(record.readBigUInt64BE(17));
  if (record.readUInt8(0) === KIND_CLOCK) {
    log.clockMs = Math.max(log.clockMs, number);
    return;
  }
  const organizationId = record.toString("hex", 1, 17);
  const known = log.marks.get(organizationId) ?? { document: null, segment: null };
  const head = { number, digest: record.toString("hex", 25, 57) };
  // The newest record of an organization comes last.
  const after = record.readUInt8(0) === KIND_DOCUMENT ? { document: head } : { segment: head };
  log.marks.set(organizationId, { ...known, ...after });
}

function isWhole(record: Buffer): boolean {
  if (record.length < RECORD_BYTES) return false;
  const isKnown = [KIND_DOCUMENT, KIND_SEGMENT, KIND_CLOCK].includes(record.readUInt8(0));
  return isKnown && checksum(record.subarray(0, 57)) === record.readUInt32BE(57);
}

/** FNV-1a. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
