import { concatBytes, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256 } from "@keyhearth/crypto/primitives";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { addEpoch, createKeyring } from "../vault/keyring.ts";
import { frozenKeyring } from "./frozen.testing.ts";
import { notarize, verifyRecord } from "./notarize.ts";
import { RECORD_MAGIC, type RecordHeader, readRecord, recordDigest, TAG_LENGTH } from "./record.ts";

const id = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
const header: Omit<RecordHeader, "keyEpoch"> = {
  type: "wallet",
  schema: 1,
  organizationId: id,
  id,
  version: 1,
};
const body = { walletId: id, text: "ä €", list: [1, null, { deep: true }] };
const bytes = notarize(frozenKeyring, header, body);

function refuses(candidate: Uint8Array, keyring = frozenKeyring, message?: string) {
  const verify = () => verifyRecord(keyring, candidate);
  expect(verify).toThrow(ApiError);
  if (message !== undefined) expect(verify).toThrow(message);
}

const notARecord = "record is not a notarized record";

test("a record is read as it was written, by both core and host", () => {
  const record = { header: { ...header, keyEpoch: 1 }, body };
  expect(verifyRecord(frozenKeyring, bytes)).toEqual(record);
  expect(readRecord(bytes)).toEqual(record);
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const made = notarize(frozenKeyring, header, value);
      expect(verifyRecord(frozenKeyring, made).body).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("any flipped bit is refused", () => {
  for (let position = 0; position < bytes.length; position++) {
    for (let bit = 0; bit < 8; bit++) {
      const changed = Uint8Array.from(bytes);
      changed[position] = (changed[position] ?? 0) ^ (1 << bit);
      refuses(changed);
    }
  }
});

test("a record that is cut short or extended, and anything else, is refused", () => {
  for (let length = 0; length < bytes.length; length++) refuses(bytes.subarray(0, length));
  refuses(Uint8Array.of(...bytes, 0));
  refuses(Uint8Array.of(0, ...bytes));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (random) => refuses(random)));
});

test("bytes of another kind are refused, even with a tag by the signer's key", () => {
  const [epoch] = frozenKeyring.epochs;
  const macKey = epoch?.macKey ?? new Uint8Array();
  const message = bytes.slice(0, bytes.length - TAG_LENGTH);
  message[0] = "X".charCodeAt(0);
  refuses(concatBytes(message, hmacSha256(macKey, message)), frozenKeyring, notARecord);
  const start = encodeUtf8(RECORD_MAGIC);
  refuses(concatBytes(start, new Uint8Array(43)), frozenKeyring, notARecord);
  // From 48 bytes on there is an epoch to look for.
  const unknown = "record of key epoch 0, which the signer does not hold";
  refuses(concatBytes(start, new Uint8Array(44)), frozenKeyring, unknown);
});

test("a record of another keyring is refused", () => {
  let next = 0;
  const other = createKeyring((length) => new Uint8Array(length).map(() => next++ % 251));
  const message = "record does not carry the signer's notarization";
  refuses(notarize(other, header, body), frozenKeyring, message);
});

test("an older epoch can always be read, and one that the signer does not hold is refused", () => {
  const next = addEpoch(frozenKeyring, (length) => new Uint8Array(length).fill(33));
  expect(verifyRecord(next, bytes).header.keyEpoch).toBe(1);
  const newer = notarize(next, header, body);
  expect(verifyRecord(next, newer).header.keyEpoch).toBe(2);
  expect(() => verifyRecord(frozenKeyring, newer)).toThrow(
    "record of key epoch 2, which the signer does not hold",
  );
});

test("a record that names a different epoch from that of its key is refused", () => {
  const next = addEpoch(frozenKeyring, (length) => new Uint8Array(length).fill(33));
  const relabelled = Uint8Array.from(notarize(next, header, body));
  new DataView(relabelled.buffer).setUint32(4, 1);
  refuses(relabelled, next);
  // Also under the tag of the other epoch's key, which only the signer could make.
  const [first] = next.epochs.filter(({ epoch }) => epoch === 1);
  const message = relabelled.slice(0, relabelled.length - TAG_LENGTH);
  const tag = hmacSha256(first?.macKey ?? new Uint8Array(), message);
  refuses(concatBytes(message, tag), next, "record names two key epochs");
});

test("a digest names the exact bytes", () => {
  expect(recordDigest(bytes)).toMatch(/^[0-9a-f]{64}$/);
  expect(recordDigest(notarize(frozenKeyring, header, body))).toBe(recordDigest(bytes));
  expect(recordDigest(notarize(frozenKeyring, { ...header, version: 2 }, body))).not.toBe(
    recordDigest(bytes),
  );
});
