// The adapters for Solana and CosmJS sign in a real browser. The chain's runtime executes the
// transactions, and CosmJS verifies the documents.

import { fileURLToPath } from "node:url";
import { serializeSignDoc } from "@cosmjs/amino";
import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromBase64 } from "@cosmjs/encoding";
import { makeSignBytes, makeSignDoc } from "@cosmjs/proto-signing";
import { Keypair, PublicKey } from "@solana/web3.js";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Runtime, startRuntime } from "../chains/svm.ts";
import { addTestPage, closePages, hasBrowser, sharedBrowser } from "../start/browser.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

describe.runIf(hasBrowser)("in a browser,", () => {
  let product: SharedProduct;
  let browser: Browser;
  let page: Page;
  let runtime: Runtime;
  let key: { organizationId: string; apiPublicKey: string; apiPrivateKey: string };
  let wallet: { walletId: string; solana: string; cosmos: string };
  const problems: string[] = [];

  beforeAll(async () => {
    product = await sharedProduct();
    const { organizationId, apiPublicKey, apiPrivateKey } = product.root;
    key = { organizationId, apiPublicKey, apiPrivateKey };
    runtime = startRuntime();
    browser = await sharedBrowser();
    // A secure context, as WebCrypto asks for.
    page = await openPage(browser, product.url.replace("127.0.0.1", "localhost"));
    page.on("pageerror", (error) => problems.push(String(error)));
    wallet = await page.evaluate((given) => window.chains.newWallet(given), key);
    runtime.fund(new PublicKey(wallet.solana));
  }, 120_000);

  afterAll(async () => {
    await closePages();
  });

  test("a signer of kit signs a transaction, which is executed, and a message", async () => {
    const { transaction, isMessageSigned } = await page.evaluate(
      ([...given]) => window.chains.signWithKit(...given),
      [key, wallet.solana, runtime.latestBlockhash()] as const,
    );
    expect(runtime.send(Buffer.from(transaction, "base64"))).toBeUndefined();
    expect(isMessageSigned).toBe(true);
  });

  test("a wallet of web3.js signs legacy and versioned transactions, which are executed", async () => {
    const to = Keypair.generate().publicKey;
    const signed = await page.evaluate(([...given]) => window.chains.signWithWeb3(...given), [
      key,
      wallet.solana,
      runtime.latestBlockhash(),
      to.toBase58(),
    ] as const);
    expect(signed).toHaveLength(2);
    for (const bytes of signed) expect(runtime.send(Uint8Array.from(bytes))).toBeUndefined();
    expect(runtime.balanceOf(to)).toBe(7_000_000n);
  });

  test("signers of CosmJS sign a direct and an amino document", async () => {
    const { publicKey, direct, amino } = await page.evaluate(
      ([...given]) => window.chains.signWithCosmjs(...given),
      [key, wallet.walletId, wallet.cosmos] as const,
    );
    const authInfo = Uint8Array.from(direct.authInfo);
    const signDoc = makeSignDoc(Uint8Array.of(10, 0), authInfo, "cosmoshub-4", 7);
    for (const [bytes, signature] of [
      [makeSignBytes(signDoc), direct.signature],
      [serializeSignDoc(amino.signed), amino.signature],
    ] as const) {
      const parsed = Secp256k1Signature.fromFixedLength(fromBase64(signature));
      const key = Uint8Array.from(publicKey);
      expect(await Secp256k1.verifySignature(parsed, sha256(bytes), key)).toBe(true);
    }
    expect(problems).toEqual([]);
  });
});

/** A page of the service's origin with the adapters and their libraries. */
async function openPage(browser: Browser, url: string): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("chains.page.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    // CosmJS looks for Node.js when it derives keys from passwords, which nothing here does.
    external: ["crypto"],
    write: false,
    logLevel: "warning",
  });
  const page = await browser.newPage();
  await addTestPage(page, outputFiles[0]?.text ?? "");
  await page.goto(`${url}/test-page`);
  await page.waitForFunction(() => window.chains !== undefined);
  return page;
}
