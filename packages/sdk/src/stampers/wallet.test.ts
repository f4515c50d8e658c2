import { generateKeyPairSync, sign } from "node:crypto";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { type HDNodeWallet, Wallet } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { whoami } from "../calls/generated/calls.ts";
import { Connection } from "../connection/connection.ts";
import { type EthereumProvider, type SolanaWallet, WalletStamper } from "./wallet.ts";

let organization: TestOrganization;

beforeAll(async () => {
  organization = await newOrganization();
});

/** A connection of a new user who has the wallet as a credential. */
async function userOf(stamper: WalletStamper) {
  const { root, server, organizationId } = organization;
  const credential = await stamper.credential();
  const { userIds } = await root.createUsers({
    users: [
      {
        userName: crypto.randomUUID(),
        apiKeys: [{ apiKeyName: "wallet", ...credential }],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  });
  const baseUrl = "http://keyhearth.test";
  const connection = new Connection({ baseUrl, organizationId, stamper, fetch: server.fetch });
  return { connection, userId: userIds[0] };
}

/** An EVM wallet as a page sees it. Its user agrees to everything. */
function ethereumWallet(wallet: HDNodeWallet = Wallet.createRandom()) {
  const calls: string[] = [];
  const provider: EthereumProvider = {
    async request({ method, params = [] }) {
      calls.push(method);
      if (method === "eth_requestAccounts") return [wallet.address];
      const [message, address] = params;
      if (method !== "personal_sign" || address !== wallet.address) throw { code: 4200 };
      return wallet.signMessage(decodeHex(String(message).slice(2)));
    },
  };
  return { provider, calls, wallet };
}

/** A Solana wallet as a page sees it. */
function solanaWallet({ prefix = "" } = {}): SolanaWallet {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const spki = publicKey.export({ format: "der", type: "spki" });
  return {
    publicKey: { toBytes: () => new Uint8Array(spki.subarray(-32)) },
    signMessage: async (message) =>
      new Uint8Array(sign(null, Buffer.concat([Buffer.from(prefix), message]), privateKey)),
  };
}

describe("the service accepts the stamps of", () => {
  test("an EVM wallet, with the account that the wallet shows or that is given", async () => {
    const { provider, calls, wallet } = ethereumWallet();
    const { connection, userId } = await userOf(new WalletStamper({ ethereum: provider }));
    // Half of all keys have an odd y, and half of all signatures either recovery.
    for (let i = 0; i < 8; i++) expect(await whoami(connection)).toMatchObject({ userId });
    expect(calls).toContain("eth_requestAccounts");
    calls.length = 0;
    const given = new WalletStamper({ ethereum: provider, address: wallet.address });
    await given.stamp("{}");
    expect(calls).toEqual(["personal_sign"]);
    expect(given.publicKey).toBe(wallet.publicKey.slice(2));
  });

  test("an EVM wallet that writes v as 0 or 1", async () => {
    const { provider } = ethereumWallet();
    const older: EthereumProvider = {
      async request(call) {
        const answer = await provider.request(call);
        if (call.method !== "personal_sign") return answer;
        const bytes = decodeHex(String(answer).slice(2));
        return `0x${Buffer.from(bytes.map((byte, at) => (at === 64 ? byte - 27 : byte))).toString("hex")}`;
      },
    };
    const { connection, userId } = await userOf(new WalletStamper({ ethereum: older }));
    expect(await whoami(connection)).toMatchObject({ userId });
  });

  test("Solana wallets, whichever way they answer", async () => {
    const wallet = solanaWallet();
    const { connection, userId } = await userOf(new WalletStamper({ solana: wallet }));
    expect(await whoami(connection)).toMatchObject({ userId });
    const wrapped: SolanaWallet = {
      publicKey: wallet.publicKey,
      signMessage: async (message) => ({
        // The first kind of wallet answers with bytes alone.
        signature: (await wallet.signMessage(message)) as Uint8Array,
      }),
    };
    const { name, value } = await new WalletStamper({ solana: wrapped }).stamp("{}");
    expect(name).toBe("X-Stamp");
    expect(JSON.parse(Buffer.from(value, "base64url").toString())).toMatchObject({
      scheme: "SIGNATURE_SCHEME_TK_API_ED25519",
    });
  });
});

describe("what a wallet does wrong is one typed error:", () => {
  const failing = (error: unknown) =>
    new WalletStamper({ ethereum: { request: () => Promise.reject(error) } });
  const answering = (signature: unknown) =>
    new WalletStamper({
      ethereum: { request: async () => signature },
      address: `0x${"11".repeat(20)}`,
    });
  const cancelled = { name: "Cancelled", code: "CANCELLED" };
  const invalid = { name: "InvalidCredential", code: "INVALID_CREDENTIAL" };
  const { provider } = ethereumWallet();
  const cases: [string, WalletStamper, object][] = [
    ["the user rejects", failing({ code: 4001, message: "no" }), cancelled],
    [
      "a library wraps the rejection",
      failing(new Error("x", { cause: { code: 4001 } })),
      cancelled,
    ],
    ["another library's rejection", failing({ code: "ACTION_REJECTED" }), cancelled],
    [
      "a Solana wallet's user rejects",
      new WalletStamper({
        solana: {
          ...solanaWallet(),
          signMessage: () => Promise.reject(new Error("User rejected the request.")),
        },
      }),
      cancelled,
    ],
    ["the account is not connected", failing({ code: 4100 }), invalid],
    ["the wallet is locked", failing(new Error("locked")), invalid],
    ["no account", new WalletStamper({ ethereum: { request: async () => [] } }), invalid],
    ["no signature", answering(null), invalid],
    ["a signature of a smart-contract account", answering(`0x${"ab".repeat(200)}`), invalid],
    ["bytes that are no signature", answering(`0x${"ff".repeat(64)}1b`), invalid],
    [
      "another account signs",
      new WalletStamper({
        ethereum: {
          request: ({ params = [] }) =>
            provider.request({ method: "eth_requestAccounts" }).then((accounts) =>
              provider.request({
                method: "personal_sign",
                params: [params[0], Array.isArray(accounts) ? accounts[0] : undefined],
              }),
            ),
        },
        address: `0x${"11".repeat(20)}`,
      }),
      invalid,
    ],
    [
      "a hardware wallet adds a prefix",
      new WalletStamper({ solana: solanaWallet({ prefix: "\xffsolana offchain" }) }),
      invalid,
    ],
    [
      "a Solana wallet that is not connected",
      new WalletStamper({ solana: { ...solanaWallet(), publicKey: null } }),
      invalid,
    ],
  ];

  test.each(cases)("%s", async (_, stamper, expected) => {
    const error = await stamper.stamp("{}").catch((caught: unknown) => caught);
    expect(error).toMatchObject(expected);
  });
});
