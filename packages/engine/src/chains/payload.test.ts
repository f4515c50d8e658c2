import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type Curve,
  generatePrivateKey,
  importPrivateKey,
  publicKeyOf,
} from "@keyhearth/crypto/keys/keys";
import { taprootOutputKey } from "@keyhearth/crypto/keys/taproot";
import { ed25519 } from "@noble/curves/ed25519";
import { p256 } from "@noble/curves/nist";
import { schnorr, secp256k1 } from "@noble/curves/secp256k1";
import { hashTypedData, keccak256, sha256 } from "viem";
import { hashAuthorization } from "viem/utils";
import { expect, test } from "vitest";
import { ApiError, errorDetails } from "../errors.ts";
import type { Scheme } from "../keys/key-holder.ts";
import { HashFunction, PayloadEncoding, readPayload, signPayload } from "./payload.ts";

const curves: Record<Scheme, Curve> = {
  "ecdsa-secp256k1": "CURVE_SECP256K1",
  "ecdsa-p256": "CURVE_P256",
  ed25519: "CURVE_ED25519",
  taproot: "CURVE_SECP256K1",
};
// Keys of an object are strings to the compiler.
const schemes = Object.keys(curves) as Scheme[];

const spender = "0x1111111254EEB25477B68fb85Ed929f73A960582";
const authorization = { chainId: 1, address: spender, nonce: 7 } as const;
const typedData = {
  types: { Order: [{ name: "amount", type: "uint256" }] },
  primaryType: "Order",
  domain: { name: "Orders", chainId: 1, verifyingContract: spender },
  message: { amount: "1" },
} as const;
const text = "32 bytes of UTF-8 as a digest é";
const bytes = encodeUtf8(text);

/** A payload for each encoding, and its digest if the service computes it. The text has 32 bytes. */
const payloads = {
  PAYLOAD_ENCODING_HEXADECIMAL: { payload: encodeHex(bytes) },
  PAYLOAD_ENCODING_TEXT_UTF8: { payload: text },
  PAYLOAD_ENCODING_EIP712: {
    payload: JSON.stringify(typedData),
    digest: hashTypedData({ ...typedData, message: { amount: 1n } }),
  },
  PAYLOAD_ENCODING_EIP7702_AUTHORIZATION: {
    payload: JSON.stringify(authorization),
    digest: hashAuthorization(authorization),
  },
};

const hashes = {
  HASH_FUNCTION_NO_OP: bytes,
  HASH_FUNCTION_SHA256: decodeHex(sha256(bytes).slice(2)),
  HASH_FUNCTION_KECCAK256: decodeHex(keccak256(bytes).slice(2)),
  HASH_FUNCTION_NOT_APPLICABLE: bytes,
};

const combinations = schemes.flatMap((scheme) =>
  PayloadEncoding.options.flatMap((encoding) =>
    HashFunction.options.map((hashFunction) => ({ scheme, encoding, hashFunction })),
  ),
);
type Combination = (typeof combinations)[number];

/** The fields that do not fit, by the rules in the reference. */
function wrongFields({ scheme, encoding, hashFunction }: Combination): string[] {
  const isStructured =
    encoding === "PAYLOAD_ENCODING_EIP712" || encoding === "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION";
  if (isStructured && scheme !== "ecdsa-secp256k1") return ["parameters.encoding"];
  const accepted = {
    structured: ["HASH_FUNCTION_NO_OP"],
    edwards: ["HASH_FUNCTION_NOT_APPLICABLE"],
    ecdsa: ["HASH_FUNCTION_NO_OP", "HASH_FUNCTION_SHA256", "HASH_FUNCTION_KECCAK256"],
  }[isStructured ? "structured" : scheme === "ed25519" ? "edwards" : "ecdsa"];
  return accepted.includes(hashFunction) ? [] : ["parameters.hashFunction"];
}

/** Each problem of a refused payload: its field and its message. */
function problems(read: () => unknown): [field: unknown, message: unknown][] {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe("INVALID_ARGUMENT");
    return errorDetails(error, error.message).map(({ field, message }) => [field, message]);
  }
  return [];
}

