import {
  closeSync,
  existsSync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import type { Marks } from "@keyhearth/engine/door/core";
import { ApiError } from "@keyhearth/engine/errors";

/**
 * What the signer remembers: for each organization the newest document and the newest segment it
 * has seen. In memory a bounded map; on disk a log of fixed records, compacted as it grows. A killed
 * process loses nothing that it wrote; the disk is synced whenever the clock is remembered, so a power
 * cut may lose the last ten seconds of marks.
 *
 *   kind (1) | organization (16) | number (8) | digest (32) | check (4)
 */
export type MarksFile = Marks & {
  /** Highest instant of the clock that was remembered. */
  clockMs(): number;
  rememberClock(instantMs: number): void;
  close(): void;
};

type Seen = { number: number; digest: string };

const RECORD_BYTES = 61;
const KIND_DOCUMENT = 1;
const KIND_SEGMENT = 2;
const KIND_CLOCK = 3;
/** The log is compacted once it is this many times its live records, and a few megabytes. */
const MAX_STALE = 4;
const MIN_COMPACTED_BYTES = 4 * 1024 * 1024;
const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";

export function openMarks(path: string, { max = 1_000_000 } = {}): MarksFile {
  const documents = new Map<string, Seen>();
  const segments = new Map<string, Seen>();
  let clockMs = 0;

  for (const { kind, organizationId, number, digest } of readLog(path)) {
    if (kind === KIND_DOCUMENT) renew(documents, organizationId, { number, digest });
    if (kind === KIND_SEGMENT) renew(segments, organizationId, { number, digest });
    if (kind === KIND_CLOCK) clockMs = Math.max(clockMs, number);
  }
  let log = compact(path, documents, segments, clockMs);

  function append(record: Buffer) {
    if (log.bytes > MAX_STALE * liveBytes() + MIN_COMPACTED_BYTES) {
      closeSync(log.file);
      log = compact(path, documents, segments, clockMs);
    }
    // At its own place: what a full disk cut short is written over, not left in the way.
    writeAll(log.file, record, log.bytes);
    log.bytes += record.length;
  }

  function liveBytes() {
    return (documents.size + segments.size) * RECORD_BYTES;
  }

  function remember(kind: number, marks: Map<string, Seen>, organizationId: string, seen: Seen) {
    append(encode(kind, organizationId, seen));
    renew(marks, organizationId, seen);
    for (const oldest of marks.keys()) {
      if (marks.size <= max) break;
      marks.delete(oldest);
    }
  }

  function check(organizationId: string, version: number, digest: string) {
    const mark = documents.get(organizationId);
    if (mark) {
      if (version < mark.number) {
        throw stale(
          `document version ${version} of organization ${organizationId} is older than version ${mark.number}, which the signer has seen`,
        );
      }
      if (version === mark.number) {
        if (digest === mark.digest) return;
        throw stale(
          `document version ${version} of organization ${organizationId} is not the one the signer has seen: the history was forked`,
        );
      }
    }
    remember(KIND_DOCUMENT, documents, organizationId, { number: version, digest });
  }

  return {
    check,
    move: check,
    knows: (organizationId) => documents.has(organizationId),
    extend(organizationId, previous, next) {
      const mark = segments.get(organizationId);
      const follows =
        !mark || (previous?.number === mark.number && previous.digest === mark.digest);
      const repeats = mark?.number === next.number && mark.digest === next.digest;
      if (!follows && !repeats) {
        throw stale(
          `segment ${next.number} of organization ${organizationId} does not follow the newest one the signer has sealed`,
        );
      }
      remember(KIND_SEGMENT, segments, organizationId, next);
    },
    clockMs: () => clockMs,
    rememberClock(instantMs) {
      clockMs = Math.max(clockMs, instantMs);
      const seen = { number: clockMs, digest: "0".repeat(64) };
      append(encode(KIND_CLOCK, NO_ORGANIZATION, seen));
      // In the background; what fails here fails again, and aloud, at the next mark.
      fsync(log.file, () => {});
    },
    close: () => closeSync(log.file),
  };
}

/** Sets a mark as the newest: a map keeps its order, and the oldest leave first. */
function renew(marks: Map<string, Seen>, organizationId: string, seen: Seen) {
  marks.delete(organizationId);
  marks.set(organizationId, seen);
}

function stale(message: string): ApiError {
  return new ApiError("UNAVAILABLE", "STALE_RECORD", message);
}

type LogRecord = { kind: number; organizationId: string; number: number; digest: string };

function* readLog(path: string): Generator<LogRecord> {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
    const record = bytes.subarray(at, at + RECORD_BYTES);
    // A process killed while it wrote leaves at most one broken record, at the end.
    if (checksum(record.subarray(0, 57)) !== record.readUInt32BE(57)) return;
    const hex = record.toString("hex", 1, 17);
    yield {
      kind: record.readUInt8(0),
      organizationId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
      number: Number(record.readBigUInt64BE(17)),
      digest: record.toString("hex", 25, 57),
    };
  }
}

/** Writes one record for each mark to a new file, puts it in place and leaves it open. */
function compact(
  path: string,
  documents: Map<string, Seen>,
  segments: Map<string, Seen>,
  clockMs: number,
): { file: number; bytes: number } {
  const temporary = `${path}.new`;
  const file = openSync(temporary, "w", 0o600);
  const chunks: Buffer[] = [];
  for (const [id, seen] of documents) chunks.push(encode(KIND_DOCUMENT, id, seen));
  for (const [id, seen] of segments) chunks.push(encode(KIND_SEGMENT, id, seen));
  const clock = { number: clockMs, digest: "0".repeat(64) };
  chunks.push(encode(KIND_CLOCK, NO_ORGANIZATION, clock));
  const content = Buffer.concat(chunks);
  writeAll(file, content, 0);
  // On disk before it takes the old one's place: a power cut leaves the one or the other.
  fsyncSync(file);
  renameSync(temporary, path);
  return { file, bytes: content.length };
}

/** A single write may be cut short; an error leaves the caller's place where it was. */
function writeAll(file: number, bytes: Buffer, at: number) {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
  }
}

function encode(kind: number, organizationId: string, { number, digest }: Seen): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  record.writeUInt8(kind, 0);
  record.write(organizationId.replaceAll("-", ""), 1, "hex");
  record.writeBigUInt64BE(BigInt(number), 17);
  record.write(digest, 25, "hex");
  record.writeUInt32BE(checksum(record.subarray(0, 57)), 57);
  return record;
}

/** FNV-1a: it finds a torn write; the marks are not secret and nobody else writes this file. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
