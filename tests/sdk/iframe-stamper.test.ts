import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { entropyToMnemonic } from "@keyhearth/crypto/keys/mnemonic";
import { IframeStamper } from "@keyhearth/sdk/stampers/iframe";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Embedding } from "../frames/embedding.ts";
import { mailBundle, newPerson } from "../frames/people.ts";
import { type Frames, startFrames } from "../frames/start.ts";
import type { Product } from "../official-clients/product.ts";
import { hasBrowser } from "../start/browser.ts";

// The stamper of the SDK with the frames of the service, at a different site from the page.

test("on a server it can be made, and says where it can be used", async () => {
  const stamper = new IframeStamper({ url: "https://frames.example/auth", container: () => null });
  expect(stamper.publicKey).toBe("");
  stamper.clear();
  await expect(stamper.init()).rejects.toMatchObject({ name: "Unsupported", code: "UNSUPPORTED" });
  await expect(stamper.stamp("{}")).rejects.toMatchObject({
    code: "INVALID_CREDENTIAL",
    message: "There is no frame yet. Call init, and wait for it",
  });
});

test("wrong options are named, all at once", () => {
  const wrong = { url: "/frames/auth", timeoutMs: 0 } as never;
  expect(() => new IframeStamper(wrong)).toThrow(
    "url must be the whole address of a frame, with https; container must be an element; timeoutMs must be a number of milliseconds above 0",
  );
});