function verifies(
  scheme: Scheme,
  { r, s, v }: { r: string; s: string; v: string },
  { digest, publicKey }: { digest: Uint8Array; publicKey: Uint8Array },
): boolean {
  for (const half of [r, s]) expect(half).toMatch(/^[0-9a-f]{64}$/);
  const signature = decodeHex(r + s);
  const options = { prehash: false, lowS: true };
  switch (scheme) {
    case "ed25519":
      expect(v).toBe("00");
      return ed25519.verify(signature, digest, publicKey);
    case "taproot":
      expect(v).toBe("00");
      return schnorr.verify(signature, digest, taprootOutputKey(publicKey));
    case "ecdsa-p256":
    case "ecdsa-secp256k1": {
      expect(v).toMatch(/^0[01]$/);
      const curve = scheme === "ecdsa-p256" ? p256 : secp256k1;
      const recovered = curve.Signature.fromCompact(signature)
        .addRecoveryBit(Number(v))
        .recoverPublicKey(digest);
      expect(recovered.toBytes(true)).toEqual(publicKey);
      return curve.verify(signature, digest, publicKey, options);
    }
  }
}

test("each combination is signed so that others verify it, or refused by its field", () => {
  expect(combinations).toHaveLength(64);
  let signed = 0;
  for (const combination of combinations) {
    const { scheme, encoding, hashFunction } = combination;
    const given = payloads[encoding];
    const params = { payload: given.payload, encoding, hashFunction };
    const wrong = wrongFields(combination);
    expect(problems(() => readPayload(scheme, params)).map(([field]) => field)).toEqual(wrong);
    if (wrong.length > 0) continue;
    signed += 1;
    const privateKey = generatePrivateKey(curves[scheme]);
    const publicKey = publicKeyOf(curves[scheme], privateKey);
    const content = readPayload(scheme, params);
    const key = importPrivateKey(curves[scheme], privateKey);
    const signature = signPayload(content, { scheme, hashFunction }, key);
    const digest = "digest" in given ? decodeHex(given.digest.slice(2)) : hashes[hashFunction];
    expect(verifies(scheme, signature, { digest, publicKey })).toBe(true);
    expect(signPayload(content, { scheme, hashFunction }, key)).toEqual(signature);
  }
  // Three ECDSA schemes with two encodings and three hash functions, Ed25519 with two encodings, and
  // the two encodings that the service reads.
  expect(signed).toBe(3 * 2 * 3 + 2 + 2);
});

test("s is low and the first half may begin with zeros, which stay", () => {
  const privateKey = importPrivateKey("CURVE_SECP256K1", decodeHex(`${"00".repeat(31)}01`));
  const halfOrder = BigInt(`0x7${"f".repeat(31)}5d576e7357a4501ddfe92f46681b20a0`);
  let zeros = 0;
  for (let index = 0; index < 400; index++) {
    const payload = `payload ${index}`;
    const params = { payload, encoding: "PAYLOAD_ENCODING_TEXT_UTF8" } as const;
    const hashFunction = "HASH_FUNCTION_SHA256";
    const content = readPayload("ecdsa-secp256k1", { ...params, hashFunction });
    const { r, s } = signPayload(content, { scheme: "ecdsa-secp256k1", hashFunction }, privateKey);
    expect(r.length + s.length).toBe(128);
    expect(BigInt(`0x${s}`) <= halfOrder).toBe(true);
    if (/^0[0-9a-f]/.test(r)) zeros += 1;
  }
  expect(zeros).toBeGreaterThan(0);
});

const hexadecimal = "PAYLOAD_ENCODING_HEXADECIMAL";
const digest = "00".repeat(32);

