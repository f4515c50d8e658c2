import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestOrganization,
} from "@keyhearth/api/testing";
import { describe, expect, test } from "vitest";
import { KeyhearthClient } from "./client.ts";
import type { PollOptions } from "./connection/poll.ts";
import type { Fetch } from "./connection/request.ts";
import { ConsensusNeeded } from "./errors/errors.ts";
import { ApiKeyStamper } from "./stampers/api-key.ts";

const ethereum = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

describe("against the service, the client", () => {
  test("creates a wallet, signs with it and reads it back", async () => {
    const { root, organizationId, userId } = await newOrganization();
    expect(await root.whoami()).toMatchObject({ organizationId, userId });
    const { walletId, addresses } = await root.createWallet({
      walletName: "treasury",
      accounts: [ethereum],
    });
    const signature = await root.signRawPayload({
      signWith: addresses[0] ?? "",
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    });
    expect(signature).toMatchObject({
      r: expect.stringMatching(/^[0-9a-f]{64}$/),
      s: expect.stringMatching(/^[0-9a-f]{64}$/),
      v: expect.stringMatching(/^0[01]$/),
    });
    const { accounts } = await root.listWalletAccounts({ walletId });
    expect(accounts.map(({ address }) => address)).toEqual(addresses);
  });

  test("sends an older version and returns the result of that version", async () => {
    const { root } = await newOrganization();
    const { privateKeyIds } = await root.createPrivateKeys(
      {
        privateKeys: [
          {
            privateKeyName: "cold",
            curve: "CURVE_ED25519",
            privateKeyTags: [],
            addressFormats: ["ADDRESS_FORMAT_SOLANA"],
          },
        ],
      },
      { type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS" },
    );
    const [privateKeyId = ""] = privateKeyIds;
    const { privateKey } = await root.getPrivateKey({ privateKeyId });
    expect(privateKey).toMatchObject({ privateKeyName: "cold", curve: "CURVE_ED25519" });
  });

  test("shows in an error what is wrong, where, and which page explains it", async () => {
    const { root } = await newOrganization();
    await expect(root.createWallet({ walletName: "", accounts: [] })).rejects.toMatchObject({
      code: "FIELD_INVALID",
      grpcCode: 3,
      httpStatus: 400,
      field: "parameters.walletName",
      docsUrl: expect.stringMatching(/^http:\/\/[^/]+\/developer-reference\/api-overview\/errors/),
    });
    const stranger = clientOf(...strangerTo(await newOrganization()));
    await expect(stranger.whoami()).rejects.toMatchObject({
      code: "CREDENTIAL_NOT_FOUND",
      grpcCode: 16,
      httpStatus: 401,
    });
  });

  test("waits for an activity that outlives its request", async () => {
    const server = await startTestServer();
    try {
      const { organizationId, rootKey } = await newOrganization(server);
      server.host.commitDeadlineMs = 200;
      const { run } = server.store;
      // A database that is slow to commit.
      server.store.run = async (...statement) => {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return run(...statement);
      };
      const statuses: string[] = [];
      const client = clientThrough(organizationId, rootKey, async (url, init) => {
        const response = await server.fetch(url, init);
        const { activity } = await response.clone().json();
        statuses.push(activity.status);
        return response;
      });
      const { walletId } = await client.createWallet({ walletName: "slow", accounts: [] });
      expect(walletId).toMatch(/^[0-9a-f-]{36}$/);
      expect(statuses[0]).toBe("ACTIVITY_STATUS_PENDING");
      expect(statuses.at(-1)).toBe("ACTIVITY_STATUS_COMPLETED");

      const poll = { intervalMs: 10, timeoutMs: 50 };
      const impatient = clientThrough(organizationId, rootKey, server.fetch, poll);
      const error = await caught(impatient.createWallet({ walletName: "later", accounts: [] }));
      expect(error).toMatchObject({
        name: "Unavailable",
        code: "POLL_TIMEOUT",
        message: expect.stringMatching(/did not finish within 50 ms. Read it again later/),
        docsUrl: expect.stringMatching(/errors#poll-timeout$/),
        activityStatus: "ACTIVITY_STATUS_PENDING",
      });
    } finally {
      await server.stop();
    }
  });
});

describe("against the service, with a root quorum of two,", () => {
  test("the second user approves what the first one stamped, and both get the result", async () => {
    const { ada, bob } = await newPair();
    const wallet = { walletName: "shared", accounts: [ethereum] };
    const timestampMs = String(Date.now());
    const waiting = await caught(ada.createWallet(wallet, { timestampMs }));
    if (!(waiting instanceof ConsensusNeeded)) throw waiting;

    const { activity, result } = await bob.approve(
      waiting.activity.id,
      ({ type, parameters }) =>
        type === "ACTIVITY_TYPE_CREATE_WALLET" && parameters.walletName === "shared",
    );
    expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    const { walletId } = await ada.createWallet(wallet, { timestampMs });
    expect(result).toMatchObject({ walletId });
  });

  test("the same bytes from the second user are an approval", async () => {
    const { ada, bob } = await newPair();
    const waiting = await caught(ada.createWallet({ walletName: "bytes", accounts: [] }));
    if (!(waiting instanceof ConsensusNeeded)) throw waiting;
    const body = waiting.activity.votes[0]?.message ?? "";
    const answer = await bob.request("/public/v1/submit/create_wallet", body);
    expect(answer).toMatchObject({
      activity: { id: waiting.activity.id, status: "ACTIVITY_STATUS_COMPLETED" },
    });
  });

  test("a rejected activity stays rejected", async () => {
    const { ada, bob } = await newPair();
    const waiting = await caught(ada.createWallet({ walletName: "no", accounts: [] }));
    if (!(waiting instanceof ConsensusNeeded)) throw waiting;
    const { activity } = await bob.reject(waiting.activity);
    expect(activity.status).toBe("ACTIVITY_STATUS_REJECTED");
    await expect(bob.approve(waiting.activity, () => true)).rejects.toMatchObject({
      code: "ACTIVITY_NOT_PENDING",
    });
  });

  test("a host that shows a different request from the one it wants approved gets no stamp", async () => {
    const { ada, bobThrough, server } = await newPair();
    const bad = await caught(ada.createWallet({ walletName: "bad", accounts: [] }));
    const good = await caught(ada.createWallet({ walletName: "good", accounts: [] }));
    if (!(bad instanceof ConsensusNeeded)) throw bad;
    if (!(good instanceof ConsensusNeeded)) throw good;
    const paths: string[] = [];
    // Fingerprint and id are those of the bad request; everything that a person sees is the good one.
    const lying = bobThrough(async (url, init) => {
      paths.push(new URL(url).pathname);
      const { id, fingerprint } = bad.activity;
      if (!url.endsWith("/get_activity")) return server.fetch(url, init);
      return Response.json({ activity: { ...good.activity, id, fingerprint } });
    });
    await expect(lying.approve(bad.activity.id, () => true)).rejects.toMatchObject({
      code: "UNVERIFIED",
    });
    expect(paths).toEqual(["/public/v1/query/get_activity"]);
  });
});

/** A sub-organization in which ada and bob must agree. */
async function newPair() {
  const { root, server } = await newOrganization();
  const keys = { ada: newKey(), bob: newKey() };
  const { subOrganizationId } = await root.createSubOrganization({
    subOrganizationName: "pair",
    rootQuorumThreshold: 2,
    rootUsers: Object.entries(keys).map(([userName, { publicKey }]) => ({
      userName,
      apiKeys: [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
      authenticators: [],
      oauthProviders: [],
    })),
  });
  return {
    server,
    ada: clientOf(server, subOrganizationId, keys.ada),
    bob: clientOf(server, subOrganizationId, keys.bob),
    bobThrough: (fetch: Fetch) => clientThrough(subOrganizationId, keys.bob, fetch),
  };
}

type Key = ReturnType<typeof newKey>;

function clientThrough(
  organizationId: string,
  { publicKey, privateKey }: Key,
  fetch: Fetch,
  poll: Partial<PollOptions> = { intervalMs: 10 },
) {
  return new KeyhearthClient({
    baseUrl: "http://keyhearth.test",
    organizationId,
    stamper: new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey }),
    fetch,
    poll,
  });
}

function strangerTo({ server, organizationId }: TestOrganization): Parameters<typeof clientOf> {
  return [server, organizationId, newKey()];
}

async function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("it was expected to fail"),
    (error: unknown) => error,
  );
}
