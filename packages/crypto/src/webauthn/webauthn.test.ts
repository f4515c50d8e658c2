import { generateKeyPairSync, sign } from "node:crypto";

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sha256 } from "#primitives";
import {
  concatBytes,
  decodeBase64Url,
  decodeHex,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "../encoding/bytes.ts";
import { encodeDerSignature } from "../encoding/der.ts";
import { signP256Raw } from "../keys/keys.ts";
import vectors from "../vectors/stamps.json" with { type: "json" };
import {
  isFromRelyingParty,
  parseWebAuthnStamp,
  verifyWebAuthnStamp,
  type WebAuthnStamp,
  webAuthnChallenge,
} from "./webauthn.ts";

const { webauthnAssertion: vector } = vectors;
const body = encodeUtf8(vectors.body);
const coseKey = decodeHex(vector.coseKeyHex);
const stamp = parseWebAuthnStamp(vector.header.value);
const authenticatorData = decodeHex(vector.authenticatorDataHex);

describe("the vector", () => {
  test("is read from JSON and from base64url of JSON", () => {
    expect(stamp).toEqual({
      authenticatorData: encodeBase64Url(authenticatorData),
      clientDataJson: encodeBase64Url(encodeUtf8(vector.clientDataJSON)),
      credentialId: vector.credentialId,
      signature: encodeBase64Url(decodeHex(vector.signatureDerHex)),
    });
    expect(parseWebAuthnStamp(encodeBase64Url(encodeUtf8(vector.header.value)))).toEqual(stamp);
  });

  test("verifies only for its body, key and origin", () => {
    expect(encodeHex(webAuthnChallenge(body))).toBe(vector.challengeBytesHex);
    expect(verifyWebAuthnStamp(stamp, body, coseKey)).toBe(true);
    expect(verifyWebAuthnStamp(stamp, body, coseKey, { origins: [vector.origin] })).toBe(true);
    expect(verifyWebAuthnStamp(stamp, body, coseKey, { origins: ["https://a.example", "*"] })).toBe(
      true,
    );
    expect(verifyWebAuthnStamp(stamp, body, coseKey, { origins: ["https://a.example"] })).toBe(
      false,
    );
    expect(verifyWebAuthnStamp(stamp, body, coseKey, { origins: [] })).toBe(false);
    expect(verifyWebAuthnStamp(stamp, encodeUtf8("{}"), coseKey)).toBe(false);
  });

  test("never verifies with a flipped bit", () => {
    const part = fc.constantFrom("authenticatorData", "clientDataJson", "signature", "key", "body");
    fc.assert(
      fc.property(part, fc.nat(), (name, bit) => {
        if (name === "key") {
          expect(verifyWebAuthnStamp(stamp, body, flip(coseKey, bit))).toBe(false);
        } else if (name === "body") {
          expect(verifyWebAuthnStamp(stamp, flip(body, bit), coseKey)).toBe(false);
        } else {
          const changed = encodeBase64Url(flip(decodeBase64Url(stamp[name]), bit));
          expect(verifyWebAuthnStamp({ ...stamp, [name]: changed }, body, coseKey)).toBe(false);
        }
      }),
    );
  });
});

describe("assertions", () => {
  const challenge = vector.clientDataChallenge;
  const again = encodeBase64Url(encodeUtf8(btoa(vector.challengeText)));
  const clientData = { type: "webauthn.get", challenge, origin: vector.origin };
  const withFlags = (flags: number) => {
    const data = authenticatorData.slice();
    data[32] = flags;
    return data;
  };

  test.each([
    ["a challenge that was base64 before", { ...clientData, challenge: again }],
    ["members to come", { ...clientData, topOrigin: "https://a.example", extension: { a: [1] } }],
  ])("with %s verify", (_, data) => {
    expect(verifyWebAuthnStamp(assert({ clientData: data }), body, coseKey)).toBe(true);
  });

  test.each([
    ["a registration", { ...clientData, type: "webauthn.create" }],
    ["no type", { challenge, origin: vector.origin }],
    [
      "another challenge",
      { ...clientData, challenge: encodeBase64Url(webAuthnChallenge(encodeUtf8("a"))) },
    ],
    ["the hash itself as challenge", { ...clientData, challenge: encodeBase64Url(sha256(body)) }],
    ["the hash's text as challenge", { ...clientData, challenge: vector.challengeText }],
    ["a padded challenge", { ...clientData, challenge: `${challenge}==` }],
    ["no challenge", { type: "webauthn.get", origin: vector.origin }],
    ["an array", [clientData]],
    ["null", null],
    ["a duplicate key", `${JSON.stringify(clientData).slice(0, -1)},"type":"webauthn.get"}`],
    ["no JSON", "webauthn.get"],
    ["no UTF-8", Uint8Array.of(0xff)],
  ])("with %s as client data do not", (_, data) => {
    expect(verifyWebAuthnStamp(assert({ clientData: data }), body, coseKey)).toBe(false);
  });

  test("need the user to be present, but not verified", () => {
    for (const [flags, verdict] of [
      [0x01, true],
      [0x05, true],
      [0x1d, true],
      [0x00, false],
      [0x04, false],
    ] as const) {
      const made = assert({ clientData, authenticatorData: withFlags(flags) });
      expect(verifyWebAuthnStamp(made, body, coseKey)).toBe(verdict);
    }
    const short = assert({ clientData, authenticatorData: withFlags(1).subarray(0, 36) });
    expect(verifyWebAuthnStamp(short, body, coseKey)).toBe(false);
  });

  test("need an allowed origin if origins are given", () => {
    const made = assert({ clientData: { type: "webauthn.get", challenge } });
    expect(verifyWebAuthnStamp(made, body, coseKey)).toBe(true);
    expect(verifyWebAuthnStamp(made, body, coseKey, { origins: [vector.origin] })).toBe(false);
  });
});

describe("RS256 keys", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: "jwk" });
  const modulus = decodeBase64Url(n as string);
  const exponent = decodeBase64Url(e as string);
  const key = rsaKey(modulus, exponent);
  const clientDataJson = encodeUtf8(vector.clientDataJSON);
  const signed = concatBytes(authenticatorData, sha256(clientDataJson));
  const made = {
    ...stamp,
    signature: encodeBase64Url(Uint8Array.from(sign("sha256", signed, privateKey))),
  };

  test("verify", () => {
    expect(verifyWebAuthnStamp(made, body, key)).toBe(true);
    expect(verifyWebAuthnStamp(made, encodeUtf8("{}"), key)).toBe(false);
    expect(verifyWebAuthnStamp(stamp, body, key)).toBe(false);
    expect(verifyWebAuthnStamp(made, body, coseKey)).toBe(false);
  });

  test.each([
    ["a leading zero", rsaKey(concatBytes(Uint8Array.of(0), modulus), exponent)],
    ["a padded exponent", rsaKey(modulus, concatBytes(Uint8Array.of(0), exponent))],
    ["1024 bits", rsaKey(modulus.slice(0, 128), exponent)],
    ["an exponent of one", rsaKey(modulus, Uint8Array.of(1))],
    ["an even exponent", rsaKey(modulus, Uint8Array.of(2))],
    ["no exponent", rsaKey(modulus, new Uint8Array(0))],
  ])("with %s do not", (_, bad) => {
    expect(verifyWebAuthnStamp(made, body, bad)).toBe(false);
  });
});

