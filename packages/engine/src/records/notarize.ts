import { concatBytes, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256 } from "@keyhearth/crypto/primitives";
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

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
