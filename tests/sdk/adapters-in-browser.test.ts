import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { type Hex, verifyMessage } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Evm, startEvm } from "../chains/evm.ts";
import { type Rpc, serveRpc } from "../chains/rpc.ts";
import { addTestPage, closePages, hasBrowser, sharedBrowser } from "../start/browser.ts";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import type { Given } from "./adapters.page.ts";

// The adapters for Ethereum sign and send in a real browser.

describe.runIf(hasBrowser)("in a browser,", () => {
  let product: SharedProduct;
  let evm: Evm;
  let node: Rpc;
  let browser: Browser;
  let page: Page;
  let given: Given;

  beforeAll(async () => {
    product = await sharedProduct();
    evm = await startEvm();
    node = await serveRpc(evm);
    const { addresses } = await clientOf(product, product.root).createWallet({
      walletName: "adapters in browser",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    });
    const { organizationId, apiPublicKey, apiPrivateKey } = product.root;
    const [signWith = ""] = addresses;
    const rpcUrl = `${product.url.replace("127.0.0.1", "localhost")}/test-node`;
    given = { organizationId, apiPublicKey, apiPrivateKey, signWith, rpcUrl };
    await evm.fund(signWith);
    browser = await sharedBrowser();
    page = await openPage(await browser.newPage());
  }, 120_000);

  afterAll(async () => {
    await closePages();
    node?.stop();
  });

  async function openPage(fresh: Page): Promise<Page> {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL("adapters.page.ts", import.meta.url))],
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
    });
    await addTestPage(fresh, outputFiles[0]?.text ?? "");
    // A browser may refuse a page of this kind other addresses of the machine.
    await fresh.route("**/test-node", async (route) => {
      const answer = await fetch(node.url, { method: "POST", body: route.request().postData() });
      await route.fulfill({ contentType: "application/json", body: await answer.text() });
    });
    // WebCrypto needs a secure context, which localhost is.
    await fresh.goto(`${product.url.replace("127.0.0.1", "localhost")}/test-page`);
    await fresh.waitForFunction(() => window.adapters !== undefined);
    return fresh;
  }

  test.each(["viem", "ethers", "eip1193"] as const)("%s signs and sends", async (name) => {
    const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    const before = await evm.balanceOf(recipient);
    const { address, signature, hash } = await page.evaluate(
      ([adapter, options]) => window.adapters[adapter](options),
      [name, given] as const,
    );
    expect(address).toBe(given.signWith);
    const message = "hello from a page";
    const signed = { address: address as Hex, message, signature: signature as Hex };
    expect(await verifyMessage(signed)).toBe(true);
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await evm.balanceOf(recipient)).toBe(before + 1n);
  });
});
