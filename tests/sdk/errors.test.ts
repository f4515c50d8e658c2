import { readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import {
  ActivityFailed,
  ApiKeyStamper,
  Cancelled,
  Conflict,
  type ConnectionOptions,
  ConsensusNeeded,
  InvalidCredential,
  InvalidField,
  KeyhearthClient,
  KeyhearthError,
  LimitExceeded,
  NotFound,
  PermissionDenied,
  PolicyDenied,
  RateLimited,
  Rejected,
  SessionEnded,
  Unauthenticated,
  Unavailable,
  UnexpectedAnswer,
  Unverified,
} from "@keyhearth/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { clientOf, readRootKey, type Service, startService } from "../start/process.ts";
import { root } from "./install.ts";

// Real situations against the product: each throws one class, says the remedy, and links an entry of the
// site's page of errors.

const page = readFileSync(
  join(root, "apps/website/docs/developer-reference/api-overview/errors.mdx"),
  "utf8",
);
const ethereum = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

let dataDirectory: string;
let service: Service;
let client: KeyhearthClient;
let organizationId: string;
let ada: KeyhearthClient;
let bob: KeyhearthClient;

beforeAll(async () => {
  dataDirectory = await newDataDirectory("errors");
  service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
  const rootKey = readRootKey(dataDirectory);
  client = clientOf(service, rootKey);
  organizationId = rootKey.organizationId;
  const keys = [newKey(), newKey()];
  const { subOrganizationId } = await client.createSubOrganization({
    subOrganizationName: "pair",
    rootQuorumThreshold: 2,
    rootUsers: keys.map(({ apiPublicKey }, at) => ({
      userName: `user ${at}`,
      apiKeys: [registered(apiPublicKey)],
      authenticators: [],
      oauthProviders: [],
    })),
  });
  [ada, bob] = keys.map((key) => newClient(key, { organizationId: subOrganizationId })) as [
    KeyhearthClient,
    KeyhearthClient,
  ]; // one for each of two keys
});
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await service?.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

type Key = { apiPublicKey: string; apiPrivateKey: string };

function newKey(curve: "CURVE_P256" | "CURVE_ED25519" = "CURVE_P256"): Key {
  const privateKey = generatePrivateKey(curve);
  const apiPublicKey = encodeHex(publicKeyOf(curve, privateKey));
  return { apiPublicKey, apiPrivateKey: encodeHex(privateKey) };
}

function registered(publicKey: string) {
  return { apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const };
}

function newClient(key: Key, options: Partial<ConnectionOptions> = {}): KeyhearthClient {
  const stamper = new ApiKeyStamper(key);
  return new KeyhearthClient({ baseUrl: service.url, organizationId, stamper, ...options });
}

/** The root user's client with other options. */
function rootClient(options: Partial<ConnectionOptions>): KeyhearthClient {
  return newClient(readRootKey(dataDirectory), options);
}

type Class<T> = new (...args: never[]) => T;

/** The error that a promise rejects with, after the rules that hold for every error. */
async function errorOf<T extends KeyhearthError>(
  promise: Promise<unknown>,
  expected: Class<T>,
): Promise<T> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!(error instanceof expected)) throw new Error(`not ${expected.name}: ${error}`);
  expect(error).toBeInstanceOf(KeyhearthError);
  expect(error.name).toBe(expected.name);
  expect(error.message).not.toContain("\n");
  if (withoutPage.includes(error.code)) expect(error.docsUrl).toBeUndefined();
  else expectLink(error);
  return error;
}

/**
 * Errors of stampers and options come before a service is known whose page could be named, and where no service
 * answered, nobody shows a page.
 */
const withoutPage = [
  ...["INVALID_CREDENTIAL", "INVALID_OPTION"],
  ...["NETWORK", "TIMEOUT", "ABORTED", "INVALID_RESPONSE", "REDIRECTED"],
];

