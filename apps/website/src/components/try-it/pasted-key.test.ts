import { generateKeyPairSync } from "node:crypto";
import { NodeApiKeyStamper } from "@keyhearth/sdk/server";
import { describe, expect, test } from "vitest";
import { importPastedKey } from "./pasted-key.ts";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

function newPair(namedCurve: "P-256" | "secp256k1") {
  const {
    d = "",
    x = "",
    y = "",
  } = generateKeyPairSync("ec", { namedCurve }).privateKey.export({
    format: "jwk",
  });
  const hex = (text: string) => Buffer.from(text, "base64url").toString("hex");
  const isOdd = Number.parseInt(hex(y).slice(-1), 16) % 2 === 1;
  return { apiPublicKey: `${isOdd ? "03" : "02"}${hex(x)}`, apiPrivateKey: hex(d) };
}

function newEd25519() {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const hex = (text: string) => Buffer.from(text, "base64url").toString("hex");
  return { apiPublicKey: hex(x), apiPrivateKey: hex(d) };
}

describe("a pasted key", () => {
  const pair = newPair("P-256");

  test.each([
    ["a key file", JSON.stringify({ organizationId, ...pair }, null, 2), organizationId],
    [
      "other names",
      JSON.stringify({ publicKey: pair.apiPublicKey, privateKey: pair.apiPrivateKey }),
      null,
    ],
    ["hex", ` ${pair.apiPrivateKey.toUpperCase()}\n`, null],
    ["hex with 0x", `0x${pair.apiPrivateKey}`, null],
    ["hex with its curve", `${pair.apiPrivateKey}:p256`, null],
  ])("is imported from %s, and nothing can read its private half", async (_, text, found) => {
    const key = await importPastedKey(text);
    if (typeof key === "string") throw new Error(key);
    expect(key.publicKey).toBe(pair.apiPublicKey);
    expect(key.organizationId).toBe(found);
    expect(key.privateKey.extractable).toBe(false);
    await expect(crypto.subtle.exportKey("jwk", key.privateKey)).rejects.toThrow();
    // It signs what the same key signs elsewhere: the public half verifies it.
    const body = new TextEncoder().encode("body");
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(algorithm, key.privateKey, body);
    expect(new NodeApiKeyStamper(pair).apiPublicKey).toBe(key.publicKey);
    expect(signature.byteLength).toBe(64);
  });

  test.each([
    ["nothing", "  \n", "empty"],
    ["words", "my key", "not a key"],
    ["half a key", pair.apiPrivateKey.slice(2), "not a key"],
    ["zero", "0".repeat(64), "not a key"],
    ["JSON without a key", "{}", "not a key"],
    ["a list", "[1]", "not a key"],
    ["a public key", pair.apiPublicKey, "public half"],
    [
      "a file without its private half",
      JSON.stringify({ apiPublicKey: pair.apiPublicKey }),
      "public half",
    ],
    ["a key on secp256k1", JSON.stringify(newPair("secp256k1")), "secp256k1"],
    ["a key on secp256k1 by name", `${pair.apiPrivateKey}:secp256k1`, "secp256k1"],
    ["a key on Ed25519", JSON.stringify(newEd25519()), "Ed25519"],
    [
      "halves of two keys",
      JSON.stringify({ ...pair, apiPublicKey: newPair("P-256").apiPublicKey }),
      "not a pair",
    ],
  ])("is refused if it is %s", async (_, text, fault) => {
    expect(await importPastedKey(text)).toBe(fault);
  });
});
