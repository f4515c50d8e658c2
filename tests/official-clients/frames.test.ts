import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { entropyToMnemonic } from "@keyhearth/crypto/keys/mnemonic";
import { verifyEd25519 } from "@keyhearth/crypto/keys/verify";
import { formatPrivateKey, keyFormats } from "@keyhearth/crypto/sealing/key-text";
import {
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { Transaction, verifyMessage } from "ethers";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Release } from "../frames/embedding.page.ts";
import type { Embedding } from "../frames/embedding.ts";
import { mailBundle, newPerson, type Person } from "../frames/people.ts";
import { type Frames, startFrames } from "../frames/start.ts";
import { hasBrowser } from "../start/browser.ts";
import type { Product } from "./product.ts";

// Released iframe stampers, unmodified, in a page of a different site from the frames: logins by mail, stamps, exports and
// imports against the real service.

const TIMEOUT = { timeout: 60_000 };

const account = (curve: "CURVE_SECP256K1" | "CURVE_ED25519", path: string, format: string) =>
  ({ curve, pathFormat: "PATH_FORMAT_BIP32", path, addressFormat: format }) as {
    curve: "CURVE_SECP256K1";
    pathFormat: "PATH_FORMAT_BIP32";
    path: string;
    addressFormat: "ADDRESS_FORMAT_ETHEREUM";
  };

/** One account for each format in which a key is shown. */
const accounts = [
  account("CURVE_SECP256K1", "m/44'/60'/0'/0/0", "ADDRESS_FORMAT_ETHEREUM"),
  account("CURVE_ED25519", "m/44'/501'/0'/0'", "ADDRESS_FORMAT_SOLANA"),
  account("CURVE_SECP256K1", "m/84'/0'/0'/0/0", "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH"),
  account("CURVE_SECP256K1", "m/84'/1'/0'/0/0", "ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH"),
  account("CURVE_ED25519", "m/44'/784'/0'/0'/0'", "ADDRESS_FORMAT_SUI"),
];

let seed = 1;
const newMnemonic = () => entropyToMnemonic(new Uint8Array(16).fill(seed++));

