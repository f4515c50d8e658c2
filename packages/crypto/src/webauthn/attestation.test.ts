import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  concatBytes,
  decodeBase64Url,
  decodeHex,
  encodeBase64Url,
  encodeHex,
} from "../encoding/bytes.ts";
import vectors from "../vectors/stamps.json" with { type: "json" };
import { parseAttestationObject, readAttestedCredential } from "./attestation.ts";

const { webauthnRegistration: vector } = vectors;
const object = decodeBase64Url(vector.params.attestation.attestationObject);
const data = decodeHex(vector.authDataHex);

const text = (value: string) => `${(0x60 + value.length).toString(16)}${toHex(value)}`;
const toHex = (value: string) => encodeHex(new TextEncoder().encode(value));
const format = text("fmt") + text("none");
const statement = `${text("attStmt")}a0`;
const authData = `${text("authData")}58${data.length.toString(16)}${vector.authDataHex}`;

describe("an attestation object", () => {
  test("of the vector is read", () => {
    const { authenticatorData, ...others } = parseAttestationObject(object);
    expect(others).toEqual({ format: "none", hasStatement: false, certificates: [] });
    expect(encodeHex(authenticatorData)).toBe(vector.authDataHex);
  });

  test("may have its members in any order, and a statement of any shape", () => {
    expect(`a3${format}${statement}${authData}`).toBe(encodeHex(object));
    expect(parse(`a3${authData}${statement}${format}`).format).toBe("none");
    const packed = `${text("attStmt")}a3${text("alg")}26${text("sig")}4101${text("x5c")}8141ff`;
    expect(parse(`a3${text("fmt")}${text("packed")}${packed}${authData}`)).toMatchObject({
      format: "packed",
      hasStatement: true,
      certificates: [Uint8Array.of(0xff)],
    });
  });

  test.each([
    ["nothing", ""],
    ["no map", `83${format}${statement}${authData}`],
    ["a missing member", `a2${format}${statement}`],
    ["an extra member", `a4${format}${statement}${authData}${text("a")}00`],
    ["a duplicate member", `a3${format}${format}${statement}`],
    ["a duplicate in place of another", `a3${format}${statement}${statement}`],
    [
      "another name",
      `a3${format}${statement}${authData.replace(text("authData"), text("authdata"))}`,
    ],
    ["bytes after the end", `${encodeHex(object)}00`],
    ["a byte less", encodeHex(object).slice(0, -2)],
    ["an indefinite length", `bf${format}${statement}${authData}ff`],
    ["a number as format", `a3${text("fmt")}01${statement}${authData}`],
    ["a format that is not UTF-8", `a3${text("fmt")}61ff${statement}${authData}`],
    ["an array as statement", `a3${format}${text("attStmt")}80${authData}`],
    ["text as authenticator data", `a3${format}${statement}${text("authData")}6161`],
    ["a number as label of the statement", `a3${format}${text("attStmt")}a10101${authData}`],
    ["a label of bytes", `a343666d74${text("none")}${statement}${authData}`],
    ["deep nesting", `a3${format}${text("attStmt")}a16161${"81".repeat(9)}00${authData}`],
    ["a tag", `a3${format}${text("attStmt")}a16161c000${authData}`],
    ["a float", `a3${format}${text("attStmt")}a16161f90000${authData}`],
    ["a long head", `a3${format}${text("attStmt")}a161615a00000001ff${authData}`],
  ])("with %s is refused", (_, hex) => {
    expect(() => parse(hex)).toThrow();
  });

  test("of any bytes is read or refused, quickly", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const { authenticatorData } = parseAttestationObject(bytes);
          expect(authenticatorData.length).toBeLessThan(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  test("with one byte changed or cut is never read as anything but its bytes", () => {
    fc.assert(
      fc.property(fc.nat(object.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = object.slice();
        changed[at] = (changed[at] as number) ^ change;
        expect(() => parseAttestationObject(object.subarray(0, at))).toThrow();
        try {
          const read = parseAttestationObject(changed);
          const isSame = encodeHex(read.authenticatorData) === vector.authDataHex;
          expect(isSame && read.format === "none" && !read.hasStatement).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });

  function parse(hex: string) {
    return parseAttestationObject(decodeHex(hex));
  }
});

describe("authenticator data", () => {
  const key = data.slice(71);

  test("of the vector names the passkey", () => {
    const { credentialId, publicKey, aaguid, isUserPresent } = readAttestedCredential(data);
    expect(encodeBase64Url(credentialId)).toBe(vector.params.attestation.credentialId);
    expect(publicKey).toEqual(key);
    expect(encodeHex(aaguid)).toBe("00".repeat(16));
    expect(isUserPresent).toBe(true);
  });

  test("may have extensions, if its flags say so", () => {
    const extensions = decodeHex(`a2${text("credProtect")}02${text("hmac-secret")}f5`);
    const extended = withFlags(0xc5, concatBytes(data, extensions));
    expect(readAttestedCredential(extended).publicKey).toEqual(key);
    for (const bad of [
      concatBytes(data, extensions),
      withFlags(0xc5, data),
      withFlags(0xc5, concatBytes(data, Uint8Array.of(0x80))),
      concatBytes(extended, Uint8Array.of(0)),
    ]) {
      expect(() => readAttestedCredential(bad)).toThrow();
    }
  });

  test.each([
    ["nothing", new Uint8Array(0)],
    ["no passkey", withFlags(0x05, data)],
    ["only its first part", data.subarray(0, 37)],
    ["an empty credential id", concatBytes(data.subarray(0, 53), new Uint8Array(2), key)],
    ["a credential id longer than the rest", withLength(0xffff)],
    ["no public key", data.subarray(0, 71)],
    ["a public key of another algorithm", withKey(4, 0x27)],
    ["a byte less", data.subarray(0, -1)],
    ["a byte more", concatBytes(data, Uint8Array.of(0))],
  ])("with %s is refused", (_, bad) => {
    expect(() => readAttestedCredential(bad)).toThrow();
  });

  test("says whether the user was present", () => {
    expect(readAttestedCredential(withFlags(0x44, data)).isUserPresent).toBe(false);
  });

  function withFlags(flags: number, bytes: Uint8Array): Uint8Array {
    const changed = bytes.slice();
    changed[32] = flags;
    return changed;
  }

  function withLength(length: number): Uint8Array {
    const changed = data.slice();
    changed[53] = length >> 8;
    changed[54] = length & 255;
    return changed;
  }

  function withKey(at: number, value: number): Uint8Array {
    const changed = data.slice();
    changed[71 + at] = value;
    return changed;
  }
});