function expectLink({ docsUrl = "", message, code }: KeyhearthError): void {
  const [path, anchor] = docsUrl.split("/developer-reference/")[1]?.split("#") ?? [];
  expect(path, code).toBe("api-overview/errors");
  expect(message).toContain(`See ${docsUrl}`);
  const entry = anchor?.toUpperCase().replaceAll("-", "_");
  // Errors that the service answers have a status there, and those of the SDK itself have none.
  const isListed = new RegExp(`<ErrorReason code="${entry}"[ >]`).test(page);
  expect(isListed, `${entry} is on the page`).toBe(true);
}

/** A server that is not Keyhearth. Without a page it never answers. */
async function withServer(
  html: string | undefined,
  use: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const server: Server = createServer((_, response) => {
    if (html) response.writeHead(200, { "Content-Type": "text/html" }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Listening on TCP, so the address is not a path.
  const { port } = server.address() as AddressInfo;
  try {
    await use(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe("a credential", () => {
  test.each<[string, object, RegExp]>([
    ["of the wrong form", { apiPrivateKey: "0x11" }, /^apiPrivateKey must be hex without 0x/],
    ["on another curve", newKey("CURVE_ED25519"), /^apiPublicKey must have 33 bytes/],
    ["of two halves", { apiPublicKey: newKey().apiPublicKey }, /not the public key.*same key file/],
  ])("%s is InvalidCredential", async (_, change, message) => {
    const stamp = async () => newClient({ ...newKey(), ...change }).whoami();
    const error = await errorOf(stamp(), InvalidCredential);
    expect(error.message).toMatch(message);
  });

  test("that nobody registered is Unauthenticated", async () => {
    const error = await errorOf(newClient(newKey()).whoami(), Unauthenticated);
    expect(error).toMatchObject({ code: "CREDENTIAL_NOT_FOUND", httpStatus: 401 });
  });

  test("that has expired is SessionEnded", async () => {
    const key = newKey();
    const { userId } = await client.whoami();
    const expiring = { ...registered(key.apiPublicKey), expirationSeconds: "1" };
    await client.createApiKeys({ userId, apiKeys: [expiring] });
    await vi.waitFor(() => errorOf(newClient(key).whoami(), SessionEnded), 10_000);
  });
});

describe("the way to the service:", () => {
  test("a page instead of JSON is UnexpectedAnswer", async () => {
    await withServer("<html>Welcome</html>", async (baseUrl) => {
      const error = await errorOf(rootClient({ baseUrl }).whoami(), UnexpectedAnswer);
      expect(error).toMatchObject({ code: "INVALID_RESPONSE", httpStatus: 200 });
      expect(error.message).toMatch(/Set baseUrl to the address of the service/);
    });
  });

  test("a base URL with the API's path in it works, and its errors link the site", async () => {
    const whole = rootClient({ baseUrl: `${service.url}/public/v1` });
    await whole.whoami();
    const error = await errorOf(whole.getWallet({ walletId: organizationId }), NotFound);
    expect((await fetch(error.docsUrl ?? "")).status).toBe(200);
  });

  test("a path that the service does not have is NotFound, and its link has no such path", async () => {
    const astray = rootClient({ baseUrl: `${service.url}/foo` });
    const { docsUrl } = await errorOf(astray.whoami(), NotFound);
    expect(docsUrl).toBe(`${service.url}/developer-reference/api-overview/errors#route-not-found`);
  });

  test("options that are wrong are InvalidField, all of them at once", async () => {
    const make = async () => rootClient({ baseUrl: "localhost", organizationId: "mine" });
    const error = await errorOf(make(), InvalidField);
    expect(error.fields.map(({ field }) => field)).toEqual(["baseUrl", "organizationId"]);
  });

  test("nothing that listens is Unavailable", async () => {
    let gone = "";
    await withServer("", async (baseUrl) => {
      gone = baseUrl;
    });
    const lost = rootClient({ baseUrl: gone, maxRetries: 0 });
    const error = await errorOf(lost.whoami(), Unavailable);
    expect(error.code).toBe("NETWORK");
    expect(error.message).toMatch(/nothing listens there. Start the service/);
  });

  test("no answer in time is Unavailable", async () => {
    await withServer(undefined, async (baseUrl) => {
      const slow = rootClient({ baseUrl, timeoutMs: 50 });
      const error = await errorOf(slow.whoami(), Unavailable);
      expect(error.code).toBe("TIMEOUT");
      expect(error.message).toMatch(/50 ms.*longer timeoutMs/);
    });
  });

  test("a signal that aborts is Cancelled", async () => {
    const signal = AbortSignal.abort(new Error("the page was left"));
    const error = await errorOf(client.whoami({}, { signal }), Cancelled);
    expect(error).toMatchObject({ code: "ABORTED", cause: { message: "the page was left" } });
  });

  test("a clock that is wrong is InvalidField, with the minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 12 * 60_000 });
    const wallet = { walletName: "early", accounts: [] };
    const error = await errorOf(client.createWallet(wallet), InvalidField);
    expect(error.code).toBe("TIMESTAMP_OUT_OF_RANGE");
    expect(error.message).toMatch(/clock of this machine is 12 min ahead of the service's: set it/);
  });

  test("too many requests are RateLimited, with the time to wait", async () => {
    const directory = await newDataDirectory("rate-limited");
    const limited = await startService({
      KEYHEARTH_DATA_DIR: directory,
      KEYHEARTH_RATE_LIMIT: "credential=1",
    });
    try {
      const rootKey = readRootKey(directory);
      const patient = clientOf(limited, rootKey);
      const { organizationId } = rootKey;
      const hasty = newClient(rootKey, { baseUrl: limited.url, organizationId, maxRetries: 0 });
      const burst = Array.from({ length: 5 }, () => hasty.whoami().catch((error) => error));
      const refused = (await Promise.all(burst)).find((each) => each instanceof RateLimited);
      const error = await errorOf(Promise.reject(refused), RateLimited);
      expect(error.retryAfterMs).toBeGreaterThan(0);
      // With retries, the client waits as long as the service says.
      await patient.whoami();
    } finally {
      await limited.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

describe("a request", () => {
  test("with wrong fields is InvalidField, with every one of them", async () => {
    const account = { ...ethereum, curve: "CURVE_RSA" as never, path: "nowhere" };
    const request = client.createWallet({ walletName: "", accounts: [account] });
    const error = await errorOf(request, InvalidField);
    const fields = error.fields.map(({ field }) => field);
    expect(fields).toEqual(
      expect.arrayContaining(["parameters.walletName", "parameters.accounts[0].curve"]),
    );
    expect(error.field).toBe(fields[0]);
  });

  test("that names nothing is NotFound", async () => {
    const error = await errorOf(client.getWallet({ walletId: organizationId }), NotFound);
    expect(error.code).toBe("NOT_FOUND");
  });

  test("for a name that is taken is Conflict", async () => {
    const wallet = { walletName: "taken", accounts: [] };
    await client.createWallet(wallet);
    const error = await errorOf(client.createWallet(wallet), Conflict);
    expect(error.code).toBe("NAME_TAKEN");
  });

  test("for more than an organization may have is LimitExceeded", async () => {
    const { userId } = await client.whoami();
    const apiKeys = Array.from({ length: 11 }, (_, at) => ({
      ...registered(newKey().apiPublicKey),
      apiKeyName: `key ${at}`,
    }));
    const error = await errorOf(client.createApiKeys({ userId, apiKeys }), LimitExceeded);
    expect(error.code).toBe("LIMIT_EXCEEDED");
  });

  test("of a parent's user in a sub-organization is PermissionDenied", async () => {
    const options = { organizationId: ada.organizationId };
    const request = client.createWallet({ walletName: "theirs", accounts: [] }, options);
    const error = await errorOf(request, PermissionDenied);
    expect(error.code).toBe("REQUEST_NOT_AUTHORIZED");
  });

  test("that no policy allows is PolicyDenied, and explainDenial says why", async () => {
    const key = newKey();
    const userName = "intern";
    const apiKeys = [registered(key.apiPublicKey)];
    const user = { userName, apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
    await client.createUsers({ users: [user] });
    const { policyId } = await client.createPolicy({
      policyName: "tuesdays",
      effect: "EFFECT_ALLOW",
      condition: "wallet.label == 'tuesday'",
      notes: "",
    });
    const denied = newClient(key).createWallet({ walletName: "monday", accounts: [] });
    const error = await errorOf(denied, PolicyDenied);
    expect(error.evaluations).toContainEqual(expect.objectContaining({ policyId }));
    const reasons = await client.explainDenial(error);
    expect(reasons).toContainEqual(expect.objectContaining({ policyId }));
  });
});

describe("with a root quorum of two, a request", () => {
  test("that waits is ConsensusNeeded, with what the other user needs to approve", async () => {
    const request = { walletName: "shared", accounts: [] };
    const error = await errorOf(ada.createWallet(request), ConsensusNeeded);
    expect(error.fingerprint).toBe(error.activity.fingerprint);
    expect(error.message).toContain(`client.approve("${error.activity.id}", decide)`);
    const declined = await errorOf(
      bob.approve(error.activity.id, () => false),
      Cancelled,
    );
    expect(declined.code).toBe("DECLINED");
    const { result } = await bob.approve(error.activity.id, () => true);
    expect(result).toMatchObject({ walletId: expect.any(String) });
  });

  test("that was rejected is Rejected", async () => {
    const request = { walletName: "no", accounts: [] };
    const timestampMs = String(Date.now());
    const waiting = await errorOf(ada.createWallet(request, { timestampMs }), ConsensusNeeded);
    await bob.reject(waiting.activity);
    const error = await errorOf(ada.createWallet(request, { timestampMs }), Rejected);
    expect(error.code).toBe("ACTIVITY_REJECTED");
    expect(error.activity?.id).toBe(waiting.activity.id);
  });

  test("that cannot be executed any more is ActivityFailed", async () => {
    const request = { walletName: "twice", accounts: [] };
    const waiting = [];
    for (const timestampMs of [Date.now(), Date.now() + 1].map(String)) {
      waiting.push(await errorOf(ada.createWallet(request, { timestampMs }), ConsensusNeeded));
    }
    const [first, second] = waiting.map(({ activity }) => activity.id);
    await bob.approve(first ?? "", () => true);
    const error = await errorOf(
      bob.approve(second ?? "", () => true),
      ActivityFailed,
    );
    expect(error).toMatchObject({ code: "NAME_TAKEN", activity: { id: second } });
  });

  test("that the service shows differently is Unverified, and nothing is approved", async () => {
    const request = { walletName: "honest", accounts: [] };
    const { activity } = await errorOf(ada.createWallet(request), ConsensusNeeded);
    const [vote] = activity.votes;
    const message = vote?.message.replace("honest", "stolen") ?? "";
    const shown = { ...activity, votes: [{ ...vote, message } as NonNullable<typeof vote>] };
    const error = await errorOf(
      bob.approve(shown, () => true),
      Unverified,
    );
    expect(error.code).toBe("UNVERIFIED");
  });
});

describe("with a pinned quorum key,", () => {
  test("honest addresses are shown, and an altered one is Unverified", async () => {
    const address = `${service.url}/.well-known/keyhearth.json`;
    const { quorumPublicKey } = await fetch(address).then((answer) => answer.json());
    const { walletId } = await client.createWallet({ walletName: "mine", accounts: [ethereum] });
    const { accounts } = await rootClient({ quorumPublicKey }).listWalletAccounts({ walletId });
    const [account] = accounts;
    expect(account?.address).toMatch(/^0x/);
    const theirs = "0x00000000000000000000000000000000000000AA";
    const lying = rootClient({
      quorumPublicKey,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        const text = await answer.text();
        return new Response(text.replaceAll(account?.address ?? "", theirs), answer);
      },
    });
    const error = await errorOf(lying.listWalletAccounts({ walletId }), Unverified);
    expect(error.message).toContain(theirs);
    expect(error.message).toMatch(/Do not use it/);
  });
});
