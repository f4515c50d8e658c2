import { concatBytes, decodeUtf8, encodeHex, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding";
import { hmacSha256, sha256 } from "@keyhearth/crypto/primitives";
import { recordRefused } from "./errors.ts";
import { currentEpoch, type Keyring } from "./keyring.ts";

/**
 * A record as it is stored: the exact bytes that were MACed. Whoever holds the database can delete
 * a record or bring an older one; nobody without the keyring can make or change one.
 *
 *   "KHR1" | key epoch (u32) | header length (u32) | header | body length (u32) | body | tag (32)
 *
 * Header and body are JSON; the tag is HMAC-SHA256 over everything before it.
 */
export type RecordHeader = {
  type: RecordType;
  /** Shape of the body; an older one is upcast when it is read. */
  schema: number;
  organizationId: string;
  id: string;
  version: number;
  keyEpoch: number;
};

export type RecordType =
  | "organization"
  | "sessions"
  | "wallet"
  | "wallet-account"
  | "private-key"
  | "activity"
  | "segment";

export type NotarizedRecord = { header: RecordHeader; body: unknown };

const MAGIC = encodeUtf8("KHR1");
const TAG_LENGTH = 32;

export function notarize(
  keyring: Keyring,
  header: Omit<RecordHeader, "keyEpoch">,
  body: unknown,
): Uint8Array {
  const { epoch, macKey } = currentEpoch(keyring);
  const headerBytes = encodeUtf8(JSON.stringify({ ...header, keyEpoch: epoch }));
  const bodyBytes = encodeUtf8(JSON.stringify(body));
  const message = concatBytes(
    MAGIC,
    u32(epoch),
    u32(headerBytes.length),
    headerBytes,
    u32(bodyBytes.length),
    bodyBytes,
  );
  return concatBytes(message, hmacSha256(macKey, message));
}

/** Believes nothing before the tag has passed. Throws if it does not. */
export function verifyRecord(keyring: Keyring, bytes: Uint8Array): NotarizedRecord {
  if (bytes.length < 16 + TAG_LENGTH || !equalBytes(bytes.subarray(0, 4), MAGIC)) {
    throw recordRefused("record is not a notarized record");
  }
  const keyEpoch = readU32(bytes, 4);
  const epoch = keyring.epochs.find((candidate) => candidate.epoch === keyEpoch);
  if (!epoch) throw recordRefused(`record of key epoch ${keyEpoch}, which the signer does not hold`);
  const message = bytes.subarray(0, bytes.length - TAG_LENGTH);
  const tag = bytes.subarray(bytes.length - TAG_LENGTH);
  if (!equalBytes(hmacSha256(epoch.macKey, message), tag)) {
    throw recordRefused("record does not carry the signer's notarization");
  }
  const record = readRecord(bytes);
  if (record.header.keyEpoch !== keyEpoch) throw recordRefused("record names two key epochs");
  return record;
}

/**
 * Reads a record without verifying it: for the host, which renders records to those who may read
 * them and never decides by them.
 */
export function readRecord(bytes: Uint8Array): NotarizedRecord {
  const headerLength = readU32(bytes, 8);
  const headerEnd = 12 + headerLength;
  const bodyLength = readU32(bytes, headerEnd);
  const bodyEnd = headerEnd + 4 + bodyLength;
  if (bodyEnd + TAG_LENGTH !== bytes.length) throw recordRefused("record of a wrong length");
  return {
    // The shape is the one that `notarize` wrote.
    header: JSON.parse(decodeUtf8(bytes.subarray(12, headerEnd))) as RecordHeader,
    body: JSON.parse(decodeUtf8(bytes.subarray(headerEnd + 4, bodyEnd))),
  };
}

/** Names a record in references and marks: hex SHA-256 of its bytes. */
export function recordDigest(bytes: Uint8Array): string {
  return encodeHex(sha256(bytes));
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function readU32(bytes: Uint8Array, offset: number): number {
  if (offset + 4 > bytes.length) throw recordRefused("record is cut short");
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);
}
