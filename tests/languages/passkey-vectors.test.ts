import { readFileSync } from "node:fs";
import { decodeHex, encodeBase64Url, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  parseWebAuthnStamp,
  verifyWebAuthnStamp,
  webAuthnChallenge,
} from "@keyhearth/crypto/webauthn/webauthn";
import { expect, test } from "vitest";
import vectors from "../../packages/crypto/src/vectors/stamps.json" with { type: "json" };

// There are no toolchains of Swift and Dart here. What their passkey stampers should make is in their own tests, and this
// checks that it is what the service verifies.

const read = (path: string) =>
  readFileSync(new URL(`../../examples/${path}`, import.meta.url), "utf8");

const examples = {
  Swift: {
    source: read("swift/Sources/Keyhearth/PasskeyStamp.swift"),
    tests: read("swift/Tests/KeyhearthTests/PasskeyStampTests.swift"),
  },
  Dart: {
    source: read("dart/lib/src/passkey_stamper.dart"),
    tests: read("dart/test/passkey_stamper_test.dart"),
  },
};

const names = [
  "challenge",
  "clientData",
  "authenticatorData",
  "credentialId",
  "signature",
] as const;

/** The texts that a test in either language gives a name to. */
function vectorIn(tests: string) {
  const find = (name: string, pattern: string) =>
    new RegExp(`(?:let|const) ${name} =\\s+${pattern}`).exec(tests)?.slice(1).find(Boolean) ?? "";
  const text = `(?:#"(.*?)"#|"([\\w-]*)"|'(.*?)';)`;
  const [, body] = /(?:Data\(#"|const body = ')(\{.*?\})["']/.exec(tests) ?? [];
  return {
    body: body ?? "",
    // All names are found, or the comparison below fails.
    ...(Object.fromEntries(names.map((name) => [name, find(name, text)])) as Record<
      (typeof names)[number],
      string
    >),
  };
}

test.each(["Swift", "Dart"] as const)(
  "the vector in %s is one that the service accepts",
  (name) => {
    const { tests } = examples[name];
    const vector = vectorIn(tests);
    const { webauthnAssertion: expected, body } = vectors;
    const header = JSON.parse(expected.header.value);
    expect(vector).toEqual({
      body,
      challenge: expected.clientDataChallenge,
      clientData: expected.clientDataJSON,
      authenticatorData: header.authenticatorData,
      credentialId: header.credentialId,
      signature: header.signature,
    });
    const bytes = encodeUtf8(vector.body);
    expect(encodeBase64Url(webAuthnChallenge(bytes))).toBe(vector.challenge);
    const { authenticatorData, credentialId, signature } = vector;
    const clientDataJson = encodeBase64Url(encodeUtf8(vector.clientData));
    const stamp = JSON.stringify({ authenticatorData, clientDataJson, credentialId, signature });
    const key = decodeHex(expected.coseKeyHex);
    expect(verifyWebAuthnStamp(parseWebAuthnStamp(stamp), bytes, key)).toBe(true);
  },
);

test.each(["Swift", "Dart"] as const)(
  "the stamp in %s has the members of a header, and no other",
  (name) => {
    const { source } = examples[name];
    // The last map with texts as keys is the stamp.
    const map = /stamp = (?:\[|jsonEncode\(\{)(.*?)(?:\n\s*\]|\}\))/s.exec(source)?.[1] ?? "";
    const members = [...map.matchAll(/^\s*["'](\w+)["']:/gm)].map(([, member]) => member);
    const header = JSON.parse(vectors.webauthnAssertion.header.value);
    expect(members.toSorted()).toEqual(Object.keys(header).toSorted());
    expect(source).toContain(vectors.webauthnAssertion.header.name);
  },
);
