import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { parseApiKeyStamp, verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NodeApiKeyStamper, readApiKeyFile } from "../server.ts";

const schemes = [
  ["SIGNATURE_SCHEME_TK_API_P256", "CURVE_P256"],
  ["SIGNATURE_SCHEME_TK_API_SECP256K1", "CURVE_SECP256K1"],
  ["SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191", "CURVE_SECP256K1"],
  ["SIGNATURE_SCHEME_TK_API_ED25519", "CURVE_ED25519"],
] as const;

function newPair(curve: (typeof schemes)[number][1]) {
  const privateKey = generatePrivateKey(curve);
  return {
    apiPublicKey: encodeHex(publicKeyOf(curve, privateKey)),
    apiPrivateKey: encodeHex(privateKey),
  };
}

test.each(schemes)("node:crypto stamps with %s", async (scheme, curve) => {
  // Half of all points have an odd y.
  for (let i = 0; i < 8; i++) {
    const pair = newPair(curve);
    const stamper = new NodeApiKeyStamper({ ...pair, scheme });
    for (const body of ['{"organizationId":"é"}', ""]) {
      const { name, value } = await stamper.stamp(body);
      expect(name).toBe("X-Stamp");
      const stamp = parseApiKeyStamp(value);
      expect(stamp).toMatchObject({ publicKey: pair.apiPublicKey, scheme });
      expect(verifyApiKeyStamp(stamp, encodeUtf8(body))).toBe(true);
      expect(verifyApiKeyStamp(stamp, encodeUtf8(`${body} `))).toBe(false);
    }
  }
});

describe("wrong keys are refused with their field, and the private key is not shown:", () => {
  const apiPrivateKey = "11".repeat(32);
  const { apiPublicKey } = newPair("CURVE_P256");
  const { apiPublicKey: ed25519 } = newPair("CURVE_ED25519");
  const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
  const secp256k1 = "SIGNATURE_SCHEME_TK_API_SECP256K1";
  const wrong: [string, object, string][] = [
    ["halves of two pairs", { apiPublicKey, apiPrivateKey }, "apiPublicKey"],
    ["another curve", { ...newPair("CURVE_SECP256K1") }, "apiPublicKey"],
    ["another scheme", { ...newPair("CURVE_P256"), scheme: secp256k1 }, "apiPublicKey"],
    ["a key on Ed25519", { apiPublicKey: ed25519, apiPrivateKey }, "apiPublicKey"],
    ["no hex", { apiPublicKey, apiPrivateKey: "zz".repeat(32) }, "apiPrivateKey"],
    ["a prefix", { apiPublicKey, apiPrivateKey: `0x${apiPrivateKey}` }, "apiPrivateKey"],
    ["too few bytes", { apiPublicKey, apiPrivateKey: "1111" }, "apiPrivateKey"],
    ["nothing", { apiPublicKey }, "apiPrivateKey"],
    ["zero", { apiPublicKey, apiPrivateKey: "00".repeat(32) }, "apiPrivateKey"],
    ["the order of the curve", { apiPublicKey, apiPrivateKey: order }, "apiPrivateKey"],
    ["an unknown scheme", { apiPublicKey, apiPrivateKey, scheme: "RSA" }, "scheme"],
  ];
  test.each(wrong)("%s", (_, keys, field) => {
    let error: unknown;
    try {
      // A program in plain JavaScript can pass anything.
      new NodeApiKeyStamper(keys as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: "InvalidCredential", code: "INVALID_CREDENTIAL", field });
    expect(error).not.toHaveProperty("cause");
    expect(String(error)).not.toMatch(/1111|zzz/);
  });
});

describe("a key file", () => {
  let directory: string;
  const good = {
    organizationId: "5b2a9f04-64f9-4d4b-9d8e-3c5a0a9c1f11",
    userId: "8d1f6a4e-0c61-4b3f-9a55-3f4f6b0b2a01",
    ...newPair("CURVE_P256"),
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "keyhearth-key-file-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function write(text: string): Promise<string> {
    const path = join(directory, "key.json");
    await writeFile(path, text);
    return path;
  }

  test("is read, and its key stamps", async () => {
    const file = await readApiKeyFile(await write(JSON.stringify(good)));
    expect(file).toEqual(good);
    expect(new NodeApiKeyStamper(file).apiPublicKey).toBe(good.apiPublicKey);
  });

  test.each([
    ["not JSON", JSON.stringify(good).slice(0, -3), "organizationId, userId"],
    ["a list", "[]", "organizationId, userId"],
    ["null", "null", "organizationId, userId"],
    ["without a user", JSON.stringify({ ...good, userId: undefined }), ": userId missing"],
    ["with half a key", JSON.stringify({ ...good, apiPrivateKey: "11" }), ": apiPrivateKey mis"],
  ])("that is %s is refused without showing it", async (_, text, named) => {
    const error = await readApiKeyFile(await write(text)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: "InvalidCredential" });
    expect(String(error)).toContain(named);
    expect(String(error)).not.toContain(good.apiPrivateKey.slice(0, 8));
  });

  test("that is missing is refused with the remedy", async () => {
    await expect(readApiKeyFile(join(directory, "none.json"))).rejects.toThrow(
      /none\.json cannot be read \(ENOENT\)\. Start the service once/,
    );
  });

  test.skipIf(process.getuid?.() === 0)("that may not be read is refused", async () => {
    const path = await write(JSON.stringify(good));
    await chmod(path, 0);
    await expect(readApiKeyFile(path)).rejects.toThrow("EACCES");
    await chmod(path, 0o600);
  });
});