describe("COSE keys", () => {
  const x = vector.coseKeyHex.slice(20, 84);
  const y = vector.coseKeyHex.slice(-64);
  const [kty, alg, crv, labelX, labelY] = ["0102", "0326", "2001", `215820${x}`, `225820${y}`];

  test("may have their members in any order", () => {
    expect(`a5${kty}${alg}${crv}${labelX}${labelY}`).toBe(vector.coseKeyHex);
    expect(verifies(`a5${labelY}${labelX}${crv}${alg}${kty}`)).toBe(true);
  });

  test.each([
    ["nothing", ""],
    ["no map", "8501020326"],
    ["a missing member", `a4${kty}${alg}${labelX}${labelY}`],
    ["an extra member", `a6${kty}${alg}${crv}${labelX}${labelY}0401`],
    ["a duplicate label", `a6${kty}${kty}${alg}${crv}${labelX}${labelY}`],
    ["a duplicate in place of another", `a5${kty}${kty}${alg}${labelX}${labelY}`],
    ["bytes after the end", `${vector.coseKeyHex}00`],
    ["a byte less", vector.coseKeyHex.slice(0, -2)],
    ["an indefinite length", `bf${vector.coseKeyHex.slice(2)}ff`],
    ["a head longer than needed", `b805${vector.coseKeyHex.slice(2)}`],
    ["a length longer than needed", `a5${kty}${alg}${crv}21590020${x}${labelY}`],
    ["a number longer than needed", `a5011802${alg}${crv}${labelX}${labelY}`],
    ["a text label", `a56131${kty.slice(2)}${alg}${crv}${labelX}${labelY}`],
    ["a bytes label", `a54101${kty.slice(2)}${alg}${crv}${labelX}${labelY}`],
    ["another key type", `a50103${alg}${crv}${labelX}${labelY}`],
    ["another algorithm (EdDSA)", `a5${kty}0327${crv}${labelX}${labelY}`],
    ["RS256 with a point", `a5${kty}03390100${crv}${labelX}${labelY}`],
    ["another curve", `a5${kty}${alg}2002${labelX}${labelY}`],
    ["a compressed y", `a5${kty}${alg}${crv}${labelX}22f5`],
    ["a short x", `a5${kty}${alg}${crv}21581f${x.slice(2)}${labelY}`],
    ["a point off the curve", `a5${kty}${alg}${crv}${labelX}225820${x}`],
    ["the other y", `a5${kty}${alg}${crv}${labelX}225820${negated(y)}`],
    ["zero for a point", `a5${kty}${alg}${crv}215820${"00".repeat(32)}225820${"00".repeat(32)}`],
  ])("that are %s verify nothing", (_, hex) => {
    expect(verifies(hex)).toBe(false);
  });

  function verifies(hex: string): boolean {
    return verifyWebAuthnStamp(stamp, body, decodeHex(hex));
  }

  function negated(text: string): string {
    const field = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
    return (field - BigInt(`0x${text}`)).toString(16).padStart(64, "0");
  }
});

