import { decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256Hex } from "@keyhearth/crypto/primitives";
import { recordRefused } from "../errors.ts";

/**
 * A stored record: the exact bytes that were MACed. Anyone who controls the database can delete a
 * record or bring an older one. Nobody can create or change one without the keyring.
 *
 *   "KHR1" | key epoch (u32) | header length (u32) | header | body length (u32) | body | tag (32)
 *
 * Header and body are JSON. The tag is HMAC-SHA256 over everything before it.
 */
export type RecordHeader = {
  type: string;
  /** The version of the shape of the body. An older one is upcast when it is read. */
  schema: number;
  organizationId: string;
  id: string;
  version: number;
  keyEpoch: number;
};

export type NotarizedRecord = { header: RecordHeader; body: unknown };

export const RECORD_MAGIC = "KHR1";
export const TAG_LENGTH = 32;

/**
 * Reads a record without verifying it. For the host, which shows records to users who may read
 * them, and never makes decisions with them.
 */
export function readRecord(bytes: Uint8Array): NotarizedRecord {
  const headerLength = readU32(bytes, 8);
  const headerEnd = 12 + headerLength;
  const bodyLength = readU32(bytes, headerEnd);
  const bodyEnd = headerEnd + 4 + bodyLength;
  if (bodyEnd + TAG_LENGTH !== bytes.length) throw recordRefused("record of a wrong length");
  return {
    // `notarize` wrote it in this shape.
    header: JSON.parse(decodeUtf8(bytes.subarray(12, headerEnd))) as RecordHeader,
    body: JSON.parse(decodeUtf8(bytes.subarray(headerEnd + 4, bodyEnd))),
  };
}

/** The name of a record in references and marks: hex SHA-256 of its bytes. */
export function recordDigest(bytes: Uint8Array): string {
  return sha256Hex(bytes);
}

/** A 32-bit number, big endian. */
export function readU32(bytes: Uint8Array, offset: number): number {
  if (offset + 4 > bytes.length) throw recordRefused("record is cut short");
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);
}
