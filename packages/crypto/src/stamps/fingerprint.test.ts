import { expect, test } from "vitest";

import { encodeUtf8 } from "../encoding/bytes.ts";
import vectors from "../vectors/fingerprint.json" with { type: "json" };
import { fingerprint } from "./fingerprint.ts";
import { verifyApiKeyStamp } from "./stamp.ts";

test("a captured activity has its captured fingerprint, and its vote verifies", () => {
  const { body, fingerprint: expected, vote } = vectors.published;
  expect(fingerprint(encodeUtf8(body))).toBe(expected);
  const { publicKey, signature } = vote;
  const stamp = { publicKey, signature, scheme: "SIGNATURE_SCHEME_TK_API_P256" as const };
  expect(vote.scheme).toBe(stamp.scheme);
  expect(verifyApiKeyStamp(stamp, encodeUtf8(body))).toBe(true);
  expect(verifyApiKeyStamp(stamp, encodeUtf8(`${body} `))).toBe(false);
});

test("every byte counts, however long the body is", () => {
  const body = new Uint8Array(3 * 1024 * 1024).fill(0x20);
  const before = fingerprint(body);
  for (const at of [64 * 1024, 1024 * 1024, body.length - 1]) {
    const changed = Uint8Array.from(body);
    changed[at] = 0x21;
    expect(fingerprint(changed)).not.toBe(before);
  }
});

test.each(vectors.generated)("$why", ({ body, fingerprint: expected }) => {
  expect(fingerprint(encodeUtf8(body))).toBe(expected);
});