describe.runIf(hasBrowser)("in a browser,", () => {
  let started: Frames;
  let product: Product;
  let embedding: Embedding;
  let browser: Browser;

  beforeAll(async () => {
    started = await startFrames();
    ({ product, embedding, browser } = started);
  }, 120_000);

  afterAll(() => started?.stop());

  describe.each(["2.0.0", "2.3.0", "2.11.1"] as const)("@turnkey/iframe-stamper %s", (release) => {
    let page: Page;
    let frame: FrameLocator;

    beforeAll(async () => {
      page = await embedding.openPage(browser);
      frame = page.frameLocator("#frame");
    });

    afterEach(() => page.evaluate(() => window.embedding.clear()));

    const open = (name: string, keyTtl?: number) =>
      page.evaluate(([...given]) => window.embedding.open(...given), [
        release as Release,
        `${product.url}/frames/${name}`,
        keyTtl,
      ] as const);
    const call = (method: string, ...args: unknown[]) =>
      page.evaluate(([...given]) => window.embedding.call(...given), [method, ...args] as const);
    const clear = () => page.evaluate(() => window.embedding.clear());

    async function send(path: string, value: object) {
      const body = JSON.stringify(value);
      const stamp = (await call("stamp", body)) as Record<string, string>;
      const { stampHeaderName = "", stampHeaderValue = "" } = stamp;
      const answer = await fetch(`${product.url}/public/v1/${path}`, {
        method: "POST",
        headers: { [stampHeaderName]: stampHeaderValue },
        body,
      });
      expect(answer.status).toBe(200);
      return answer.json();
    }

    test("logs in with a mailed bundle and stamps, after a reload too", TIMEOUT, async () => {
      const ada = await newPerson(product);
      const { organizationId, userId } = ada;
      const key = (await open("auth")) ?? "";
      expect(key).toMatch(/^04[0-9a-f]{128}$/);
      const bundle = await mailBundle(product, ada, key);
      expect(await call("injectCredentialBundle", bundle)).toBe(true);
      const whoami = { organizationId };
      expect(await send("query/whoami", whoami)).toMatchObject({ organizationId, userId });

      await page.reload();
      await page.waitForFunction(() => window.embedding !== undefined);
      // The key is kept, and the credential is not: the page injects its bundle again.
      expect(await open("auth")).toBe(key);
      expect(await call("stamp", "{}")).toEqual({
        refused: expect.stringContaining("inject a credential bundle first"),
      });
      expect(await call("injectCredentialBundle", bundle)).toBe(true);
      const made = await send("submit/create_wallet", {
        type: "ACTIVITY_TYPE_CREATE_WALLET",
        timestampMs: String(Date.now()),
        organizationId,
        parameters: { walletName: "stamped", accounts: [] },
      });
      expect(made.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    });

    /** Lets somebody enter a text into the frame, and hands what comes out to the service. */
    async function extract(
      { client, organizationId, userId }: Person,
      kind: "Wallet" | "PrivateKey",
      text: string,
      keyFormat?: string,
    ) {
      const { importBundle } = await client[`initImport${kind}`]({ userId });
      expect(await call("injectImportBundle", importBundle, organizationId, userId)).toBe(true);
      await frame.locator("#plaintext").fill(text);
      const extracted = await (kind === "Wallet"
        ? call("extractWalletEncryptedBundle")
        : call("extractKeyEncryptedBundle", keyFormat));
      expect(extracted).toMatch(
        /^\{"encappedPublic":"04[0-9a-f]{128}","ciphertext":"[0-9a-f]+"\}$/,
      );
      return String(extracted);
    }

    async function importWallet(ada: Person, text: string): Promise<string[]> {
      const { client, userId } = ada;
      const encryptedBundle = await extract(ada, "Wallet", text);
      const walletName = `wallet ${seed++}`;
      const imported = await client.importWallet({ userId, walletName, encryptedBundle, accounts });
      return [imported.walletId, ...imported.addresses];
    }

    async function importKey(ada: Person, text: string, keyFormat: string, index: number) {
      const { client, userId } = ada;
      const encryptedBundle = await extract(ada, "PrivateKey", text, keyFormat);
      const { curve, addressFormat } = accounts[index] ?? accounts[0] ?? ({} as never);
      const { privateKeyId, addresses } = await client.importPrivateKey({
        userId,
        privateKeyName: `key ${seed++}`,
        encryptedBundle,
        curve,
        addressFormats: [addressFormat],
      });
      return { privateKeyId, address: addresses[0]?.address ?? "" };
    }

    const sign = ({ client }: Person, signWith: string, curve: string) =>
      client.signRawPayload({
        signWith,
        payload: "ab".repeat(32),
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction:
          curve === "CURVE_ED25519" ? "HASH_FUNCTION_NOT_APPLICABLE" : "HASH_FUNCTION_NO_OP",
      });

    /** What the frame shows of an export, which the page that embeds it does not get. */
    async function show(
      { organizationId }: Person,
      exportTo: (targetPublicKey: string) => Promise<{ exportBundle: string }>,
      keyFormat?: string,
    ): Promise<string> {
      const key = (await page.evaluate(() => window.embedding.publicKey())) ?? "";
      const { exportBundle } = await exportTo(key);
      const answer = await (keyFormat === undefined
        ? call("injectWalletExportBundle", exportBundle, organizationId)
        : call("injectKeyExportBundle", exportBundle, organizationId, keyFormat));
      expect(answer).toBe(true);
      // One key opens one export.
      expect(await page.evaluate(() => window.embedding.publicKey())).not.toBe(key);
      return (await frame.locator("#key-div").textContent()) ?? "";
    }

    test("imports and exports a wallet, its accounts and private keys", TIMEOUT, async () => {
      const [ada, bob] = [await newPerson(product), await newPerson(product)];
      const [mnemonic, privateKey] = [newMnemonic(), new Uint8Array(32).fill(64 + seed++)];
      expect(await open("import")).toBe("");
      const [walletId = "", ...addresses] = await importWallet(ada, ` ${mnemonic}\n`);
      const hex = formatPrivateKey(privateKey, "HEXADECIMAL");
      const { privateKeyId } = await importKey(ada, hex, "HEXADECIMAL", 0);
      await clear();

      await open("export");
      const { client } = ada;
      expect(
        await show(ada, (targetPublicKey) => client.exportWallet({ walletId, targetPublicKey })),
      ).toBe(mnemonic);
      const shown: string[] = [];
      for (const [index, address] of addresses.entries()) {
        const exportTo = (targetPublicKey: string) =>
          client.exportWalletAccount({ address, targetPublicKey });
        shown.push(await show(ada, exportTo, keyFormats[index]));
      }
      for (const format of keyFormats) {
        const exportTo = (targetPublicKey: string) =>
          client.exportPrivateKey({ privateKeyId, targetPublicKey });
        const text = formatPrivateKey(privateKey, format);
        expect(await show(ada, exportTo, format)).toBe(
          format === "HEXADECIMAL" ? `0x${text}` : text,
        );
      }
      await clear();

      // Each account's key, in the format of its chain, gives the same address to somebody else.
      await open("import");
      for (const [index, text] of shown.entries()) {
        const { address } = await importKey(bob, text, keyFormats[index] ?? "", index);
        expect(address).toBe(addresses[index]);
        await sign(bob, address, accounts[index]?.curve ?? "");
      }
    });

    test.runIf(release === "2.11.1")("carries a passphrase both ways", TIMEOUT, async () => {
      const ada = await newPerson(product);
      const mnemonic = newMnemonic();
      await open("import");
      expect(await frame.locator("#passphrase").isVisible()).toBe(false);
      const settings = { enablePassphrase: true, styles: { fontSize: "16px" } };
      expect(await call("applySettings", settings)).toBe(true);
      await frame.locator("#passphrase").fill("correct horse");
      const [walletId = "", address = ""] = await importWallet(ada, mnemonic);
      await sign(ada, address, "CURVE_SECP256K1");
      await clear();
      await open("export");
      const { client } = ada;
      expect(
        await show(ada, (targetPublicKey) => client.exportWallet({ walletId, targetPublicKey })),
      ).toBe(mnemonic);
      expect(await frame.locator("#passphrase").textContent()).toBe("correct horse");
    });

    test.runIf(release === "2.11.1")("resets a key, and makes the next one", TIMEOUT, async () => {
      for (const name of ["auth", "export"]) {
        const key = await open(name);
        expect(await call("getEmbeddedPublicKey")).toBe(key);
        expect(await call("clearEmbeddedKey")).toBeNull();
        expect(await call("getEmbeddedPublicKey")).toBe("");
        const next = await call("initEmbeddedKey");
        expect(next).toMatch(/^04[0-9a-f]{128}$/);
        expect(next).not.toBe(key);
        expect(await call("initEmbeddedKey")).toBe(next);
        await clear();
      }
      await open("import");
      expect([await call("clearEmbeddedKey"), await call("initEmbeddedKey")]).toEqual([null, ""]);
    });

    test.runIf(release === "2.11.1")("signs with exported keys", TIMEOUT, async () => {
      const ada = await newPerson(product);
      const { client, organizationId } = ada;
      const created = await client.createWallet({
        walletName: "signing",
        accounts: accounts.slice(0, 2),
      });
      const [ethereum = "", solana = ""] = created.addresses;
      const key = (await open("export-and-sign")) ?? "";
      for (const [address, keyFormat] of [
        [ethereum, "HEXADECIMAL"],
        [solana, "SOLANA"],
      ]) {
        const exported = await client.exportWalletAccount({
          address: address ?? "",
          targetPublicKey: key,
        });
        const given = [exported.exportBundle, organizationId, keyFormat];
        // An address that is not the key's.
        expect(await call("injectKeyExportBundle", ...given, `0x${"1".repeat(40)}`)).toEqual({
          refused: expect.stringContaining("has another address"),
        });
        expect(await call("injectKeyExportBundle", ...given, address)).toBe(true);
      }
      // The key opens each of them.
      expect(await call("getEmbeddedPublicKey")).toBe(key);

      const message = "Log in to Example ☂";
      const ofEthereum = await call("signMessage", { message, type: "ETHEREUM" }, ethereum);
      expect(verifyMessage(message, String(ofEthereum))).toBe(ethereum);
      const ofSolana = await call("signMessage", { message, type: "SOLANA" }, solana);
      const solanaKey = new PublicKey(solana);
      expect(
        verifyEd25519(solanaKey.toBytes(), encodeUtf8(message), decodeHex(String(ofSolana))),
      ).toBe(true);

      const unsigned = Transaction.from({
        type: 2,
        chainId: 1,
        to: ethereum,
        value: 5n,
        gasLimit: 21_000n,
        maxFeePerGas: 10n,
        maxPriorityFeePerGas: 1n,
      });
      const payment = { transaction: unsigned.unsignedSerialized, type: "ETHEREUM" };
      const signed = Transaction.from(String(await call("signTransaction", payment, ethereum)));
      expect([signed.from, signed.value]).toEqual([ethereum, 5n]);
      const transfer = new VersionedTransaction(
        new TransactionMessage({
          payerKey: solanaKey,
          recentBlockhash: solanaKey.toBase58(),
          instructions: [
            SystemProgram.transfer({ fromPubkey: solanaKey, toPubkey: solanaKey, lamports: 5 }),
          ],
        }).compileToV0Message(),
      );
      const serialized = encodeHex(transfer.serialize());
      const answer = await call(
        "signTransaction",
        { transaction: serialized, type: "SOLANA" },
        solana,
      );
      const { signatures } = VersionedTransaction.deserialize(decodeHex(String(answer)));
      const [signature = new Uint8Array()] = signatures;
      expect(verifyEd25519(solanaKey.toBytes(), transfer.message.serialize(), signature)).toBe(
        true,
      );

      const refusals: [unknown[], RegExp][] = [
        [[payment, solana], /is one of SOLANA and signs nothing of ETHEREUM/],
        [[payment], /no key for a request without an address/],
        [[{ ...payment, transaction: "0xzz" }, ethereum], /must be hexadecimal digits/],
        [[{ ...payment, transaction: "0x02" }, ethereum], /./],
        [[{ ...payment, chain: 1 }, ethereum], /value must be the JSON of an object/],
        [[{ ...payment, type: "BITCOIN" }, ethereum], /type, ETHEREUM or SOLANA/],
      ];
      for (const [args, refused] of refusals) {
        expect(await call("signTransaction", ...args)).toEqual({
          refused: expect.stringMatching(refused),
        });
      }

      // A key of their own opens bundles, until it is reset.
      const { privateKeyId } = await importedTargetKey(ada);
      const target = await client.exportPrivateKey({ privateKeyId, targetPublicKey: key });
      expect(await call("setEmbeddedKeyOverride", organizationId, target.exportBundle)).toBe(true);
      const overriding = String(await call("getEmbeddedPublicKey"));
      expect(overriding).not.toBe(key);
      const again = await client.exportWalletAccount({
        address: ethereum,
        targetPublicKey: overriding,
      });
      const given = [again.exportBundle, organizationId, "HEXADECIMAL"];
      expect(await call("injectKeyExportBundle", ...given)).toBe(true);
      expect(await call("signMessage", { message, type: "ETHEREUM" })).toBe(ofEthereum);
      expect(await call("resetToDefaultEmbeddedKey")).toBe(true);
      expect(await call("getEmbeddedPublicKey")).toBe(key);

      expect(await call("clearEmbeddedPrivateKey")).toBe(true);
      expect(await call("signMessage", { message, type: "SOLANA" }, solana)).toEqual({
        refused: expect.stringContaining(`holds no key for ${solana}`),
      });
    });

    /** A P-256 key of a person, as one of their private keys. */
    async function importedTargetKey({ client }: Person) {
      const { privateKeys } = await client.createPrivateKeys({
        privateKeys: [
          {
            privateKeyName: `target ${seed++}`,
            curve: "CURVE_P256",
            privateKeyTags: [],
            addressFormats: [],
          },
        ],
      });
      return { privateKeyId: privateKeys[0]?.privateKeyId ?? "" };
    }
  });
});
