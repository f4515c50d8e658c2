import { createHash, createPublicKey, verify } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { expect, test } from "vitest";
import { stampParts } from "./stamp-parts.ts";
import vectors from "./vectors.json" with { type: "json" };

const body = Buffer.from(vectors.body);

test("the digest is that of the body, which is JSON", () => {
  expect(JSON.parse(vectors.body)).toHaveProperty("organizationId");
  expect(createHash("sha256").update(body).digest("hex")).toBe(vectors.sha256);
});

test.each(vectors.vectors)("the signature of $scheme is valid for the body", (vector) => {
  const signature = Buffer.from(vector.signature, "hex");
  expect(isValid(vector.scheme, vector.apiPublicKey, signature)).toBe(true);
  const flipped = Buffer.from(signature);
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  expect(isValid(vector.scheme, vector.apiPublicKey, flipped)).toBe(false);
});

test.each(vectors.vectors)("the header of $scheme is base64url of the three members", (vector) => {
  const { apiPublicKey: publicKey, scheme, signature, header } = vector;
  expect(header).not.toMatch(/[+/=]/);
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({
    publicKey,
    scheme,
    signature,
  });
});

test("the signature on P-256 is the one of RFC 6979", () => {
  const [{ apiPrivateKey = "", signature = "" } = {}] = vectors.vectors;
  const digest = createHash("sha256").update(body).digest();
  const signed = p256.sign(digest, apiPrivateKey, { lowS: false, prehash: false });
  expect(signed.toDERHex()).toBe(signature);
});

test.each(vectors.vectors)(
  "the playground makes the parts of a stamp for $scheme",
  async (vector) => {
    const parts = await stampParts(vector.scheme, vectors.body);
    expect(parts?.digest).toBe(vectors.sha256);
    expect(parts?.publicKey).toBe(vector.apiPublicKey);
    expect(
      isValid(vector.scheme, vector.apiPublicKey, Buffer.from(parts?.signature ?? "", "hex")),
    ).toBe(true);
    // ECDSA on P-256 may take a random number, so its signatures differ; the others never do.
    if (!vector.scheme.endsWith("P256")) expect(parts?.header).toBe(vector.header);
  },
);

test("the playground changes with the body and knows no other schemes", async () => {
  const scheme = "SIGNATURE_SCHEME_TK_API_ED25519";
  const [first, second] = await Promise.all([stampParts(scheme, "a"), stampParts(scheme, "b")]);
  expect(first?.signature).not.toBe(second?.signature);
  expect(await stampParts("SIGNATURE_SCHEME_OTHER", "a")).toBeUndefined();
});

/** Asks OpenSSL and noble, not our own code. */
function isValid(scheme: string, publicKey: string, signature: Buffer): boolean {
  switch (scheme) {
    case "SIGNATURE_SCHEME_TK_API_P256":
      return verify(
        "sha256",
        body,
        spki("301306072a8648ce3d020106082a8648ce3d030107", p256Point(publicKey)),
        signature,
      );
    case "SIGNATURE_SCHEME_TK_API_SECP256K1":
      return isValidOnSecp256k1(createHash("sha256").update(body).digest(), publicKey, signature);
    case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191": {
      const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`);
      return isValidOnSecp256k1(keccak_256(Buffer.concat([prefix, body])), publicKey, signature);
    }
    case "SIGNATURE_SCHEME_TK_API_ED25519":
      return verify(null, body, spki("300506032b6570", publicKey), signature);
    default:
      return false;
  }
}

function isValidOnSecp256k1(digest: Uint8Array, publicKey: string, signature: Buffer): boolean {
  try {
    const parsed = secp256k1.Signature.fromDER(signature.toString("hex"));
    return secp256k1.verify(parsed.toBytes("compact"), digest, Buffer.from(publicKey, "hex"), {
      lowS: false,
      prehash: false,
    });
  } catch {
    return false;
  }
}

function p256Point(compressed: string): string {
  return p256.Point.fromHex(compressed).toHex(false);
}

/** A public key in the form that OpenSSL reads: its algorithm, then its bits. */
function spki(algorithm: string, key: string) {
  const bits = tlv(0x03, Buffer.from(`00${key}`, "hex"));
  const der = tlv(0x30, Buffer.concat([Buffer.from(algorithm, "hex"), bits]));
  return createPublicKey({ key: der, format: "der", type: "spki" });
}

function tlv(tag: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, value.length]), value]);
}
