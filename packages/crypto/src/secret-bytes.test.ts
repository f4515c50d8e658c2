import { format, inspect } from "node:util";
import pino from "pino";
import { expect, test } from "vitest";
import { encodeBase58 } from "./encoding/base58.ts";
import { decodeUtf8, encodeBase64Url, encodeHex, wipe } from "./encoding/bytes.ts";
import { importPrivateKey } from "./keys/keys.ts";
import { openBytes, type SecretBytes, secretBytes } from "./secret-bytes.ts";

const newSeed = () => secretBytes(new Uint8Array(32).fill(0xab));

test("secret bytes are shown by nothing that prints or serializes", () => {
  const seed = newSeed();
  const holder = { seed, list: [seed, seed.subarray(1), seed.slice(1)] };
  const texts = [
    String(seed),
    [seed].join(),
    JSON.stringify(holder),
    inspect(holder, { depth: 9, showHidden: true }),
    format("%s %o %O %j", seed, seed, holder, holder),
  ];
  for (const text of texts) {
    expect(text).toContain("[secret]");
    expect(text).not.toMatch(/171|ab/);
  }
  expect(JSON.stringify(holder)).toBe(
    '{"seed":"[secret]","list":["[secret]","[secret]","[secret]"]}',
  );
  expect(inspect(seed)).toBe("[secret]");
});

test("a structured log does not show them", () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  log.info({ key: importPrivateKey("CURVE_ED25519", newSeed()) }, "a key");
  expect(JSON.parse(lines[0] ?? "").key).toEqual({ curve: "CURVE_ED25519", bytes: "[secret]" });
});

test("they are the bytes that they were made of, so both are wiped", () => {
  const bytes = new Uint8Array(64).fill(1).subarray(16, 48);
  const seed = secretBytes(bytes);
  expect(seed).toHaveLength(32);
  expect(openBytes(seed)).toEqual(bytes);
  expect(encodeHex(openBytes(seed))).toBe("01".repeat(32));
  wipe(seed);
  expect(bytes).toEqual(new Uint8Array(32));
});

test("the compiler refuses them in texts, and where bytes become text", () => {
  const seed = newSeed();
  // @ts-expect-error in a template
  expect(`seed ${seed}`).toBe("seed [secret]");
  let sum = "seed ";
  // @ts-expect-error in a sum
  sum += seed;
  expect(sum).toBe("seed [secret]");
  const asText = [
    // @ts-expect-error as hex
    () => encodeHex(seed),
    // @ts-expect-error as base64url
    () => encodeBase64Url(seed),
    // @ts-expect-error as base58
    () => encodeBase58(seed),
    // @ts-expect-error as UTF-8
    () => decodeUtf8(seed),
  ];
  expect(asText).toHaveLength(4);
  // @ts-expect-error bytes as a secret
  const plain: SecretBytes = new Uint8Array(32);
  expect(plain).toHaveLength(32);
});
