import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import type { Connection } from "@keyhearth/sdk";
import * as sdk from "@keyhearth/sdk";
import { createSolanaSigner } from "@keyhearth/sdk/solana";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { beforeAll, describe, expect, test } from "vitest";
import { connectionOf } from "../sdk/tampering.ts";

// A client that pins the quorum key, and a service all of whose proofs are true: the signer made them, for addresses of
// an organization that the host founded, and for other keys of the client's own organization.

const ethereum = (index: number) => ({
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: `m/44'/60'/0'/0/${index}`,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
});
const solana = {
  curve: "CURVE_ED25519",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/501'/0'/0'",
  addressFormat: "ADDRESS_FORMAT_SOLANA",
} as const;

type Shown = Record<string, unknown>;

let organization: TestOrganization;
/** What the host founded: it can export everything there. */
let foreign: TestOrganization;
let foreignAccount: Shown;
let quorumPublicKey: string;

beforeAll(async () => {
  organization = await newOrganization();
  foreign = await newOrganization(organization.server);
  const description = organization.server.signer.handle({ call: "describe" });
  if (description.kind !== "description") throw new Error("the signer did not describe itself");
  ({ quorumPublicKey } = description);
  [foreignAccount] = await accountsOf(foreign, ethereum(0));
});

async function accountsOf(
  { root }: TestOrganization,
  ...accounts: (ReturnType<typeof ethereum> | typeof solana)[]
): Promise<[Shown, ...Shown[]]> {
  const { walletId } = await root.createWallet({ walletName: crypto.randomUUID(), accounts });
  const [first, ...others] = (await root.listWalletAccounts({ walletId })).accounts;
  if (!first) throw new Error("the wallet has no account");
  return [first, ...others];
}

async function newPrivateKey({ root }: TestOrganization, curve: "ethereum" | "solana") {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: crypto.randomUUID(),
        curve: curve === "solana" ? solana.curve : "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: [curve === "solana" ? solana.addressFormat : "ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  return root.getPrivateKey({ privateKeyId: privateKeys[0]?.privateKeyId ?? "" });
}

/** A connection with a pinned key to a host that answers with this. */
function answeredWith(answer: (body: string) => unknown): Connection {
  return connectionOf(organization, {
    quorumPublicKey,
    fetch: async (_url, init) => Response.json(answer(String(init.body))),
  });
}

/** An activity that never was, for these bytes. */
function activityOf(body: string, resultKey: string, result: Shown, proofs: unknown[]) {
  const { organizationId } = organization;
  return {
    id: "01900000-0000-7000-8000-000000000000",
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    type: JSON.parse(body).type,
    intent: {},
    result: { [resultKey]: result },
    votes: [],
    appProofs: [],
    addressProofs: proofs,
    fingerprint: fingerprint(encodeUtf8(body)),
  };
}

function answeredWithResult(resultKey: string, result: Shown, ...shown: Shown[]): Connection {
  const proofs = shown.map(({ proof }) => proof);
  return answeredWith((body) => ({ activity: activityOf(body, resultKey, result, proofs) }));
}

/** Said to be those of a sub-organization that the request has made. */
function foreignResult(): Shown {
  const { walletId, address } = foreignAccount;
  return { walletId, addresses: [address], subOrganizationId: foreign.organizationId };
}

const refused = expect.objectContaining({ name: "Unverified", code: "UNVERIFIED" });

describe("a client that pins the key takes no address of another organization", () => {
  test("for a wallet, an account or an imported wallet of its own", async () => {
    const accounts = [ethereum(0)];
    const of = (key: string) => answeredWithResult(key, foreignResult(), foreignAccount);
    const { userId } = organization;
    const wallet = { walletName: "treasury", accounts };
    await expect(sdk.createWallet(of("createWalletResult"), wallet)).rejects.toEqual(refused);
    const [{ walletId }] = await accountsOf(organization, ethereum(0));
    const more = { walletId: String(walletId), accounts };
    await expect(sdk.createWalletAccounts(of("createWalletAccountsResult"), more)).rejects.toEqual(
      refused,
    );
    const imported = { userId, encryptedBundle: "{}", ...wallet };
    await expect(sdk.importWallet(of("importWalletResult"), imported)).rejects.toEqual(refused);
  });

  test("for a private key", async () => {
    const { privateKey } = await newPrivateKey(foreign, "ethereum");
    const [{ format, address, proof } = {}] = privateKey.addresses as Shown[];
    const { privateKeyId } = privateKey;
    const privateKeys = [{ privateKeyId, addresses: [{ format, address }] }];
    const result = { subOrganizationId: foreign.organizationId, privateKeys };
    const lie = answeredWithResult("createPrivateKeysResultV2", result, { proof });
    const asked = {
      privateKeyName: "key",
      curve: "CURVE_SECP256K1",
      privateKeyTags: [],
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
    } as const;
    await expect(
      sdk.createPrivateKeys(lie, {
        privateKeys: [{ ...asked, privateKeyTags: [], addressFormats: [...asked.addressFormats] }],
      }),
    ).rejects.toEqual(refused);
  });

  test("for a sub-organization that it has asked for, unless the signer states the outcome", async () => {
    const { walletId, addresses, subOrganizationId } = foreignResult();
    const result = { subOrganizationId, wallet: { walletId, addresses }, rootUserIds: [] };
    const rootUser = { userName: "Ada", apiKeys: [], authenticators: [], oauthProviders: [] };
    const asked = {
      subOrganizationName: "ada",
      rootQuorumThreshold: 1,
      rootUsers: [rootUser],
      wallet: { walletName: "w", accounts: [ethereum(0)] },
    };
    const lie = answeredWithResult("createSubOrganizationResultV7", result, foreignAccount);
    await expect(sdk.createSubOrganization(lie, asked)).rejects.toEqual(refused);
    const empty = answeredWithResult("createSubOrganizationResultV7", { subOrganizationId });
    await expect(sdk.createSubOrganization(empty, asked)).rejects.toEqual(refused);
  });

  test("in an activity that it reads", async () => {
    const body = JSON.stringify({ type: "ACTIVITY_TYPE_CREATE_WALLET" });
    const { proof } = foreignAccount;
    const activity = activityOf(body, "createWalletResult", foreignResult(), [proof]);
    const { id: activityId } = activity;
    const one = answeredWith(() => ({ activity }));
    await expect(sdk.getActivity(one, { activityId })).rejects.toEqual(refused);
    const list = answeredWith(() => ({ activities: [activity] }));
    await expect(sdk.listActivities(list)).rejects.toEqual(refused);
  });
});

