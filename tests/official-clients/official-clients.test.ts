import { decodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { verifyEd25519 } from "@keyhearth/crypto/keys/verify";
import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import { hashMessage, keccak256, recoverAddress, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ApiKeyPair,
  apiKeyParams,
  newApiKeyPair,
  type Release,
  releases,
  rootUserParams,
} from "./clients.ts";
import { type Product, startProduct } from "./product.ts";

let product: Product;

beforeAll(async () => {
  product = await startProduct();
});

afterAll(async () => {
  await product?.stop();
});

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const timestamp = { seconds: expect.stringMatching(/^\d+$/), nanos: expect.any(String) };
const unknownId = "11111111-1111-4111-8111-111111111111";

const accounts = [ethereumAccount(0), ethereumAccount(1), solanaAccount(0)];

describe.each(releases)("$name", (release) => {
  let root: TurnkeyApiClient;

  beforeAll(() => {
    root = connectRoot(release);
  });

  test("whoami names the organization and the user of the key", async () => {
    expect(await root.getWhoami()).toEqual({
      organizationId: product.root.organizationId,
      organizationName: expect.any(String),
      userId: product.root.userId,
      username: expect.any(String),
    });
  });

  describe("a wallet", () => {
    let walletId: string;
    let ethereum: string;
    let solana: string;

    beforeAll(async () => {
      const created = await root.createWallet({ walletName: unique("wallet"), accounts });
      expect(created.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
      expect(created.activity.type).toBe("ACTIVITY_TYPE_CREATE_WALLET");
      expect(created.walletId).toEqual(uuid);
      const [first = "", second = "", third = ""] = created.addresses;
      expect(first).toMatch(/^0x[0-9a-fA-F]{40}$/);
      expect(second).toMatch(/^0x[0-9a-fA-F]{40}$/);
      expect(second).not.toBe(first);
      expect(decodeBase58(third)).toHaveLength(32);
      walletId = created.walletId;
      ethereum = first;
      solana = third;
    });

    test("signs text with keccak256 so that the signer recovers to the address", async () => {
      const { r, s, v } = await root.signRawPayload({
        signWith: ethereum,
        payload: "hello",
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_KECCAK256",
      });
      expect(await recover(keccak256(toHex("hello")), { r, s, v })).toBe(ethereum);
    });

    test("signs a digest as the viem adapter sends it", async () => {
      const digest = hashMessage("hello");
      const { activity, r, s, v } = await root.signRawPayload({
        signWith: ethereum,
        payload: digest,
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      });
      expect(activity.intent.signRawPayloadIntentV2).toMatchObject({ payload: digest });
      expect(await recover(digest, { r, s, v })).toBe(ethereum);
    });

    test("signs several payloads in their order", async () => {
      const payloads = ["one", "two", "three"];
      const { signatures = [] } = await root.signRawPayloads({
        signWith: ethereum,
        payloads,
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_KECCAK256",
      });
      expect(signatures).toHaveLength(3);
      for (const [i, signature] of signatures.entries()) {
        expect(await recover(keccak256(toHex(payloads[i] ?? "")), signature)).toBe(ethereum);
      }
    });

    test("signs with Ed25519 over the payload itself", async () => {
      const { r, s, v } = await root.signRawPayload({
        signWith: solana,
        payload: "68656c6c6f",
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
      });
      expect(v).toBe("00");
      expect(verifyEd25519(decodeBase58(solana), encodeUtf8("hello"), decodeHex(r + s))).toBe(true);
    });

    test("is shown by the queries, and takes further accounts", async () => {
      const { addresses } = await root.createWalletAccounts({
        walletId,
        accounts: [ethereumAccount(2)],
      });
      expect(addresses).toEqual([expect.stringMatching(/^0x/)]);

      const { wallet } = await root.getWallet({ walletId });
      expect(wallet).toEqual({
        walletId,
        walletName: expect.stringMatching(/^wallet/),
        createdAt: timestamp,
        updatedAt: timestamp,
        exported: false,
        imported: false,
      });
      const { wallets } = await root.getWallets();
      expect(wallets.map((entry) => entry.walletId)).toContain(walletId);

      const listed = (await root.getWalletAccounts({ walletId })).accounts;
      expect(listed.map(({ address }) => address)).toEqual(
        expect.arrayContaining([ethereum, solana, ...addresses]),
      );
      expect(listed).toHaveLength(4);
      const { account } = await root.getWalletAccount({ walletId, address: ethereum });
      expect(account).toMatchObject({
        walletAccountId: uuid,
        organizationId: product.root.organizationId,
        walletId,
        ...ethereumAccount(0),
        address: ethereum,
        createdAt: timestamp,
        updatedAt: timestamp,
      });
      const byPath = await root.getWalletAccount({ walletId, path: ethereumAccount(1).path });
      expect(byPath.account).toMatchObject(ethereumAccount(1));
    });

    test("pages its accounts after an account id", async () => {
      const paged: string[] = [];
      for (let after: string | undefined; paged.length < 10; ) {
        const paginationOptions = { limit: "2", ...(after ? { after } : {}) };
        const page = (await root.getWalletAccounts({ walletId, paginationOptions })).accounts;
        paged.push(...page.map(({ address }) => address));
        after = page.at(-1)?.walletAccountId;
        if (page.length < 2) break;
      }
      const all = (await root.getWalletAccounts({ walletId })).accounts;
      expect(paged.sort()).toEqual(all.map(({ address }) => address).sort());
    });
  });

  test("private keys are created with their addresses, shown and used", async () => {
    const privateKeyName = unique("key");
    const { privateKeys } = await root.createPrivateKeys({
      privateKeys: [
        {
          privateKeyName,
          curve: "CURVE_SECP256K1",
          privateKeyTags: [],
          addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        },
      ],
    });
    const [{ privateKeyId = "", addresses = [] } = {}] = privateKeys;
    expect(addresses).toEqual([
      { format: "ADDRESS_FORMAT_ETHEREUM", address: expect.stringMatching(/^0x/) },
    ]);
    const { privateKey } = await root.getPrivateKey({ privateKeyId });
    expect(privateKey).toMatchObject({
      privateKeyId,
      privateKeyName,
      curve: "CURVE_SECP256K1",
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      addresses,
      privateKeyTags: [],
      exported: false,
      imported: false,
    });
    const listed = (await root.getPrivateKeys()).privateKeys;
    expect(listed.map((entry) => entry.privateKeyId)).toContain(privateKeyId);

    const digest = hashMessage("by id");
    const signature = await root.signRawPayload({
      signWith: privateKeyId,
      payload: digest,
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
    expect(await recover(digest, signature)).toBe(addresses[0]?.address);
  });

  test("a second user has a key and no rights, until the key is deleted", async () => {
    const key = newApiKeyPair();
    const userName = unique("user");
    const { userIds } = await root.createUsers({
      users: [
        {
          userName,
          apiKeys: [apiKeyParams(key)],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    });
    const [userId = ""] = userIds;
    const second = release.connect(product.url, product.root.organizationId, key);
    expect(await second.getWhoami()).toMatchObject({ userId, username: userName });
    expect((await second.getUser({ userId: product.root.userId })).user.userId).toBe(
      product.root.userId,
    );
    await expect(second.createWallet({ walletName: unique("no"), accounts: [] })).rejects.toThrow(
      /Turnkey error 7: /,
    );

    const { user } = await root.getUser({ userId });
    expect(user).toMatchObject({ userId, userName, authenticators: [], oauthProviders: [] });
    const [apiKey] = user.apiKeys;
    expect(apiKey).toMatchObject({
      credential: { publicKey: key.apiPublicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
      apiKeyId: uuid,
      createdAt: timestamp,
    });
    const apiKeyId = apiKey?.apiKeyId ?? "";
    expect((await root.getApiKey({ apiKeyId })).apiKey.apiKeyId).toBe(apiKeyId);
    expect((await root.getApiKeys({ userId })).apiKeys).toHaveLength(1);
    expect((await root.getUsers()).users.map((entry) => entry.userId)).toContain(userId);

    const { userTagId, activity } = await root.createUserTag({
      userTagName: unique("tag"),
      userIds: [userId],
    });
    expect(activity.result.createUserTagResult).toEqual({ userTagId, userIds: [userId] });
    expect((await root.getUser({ userId })).user.userTags).toEqual([userTagId]);

    const spare = newApiKeyPair();
    const { apiKeyIds } = await root.createApiKeys({ userId, apiKeys: [apiKeyParams(spare)] });
    expect(apiKeyIds).toEqual([uuid]);
    await root.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });
    await expect(second.getWhoami()).rejects.toThrow(
      "could not find public key in organization or its parent organization",
    );
  });

  describe("a sub-organization", () => {
    const key = newApiKeyPair();
    const subOrganizationName = unique("sub");
    let subOrganizationId: string;
    let address: string;
    let sub: TurnkeyApiClient;

    beforeAll(async () => {
      const created = await root.createSubOrganization({
        subOrganizationName,
        rootUsers: [rootUserParams("owner", key)],
        rootQuorumThreshold: 1,
        wallet: { walletName: "default", accounts: [ethereumAccount(0)] },
      });
      expect(created.activity.organizationId).toBe(product.root.organizationId);
      expect(created.rootUserIds).toEqual([uuid]);
      expect(created.wallet).toEqual({ walletId: uuid, addresses: [expect.any(String)] });
      subOrganizationId = created.subOrganizationId;
      address = created.wallet?.addresses[0] ?? "";
      sub = release.connect(product.url, subOrganizationId, key);
    });

    test("belongs to its root user, whom the parent finds too", async () => {
      const whoami = { organizationId: subOrganizationId, username: "owner" };
      expect(await sub.getWhoami()).toMatchObject(whoami);
      const throughParent = release.connect(product.url, product.root.organizationId, key);
      expect(await throughParent.getWhoami()).toMatchObject(whoami);
    });

    test("signs for its root user and not for the parent", async () => {
      const digest = hashMessage("sub");
      const payload = {
        signWith: address,
        payload: digest,
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      } as const;
      expect(await recover(digest, await sub.signRawPayload(payload))).toBe(address);
      // The clients take a 401 as the end of the session.
      await expect(
        root.signRawPayload({ ...payload, organizationId: subOrganizationId }),
      ).rejects.toThrow("Turnkey error 7: request not authorized");
    });

    test("can be read and found by the parent", async () => {
      const { wallets } = await root.getWallets({ organizationId: subOrganizationId });
      expect(wallets.map(({ walletName }) => walletName)).toEqual(["default"]);
      const { configs } = await root.getOrganizationConfigs({ organizationId: subOrganizationId });
      expect(configs.quorum).toEqual({ threshold: 1, userIds: [uuid] });
      const { organizationIds } = await root.getSubOrgIds({
        filterType: "NAME",
        filterValue: subOrganizationName,
      });
      expect(organizationIds).toEqual([subOrganizationId]);
      const byKey = await root.getSubOrgIds({
        filterType: "PUBLIC_KEY",
        filterValue: key.apiPublicKey,
      });
      expect(byKey.organizationIds).toEqual([subOrganizationId]);
      const all = await root.getSubOrgIds({ paginationOptions: { limit: "100" } });
      expect(all.organizationIds).toContain(subOrganizationId);
    });

    test("can have a wallet before its user has a credential", async () => {
      const rootUser = { userName: "later", userEmail: "later@example.com" };
      const created = await root.createSubOrganization({
        subOrganizationName: "",
        rootUsers: [{ ...rootUser, apiKeys: [], authenticators: [], oauthProviders: [] }],
        rootQuorumThreshold: 1,
        wallet: { walletName: "default", accounts: [ethereumAccount(0)] },
      });
      expect(created.wallet?.addresses).toEqual([expect.stringMatching(/^0x/)]);
      await expect(
        root.createSubOrganization({
          subOrganizationName: unique("locked out"),
          rootUsers: [{ userName: "never", apiKeys: [], authenticators: [], oauthProviders: [] }],
          rootQuorumThreshold: 1,
        }),
      ).rejects.toThrow("Turnkey error 3: user missing valid credential: ");
    });

    test("takes no vote of the parent's users", async () => {
      const fingerprint = `sha256:${"0".repeat(64)}`;
      const organizationId = subOrganizationId;
      await expect(root.approveActivity({ fingerprint, organizationId })).rejects.toThrow(
        `Turnkey error 3: organization mismatch: request is targeting organization (${organizationId}), but voters are in organization (${product.root.organizationId})`,
      );
    });

    test("cannot have sub-organizations of its own", async () => {
      await expect(
        sub.createSubOrganization({
          subOrganizationName: unique("deeper"),
          rootUsers: [rootUserParams("owner", newApiKeyPair())],
          rootQuorumThreshold: 1,
        }),
      ).rejects.toThrow(/^Turnkey error \d+: /);
    });
  });

  describe("with a root quorum of two of three", () => {
    let quorum: Quorum;

    beforeAll(async () => {
      quorum = await newQuorum(release, root);
    });

    test("the configuration shows it", async () => {
      const { configs } = await quorum.ada.getOrganizationConfigs({
        organizationId: quorum.organizationId,
      });
      expect(configs.quorum?.threshold).toBe(2);
      expect([...(configs.quorum?.userIds ?? [])].sort()).toEqual([...quorum.userIds].sort());
    });

    test("the second approval completes the activity, once, and returns its result", async () => {
      const walletName = unique("shared");
      const { activity } = await quorum.ada.createWallet({ walletName, accounts });
      expect(activity).toMatchObject({
        status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
        organizationId: quorum.organizationId,
        fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        failure: null,
      });
      expect(activity.votes).toHaveLength(1);
      expect(await walletNames(quorum.ada)).not.toContain(walletName);
      const asked = (await quorum.bea.getActivity({ activityId: activity.id })).activity;
      expect(asked.canApprove).toBe(true);
      const waiting = await quorum.bea.getActivities({
        filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
      });
      expect(waiting.activities.map(({ id }) => id)).toContain(activity.id);

      const { fingerprint } = activity;
      const approved = await quorum.bea.approveActivity({ fingerprint });
      expect(approved.activity).toMatchObject({
        id: activity.id,
        type: "ACTIVITY_TYPE_CREATE_WALLET",
        status: "ACTIVITY_STATUS_COMPLETED",
        result: { createWalletResult: { walletId: uuid, addresses: expect.any(Array) } },
      });
      expect(approved.activity.votes.map(({ selection }) => selection)).toEqual([
        "VOTE_SELECTION_APPROVED",
        "VOTE_SELECTION_APPROVED",
      ]);

      await quorum.cleo.approveActivity({ fingerprint }).catch(() => undefined);
      const names = await walletNames(quorum.ada);
      expect(names.filter((name) => name === walletName)).toHaveLength(1);
    });

    test("the same request by a second user counts as an approval", async () => {
      const input = {
        walletName: unique("twice"),
        accounts: [ethereumAccount(0)],
        timestampMs: String(Date.now()),
      };
      const first = await quorum.ada.createWallet(input);
      expect(first.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
      const second = await quorum.bea.createWallet(input);
      expect(second.activity).toMatchObject({
        id: first.activity.id,
        status: "ACTIVITY_STATUS_COMPLETED",
      });
      expect(second.walletId).toEqual(uuid);
      const again = await quorum.ada.createWallet(input);
      expect(again.walletId).toBe(second.walletId);
    });

    test("two approvals at once execute it once", async () => {
      const walletName = unique("race");
      const { activity } = await quorum.ada.createWallet({ walletName, accounts: [] });
      const { fingerprint } = activity;
      const outcomes = await Promise.allSettled([
        quorum.bea.approveActivity({ fingerprint }),
        quorum.cleo.approveActivity({ fingerprint }),
      ]);
      expect(outcomes.map(({ status }) => status)).toContain("fulfilled");
      const finished = (await quorum.ada.getActivity({ activityId: activity.id })).activity;
      expect(finished.status).toBe("ACTIVITY_STATUS_COMPLETED");
      const names = await walletNames(quorum.ada);
      expect(names.filter((name) => name === walletName)).toHaveLength(1);
    });

    test("rejected by the two others, it ends without effect", async () => {
      const walletName = unique("rejected");
      const { activity } = await quorum.ada.createWallet({ walletName, accounts: [] });
      const { fingerprint } = activity;
      await quorum.bea.rejectActivity({ fingerprint });
      const rejected = await quorum.cleo.rejectActivity({ fingerprint });
      expect(rejected.activity).toMatchObject({
        id: activity.id,
        status: "ACTIVITY_STATUS_REJECTED",
      });
      await expect(quorum.ada.approveActivity({ fingerprint })).rejects.toThrow(/^Turnkey error/);
      expect(await walletNames(quorum.ada)).not.toContain(walletName);
    });

    test("an unknown fingerprint is not found", async () => {
      const fingerprint = `sha256:${"0".repeat(64)}`;
      await expect(quorum.ada.approveActivity({ fingerprint })).rejects.toThrow(
        "Turnkey error 5: No activity found with fingerprint. " +
          "Consensus activities must target an existing activity by fingerprint",
      );
    });
  });

  describe("activities", () => {
    test("are read back in full", async () => {
      const created = await root.createWallet({ walletName: unique("read"), accounts: [] });
      const { activity } = await root.getActivity({ activityId: created.activity.id });
      expect(activity).toEqual(created.activity);
      expect(activity).toMatchObject({
        organizationId: product.root.organizationId,
        intent: { createWalletIntent: { walletName: expect.any(String), accounts: [] } },
        result: { createWalletResult: { walletId: created.walletId, addresses: [] } },
        fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        createdAt: timestamp,
        updatedAt: timestamp,
        failure: null,
      });
      expect(activity.votes).toMatchObject([
        {
          userId: product.root.userId,
          user: { userId: product.root.userId },
          activityId: activity.id,
          selection: "VOTE_SELECTION_APPROVED",
          message: expect.stringContaining('"ACTIVITY_TYPE_CREATE_WALLET"'),
          publicKey: product.root.apiPublicKey,
          scheme: "SIGNATURE_SCHEME_TK_API_P256",
        },
      ]);
    });

    test("are listed newest first, by pages and by type", async () => {
      const wanted: string[] = [];
      for (let i = 0; i < 3; i++) {
        const { activity } = await root.createWallet({ walletName: unique("list"), accounts: [] });
        wanted.unshift(activity.id);
      }
      const filterByType = ["ACTIVITY_TYPE_CREATE_WALLET" as const];
      const first = await root.getActivities({ filterByType, paginationOptions: { limit: "2" } });
      const before = first.activities.at(-1)?.id ?? "";
      const second = await root.getActivities({
        filterByType,
        paginationOptions: { limit: "1", before },
      });
      const ids = [...first.activities, ...second.activities].map(({ id }) => id);
      expect(ids).toEqual(wanted);
    });

    test("of the same bytes are one activity", async () => {
      const input = {
        walletName: unique("same"),
        accounts: [],
        timestampMs: String(Date.now()),
      };
      const first = await root.createWallet(input);
      const second = await root.createWallet(input);
      expect(second.activity.id).toBe(first.activity.id);
      expect(second.walletId).toBe(first.walletId);
    });
  });

  describe("errors", () => {
    test("of an unknown key say that it could not be found", async () => {
      const stranger = release.connect(product.url, product.root.organizationId, newApiKeyPair());
      const message = "could not find public key in organization or its parent organization";
      await expect(stranger.getWhoami()).rejects.toThrow(message);
      await expect(
        stranger.createWallet({ walletName: unique("no"), accounts: [] }),
      ).rejects.toThrow(message);
    });

    test("of an expired key say so in the words that end a session", async () => {
      const key = newApiKeyPair();
      await root.createApiKeys({
        userId: product.root.userId,
        apiKeys: [apiKeyParams(key, "4")],
      });
      const short = release.connect(product.url, product.root.organizationId, key);
      expect(await short.getWhoami()).toMatchObject({ userId: product.root.userId });
      const refusal = () =>
        short.getWhoami().then(
          () => "",
          (error) => String(error),
        );
      await expect
        .poll(refusal, { interval: 200 })
        .toContain(`Unauthenticated desc = expired api key publicKey=${key.apiPublicKey}`);
    });

    test("of a key that is not the stamp's are refused", async () => {
      const { apiPublicKey } = product.root;
      const { apiPrivateKey } = newApiKeyPair();
      // On some runtimes the client itself notices. Either way there is no answer.
      const forged = release.connect(product.url, product.root.organizationId, {
        apiPublicKey,
        apiPrivateKey,
      });
      await expect(forged.getWhoami()).rejects.toThrow();
    });

    test("of a taken name or path have code 6, of an unknown thing code 5", async () => {
      const walletName = unique("taken");
      const { walletId } = await root.createWallet({ walletName, accounts: [ethereumAccount(0)] });
      await expect(
        root.createWalletAccounts({ walletId, accounts: [ethereumAccount(0)] }),
      ).rejects.toThrow(/^Turnkey error 6: /);
      await expect(root.getWallet({ walletId: unknownId })).rejects.toThrow(/^Turnkey error 5: /);
      await expect(root.getActivity({ activityId: unknownId })).rejects.toThrow(
        /^Turnkey error 5: /,
      );
    });

    test("of unknown users, accounts and organizations have the texts that programs look for", async () => {
      const { organizationId } = product.root;
      await expect(root.getUser({ userId: unknownId })).rejects.toThrow(
        `unable to find user ${unknownId} in organization ${organizationId}`,
      );
      const { walletId } = await root.createWallet({ walletName: unique("empty"), accounts: [] });
      await expect(root.getWalletAccount({ walletId, address: "0x00" })).rejects.toThrow(
        "Could not find wallet account with address: 0x00",
      );
      await expect(
        root.createWallet({ walletName: "w", accounts: [], organizationId: unknownId }),
      ).rejects.toThrow("Turnkey error 3: failed to load organizations");
    });

    test("of parameters have code 3 and details", async () => {
      const failed = root.signRawPayload({
        signWith: unknownId,
        payload: "00",
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      });
      await expect(failed).rejects.toThrow(/^Turnkey error (3|5): /);
      await expect(
        root.createWallet({ walletName: unique("words"), accounts: [], mnemonicLength: 13 }),
      ).rejects.toMatchObject({ code: 3, details: expect.any(Array) });
    });
  });
});

type Quorum = {
  organizationId: string;
  userIds: string[];
  ada: TurnkeyApiClient;
  bea: TurnkeyApiClient;
  cleo: TurnkeyApiClient;
};

/** A sub-organization of three root users, two of whom must agree to anything. */
async function newQuorum(release: Release, root: TurnkeyApiClient): Promise<Quorum> {
  const keys: [ApiKeyPair, ApiKeyPair, ApiKeyPair] = [
    newApiKeyPair(),
    newApiKeyPair(),
    newApiKeyPair(),
  ];
  const names = ["ada", "bea", "cleo"];
  const { subOrganizationId, rootUserIds = [] } = await root.createSubOrganization({
    subOrganizationName: unique("quorum"),
    rootUsers: keys.map((key, i) => rootUserParams(names[i] ?? "", key)),
    rootQuorumThreshold: 1,
  });
  const [ada, bea, cleo] = keys.map((key) => release.connect(product.url, subOrganizationId, key));
  if (!ada || !bea || !cleo) throw new Error("three keys make three clients");
  const updated = await ada.updateRootQuorum({ threshold: 2, userIds: rootUserIds });
  expect(updated.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  return { organizationId: subOrganizationId, userIds: rootUserIds, ada, bea, cleo };
}

function connectRoot(release: Release): TurnkeyApiClient {
  return release.connect(product.url, product.root.organizationId, product.root);
}

async function walletNames(client: TurnkeyApiClient): Promise<string[]> {
  return (await client.getWallets()).wallets.map(({ walletName }) => walletName);
}

function ethereumAccount(index: number) {
  return {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  } as const;
}

function solanaAccount(index: number) {
  return {
    curve: "CURVE_ED25519",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/501'/${index}'/0'`,
    addressFormat: "ADDRESS_FORMAT_SOLANA",
  } as const;
}

/** The address whose key made the signature, computed by a library that is not ours. */
async function recover(hash: `0x${string}`, { r, s, v }: { r: string; s: string; v: string }) {
  expect(r).toMatch(/^[0-9a-f]{64}$/);
  expect(s).toMatch(/^[0-9a-f]{64}$/);
  expect(v).toMatch(/^0[01]$/);
  return recoverAddress({ hash, signature: { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } });
}

let counter = 0;

function unique(name: string): string {
  counter++;
  return `${name} ${process.pid} ${counter}`;
}
