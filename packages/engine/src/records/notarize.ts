import { decodeHex, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256, hmacSha256Hex } from "@keyhearth/crypto/primitives";
import { recordRefused } from "../errors.ts";
import { currentEpoch, type Keyring } from "../vault/keyring.ts";
import {
  type NotarizedRecord,
  RECORD_MAGIC,
  type RecordHeader,
  readRecord,
  readU32,
  TAG_LENGTH,
} from "./record.ts";

const MAGIC = encodeUtf8(RECORD_MAGIC);

/** Adds the MAC to a record and returns the exact bytes to store (decision 1). */
export function notarize(
  keyring: Keyring,
  header: Omit<RecordHeader, "keyEpoch">,
  body: unknown,
): Uint8Array {
  const { epoch, macKey } = currentEpoch(keyring);
  const headerBytes = encodeUtf8(JSON.stringify({ ...header, keyEpoch: epoch }));
  const bodyBytes = encodeUtf8(JSON.stringify(body));
  const headerEnd = 12 + headerBytes.length;
  const bodyEnd = headerEnd + 4 + bodyBytes.length;
  const record = new Uint8Array(bodyEnd + TAG_LENGTH);
  const view = new DataView(record.buffer);
  record.set(MAGIC);
  view.setUint32(4, epoch);
  view.setUint32(8, headerBytes.length);
  record.set(headerBytes, 12);
  view.setUint32(headerEnd, bodyBytes.length);
  record.set(bodyBytes, headerEnd + 4);
  record.set(decodeHex(hmacSha256Hex(macKey, record.subarray(0, bodyEnd))), bodyEnd);
  return record;
}

/** Verifies the MAC of a record before it uses anything else of it. Throws if it is wrong. */
export function verifyRecord(keyring: Keyring, bytes: Uint8Array): NotarizedRecord {
  if (bytes.length < 16 + TAG_LENGTH || !equalBytes(bytes.subarray(0, 4), MAGIC)) {
    throw recordRefused("record is not a notarized record");
  }
  const keyEpoch = readU32(bytes, 4);
  const epoch = keyring.epochs.find((candidate) => candidate.epoch === keyEpoch);
  if (!epoch)
    throw recordRefused(`record of key epoch ${keyEpoch}, which the signer does not hold`);
  const message = bytes.subarray(0, bytes.length - TAG_LENGTH);
  const tag = bytes.subarray(bytes.length - TAG_LENGTH);
  if (!equalBytes(hmacSha256(epoch.macKey, message), tag)) {
    throw recordRefused("record does not carry the signer's notarization");
  }
  const record = readRecord(bytes);
  if (record.header.keyEpoch !== keyEpoch) throw recordRefused("record names two key epochs");
  return record;
}
