import { existsSync } from "node:fs";
import { readStateFile } from "@keyhearth/outbound/state-file";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** More than any checkpoint leaves. */
const MAX_BYTES = 1024 ** 3;
/** The lowest bit says in which byte order the checksums read the file. */
const MAGIC = 0x377f0682;

/**
 * What SQLite would find in its write-ahead log. Where a checksum is wrong, SQLite takes the log to end
 * and says nothing, so that one flipped bit would undo every later transaction. A killed process leaves
 * at most one unfinished frame, at the end; anything else is damage. This is only sound because the
 * marks never reuse a log: each checkpoint truncates it.
 */
export function examineWal(path: string): "whole" | "torn" | "damaged" {
  if (!existsSync(path)) return "whole";
  const bytes = readStateFile(path, MAX_BYTES);
  if (bytes.length === 0) return "whole";
  if (bytes.length < HEADER_BYTES) return "torn";
  const magic = bytes.readUInt32BE(0);
  if ((magic & ~1) !== MAGIC) return "damaged";
  const frameBytes = FRAME_HEADER_BYTES + bytes.readUInt32BE(8);
  const add = (magic & 1) === 1 ? addBigEndian : addLittleEndian;
  let sum = add(bytes.subarray(0, 24), [0, 0]);
  if (!isSumAt(bytes, 24, sum)) return "damaged";

  let isFinished = true;
  for (let at = HEADER_BYTES; at < bytes.length; at += frameBytes) {
    const frame = bytes.subarray(at, at + frameBytes);
    if (frame.length < frameBytes) return "torn";
    sum = add(frame.subarray(FRAME_HEADER_BYTES), add(frame.subarray(0, 8), sum));
    // The salts, in both headers, are of this log and not of an earlier one.
    const isValid = isSumAt(frame, 16, sum) && frame.subarray(8, 16).equals(bytes.subarray(16, 24));
    if (!isValid) return at + frameBytes === bytes.length ? "torn" : "damaged";
    isFinished = frame.readUInt32BE(4) !== 0;
  }
  return isFinished ? "whole" : "torn";
}

type Sum = readonly [number, number];

function isSumAt(bytes: Buffer, offset: number, [one, two]: Sum): boolean {
  return bytes.readUInt32BE(offset) === one && bytes.readUInt32BE(offset + 4) === two;
}

/** The checksum of SQLite's file format, section 4.2. */
function addBigEndian(bytes: Buffer, [first, second]: Sum): Sum {
  let [one, two] = [first, second];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    one = (one + bytes.readUInt32BE(at) + two) >>> 0;
    two = (two + bytes.readUInt32BE(at + 4) + one) >>> 0;
  }
  return [one, two];
}

function addLittleEndian(bytes: Buffer, [first, second]: Sum): Sum {
  let [one, two] = [first, second];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    one = (one + bytes.readUInt32LE(at) + two) >>> 0;
    two = (two + bytes.readUInt32LE(at + 4) + one) >>> 0;
  }
  return [one, two];
}
