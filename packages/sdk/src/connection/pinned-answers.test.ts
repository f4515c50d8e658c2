import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { verifyAnswer } from "./pinned-answers.ts";

// The answers are those of the real service, with their real proofs. A hostile host mixes them up.

type Json = Record<string, unknown>;

let organization: TestOrganization;
let quorumPublicKey: string;
let account: Json;
let second: Json;
let foreign: Json;
let privateKey: Json;
/** A statement by the same key about what was decided. */
let outcome: unknown;

const accountAt = (index: number) => ({
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: `m/44'/60'/0'/0/${index}`,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
});

async function accountsOf({ root }: TestOrganization) {
  const accounts = [accountAt(0), accountAt(1)];
  const { walletId } = await root.createWallet({ walletName: "treasury", accounts });
  return (await root.listWalletAccounts({ walletId })).accounts;
}

beforeAll(async () => {
  organization = await newOrganization();
  const { root, server } = organization;
  const description = await server.host.askSigner({ call: "describe" });
  if (description.kind !== "description") throw new Error("the signer did not describe itself");
  ({ quorumPublicKey } = description);
  const [first, other] = await accountsOf(organization);
  const [stranger] = await accountsOf(await newOrganization(server));
  if (!first || !other || !stranger) throw new Error("the accounts are missing");
  [account, second, foreign] = [first, other, stranger];
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "key",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM", "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH"],
      },
    ],
  });
  const privateKeyId = privateKeys[0]?.privateKeyId ?? "";
  ({ privateKey } = await root.getPrivateKey({ privateKeyId }));
  const proven = await root.createWallet(
    { walletName: "proven", accounts: [] },
    { generateAppProofs: true },
  );
  [outcome] = proven.activity.appProofs ?? [];
  if (outcome === undefined) throw new Error("the statement is missing");
});

function verify(answer: Json, asked: object = {}) {
  const { organizationId } = organization;
  const docsUrl = "https://docs.example.com/";
  return () => verifyAnswer(answer, { quorumPublicKey, organizationId, docsUrl, asked });
}

const refused = expect.objectContaining({ name: "Unverified", code: "UNVERIFIED" });

describe("an answer with addresses", () => {
  test("passes as the service gives it, whichever member has them and whatever was asked", () => {
    const { walletId, path, address } = account;
    for (const asked of [{}, { walletId }, { walletId, path }, { walletId, address }]) {
      expect(verify({ account }, asked)).not.toThrow();
    }
    expect(verify({ accounts: [account, second] }, { walletId })).not.toThrow();
    const { privateKeyId } = privateKey;
    expect(verify({ privateKey }, { privateKeyId })).not.toThrow();
    expect(verify({ privateKeys: [privateKey] })).not.toThrow();
    expect(verify({ account: { ...account, walletDetails: { walletId } } })).not.toThrow();
  });

  test("is refused if it shows another account of the wallet than was asked for", () => {
    const { walletId, path, address } = account;
    for (const asked of [
      { walletId, path },
      { walletId, address },
      { walletId, path, address },
    ]) {
      expect(verify({ account: second }, asked)).toThrow(refused);
    }
  });

  test("is refused if it shows the account of another wallet, or another private key", () => {
    const other = "00000000-0000-4000-8000-000000000000";
    expect(verify({ account }, { walletId: other })).toThrow(refused);
    expect(verify({ accounts: [account] }, { walletId: other })).toThrow(refused);
    expect(verify({ privateKey }, { privateKeyId: other })).toThrow(refused);
  });

  test("takes an address in any case, and an asked field without a value as not asked", () => {
    const { walletId, address } = account;
    const upper = `0x${String(address).slice(2).toUpperCase()}`;
    expect(verify({ account }, { walletId, address: upper, path: undefined })).not.toThrow();
  });

  test.each([
    ["another address", () => ({ address: second.address })],
    ["no address", () => ({ address: null })],
    ["another path", () => ({ path: second.path })],
    ["no path", () => ({ path: undefined })],
    ["another wallet", () => ({ walletId: "00000000-0000-4000-8000-000000000000" })],
    ["no wallet", () => ({ walletId: undefined })],
    ["the proof of another account", () => ({ proof: second.proof })],
    ["the account and the proof of another organization", () => foreign],
    ["no proof", () => ({ proof: undefined })],
    ["a proof of another form", () => ({ proof: "proof" })],
    ["a statement about something else", () => ({ proof: outcome })],
  ])("is refused with %s", (_, change) => {
    const changed = { ...account, ...change() };
    expect(verify({ account: changed })).toThrow(refused);
    expect(verify({ accounts: [second, changed] })).toThrow(refused);
  });

  test("is refused with the addresses of a private key at another one, deep inside it too", () => {
    const changed = { ...privateKey, privateKeyId: "00000000-0000-4000-8000-000000000000" };
    expect(verify({ privateKey: changed })).toThrow(refused);
    const [first, last] = privateKey.addresses as Json[];
    const mixed = { ...privateKey, addresses: [first, { ...last, address: first?.address }] };
    expect(verify({ privateKeys: [privateKey, mixed] })).toThrow(refused);
  });

  test("is refused by the key of another quorum, with the address and the page that explains it", () => {
    const { organizationId } = organization;
    const verifyWith = (key: string) => () =>
      verifyAnswer(
        { account },
        { quorumPublicKey: key, organizationId, docsUrl: "https://docs.example.com/", asked: {} },
      );
    const [digit] = quorumPublicKey.slice(-1);
    const other = `${quorumPublicKey.slice(0, -1)}${digit === "0" ? "1" : "0"}`;
    expect(verifyWith(other)).toThrow(
      expect.objectContaining({
        code: "UNVERIFIED",
        docsUrl: "https://docs.example.com/",
        message: expect.stringContaining(`The address ${account.address} is not proven`),
      }),
    );
    expect(verifyWith("")).toThrow(refused);
  });

  test("shows at most 200 characters of an address that is not proven", () => {
    const changed = { ...account, address: "x".repeat(1000) };
    expect(verify({ account: changed })).toThrow(/^The address x{200} is not proven/);
  });

  test("may have members with other things in them, without an address", () => {
    expect(verify({ activity: null, count: 1, accounts: [] })).not.toThrow();
    expect(verify({ accounts: [null, 1, "text"] })).not.toThrow();
  });
});

describe("the answer to a vote", () => {
  const answered = (status: string, result: Json) => () =>
    verifyAnswer(
      { id: "a1", fingerprint: "sha256:00", status, votes: [], intent: {}, appProofs: [], result },
      {
        ...{ quorumPublicKey, organizationId: organization.organizationId, asked: {} },
        ...{ docsUrl: "https://docs.example.com/", path: "/public/v1/submit/approve_activity" },
      },
    );
  const result = { createUsersResult: { userIds: ["00000000-0000-4000-8000-000000000000"] } };

  test.each([
    "ACTIVITY_STATUS_COMPLETED",
    "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    "ACTIVITY_STATUS_PENDING",
    "ACTIVITY_STATUS_REJECTED",
  ])("is refused with a result that nobody stated, at %s", (status) => {
    expect(answered(status, result)).toThrow(refused);
  });

  test("passes without a result while it waits", () => {
    expect(answered("ACTIVITY_STATUS_CONSENSUS_NEEDED", {})).not.toThrow();
  });
});