describe("headers", () => {
  const { credentialId, ...others } = stamp;
  test.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["an array", "[]"],
    ["a missing member", JSON.stringify(others)],
    ["an extra member", JSON.stringify({ ...stamp, userHandle: "" })],
    ["an extra in place of a missing member", JSON.stringify({ ...others, id: credentialId })],
    ["a duplicate member", `${vector.header.value.slice(0, -1)},"signature":"AA"}`],
    ["an empty member", JSON.stringify({ ...stamp, signature: "" })],
    ["a number", JSON.stringify({ ...stamp, signature: 1 })],
    ["padding", JSON.stringify({ ...stamp, credentialId: `${credentialId}==` })],
    ["base64 of the other alphabet", JSON.stringify({ ...stamp, credentialId: "+/+/" })],
    ["the other spelling", JSON.stringify({ ...stamp }).replace("Json", "JSON")],
    ["too much", JSON.stringify({ ...stamp, signature: "A".repeat(8192) })],
    ["white space in front", ` ${vector.header.value}`],
  ])("with %s are refused", (_, header) => {
    expect(() => parseWebAuthnStamp(header)).toThrow(/^malformed stamp$/);
  });
});

/** An assertion by the vector's key over other client or authenticator data. */
function assert({
  clientData,
  authenticatorData: data = authenticatorData,
}: {
  clientData: unknown;
  authenticatorData?: Uint8Array;
}): WebAuthnStamp {
  const clientDataJson =
    clientData instanceof Uint8Array
      ? clientData
      : encodeUtf8(typeof clientData === "string" ? clientData : JSON.stringify(clientData));
  const raw = signP256Raw(concatBytes(data, sha256(clientDataJson)), decodeHex(vector.privateKey));
  return {
    authenticatorData: encodeBase64Url(data),
    clientDataJson: encodeBase64Url(clientDataJson),
    credentialId: vector.credentialId,
    signature: encodeBase64Url(encodeDerSignature(raw)),
  };
}

function rsaKey(modulus: Uint8Array, exponent: Uint8Array): Uint8Array {
  return concatBytes(
    decodeHex("a401030339010020"),
    byteString(modulus),
    decodeHex("21"),
    byteString(exponent),
  );
}

function byteString(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  const head =
    length < 24
      ? [0x40 + length]
      : length < 256
        ? [0x58, length]
        : [0x59, length >> 8, length & 255];
  return concatBytes(Uint8Array.from(head), bytes);
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice();
  const index = (bit >> 3) % bytes.length;
  flipped[index] = (flipped[index] as number) ^ (1 << (bit & 7));
  return flipped;
}

describe("relying parties", () => {
  const clientDataOf = (origin: unknown) => encodeUtf8(JSON.stringify({ origin }));
  const dataOf = (id: string) => concatBytes(sha256(encodeUtf8(id)), new Uint8Array(5));
  const app = "android:apk-key-hash:abc";

  test.each([
    ["https://app.example.com", "app.example.com", ["https://app.example.com"], true],
    ["https://app.example.com", "example.com", ["https://app.example.com"], true],
    ["https://a.b.example.com:8443", "b.example.com", ["https://a.b.example.com:8443"], true],
    ["http://localhost:3000", "localhost", ["http://localhost:3000"], true],
    ["https://app.example.com", "other.example.com", ["https://app.example.com"], false],
    ["https://app.example.com", "com", ["https://app.example.com"], false],
    ["https://app.example.com", "", ["https://app.example.com"], false],
    ["https://b.example", "a.example", ["https://a.example", "https://b.example"], false],
    ["https://c.example", "a.example", ["https://a.example"], false],
    ["https://a.example/", "a.example", ["https://a.example"], false],
    ["https://c.example", "a.example", ["https://a.example", "*"], true],
    [app, "a.example", ["https://a.example", app], true],
    [app, "b.example", ["https://a.example", app], false],
    [app, "a.example", [app], false],
    [undefined, "a.example", ["https://a.example"], false],
  ])("%s for %s of %s: %s", (origin, id, origins, verdict) => {
    expect(isFromRelyingParty(clientDataOf(origin), dataOf(id), origins)).toBe(verdict);
  });

  test("costs little for each of many passkeys, however many domains the pages are in", () => {
    const page = (i: number) => `https://${"a.".repeat(122)}b${i}.example`;
    const origins = [app, ...Array.from({ length: 19 }, (_, i) => page(i + 10))];
    const [clientData, data] = [clientDataOf(app), dataOf("a.b28.example")];
    const before = process.cpuUsage();
    for (let i = 0; i < 1000; i++) {
      expect(isFromRelyingParty(clientData, data, origins)).toBe(true);
    }
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
    // Lists that follow do not take its place for another one.
    for (let i = 0; i < 100; i++) {
      expect(isFromRelyingParty(clientData, data, [app, `https://a.b${i}.example`])).toBe(i === 28);
    }
    expect(isFromRelyingParty(clientData, data, origins)).toBe(true);
  });
});
