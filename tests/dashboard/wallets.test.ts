import { readFileSync } from "node:fs";
import {
  approve,
  createApiOnlyUsers,
  createWallet,
  createWalletAccounts,
  updateRootQuorum,
} from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { ed25519 } from "@noble/curves/ed25519";
import { generateMnemonic, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import bs58 from "bs58";
import {
  parseTransaction,
  recoverMessageAddress,
  recoverTransactionAddress,
  serializeTransaction,
} from "viem";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { closePages, hasBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { clientOf } from "../start/process.ts";
import {
  axeClean,
  heading,
  newPerson,
  type Person,
  signUp,
  startWorld,
  type World,
} from "./harness.ts";

/** Names that would run if anything took them for HTML. */
const hostile = `<img src=x onerror=alert(1)>`;

/** From the click on a link or a button until fifty other rows are painted, in milliseconds of the page. */
function paintedAfter(page: Person["page"], text: string): Promise<number> {
  return page.evaluate((text) => {
    const rows = () => document.querySelectorAll('table[aria-label="Accounts"] tbody tr');
    const first = () => rows()[0]?.querySelector<HTMLElement>(".mono")?.title;
    const before = first();
    const pressed = [...document.querySelectorAll<HTMLElement>("main a, main button")].find(
      ({ textContent }) => textContent === text,
    );
    return new Promise<number>((resolve) => {
      const begun = performance.now();
      const observer = new MutationObserver(() => {
        if (rows().length < 50 || first() === before) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
      pressed?.click();
    });
  }, text);
}

describe.runIf(hasBrowser)("in a browser,", () => {
  let world: World;
  let ada: Person;

  beforeAll(async () => {
    world = await startWorld();
  }, 120_000);
  afterAll(async () => {
    await closePages();
    await world?.product.stop();
  });
  beforeEach(async () => {
    ada = await newPerson(world);
    ada.page.on("dialog", (dialog) => ada.complaints.push(dialog.message()));
  });
  afterEach(async () => {
    await ada.close();
    expect(ada.complaints).toEqual([]);
  });

  test("somebody who signs up creates a wallet, signs with it, and has its words, which are right", async () => {
    const { page } = ada;
    await signUp(ada);
    await page.getByRole("link", { name: "Wallets", exact: true }).click();
    await page.getByRole("link", { name: "Create the first wallet" }).click();
    await heading(page, "Create a wallet");
    await page.getByRole("button", { name: "Create the wallet" }).click();
    await page.getByText("Give the wallet a name.").waitFor();
    await axeClean(page, "Create a wallet");
    await page.getByLabel("Name", { exact: true }).fill(hostile);
    await page.getByLabel("Path").first().fill("m/44'/60'/0'/0/4294967296");
    await page.getByRole("button", { name: "Create the wallet" }).click();
    // What the service refuses is said at the field, and nothing that was typed is lost.
    await expect
      .poll(() => page.getByLabel("Path").first().getAttribute("aria-invalid"))
      .toBe("true");
    await page.getByLabel("Path").first().fill("m/44'/60'/0'/0/0");
    await page.getByRole("button", { name: "Create the wallet" }).click();
    await heading(page, hostile);
    await expect.poll(() => page.getByText("Proven by the signer").count()).toBe(2);
    await page.getByRole("button", { name: /^QR code of 0x/ }).click();
    await page.getByRole("dialog").locator("svg.qr path").waitFor();
    await page.keyboard.press("Escape");

    // The next free path is proposed, and the same path again is refused at its field.
    await page.getByRole("link", { name: "Add accounts" }).click();
    await expect.poll(() => page.getByLabel("Path").inputValue()).toBe("m/44'/60'/0'/0/1");
    await page.getByLabel("Path").fill("m/44'/60'/0'/0/0");
    await page.getByRole("button", { name: "Add the account" }).click();
    await page.locator(".field-error").getByText("path already exists").waitFor();
    await axeClean(page, "Add accounts");
    await page.getByLabel("Path").fill("m/44'/60'/0'/0/1");
    await page.getByLabel("Name of the account").fill(`${hostile} 2`);
    await page.getByRole("button", { name: "Add the account" }).click();
    await heading(page, hostile);
    await page.getByRole("link", { name: `${hostile} 2` }).waitFor();
    await axeClean(page, "Wallet");

    // A message, verified by another library.
    await page.getByRole("link", { name: "Ethereum and other EVM chains", exact: true }).click();
    await heading(page, "Ethereum and other EVM chains");
    await page.getByText("Proven by the signer").waitFor();
    const address = (await page.locator(".facts .mono").first().textContent()) as `0x${string}`;
    await page.getByLabel("Message", { exact: true }).fill("Hello, Keyhearth");
    await page.getByRole("button", { name: "Sign the message" }).click();
    await page.getByText("This page verified that the key signed exactly this.").waitFor();
    const signature = await page.locator("[role=status] .mono").last().textContent();
    expect(
      await recoverMessageAddress({
        message: "Hello, Keyhearth",
        signature: signature as `0x${string}`,
      }),
    ).toBe(address);

    // A transaction is read out first. One that nobody can read has to be known.
    await page.getByRole("tab", { name: "A transaction" }).click();
    const field = page.getByLabel("Unsigned transaction");
    await field.fill("0xc0ffee");
    await page.getByRole("button", { name: "Read the transaction" }).click();
    await page.getByText("The signer cannot read this").waitFor();
    const to = "0x742d35Cc6634C0532925a3b844Bc454e4438f44e" as const;
    const fees = { maxFeePerGas: 30n * 10n ** 9n, maxPriorityFeePerGas: 1n, gas: 90_000n };
    const called = { chainId: 8453, to, nonce: 7, ...fees, data: "0xdeadbeef01" } as const;
    await field.fill(serializeTransaction(called));
    await page.getByRole("button", { name: "Read the transaction" }).click();
    await page.getByText("This page cannot tell what this call does.").waitFor();
    expect(await page.getByRole("button", { name: "Sign the transaction" }).isDisabled()).toBe(
      true,
    );
    await axeClean(page, "Unread transaction");
    const payment = { chainId: 8453, to, nonce: 7, value: 25n * 10n ** 16n, ...fees };
    await field.fill(serializeTransaction(payment));
    await page.getByRole("button", { name: "Read the transaction" }).click();
    await page.getByText("0.25 ETH").waitFor();
    await page.getByText(to).waitFor();
    await page.getByRole("button", { name: "Sign the transaction" }).click();
    await page.getByText("This page verified that the key signed exactly this.").waitFor();
    const text = await page.locator("[role=status] .mono").last().textContent();
    const serializedTransaction = `0x${text}` as `0x02${string}`;
    expect(parseTransaction(serializedTransaction)).toMatchObject({
      to: to.toLowerCase(),
      value: payment.value,
    });
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(address);

    // The words, which another library makes the same addresses of.
    await page.getByRole("link", { name: hostile }).click();
    await heading(page, hostile);
    await page.getByText("Never exported").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Show the recovery phrase" }).click();
    const dialog = page.getByRole("dialog", { name: "Show the recovery phrase" });
    await dialog.getByText("No frame of another origin is set up").waitFor();
    expect(await dialog.getByRole("button", { name: "Show", exact: true }).isDisabled()).toBe(true);
    await dialog.getByText("Nobody else can see my screen.").click();
    await dialog.getByRole("button", { name: "Show", exact: true }).click();
    const words = (await dialog.locator(".secret-text").first().textContent()) ?? "";
    await axeClean(page, "Export");
    expect(validateMnemonic(words, wordlist)).toBe(true);
    expect(mnemonicToAccount(words).address).toBe(address);
    // What people look at, not the bytes of the picture, is all that is kept anywhere.
    const kept = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, history.state, location.href]),
    );
    expect(kept).not.toContain(words);
    await dialog.getByRole("button", { name: "Hide" }).click();
    await dialog.getByText("It is hidden again").waitFor();
    expect(await page.content()).not.toContain(words);
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText("Exported", { exact: true }).waitFor();

    // By its address, at the service, and typed without its checksum.
    await page.getByRole("link", { name: "Wallets", exact: true }).first().click();
    await page.getByLabel("Search").fill(address.toLowerCase());
    await page.getByRole("button", { name: "Find its account" }).click();
    await page.getByRole("link", { name: "See the signer’s statement" }).waitFor();
    await page.getByLabel("Search").fill("onerror");
    await page.getByRole("link", { name: hostile }).waitFor();
    await axeClean(page, "Wallets");
    await page.getByRole("link", { name: hostile }).click();
    await heading(page, hostile);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Old treasury");
    await page.getByRole("button", { name: "Rename" }).click();
    await heading(page, "Old treasury");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete the wallet" }).click();
    const asked = page.getByRole("alertdialog");
    await asked.getByLabel(/^Type/).fill("Old treasur");
    expect(await asked.getByRole("button", { name: "Delete the wallet" }).isDisabled()).toBe(true);
    await axeClean(page, "Delete a wallet");
    await asked.getByLabel(/^Type/).fill("Old treasury");
    await asked.getByRole("button", { name: "Delete the wallet" }).click();
    await page.getByText("There are no wallets yet").waitFor();
  }, 180_000);

  test("somebody imports a wallet and a key, and another library agrees about all of them", async () => {
    const { page } = ada;
    await signUp(ada);
    await ada.open("/wallets/import");
    const mnemonic = generateMnemonic(wordlist, 256);
    await page.getByLabel("Name", { exact: true }).fill("Imported");
    const phrase = page.getByLabel("Recovery phrase");
    await phrase.fill("only three words");
    await page.getByRole("button", { name: "Import the wallet" }).click();
    await page.getByText("This has 3 words.").waitFor();
    await axeClean(page, "Import a wallet");
    // Words that are none: the service says it, and names no word.
    await phrase.fill(mnemonic.replace(/^\w+/, "keyhearth"));
    await page.getByRole("button", { name: "Import the wallet" }).click();
    await page.getByText("word 1 is in no BIP-39 word list").waitFor();
    await phrase.fill(mnemonic.split(" ").join("\n  "));
    await page.getByRole("button", { name: "Import the wallet" }).click();
    await heading(page, "Imported");
    const [first, second] = [
      mnemonicToAccount(mnemonic),
      mnemonicToAccount(mnemonic, { addressIndex: 1 }),
    ];
    await page.getByRole("button", { name: `Copy the address ${first.address}` }).waitFor();

    // An account's key, in the form that wallets of its chain take.
    await page.getByRole("link", { name: "Solana" }).click();
    await heading(page, "Solana");
    const solana = (await page.locator(".facts .mono").first().textContent()) ?? "";
    await page.getByLabel("Message", { exact: true }).fill("gm");
    await page.getByRole("button", { name: "Sign the message" }).click();
    await page.getByText("This page verified that the key signed exactly this.").waitFor();
    const signature = await page.locator("[role=status] .mono").last().textContent();
    expect(
      ed25519.verify(bs58.decode(signature ?? ""), Buffer.from("gm"), bs58.decode(solana)),
    ).toBe(true);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Show the private key" }).click();
    await page.getByText("Nobody else can see my screen.").click();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const pair = bs58.decode((await page.locator(".secret-text").textContent()) ?? "");
    expect(bs58.encode(ed25519.getPublicKey(pair.subarray(0, 32)))).toBe(solana);
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.locator(".secret-text").count()).toBe(0);

    // A private key, its tag and its copy.
    await page.getByRole("link", { name: "Private keys" }).click();
    await page.getByRole("button", { name: "New tag" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(hostile);
    await page.getByRole("button", { name: "Create the tag" }).click();
    await page.getByRole("button", { name: `Rename ${hostile}` }).waitFor();
    await page.getByRole("link", { name: "Import", exact: true }).click();
    await heading(page, "Import a private key");
    await page.getByLabel("Name", { exact: true }).fill("Imported key");
    await page.getByLabel("Private key").fill("0x1234");
    await page.getByRole("button", { name: "Import the key" }).click();
    await page.getByText("Must be 32 bytes in hex").waitFor();
    await axeClean(page, "Import a private key");
    const privateKey =
      `0x${Buffer.from(second.getHdKey().privateKey ?? []).toString("hex")}` as const;
    await page.getByLabel("Private key").fill(privateKey);
    await page.getByRole("button", { name: "Import the key" }).click();
    await heading(page, "Imported key");
    await page.getByText("Proven by the signer").waitFor();
    await page
      .getByRole("button", { name: `Copy the address ${privateKeyToAccount(privateKey).address}` })
      .waitFor();
    await page.getByRole("button", { name: "Add a tag" }).click();
    await page.getByRole("menuitem", { name: hostile }).click();
    await page.getByRole("button", { name: `Remove the tag ${hostile}` }).waitFor();
    await axeClean(page, "Private key");
    await page.getByRole("link", { name: "Private keys" }).first().click();
    await heading(page, "Private keys");
    await page.getByRole("link", { name: "Imported key" }).waitFor();
    await axeClean(page, "Private keys");
    await page.getByRole("link", { name: "Create a key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Made here");
    await axeClean(page, "Create a private key");
    await page.getByRole("button", { name: "Create the key" }).click();
    await heading(page, "Made here");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete the key" }).click();
    const asked = page.getByRole("alertdialog");
    await asked.getByLabel(/^Type/).fill("Made here");
    const deletes = asked.getByRole("button", { name: "Delete the key" });
    // It was never exported, so one more answer is needed.
    expect(await deletes.isDisabled()).toBe(true);
    await asked.getByText("Delete it although no copy is left.").click();
    await deletes.click();
    await heading(page, "Private keys");
    await expect.poll(() => page.getByRole("link", { name: "Made here" }).count()).toBe(0);
  }, 180_000);

  test("many accounts are pages of 50, and a signature that waits for approvals comes by itself", async () => {
    const { page } = ada;
    const { root } = world.product;
    const connection = clientOf(world.product, root);
    const pathFormat = "PATH_FORMAT_BIP32";
    const accounts = (from: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        ...({
          curve: "CURVE_SECP256K1",
          pathFormat,
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        } as const),
        path: `m/44'/60'/0'/0/${from + index}`,
      }));
    const { walletId, addresses } = await createWallet(connection, {
      walletName: "Many",
      accounts: accounts(0),
    });
    await createWallet(connection, { walletName: "Few", accounts: accounts(0).slice(0, 1) });
    // Each takes the signer a derivation and a statement, and six pages of them are enough to turn five.
    const many = Number(process.env.KEYHEARTH_TEST_ACCOUNTS ?? (isLong ? "2000" : "300"));
    for (let from = 100; from < many; from += 100) {
      await createWalletAccounts(connection, { walletId, accounts: accounts(from) });
    }

    await ada.open("/wallets");
    await page.getByRole("tab", { name: "API key" }).click();
    await page
      .getByRole("textbox", { name: "API key" })
      .fill(readFileSync(world.product.rootKeyFile, "utf8"));
    await page.getByRole("button", { name: "Log in with the key", exact: true }).click();
    await heading(page, "Wallets");
    // The screen itself is loaded with the first wallet.
    await page.getByRole("link", { name: "Few" }).click();
    await heading(page, "Few");
    await page.getByRole("link", { name: "Wallets", exact: true }).first().click();
    await page.getByRole("link", { name: "Many" }).waitFor();
    const times = [await paintedAfter(page, "Many")];
    for (let number = 2; number < 6; number++) {
      times.push(await paintedAfter(page, "Next"));
      await page.getByText(`Page ${number}`).waitFor();
    }
    if (process.env.KEYHEARTH_TEST_ACCOUNTS) process.stdout.write(`${many} accounts: ${times}\n`);
    // We promise 300 ms. Beside other tests, a browser has half of a core.
    expect(Math.min(...times)).toBeLessThan(isLong ? 300 : 600);

    await page.getByRole("link", { name: "Add accounts" }).click();
    await expect.poll(() => page.getByLabel("Path").inputValue()).toBe(`m/44'/60'/0'/0/${many}`);

    // From now on, two users have to agree.
    const { apiPublicKey: publicKey, ...key } = createApiKey();
    const bob = { publicKey, apiKeyName: "Bob's" };
    const { userIds } = await createApiOnlyUsers(connection, {
      apiOnlyUsers: [{ userName: "Bob", userTags: [], apiKeys: [bob] }],
    });
    await updateRootQuorum(connection, { threshold: 2, userIds: [root.userId, ...userIds] });
    await ada.open(`/wallets/${walletId}/${addresses[0]}`);
    await page.getByLabel("Message", { exact: true }).fill("agreed");
    await page.getByRole("button", { name: "Sign the message" }).click();
    const link = page.getByRole("link", { name: "waits for approvals" });
    const activityId = (await link.getAttribute("href"))?.split("/").at(-1) ?? "";
    const second = clientOf(world.product, {
      ...root,
      ...{ userId: userIds[0] ?? "", apiPublicKey: publicKey, apiPrivateKey: key.apiPrivateKey },
    });
    await approve(second, activityId, () => true);
    await page.getByText("This page verified that the key signed exactly this.").waitFor();
    const signature = await page.locator("[role=status] .mono").last().textContent();
    const signed = { message: "agreed", signature: signature as `0x${string}` };
    expect(await recoverMessageAddress(signed)).toBe(addresses[0]);

    // The words, too: their key stays with the page that asked.
    await ada.open(`/wallets/${walletId}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Show the recovery phrase" }).click();
    await page.getByText("Nobody else can see my screen.").click();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const asked = (await link.getAttribute("href"))?.split("/").at(-1) ?? "";
    await approve(second, asked, () => true);
    const words = (await page.locator(".secret-text").first().textContent()) ?? "";
    expect(mnemonicToAccount(words).address).toBe(addresses[0]);
  }, 180_000);

  test("with frames of another origin, secrets are entered and shown in there", async () => {
    const { page } = ada;
    // What a build with --frames has in its page and in its header. The frames are at another origin: 127.0.0.1.
    const frames = `${world.product.url}/frames`;
    // To Chromium, a page that a test has changed is none of this machine.
    await ada.context.grantPermissions(["local-network-access"]);
    await page.route("**/dashboard/wallets/import", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(
        'name="keyhearth-frames" content=""',
        `name="keyhearth-frames" content="${frames}"`,
      );
      const policy = answer.headers()["content-security-policy"] ?? "";
      const allowed = policy.replace("frame-src 'self'", `frame-src 'self' ${world.product.url}`);
      const headers = { ...answer.headers(), "content-security-policy": allowed };
      await route.fulfill({ response: answer, body, headers });
    });
    await signUp(ada);
    await ada.open("/wallets/import");
    await page.getByText("This page cannot read what is in there.").waitFor();
    const entered = page.frameLocator("iframe[title='The secret to import']");
    const mnemonic = generateMnemonic(wordlist);
    await page.getByLabel("Name", { exact: true }).fill("From a frame");
    await entered.getByRole("textbox").first().fill(mnemonic);
    await page.getByRole("button", { name: "Import the wallet" }).click();
    await heading(page, "From a frame");
    const { address } = mnemonicToAccount(mnemonic);
    await page.getByRole("button", { name: `Copy the address ${address}` }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Show the recovery phrase" }).click();
    await page.getByText("Nobody else can see my screen.").click();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const shown = page.frameLocator("iframe[title='Your secret']");
    await shown.getByText(mnemonic).waitFor();
    await axeClean(page, "Export in a frame");
    expect(await page.content()).not.toContain(mnemonic);
    await page.getByRole("button", { name: "Hide" }).click();
    await expect.poll(() => page.locator("iframe").count()).toBe(0);
  }, 180_000);
});
