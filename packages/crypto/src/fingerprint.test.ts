import { expect, test } from "vitest";

import { encodeUtf8 } from "./encoding.ts";
import { fingerprint } from "./fingerprint.ts";
import { verifyApiKeyStamp } from "./stamp.ts";
import vectors from "./vectors/fingerprint.json" with { type: "json" };

test("a captured activity has its captured fingerprint, and its vote verifies", () => {
  const { body, fingerprint: expected, vote } = vectors.published;
  expect(fingerprint(encodeUtf8(body))).toBe(expected);
  const { publicKey, signature } = vote;
  const stamp = { publicKey, signature, scheme: "SIGNATURE_SCHEME_TK_API_P256" as const };
  expect(vote.scheme).toBe(stamp.scheme);
  expect(verifyApiKeyStamp(stamp, encodeUtf8(body))).toBe(true);
  expect(verifyApiKeyStamp(stamp, encodeUtf8(`${body} `))).toBe(false);
});

test.each(vectors.generated)("$why", ({ body, fingerprint: expected }) => {
  expect(fingerprint(encodeUtf8(body))).toBe(expected);
});
