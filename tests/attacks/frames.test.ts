import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createFrames } from "@keyhearth/api/serve/frames";
import type { Env } from "@keyhearth/api/wire/request";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey } from "@keyhearth/crypto/keys/keys";
import { entropyToMnemonic } from "@keyhearth/crypto/keys/mnemonic";
import { createExportBundle, createImportBundle } from "@keyhearth/crypto/sealing/bundle";
import { Hono } from "hono";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { writeFrames } from "../../apps/frames/scripts/build.ts";
import type { Embedding } from "../frames/embedding.ts";
import { mailBundle, newPerson, type Person } from "../frames/people.ts";
import { type Frames, startFrames } from "../frames/start.ts";
import type { Product } from "../official-clients/product.ts";
import { hasBrowser, launchWholeBrowser } from "../start/browser.ts";

// A page that embeds the frames, and what it may get out of them. The pages are those of the service, at another site.

const pages = ["auth", "export", "import"];

const TIMEOUT = { timeout: 60_000 };

type Message = Record<string, unknown>;

describe.runIf(hasBrowser)("in a browser,", () => {
  let started: Frames;
  let product: Product;
  let embedding: Embedding;
  let browser: Browser;
  let page: Page;
  let ada: Person;
  let eve: Person;

  beforeAll(async () => {
    started = await startFrames();
    ({ product, embedding, browser } = started);
    [ada, eve] = await Promise.all([newPerson(product), newPerson(product)]);
    page = await embedding.openPage(browser);
  }, 120_000);

  afterEach(() => page.evaluate(() => window.embedding.clear()));

  afterAll(() => started?.stop());

  type Where = Pick<Page, "evaluate">;

  async function open(name: string, at: Where = page, base = product.url): Promise<string> {
    const url = `${base}/frames/${name}`;
    const ready = await at.evaluate((address) => window.embedding.openRaw(address), url);
    return String(ready?.value);
  }

  const ask = (message: Message, at: Where = page) =>
    at.evaluate((given) => window.embedding.ask(given), message);

  /** An answer that is an error with one sentence, and has the id of the request. Returns the sentence. */
  async function refusalOf(message: Message, at: Where = page): Promise<string> {
    const answer = await ask(message, at);
    expect(answer).toEqual({
      type: "ERROR",
      value: expect.any(String),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const sentence = String(answer?.value);
    expect(sentence).not.toMatch(/\n|\bat .*:\d+:\d+|undefined|null|\[object/);
    return sentence;
  }

  async function newWallet({ client }: Person): Promise<string> {
    const walletName = `wallet ${Math.random()}`;
    return (await client.createWallet({ walletName, accounts: [] })).walletId;
  }

  async function exportWallet({ client }: Person, walletId: string, targetPublicKey: string) {
    return (await client.exportWallet({ walletId, targetPublicKey })).exportBundle;
  }

  const inject = (value: string, more: Message = {}) => ({
    type: "INJECT_WALLET_EXPORT_BUNDLE",
    value,
    organizationId: ada.organizationId,
    ...more,
  });

  const shownText = () => page.frameLocator("#frame").locator("#key-div").textContent();

  test(
    "an export of another signer, organization or key, or a changed one, shows nothing and spends nothing",
    TIMEOUT,
    async () => {
      const key = await open("export");
      const walletId = await newWallet(ada);
      const bundle = await exportWallet(ada, walletId, key);
      const forged = createExportBundle(
        encodeUtf8(entropyToMnemonic(new Uint8Array(16))),
        { targetPublicKey: decodeHex(key), organizationId: ada.organizationId },
        generatePrivateKey("CURVE_P256"),
      );
      const signed = JSON.parse(bundle);
      const withPart = (part: object) => inject(JSON.stringify({ ...signed, ...part }));
      const flipped = (hex: string, at: number) =>
        `${hex.slice(0, at)}${hex[at] === "0" ? "1" : "0"}${hex.slice(at + 1)}`;
      const ofEve = await exportWallet(eve, await newWallet(eve), key);
      const asKey = { type: "INJECT_KEY_EXPORT_BUNDLE" };
      for (const [message, sentence] of [
        [inject(forged), /signed by another signer/],
        [inject(ofEve), /for another organization/],
        [inject(bundle, { organizationId: eve.organizationId }), /for another organization/],
        [inject(bundle, { organizationId: undefined }), /organizationId is missing/],
        [inject(bundle, { organizationId: "acme" }), /organizationId is not an id/],
        [inject(bundle.slice(0, -20)), /malformed/],
        [withPart({ extra: "" }), /malformed/],
        [withPart({ version: "v1.0.1" }), /malformed/],
        [withPart({ dataSignature: flipped(signed.dataSignature, 20) }), /signature/],
        [withPart({ data: flipped(signed.data, 60) }), /signature/],
        [inject(""), /value is empty/],
        [{ ...inject(""), value: 7 }, /value is no text/],
        [inject("x".repeat(65 * 1024)), /value has 66560 characters/],
        [inject(bundle, asKey), /holds no private key/],
        [inject(bundle, { ...asKey, keyFormat: "PEM" }), /keyFormat is not known/],
      ] as const) {
        expect(await refusalOf(message)).toMatch(sentence);
      }
      expect(await shownText()).toBe("");
      expect((await ask({ type: "GET_EMBEDDED_PUBLIC_KEY" }))?.value).toBe(key);

      expect(await ask(inject(bundle))).toMatchObject({ type: "BUNDLE_INJECTED", value: true });
      const text = (await shownText()) ?? "";
      expect(text.split(" ")).toHaveLength(12);
      // A second time, its key is gone.
      expect(await refusalOf(inject(bundle))).toMatch(/not encrypted to the key of this frame/);

      // Of what was shown, the embedding page has nothing.
      const messages = await page.evaluate(() => JSON.stringify(window.embedding.messages()));
      // One word alone, such as "key", is also in sentences.
      const words = text.split(" ");
      const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
      for (const pair of pairs) expect(messages).not.toContain(pair);
    },
  );

  test(
    "an export is hidden on request and when nobody sees it, and gone when the page is left",
    TIMEOUT,
    async () => {
      const key = await open("export");
      await ask(inject(await exportWallet(ada, await newWallet(ada), key)));
      const frame = page.frames().find((each) => each.url().endsWith("/frames/export"));
      const text = (await shownText()) ?? "";
      const hold = () => frame?.evaluate(() => document.documentElement.outerHTML);
      expect(await hold()).toContain(text);
      const button = page.frameLocator("#frame").getByRole("button");
      await button.click();
      expect(await button.textContent()).toBe("Show");
      expect(await hold()).not.toContain(text);
      await button.click();
      expect(await hold()).toContain(text);
      await frame?.evaluate(() => {
        Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      });
      expect(await hold()).not.toContain(text);
      await button.click();
      await frame?.evaluate(() => window.dispatchEvent(new Event("pagehide")));
      expect(await hold()).not.toContain(text);
      expect(await page.frameLocator("#frame").locator("#shown").isVisible()).toBe(false);
    },
  );

  test("an import for another signer, organization or user takes nothing", TIMEOUT, async () => {
    expect(await open("import")).toBe("");
    const { client, organizationId, userId } = ada;
    const { importBundle } = await client.initImportWallet({ userId });
    const ids = { organizationId, userId };
    const inner = JSON.parse(importBundle).data;
    const { targetPublic } = JSON.parse(Buffer.from(inner, "hex").toString());
    const target = { ...ids, targetPublicKey: decodeHex(targetPublic) };
    const forged = createImportBundle(target, generatePrivateKey("CURVE_P256"));
    const message = { type: "INJECT_IMPORT_BUNDLE", value: importBundle, ...ids };
    const field = page.frameLocator("#frame").locator("#plaintext");
    const mnemonic = entropyToMnemonic(new Uint8Array(16).fill(9));
    await field.fill(mnemonic);
    for (const [changed, sentence] of [
      [{ value: forged }, /signed by another signer/],
      [{ organizationId: eve.organizationId }, /for another organization/],
      [{ userId: eve.userId }, /for another user/],
      [{ userId: undefined }, /userId is missing/],
      [{ organizationId: null }, /organizationId is missing/],
      [{ value: importBundle.slice(2) }, /malformed/],
    ] as const) {
      expect(await refusalOf({ ...message, ...changed })).toMatch(sentence);
      expect(await refusalOf({ type: "EXTRACT_WALLET_ENCRYPTED_BUNDLE" })).toMatch(
        /no key to encrypt to/,
      );
    }

    // What cannot be encrypted leaves the key for the next try, and no sentence has a part of it.
    expect((await ask(message))?.type).toBe("BUNDLE_INJECTED");
    for (const [text, sentence] of [
      ["", /field is empty/],
      ["one two three", /has 3 words/],
      [`${mnemonic}\nmore`, /more than one line/],
      [`${mnemonic} --PASS-- more`, /more than one line/],
    ] as const) {
      await field.fill(text);
      const said = await refusalOf({ type: "EXTRACT_WALLET_ENCRYPTED_BUNDLE" });
      expect(said).toMatch(sentence);
      expect(said).not.toContain("abandon");
    }
    await field.fill("0x1234");
    for (const keyFormat of ["HEXADECIMAL", "SOLANA", "BITCOIN_MAINNET_WIF", "SUI_BECH32"]) {
      const said = await refusalOf({ type: "EXTRACT_KEY_ENCRYPTED_BUNDLE", keyFormat });
      expect(said).toContain(`is not in the format ${keyFormat}`);
      expect(said).not.toContain("1234");
    }
    await field.fill(mnemonic);
    const extracted = await ask({ type: "EXTRACT_WALLET_ENCRYPTED_BUNDLE" });
    expect(extracted?.type).toBe("ENCRYPTED_BUNDLE_EXTRACTED");
    expect(await refusalOf({ type: "EXTRACT_WALLET_ENCRYPTED_BUNDLE" })).toMatch(
      /a new one for each import/,
    );
  });

  test(
    "a login without its bundle stamps nothing, and a bad bundle leaves the one before",
    TIMEOUT,
    async () => {
      const key = await open("auth");
      expect(await refusalOf({ type: "STAMP_REQUEST", value: "{}" })).toMatch(/no credential/);
      const bundle = await mailBundle(product, ada, key);
      const message = { type: "INJECT_CREDENTIAL_BUNDLE", value: bundle };
      expect((await ask(message))?.type).toBe("BUNDLE_INJECTED");
      const keyOf = async () => {
        const answer = await ask({ type: "STAMP_REQUEST", value: "{}" });
        return JSON.parse(Buffer.from(String(answer?.value), "base64url").toString()).publicKey;
      };
      const stamping = await keyOf();
      for (const value of [
        bundle.slice(1),
        `${bundle}1`,
        "z".repeat(108),
        "-".repeat(108),
        "0",
        bundle.toUpperCase(),
      ]) {
        expect(await refusalOf({ ...message, value })).toMatch(/malformed|not encrypted/);
      }
      expect(await refusalOf({ type: "STAMP_REQUEST", value: "\ud800" })).toMatch(
        /half of a character/,
      );
      expect(await keyOf()).toBe(stamping);
      // The older name, and the older form of the same bytes.
      const recovery = { ...message, type: "INJECT_RECOVERY_BUNDLE" };
      expect((await ask(recovery))?.type).toBe("BUNDLE_INJECTED");
      await ask({ type: "RESET_EMBEDDED_KEY" });
      expect(await refusalOf({ type: "STAMP_REQUEST", value: "{}" })).toMatch(/no credential/);
      expect(await refusalOf(message)).toMatch(/send INIT_EMBEDDED_KEY/);
    },
  );

  test("neither scripts nor what they store show a key of a frame", TIMEOUT, async () => {
    await open("auth");
    const frame = page.frames().find((each) => each.url().endsWith("/frames/auth"));
    const found = await frame?.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("keyhearth-frames");
        request.onsuccess = () => resolve(request.result);
      });
      const stored = await new Promise<{ privateKey: CryptoKey }>((resolve) => {
        const request = database.transaction("keys").objectStore("keys").get("auth");
        request.onsuccess = () => resolve(request.result);
      });
      const exported = await Promise.all(
        (["jwk", "pkcs8"] as const).map((form) =>
          crypto.subtle.exportKey(form, stored.privateKey).then(
            () => "exported",
            (error: Error) => error.name,
          ),
        ),
      );
      return {
        isExtractable: stored.privateKey.extractable,
        exported,
        local: Object.keys(localStorage).filter((name) => /key(?!hearth)/i.test(name)),
        cookie: document.cookie,
      };
    });
    expect(found).toEqual({
      isExtractable: false,
      exported: ["InvalidAccessError", "InvalidAccessError"],
      local: [],
      cookie: "",
    });
  });

  test.each(pages)(
    "%s answers a message that it does not know, or that is wrong, with an error",
    TIMEOUT,
    async (name) => {
      await open(name);
      const types = ["SIGN_TRANSACTION", "toString", "__proto__", "", "PUBLIC_KEY_READY", "ERROR"];
      for (const type of [...types, undefined, 7, { a: 1 }, ["STAMP_REQUEST"]]) {
        expect(await refusalOf({ type, value: "{}" })).toMatch(/no answer to this type of message/);
      }
      const foreign = name === "auth" ? "APPLY_SETTINGS" : "STAMP_REQUEST";
      expect(await refusalOf({ type: foreign, value: "{}" })).toMatch(/no answer to this type/);
    },
  );

  test(
    "settings with styles that load, cover or add something are refused whole",
    TIMEOUT,
    async () => {
      await open("export");
      const styles = { color: "#123456" };
      const settings = (value: unknown) => ({
        type: "APPLY_SETTINGS",
        value: JSON.stringify(value),
      });
      expect((await ask(settings({ styles })))?.type).toBe("SETTINGS_APPLIED");
      for (const value of [
        { styles: { ...styles, backgroundColor: "url(https://evil.example)" } },
        { styles: { color: "#fff; position: fixed" } },
        { styles: { color: "#fff", position: "fixed" } },
        { styles: { color: "#fff", fontFamily: '"</style><script>alert(1)</script>' } },
        { styles: { color: "#fff" }, html: "<b>" },
        { styles: { labelColor: "#fff" } },
        "color: #fff",
      ]) {
        expect(await refusalOf(settings(value))).toMatch(/styles|the settings/);
      }
      const color = await page
        .frameLocator("#frame")
        .locator("#key-div")
        .evaluate((element) => (element as HTMLElement).style.cssText);
      expect(color).toBe("color: rgb(18, 52, 86);");
    },
  );

  test(
    "the first channel counts, and only the page that embeds a frame is heard",
    TIMEOUT,
    async () => {
      // While window messages still count, as for the oldest stampers, only those of the embedding page do.
      const address = `${product.url}/frames/auth`;
      await page.evaluate((url) => window.embedding.openRaw(url, { hasPort: false }), address);
      const asked = { type: "GET_EMBEDDED_PUBLIC_KEY" };
      const sentBySibling = page.evaluate((given) => window.embedding.askFromSibling(given), asked);
      expect(await sentBySibling).toEqual([]);
      const heard = await page.evaluate(() => window.embedding.messages().window);
      expect(heard.map(({ type }) => type)).toEqual(["PUBLIC_KEY_READY"]);
      const answered = await page.evaluate((given) => window.embedding.askByWindow(given), asked);
      expect(answered?.type).toBe("EMBEDDED_PUBLIC_KEY");
      await page.evaluate(() => window.embedding.clear());

      const key = await open("auth");
      expect(await page.evaluate(() => window.embedding.offerSecondPort())).toEqual([]);
      const get = { type: "GET_EMBEDDED_PUBLIC_KEY", requestId: "sibling" };
      expect(await page.evaluate((given) => window.embedding.askFromSibling(given), get)).toEqual(
        [],
      );
      // Once there is a channel, window messages are no way in either.
      const windowed = page.evaluate((given) => window.embedding.askByWindow(given), get);
      expect((await ask({ type: "GET_EMBEDDED_PUBLIC_KEY" }))?.value).toBe(key);
      expect(await windowed).toBeNull();
    },
  );

  test(
    "a page that floods a frame gets refusals, and its answers in the end",
    TIMEOUT,
    async () => {
      const key = await open("auth");
      await ask({ type: "INJECT_CREDENTIAL_BUNDLE", value: await mailBundle(product, ada, key) });
      const stamp = { type: "STAMP_REQUEST", value: "x".repeat(100_000) };
      const answers = await page.evaluate(([message]) => window.embedding.flood(message, 1000), [
        stamp,
      ] as const);
      const stamped = answers.filter((answer) => answer === "STAMP").length;
      const refused = answers.filter((answer) => /64 requests are under way/.test(answer)).length;
      expect(stamped + refused).toBe(1000);
      expect(stamped).toBeGreaterThanOrEqual(64);
      expect(await refusalOf({ ...stamp, value: "x".repeat(1024 * 1024 + 1) })).toMatch(
        /value has 1048577 characters/,
      );
      expect((await ask({ ...stamp, value: "{}" }))?.type).toBe("STAMP");
    },
  );

  test(
    "a key that a page clears is gone, in whatever case its address is written",
    TIMEOUT,
    async () => {
      const { client, organizationId } = ada;
      const { addresses } = await client.createWallet({
        walletName: `wallet ${Math.random()}`,
        accounts: [
          {
            curve: "CURVE_SECP256K1",
            pathFormat: "PATH_FORMAT_BIP32",
            path: "m/44'/60'/0'/0/0",
            addressFormat: "ADDRESS_FORMAT_ETHEREUM",
          },
        ],
      });
      const address = String(addresses[0]);
      const key = await open("export-and-sign");
      const keep = async (name: string | undefined, targetPublicKey: string) => {
        const { exportBundle: value } = await client.exportWalletAccount({
          address,
          targetPublicKey,
        });
        const message = { type: "INJECT_KEY_EXPORT_BUNDLE", value, organizationId, address: name };
        expect((await ask(message))?.type).toBe("BUNDLE_INJECTED");
      };
      const value = JSON.stringify({ message: "hello", type: "ETHEREUM" });
      const sign = (name?: string) => ({ type: "SIGN_MESSAGE", value, address: name });
      const clear = (name: string) => ask({ type: "CLEAR_EMBEDDED_PRIVATE_KEY", address: name });
      await keep(address.toLowerCase(), key);
      expect((await ask(sign(address)))?.type).toBe("MESSAGE_SIGNED");
      expect((await clear(address))?.value).toBe(true);
      expect(await refusalOf(sign(address.toLowerCase()))).toMatch(/holds no key/);
      // A key without an address is that of the address too.
      await keep(undefined, key);
      expect((await ask(sign()))?.type).toBe("MESSAGE_SIGNED");
      await clear(address);
      expect(await refusalOf(sign())).toMatch(/holds no key/);
    },
  );

  test("an expired key opens nothing, and the next one is announced", TIMEOUT, async () => {
    await open("auth");
    await ask({ type: "RESET_EMBEDDED_KEY" });
    await page.evaluate(() => window.embedding.clear());
    const url = `${product.url}/frames/auth`;
    const open1 = page.evaluate(([address]) => window.embedding.open("2.11.1", address, 400), [
      url,
    ] as const);
    const key = (await open1) ?? "";
    const bundle = await mailBundle(product, ada, key);
    await new Promise((resolve) => setTimeout(resolve, 450));
    const answer = await page.evaluate(
      ([value]) => window.embedding.call("injectCredentialBundle", value),
      [bundle] as const,
    );
    expect(answer).toEqual({ refused: expect.stringMatching(/has expired or was replaced/) });
    const next = await page.evaluate(() => window.embedding.publicKey());
    expect(next).toMatch(/^04[0-9a-f]{128}$/);
    expect(next).not.toBe(key);
  });

  test("a frame in a frame does nothing, and says so", TIMEOUT, async () => {
    const framed = await embedding.openFramed(browser);
    for (const name of pages) {
      expect(await open(name, framed)).toBe("");
      const get = { type: "GET_EMBEDDED_PUBLIC_KEY" };
      expect(await refusalOf(get, framed)).toMatch(/inside of another frame/);
      await framed.evaluate(() => window.embedding.clear());
    }
  });

  test("where a browser stores nothing for a frame, each request says so", TIMEOUT, async () => {
    // As browsers that keep nothing for frames of other sites.
    const blocking = await launchWholeBrowser(["ThirdPartyStoragePartitioning"]);
    try {
      const blocked = await embedding.openPage(blocking);
      expect(await open("auth", blocked)).toBe("");
      for (const message of [
        { type: "INIT_EMBEDDED_KEY" },
        { type: "GET_EMBEDDED_PUBLIC_KEY" },
        { type: "RESET_EMBEDDED_KEY" },
      ]) {
        expect(await refusalOf(message, blocked)).toMatch(/does not let the frame store its key/);
      }
    } finally {
      await blocking.close();
    }
  });

  test("a page that is not listed can embed no frame", TIMEOUT, async () => {
    const host = await serve(appWith("https://app.example"));
    try {
      const isRefusal = (message: { text(): string }) => message.text().includes("frame-ancestors");
      const refused = page.waitForEvent("console", isRefusal);
      expect(await open("auth", page, host.url)).toBe("undefined");
      await refused;
    } finally {
      await host.stop();
    }
  });

  test("frames on a host that forgets the header refuse the page themselves", TIMEOUT, async () => {
    const directory = mkdtempSync(join(tmpdir(), "keyhearth-pinned-frames-"));
    await writeFrames(directory, {
      signerPublicKey: `04${"ab".repeat(64)}`,
      ancestors: "https://app.example",
    });
    const files = async (path: string) => {
      const name = path.replace("/frames/", "").replace(/^(\w+)$/, "$1.html");
      const types: Record<string, string> = { js: "text/javascript", css: "text/css" };
      const type = types[name.split(".")[1] ?? ""] ?? "text/html";
      const headers = { "Content-Type": type };
      return new Response(readFileSync(join(directory, name)), { headers });
    };
    const host = await serve(files);
    try {
      for (const name of pages) {
        expect(await open(name, page, host.url)).toBe("");
        expect(await refusalOf({ type: "INIT_EMBEDDED_KEY" })).toMatch(/not one of those that may/);
        await page.evaluate(() => window.embedding.clear());
      }
    } finally {
      await host.stop();
      rmSync(directory, { recursive: true });
    }
  });

  /** The service's own answers below /frames/, for these ancestors. */
  function appWith(ancestors: string) {
    const directory = fileURLToPath(new URL("../../dist/frames", import.meta.url));
    const signerPublicKey = `04${"ab".repeat(64)}`;
    const app = new Hono<Env>().all("*", createFrames({ directory, signerPublicKey, ancestors }));
    return async (path: string) => app.request(path);
  }
});

/** A host at a port of its own. */
async function serve(answer: (path: string) => Promise<Response>) {
  const host = createServer(async ({ url = "" }, response) => {
    const given = await answer(url);
    response.writeHead(given.status, Object.fromEntries(given.headers));
    response.end(Buffer.from(await given.arrayBuffer()));
  });
  await new Promise<void>((listening) => host.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    stop() {
      host.closeAllConnections();
      return new Promise((closed) => host.close(closed));
    },
  };
}
