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

/**
 * The marks on disk: a log of records of fixed length, compacted as it grows. A killed process
 * loses nothing that it wrote. A power cut may lose what was written since the last sync.
 *
 *   kind (1) | organization (16) | number (8) | digest (32) | check (4)
 */
export type MarksLog = {
  append(record: LogRecord): void;
  /** Syncs the disk in the background. It reports no error: a failing disk fails the next mark too. */
  sync(): void;
  close(): void;
};

export type LogRecord = { kind: number; organizationId: string; number: number; digest: string };

/** What a compacted log holds. */
export type LiveRecords = { marks(): number; records(): Iterable<LogRecord> };

export const KIND_DOCUMENT = 1;
export const KIND_SEGMENT = 2;
export const KIND_CLOCK = 3;

const RECORD_BYTES = 61;
/** The log is compacted once it exceeds this many times its live records plus a few megabytes. */
const MAX_STALE = 4;
const MIN_COMPACTED_BYTES = 4 * 1024 * 1024;

export function* readMarksLog(path: string): Generator<LogRecord> {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
    const record = bytes.subarray(at, at + RECORD_BYTES);
    // A process that is killed while it writes leaves at most one broken record, at the end.
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

/** Opens the log for writing. At first it holds only the live records. */
export function openMarksLog(path: string, live: LiveRecords): MarksLog {
  let log = compact(path, live.records());
  return {
    append(record) {
      if (log.bytes > MAX_STALE * live.marks() * RECORD_BYTES + MIN_COMPACTED_BYTES) {
        closeSync(log.file);
        log = compact(path, live.records());
      }
      // At a fixed position, so that it overwrites a record that a full disk cut short.
      writeAll(log.file, encode(record), log.bytes);
      log.bytes += RECORD_BYTES;
    },
    sync: () => fsync(log.file, () => {}),
    close: () => closeSync(log.file),
  };
}

/** Writes the records to a new file, replaces the log with it and leaves it open. */
function compact(path: string, records: Iterable<LogRecord>): { file: number; bytes: number } {
  const temporary = `${path}.new`;
  const file = openSync(temporary, "w", 0o600);
  const content = Buffer.concat(Array.from(records, encode));
  writeAll(file, content, 0);
  // Synced before it replaces the old file, so that a power cut leaves one of the two whole.
  fsyncSync(file);
  renameSync(temporary, path);
  return { file, bytes: content.length };
}

/** Repeats the write, because a single one may be cut short. */
function writeAll(file: number, bytes: Buffer, at: number) {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
  }
}

function encode({ kind, organizationId, number, digest }: LogRecord): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  record.writeUInt8(kind, 0);
  record.write(organizationId.replaceAll("-", ""), 1, "hex");
  record.writeBigUInt64BE(BigInt(number), 17);
  record.write(digest, 25, "hex");
  record.writeUInt32BE(checksum(record.subarray(0, 57)), 57);
  return record;
}

/** FNV-1a. It only has to detect torn writes: nobody else writes this file. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
