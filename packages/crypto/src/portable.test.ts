import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const source = new URL("./", import.meta.url);
const modules = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !/\.(test|testing)\.ts$/.test(file),
);

test.each(modules.filter((file) => !file.startsWith("primitives/node")))(
  "%s does not depend on Node",
  (file) => {
    const text = readFileSync(new URL(file, source), "utf8");
    expect(text).not.toMatch(
      /\bBuffer\b|\bprocess\.|\bglobal\.|from "node:|import\("node:|require\(/,
    );
  },
);

test("without Node's primitives and Buffer, every module loads and the vectors hold", async () => {
  const script = `
    import { registerHooks } from "node:module";
    import { readFileSync } from "node:fs";
    const source = ${JSON.stringify(source.href)};
    registerHooks({
      resolve(specifier, context, next) {
        const isOurs = context.parentURL?.startsWith(source);
        if (specifier === "#primitives") return next(source + "primitives/portable.ts", context);
        if (isOurs && /^node:|primitives\\/node|^secp256k1$/.test(specifier)) throw new Error(specifier);
        return next(specifier, context);
      },
    });
    const read = (name) => JSON.parse(readFileSync(new URL("vectors/" + name, source), "utf8"));
    const stamps = read("stamps.json");
    const addresses = read("addresses.json");
    delete globalThis.Buffer;
    delete globalThis.process;
    const modules = {};
    for (const file of ${JSON.stringify(modules.filter((file) => !file.startsWith("primitives/node")))}) {
      Object.assign(modules, await import(source + file));
    }
    const m = modules;
    const body = m.encodeUtf8(stamps.body);
    const results = [];
    for (const name of ["apiKeyP256", "apiKeySecp256k1", "apiKeyEd25519", "walletEip191"]) {
      const { privateKey, privateSeed, header } = stamps[name];
      const stamp = m.parseApiKeyStamp(header.value);
      const signer = { privateKey: m.decodeHex(privateKey ?? privateSeed), scheme: stamp.scheme };
      results.push(m.verifyApiKeyStamp(stamp, body), m.createApiKeyStamp(signer, body) === header.value);
    }
    const assertion = stamps.webauthnAssertion;
    const key = m.decodeHex(assertion.coseKeyHex);
    results.push(m.verifyWebAuthnStamp(m.parseWebAuthnStamp(assertion.header.value), body, key));
    const seed = m.mnemonicToSeed(addresses.mnemonic);
    for (const { curve, addressFormat, variants } of addresses.formats) {
      const { encode } = m.addressEncodings[addressFormat];
      for (const row of variants) {
        const privateKey = m.derivePrivateKey({ seed, curve, path: row.path });
        results.push(encode(m.publicKeyOf(curve, privateKey), curve) === row.address);
      }
    }
    console.log(JSON.stringify(results));
  `;
  // Nine about stamps, and the addresses of all formats.
  expect(await run(script)).toEqual(Array.from({ length: 9 + 49 }, () => true));
});

test("if no build of the native binding loads, secp256k1 still works", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const source = ${JSON.stringify(source.href)};
    let refused = 0;
    registerHooks({
      resolve(specifier, context, next) {
        if (!specifier.startsWith("secp256k1")) return next(specifier, context);
        refused++;
        throw new Error("no build");
      },
    });
    const node = await import(source + "primitives/node.ts");
    const portable = await import(source + "primitives/portable.ts");
    const atImport = refused;
    const curve = "CURVE_SECP256K1";
    const key = new Uint8Array(32).fill(7);
    const results = [node, portable].map((p) => {
      const { signature, recovery } = p.signSecp256k1(key, key);
      const publicKey = p.publicKeyOf(curve, key);
      return [
        signature,
        recovery,
        p.recoverSecp256k1(key, signature, recovery),
        p.verifySecp256k1(p.importPublicKey(curve, publicKey), key, signature),
        p.uncompressPublicKey(curve, publicKey),
        p.tweakAddSecp256k1(key, key),
      ];
    });
    const [first, second] = results.map((result) => JSON.stringify(result));
    console.log(JSON.stringify({ isSame: first === second, atImport, refused }));
  `;
  expect(await run(script)).toEqual({ isSame: true, atImport: 0, refused: 1 });
});

async function run(script: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
  ]);
  return JSON.parse(stdout);
}
