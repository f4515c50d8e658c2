import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { KeyhearthClient } from "@keyhearth/sdk";
import { createTargetKey, decryptCredentialBundle } from "@keyhearth/sdk/crypto";
import { PublicKey } from "@solana/web3.js";
import { build } from "esbuild";
import { Wallet } from "ethers";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { sendLoginMail } from "../../apps/website/snippets/server/email-login.ts";
import { createEmailUser } from "../../apps/website/snippets/server/email-user.ts";
import { startEvm } from "../chains/evm.ts";
import { serveRpc } from "../chains/rpc.ts";
import { startRuntime } from "../chains/svm.ts";
import { start } from "../examples/programs.ts";
import { type Product, startProduct } from "../official-clients/product.ts";
import {
  addTestPage,
  closePages,
  hasBrowser,
  openAuthenticator,
  sharedBrowser,
} from "../start/browser.ts";
import { clientOf, fetchMailbox } from "../start/process.ts";
import type { PageOptions } from "./emails.page.tsx";

// The samples of the pages about email, imports, exports and transactions, in a real browser.

// On a busy machine, a page with all these libraries takes long to load.
vi.setConfig({ testTimeout: 120_000 });

describe.runIf(hasBrowser)("in a browser,", () => {
  let product: Product;
  let parent: KeyhearthClient;
  let browser: Browser;
  let script: string;
  let options: PageOptions;
  let signerPublicKey: string;
  let page: Page;
  const accounts = new Map<string, string>();

  beforeAll(async () => {
    product = await startProduct();
    parent = clientOf(product, product.root);
    await parent.setOrganizationFeature({ name: "FEATURE_NAME_EMAIL_AUTH", value: "" });
    const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
    // What the service says about itself.
    const facts = (await described.json()) as { sessionPublicKey: string; signerPublicKey: string };
    ({ signerPublicKey } = facts);
    const { sessionPublicKey } = facts;
    const { organizationId } = product.root;
    // WebCrypto and passkeys need a secure context, which localhost is.
    const baseUrl = product.url.replace("127.0.0.1", "localhost");
    options = { baseUrl, organizationId, sessionPublicKey };
    browser = await sharedBrowser();
    script = await bundle();
  }, 120_000);

  afterAll(async () => {
    await closePages();
    await product?.stop();
  });

  beforeEach(async () => {
    page = await openPage(await (await browser.newContext()).newPage());
  });

  afterEach(async () => {
    await page.context().close();
  });

  async function openPage(fresh: Page): Promise<Page> {
    await addTestPage(fresh, script);
    await fresh.exposeFunction("sendLoginMail", (request: Parameters<typeof sendLoginMail>[2]) =>
      sendLoginMail(parent, accounts, request),
    );
    await reopen(fresh);
    return fresh;
  }

  async function reopen(opened: Page) {
    await opened.goto(`${options.baseUrl}/test-page`);
    await opened.waitForFunction(() => window.emails !== undefined);
  }

  async function newPerson(email: string) {
    const { subOrganizationId, wallet } = await createEmailUser(parent, email);
    accounts.set(email, subOrganizationId);
    const { walletId = "", addresses = [] } = wallet ?? {};
    return { walletId, address: addresses[0] ?? "" };
  }

  /** The newest mail to somebody. */
  async function readMail(to: string): Promise<{ credentialBundle: string; link: string }> {
    const answer = await fetchMailbox(product, `?to=${to}`);
    const [mail] = (await answer.json()) as { credentialBundle: string; link: string }[];
    if (!mail) throw new Error(`no mail to ${to}`);
    return mail;
  }

  async function logIn(email: string) {
    await page.evaluate((given) => window.emails.open(given), options);
    const targetPrivateKey = await page.evaluate(
      (address) => window.emails.login.askForMail(window.emails.backend, address),
      email,
    );
    const { credentialBundle } = await readMail(email);
    return page.evaluate((mail) => window.emails.login.openMail(window.emails.keeper, mail), {
      credentialBundle,
      targetPrivateKey,
    });
  }

  test("a mail logs in, and the session survives a reload without the mailed key", async () => {
    const email = "ada.login@example.com";
    await newPerson(email);
    const session = await logIn(email);
    expect(session.organizationId).toBe(accounts.get(email));
    await reopen(page);
    expect(await page.evaluate((given) => window.emails.open(given), options)).toBe(email);
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).toBe(
      "{}",
    );
  });

  test("curl and OpenSSL ask for the same mail, with a stamp made by hand", async () => {
    const email = "ada.curl@example.com";
    await newPerson(email);
    const { targetPublicKey, targetPrivateKey } = createTargetKey();
    const script = snippet("shell/email-login.sh");
    const parameters = [email, accounts.get(email) ?? "", targetPublicKey];
    const { stdout } = await promisify(execFile)("bash", [script, ...parameters], {
      env: {
        PATH: process.env.PATH,
        KEYHEARTH_URL: product.url,
        KEYHEARTH_ROOT_KEY: product.rootKeyFile,
      },
    });
    expect(JSON.parse(stdout)).toMatchObject({ activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
    const { credentialBundle } = await readMail(email);
    const { apiPublicKey } = decryptCredentialBundle({ credentialBundle, targetPrivateKey });
    expect(apiPublicKey).toMatch(/^0[23][0-9a-f]{64}$/);
  });

  test("an address that nobody has gets no mail, and the page hears the same answer", async () => {
    const ask = page.evaluate(() =>
      window.emails.login.askForMail(window.emails.backend, "nobody@example.com"),
    );
    expect(await ask).toMatch(/^[0-9a-f]{64}$/);
    await expect(readMail("nobody@example.com")).rejects.toThrow("no mail");
  });

  test("the form in React asks for the address and the bundle, and says what is wrong", async () => {
    const email = "ada.react@example.com";
    await newPerson(email);
    await page.evaluate((given) => window.emails.render(given), options);
    await page.getByLabel("Your email address").fill(email);
    await page.getByRole("button").click();
    const field = page.getByLabel("Code from the mail");
    await field.fill("nonsense");
    await page.getByRole("button").click();
    await page.getByRole("status").getByText("is a malformed bundle").waitFor();
    await field.fill((await readMail(email)).credentialBundle);
    await page.getByRole("button").click();
    await page.getByText(/^Logged in as [0-9a-f-]{36}$/).waitFor();
  });

  test("somebody who lost their key makes a passkey by the link of a mail, in the same browser", async () => {
    const recovery = start("../apps/website/snippets/email-recovery/app.ts", [], {
      KEYHEARTH_URL: options.baseUrl,
      KEYHEARTH_ROOT_KEY: product.rootKeyFile,
      PORT: "0",
    });
    try {
      const [url] = await recovery.waitFor(/http:\/\/localhost:\d+\//);
      await page.goto(url);
      const ask = page.getByRole("button");
      const email = (await ask.textContent())?.split(" ").at(-1) ?? "";
      await ask.click();
      await page.getByText("you have mail now").waitFor();
      const { link } = await readMail(email);

      const elsewhere = await (await browser.newContext()).newPage();
      await elsewhere.goto(link);
      await elsewhere.getByRole("button").click();
      await elsewhere.getByText("Open the link in the browser that asked").waitFor();
      await elsewhere.context().close();

      const tab = await page.context().newPage();
      await openAuthenticator(tab);
      await tab.goto(link);
      expect(tab.url()).toBe(url);
      await tab.getByRole("button", { name: "Make a new passkey" }).click();
      await tab.getByText("Your new passkey works.").waitFor();
      expect(await tab.evaluate(() => localStorage.length)).toBe(0);
      const shown = recovery.output().replace(url, "http://localhost:4200/");
      expect(shown).toBe(readFileSync(snippet("email-recovery/app.out.txt"), "utf8"));
    } finally {
      await recovery.stop();
    }
  });

  test("words and keys are imported and exported again, and their bytes stay in the page", async () => {
    const email = "ada.keys@example.com";
    const { walletId, address } = await newPerson(email);
    const { userId } = await logIn(email);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.postData() ?? ""));
    const mnemonic = `${"abandon ".repeat(11)}about`;
    const hex = "46".repeat(32);
    const base58 =
      "99eUso3aSbE9tqGSTXzo3TLfKb9RkMTURrHKQ1K7Zh3StnzFNUx8FKCPPPPpR479qsw5zv2WNBKmgiz7WqgAJfM";
    const imported = await page.evaluate(
      async ({ words, key, pair, pinned }) => {
        const { connection, importWords, importHexKey, importSolanaKey } = window.emails;
        const { walletId } = await importWords(connection, { mnemonic: words }, pinned);
        const ethereum = await importHexKey(connection, key, pinned);
        const solana = await importSolanaKey(connection, pair, pinned);
        return { walletId, ids: [ethereum.privateKeyId, solana.privateKeyId] as const };
      },
      { words: mnemonic, key: hex, pair: base58, pinned: { userId, signerPublicKey } },
    );
    const exported = await page.evaluate(
      async ({ ids, own, signer, ...wallets }) => {
        const { connection, exportWords, exportAccount, exportKey } = window.emails;
        const keyFormat = "HEXADECIMAL" as const;
        return {
          words: await exportWords(connection, wallets.walletId, signer),
          own: await exportWords(connection, own.walletId, signer),
          account: await exportAccount(connection, { address: own.address, keyFormat }, signer),
          keys: [
            await exportKey(connection, { privateKeyId: ids[0], keyFormat }, signer),
            await exportKey(connection, { privateKeyId: ids[1], keyFormat: "SOLANA" }, signer),
          ],
        };
      },
      { ...imported, own: { walletId, address }, signer: signerPublicKey },
    );
    expect(exported.words).toEqual({ mnemonic, passphrase: "" });
    expect(exported.keys).toEqual([hex, base58]);
    expect(Wallet.fromPhrase(exported.own.mnemonic).address).toBe(address);
    expect(new Wallet(`0x${exported.account}`).address).toBe(address);
    expect(sent).toHaveLength(11);
    for (const secret of [mnemonic, hex, base58, exported.own.mnemonic, exported.account]) {
      expect(sent.join()).not.toContain(secret);
    }
  });

  test("a secret that is shown goes by itself, by a button, and when people look elsewhere", async () => {
    const texts = () => page.locator("output").allTextContents();
    await page.evaluate(() => {
      window.emails.showSecret(document.body, "first", 0.05);
      const hide = window.emails.showSecret(document.body, "second");
      document.body.addEventListener("click", hide);
      window.emails.showSecret(document.body, "third");
    });
    await expect.poll(texts).toEqual(["second", "third"]);
    await page.locator("body").click();
    expect(await texts()).toEqual(["third"]);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    expect(await texts()).toEqual([]);
  });

  test("a session sends ether by viem and ethers, and pays on Solana", async () => {
    const email = "ada.chains@example.com";
    const { address: signWith, walletId } = await newPerson(email);
    await logIn(email);
    const evm = await startEvm();
    const node = await serveRpc(evm);
    try {
      await page.route("**/test-node", async (route) => {
        const answer = await fetch(node.url, { method: "POST", body: route.request().postData() });
        await route.fulfill({ contentType: "application/json", body: await answer.text() });
      });
      await evm.fund(signWith);
      const to = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045" as const;
      for (const name of ["sendWithViem", "sendWithEthers"] as const) {
        const hash = await page.evaluate(
          ([send, payment]) =>
            window.emails[send](window.emails.connection, {
              ...payment,
              value: 1n,
              rpcUrl: `${location.origin}/test-node`,
            }),
          [name, { signWith, to }] as const,
        );
        expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
      }
      expect(await evm.balanceOf(to)).toBe(2n);
      expect(node.calls).toContain("eth_sendRawTransaction");
    } finally {
      node.stop();
    }

    const runtime = startRuntime();
    const from = await page.evaluate((wallet) => window.emails.newSolanaAccount(wallet), walletId);
    runtime.fund(new PublicKey(from));
    const to = new PublicKey(new Uint8Array(32).fill(9));
    const signed = await page.evaluate(
      async (payment) => [
        ...(await window.emails.signForSolana(window.emails.connection, payment)),
      ],
      { from, to: to.toBase58(), lamports: 3_000_000, recentBlockhash: runtime.latestBlockhash() },
    );
    expect(runtime.send(Uint8Array.from(signed))).toBeUndefined();
    expect(runtime.balanceOf(to)).toBe(3_000_000n);
  });
});

function snippet(name: string): string {
  return fileURLToPath(new URL(`../../apps/website/snippets/${name}`, import.meta.url));
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("emails.page.tsx", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}