describe.runIf(hasBrowser)("in a browser,", () => {
  let started: Frames;
  let product: Product;
  let embedding: Embedding;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    started = await startFrames();
    ({ product, embedding, browser } = started);
    page = await embedding.openPage(browser);
  }, 120_000);

  afterEach(() => page.evaluate(() => window.embedding.clear()));

  afterAll(() => started?.stop());

  const open = (url: string, options: { timeoutMs?: number; abortMs?: number } = {}) =>
    page.evaluate(([...given]) => window.embedding.openOurs(...given), [url, options] as const);
  const call = (method: string, ...args: unknown[]) =>
    page.evaluate(([...given]) => window.embedding.callOurs(...given), [method, ...args] as const);
  const frames = () => page.evaluate(() => window.embedding.frames());

  test("it logs in, stamps, exports and imports", async () => {
    const ada = await newPerson(product);
    const { organizationId, userId, client } = ada;
    const key = String(await open(`${product.url}/frames/auth`));
    await call("injectCredentialBundle", await mailBundle(product, ada, key));
    const body = JSON.stringify({ organizationId });
    const { name, value } = (await call("stamp", body)) as { name: string; value: string };
    const answer = await fetch(`${product.url}/public/v1/query/whoami`, {
      method: "POST",
      headers: { [name]: value },
      body,
    });
    expect(await answer.json()).toMatchObject({ userId });

    const target = String(await open(`${product.url}/frames/export`));
    expect(decodeHex(target)).toHaveLength(65);
    const { walletId } = await client.createWallet({ walletName: "w", accounts: [] });
    const { exportBundle } = await client.exportWallet({ walletId, targetPublicKey: target });
    const given = { exportBundle, organizationId };
    expect(await call("injectWalletExportBundle", given)).toBeNull();
    expect(await page.evaluate(() => window.embedding.ourKey())).not.toBe(target);
    const words = await page.frameLocator("#frame").locator("#key-div").textContent();
    expect(await call("injectWalletExportBundle", given)).toMatchObject({
      name: "FrameRefused",
      code: "FRAME_REFUSED",
      message: expect.stringMatching(/^The frame refused: the bundle is not encrypted to the key/),
    });

    const bob = await newPerson(product);
    expect(await open(`${product.url}/frames/import`)).toBe("");
    const { importBundle } = await bob.client.initImportWallet({ userId: bob.userId });
    const ids = { organizationId: bob.organizationId, userId: bob.userId };
    await call("injectImportBundle", { importBundle, ...ids });
    await page
      .frameLocator("#frame")
      .locator("#plaintext")
      .fill(words ?? "");
    const encryptedBundle = String(await call("extractWalletBundle"));
    const imported = await bob.client.importWallet({
      userId: bob.userId,
      walletName: "imported",
      encryptedBundle,
      accounts: [],
    });
    expect(imported.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(await frames()).toBe(1);
  });

  test("the programs of the pages run, one frame beside the other", async () => {
    const ada = await newPerson(product);
    const { organizationId, userId, client } = ada;
    const at = (name: string) => `${product.url}/frames/${name}`;
    const own = await embedding.openPage(browser);
    const key = await own.evaluate((url) => window.embedding.samples.open(url), at("auth"));
    await own.evaluate(([...given]) => window.embedding.samples.logIn(...given), [
      await mailBundle(product, ada, key),
      { baseUrl: product.url, organizationId },
    ] as const);
    const { walletId } = await client.createWallet({ walletName: "shown", accounts: [] });
    await own.evaluate(([...given]) => window.embedding.samples.show(...given), [
      walletId,
      at("export"),
    ] as const);
    const shown = own.frameLocator("#secret iframe").locator("#key-div");
    expect((await shown.textContent())?.split(" ")).toHaveLength(12);

    await own.evaluate(([...given]) => window.embedding.samples.startImport(...given), [
      userId,
      at("import"),
    ] as const);
    const words = entropyToMnemonic(new Uint8Array(16).fill(77));
    await own.frameLocator("#import iframe").locator("#plaintext").fill(words);
    const imported = await own.evaluate(() => window.embedding.samples.finishImport("mine"));
    const { wallet } = await client.getWallet({ walletId: imported });
    expect(wallet).toMatchObject({ walletName: "mine", imported: true });
    expect(await own.locator("#import iframe").count()).toBe(0);
    await own.close();
  });

  test("it resets a key, and forgets the login", async () => {
    const key = await open(`${product.url}/frames/auth`);
    expect(await call("resetKey")).toBeNull();
    expect(await page.evaluate(() => window.embedding.ourKey())).toBe("");
    const next = await call("initKey");
    expect(next).toMatch(/^04[0-9a-f]{128}$/);
    expect(next).not.toBe(key);
    expect(await call("stamp", "{}")).toMatchObject({ code: "FRAME_REFUSED" });
  });

  test("a frame that never answers ends with its time or its signal, and is removed", async () => {
    const silent: Server = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html>");
    });
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/auth`;
    try {
      expect(await open(url, { timeoutMs: 300 })).toMatchObject({
        name: "Unavailable",
        code: "TIMEOUT",
        message: expect.stringContaining("announced no key within 300 ms"),
      });
      expect(await frames()).toBe(0);
      expect(await open(url, { abortMs: 100 })).toMatchObject({
        name: "Cancelled",
        code: "ABORTED",
      });
      expect(await frames()).toBe(0);
    } finally {
      silent.closeAllConnections();
      await new Promise((closed) => silent.close(closed));
    }
  });

  test("an init that is cleared is cancelled, and the next one has the only frame", async () => {
    const url = `${product.url}/frames/auth`;
    const [key, first] = await page.evaluate((at) => window.embedding.openTwice(at), url);
    expect(key).toMatch(/^04[0-9a-f]{128}$/);
    expect(first).toMatchObject({ name: "Cancelled", code: "ABORTED" });
    expect(await frames()).toBe(1);
    expect(await call("initKey")).toBe(key);
  });

  test("what is asked when the frame is removed is cancelled", async () => {
    await open(`${product.url}/frames/auth`);
    const cancelled = await page.evaluate(() => window.embedding.clearWhileAsked());
    expect(cancelled).toMatchObject({ name: "Cancelled", code: "CANCELLED" });
    expect(await frames()).toBe(0);
  });
});