test.each<[what: string, scheme: Scheme, params: object, expected: [string, unknown][]]>([
  ["a digest of 31 bytes", "ecdsa-secp256k1", { payload: "00".repeat(31) }, [lengthOf(31)]],
  ["a digest of 33 bytes", "taproot", { payload: `0x${"00".repeat(33)}` }, [lengthOf(33)]],
  ["a text for a digest", "ecdsa-p256", { payload: "hello", ...utf8() }, [lengthOf(5)]],
  ["an odd number of digits", "ecdsa-secp256k1", { payload: "0x123" }, [notHex("0x123")]],
  ["a digit that is none", "ed25519", { payload: "0g", ...raw() }, [notHex("0g")]],
  ["a prefix in upper case", "ed25519", { payload: "0X12", ...raw() }, [notHex("0X12")]],
  ["two prefixes", "ed25519", { payload: "0x0x12", ...raw() }, [notHex("0x0x12")]],
  ["spaces", "ed25519", { payload: "12 34", ...raw() }, [notHex("12 34")]],
  ["a prefix alone", "ecdsa-secp256k1", { payload: "0x" }, [emptyHex()]],
  ["a prefix alone for Ed25519", "ed25519", { payload: "0x", ...raw() }, [emptyHex()]],
  [
    "a wrong hash function and no hex",
    "ecdsa-secp256k1",
    { payload: "zz", ...raw() },
    [["parameters.hashFunction", expect.stringMatching(/^invalid hash function/)], notHex("zz")],
  ],
  [
    "a wrong hash function and no typed data",
    "ecdsa-secp256k1",
    { payload: "zz", encoding: "PAYLOAD_ENCODING_EIP712", hashFunction: "HASH_FUNCTION_KECCAK256" },
    [
      ["parameters.hashFunction", expect.stringMatching(/must be HASH_FUNCTION_NO_OP, got /)],
      ["parameters.payload", expect.stringMatching(/^failed to parse payload: typed data/)],
    ],
  ],
  [
    "typed data whose types take long to hash",
    "ecdsa-secp256k1",
    { payload: longTypes(), encoding: "PAYLOAD_ENCODING_EIP712" },
    [
      [
        "parameters.payload",
        expect.stringMatching(/^failed to parse payload: types: the types are too long together/),
      ],
    ],
  ],
  [
    "a digest for Ed25519, where its length does not matter",
    "ed25519",
    { payload: "0011" },
    [
      [
        "parameters.hashFunction",
        "invalid hash function: an Ed25519 key needs HASH_FUNCTION_NOT_APPLICABLE, got `HASH_FUNCTION_NO_OP`",
      ],
    ],
  ],
])("refused: %s", (_, scheme, params, expected) => {
  const valid = { payload: digest, encoding: hexadecimal, hashFunction: "HASH_FUNCTION_NO_OP" };
  // Each case has one of the enumerations' values in its place.
  const given = { ...valid, ...params } as Parameters<typeof readPayload>[1];
  expect(problems(() => readPayload(scheme, given))).toEqual(expected);
});

/** 60 structs in a ring, so that the hash of each covers the texts of all. */
function longTypes(): string {
  const members = Array.from({ length: 6 }, (_, i) => ({
    name: `m${i}`.padEnd(64, "x"),
    type: `bool${"[]".repeat(126)}`,
  }));
  const types = Array.from({ length: 60 }, (_, i) => [
    `T${i}`,
    [{ name: "n", type: `T${(i + 1) % 60}[]` }, ...members],
  ]);
  const message = Object.fromEntries([["n", []], ...members.map(({ name }) => [name, []])]);
  const domain = { name: "Test" };
  return JSON.stringify({ types: Object.fromEntries(types), primaryType: "T0", domain, message });
}

function utf8() {
  return { encoding: "PAYLOAD_ENCODING_TEXT_UTF8" };
}

function raw() {
  return { hashFunction: "HASH_FUNCTION_NOT_APPLICABLE" };
}

function lengthOf(length: number): [string, string] {
  return [
    "parameters.payload",
    `expected a 32-bytes-long digest, got ${length} bytes: HASH_FUNCTION_NO_OP signs a digest as it is`,
  ];
}

function notHex(given: string): [string, string] {
  return [
    "parameters.payload",
    `invalid payload encoding: \`parameters.payload\` is not hexadecimal text: expected two digits for each byte, with or without \`0x\`, got \`${given}\``,
  ];
}

function emptyHex(): [string, string] {
  return [
    "parameters.payload",
    "must not be empty: `parameters.payload` is `0x`, which has no digits",
  ];
}