describe("a client that pins the key takes no other key of its organization", () => {
  test("as the private key that it named, or as one of a list", async () => {
    const { privateKey } = await newPrivateKey(organization, "solana");
    const { privateKeyId } = privateKey;
    const [other] = await accountsOf(organization, solana);
    const { addressFormat: format, address, proof, walletId, path, publicKey } = other;
    for (const place of [{ walletId, path }, { walletId }, { path }, {}]) {
      const addresses = [{ format, address, proof, ...place }];
      const lie = { ...privateKey, publicKey, addresses };
      const one = () => answeredWith(() => ({ privateKey: lie }));
      await expect(sdk.getPrivateKey(one(), { privateKeyId })).rejects.toEqual(refused);
      await expect(createSolanaSigner(one(), { privateKeyId })).rejects.toEqual(refused);
      const list = answeredWith(() => ({ privateKeys: [lie] }));
      await expect(sdk.listPrivateKeys(list)).rejects.toEqual(refused);
    }
  });

  test("as the private key that signs for viem", async () => {
    const { privateKey } = await newPrivateKey(organization, "ethereum");
    const [{ addressFormat: format, publicKey, ...other }] = await accountsOf(
      organization,
      ethereum(0),
    );
    const lie = { ...privateKey, publicKey, addresses: [{ format, ...other }] };
    const connection = answeredWith(() => ({ privateKey: lie }));
    const signWith = privateKey.privateKeyId;
    await expect(createViemAccount({ connection, signWith })).rejects.toEqual(refused);
  });

  test("as an account of the wallet that it named", async () => {
    const [{ path, ...real }] = await accountsOf(organization, ethereum(0));
    const { privateKey } = await newPrivateKey(organization, "ethereum");
    const { privateKeyId, publicKey } = privateKey;
    const [{ address, proof } = {}] = privateKey.addresses as Shown[];
    const walletId = String(real.walletId);
    for (const more of [{ privateKeyId }, { privateKeyId, walletId: undefined }, { path }]) {
      const lie = { accounts: [{ ...real, address, proof, publicKey, ...more }] };
      const connection = answeredWith(() => lie);
      await expect(sdk.listWalletAccounts(connection, { walletId })).rejects.toEqual(refused);
    }
  });

  test("in the result of a request for accounts, nor at other paths", async () => {
    const [{ walletId }] = await accountsOf(organization, ethereum(0));
    const others = await accountsOf(organization, ethereum(3), ethereum(4));
    const asked = { walletId: String(walletId), accounts: [ethereum(3)] };
    const lies: [Shown, Shown[]][] = [
      [{ walletId: others[0].walletId, addresses: [others[0].address] }, [others[0]]],
      [{ addresses: others.map(({ address }) => address) }, others],
    ];
    for (const [result, shown] of lies) {
      const lie = answeredWithResult("createWalletAccountsResult", result, ...shown);
      await expect(sdk.createWalletAccounts(lie, asked)).rejects.toEqual(refused);
      const body = JSON.stringify({ type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS" });
      const proofs = shown.map(({ proof }) => proof);
      const activity = {
        ...activityOf(body, "createWalletAccountsResult", result, proofs),
        intent: { createWalletAccountsIntent: asked },
      };
      const read = answeredWith(() => ({ activity }));
      await expect(sdk.getActivity(read, { activityId: activity.id })).rejects.toEqual(refused);
    }
  });

  test("for a wallet that the stamped request does not name, whatever the intent says", async () => {
    const [{ walletId: ownId }] = await accountsOf(organization, ethereum(0));
    const [another] = await accountsOf(organization, ethereum(3));
    const message = JSON.stringify({
      type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
      organizationId: organization.organizationId,
      parameters: { walletId: ownId, accounts: [ethereum(3)] },
    });
    const result = { addresses: [another.address] };
    const read = (walletId: unknown) => {
      const activity = {
        ...activityOf(message, "createWalletAccountsResult", result, [another.proof]),
        intent: { createWalletAccountsIntent: { walletId, accounts: [ethereum(3)] } },
        votes: [{ message }],
      };
      const connection = answeredWith(() => ({ activity }));
      return sdk.getActivity(connection, { activityId: activity.id });
    };
    for (const walletId of [ownId, another.walletId, undefined]) {
      await expect(read(walletId)).rejects.toEqual(refused);
    }
  });

  test("without any key that it belongs to", async () => {
    const [account] = await accountsOf(organization, ethereum(0));
    const body = JSON.stringify({ type: "ACTIVITY_TYPE_CREATE_WALLET" });
    const result = { addresses: [account.address] };
    const activity = activityOf(body, "createWalletResult", result, [account.proof]);
    const read = answeredWith(() => ({ activity }));
    await expect(sdk.getActivity(read, { activityId: activity.id })).rejects.toEqual(refused);
  });
});
