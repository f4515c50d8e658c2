import { newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { addUser } from "@keyhearth/engine/organization.testing";
import type { Connection } from "@keyhearth/sdk";
import * as sdk from "@keyhearth/sdk";
import {
  createTargetKey,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
} from "@keyhearth/sdk/crypto";
import { beforeAll, describe, expect, test } from "vitest";
import contract from "../../contract/openapi.json" with { type: "json" };
import { connectionOf } from "../sdk/tampering.ts";

// A client that pins the quorum key, and a service that shows other addresses and public keys: each of them once, in
// each answer of the contract that has one. All of them belong to this organization, and are proven somewhere else.

const ethereum = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;
const second = { ...ethereum, path: "m/44'/60'/0'/0/1" };
const third = { ...ethereum, path: "m/44'/60'/0'/0/2" };
const solana = {
  curve: "CURVE_ED25519",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/501'/0'/0'",
  addressFormat: "ADDRESS_FORMAT_SOLANA",
} as const;
const importedKey = (privateKeyName: string) => ({
  privateKeyName,
  curve: "CURVE_SECP256K1" as const,
  addressFormats: ["ADDRESS_FORMAT_ETHEREUM" as const, "ADDRESS_FORMAT_COMPRESSED" as const],
});
const privateKeyParams = (name: string) => ({ ...importedKey(name), privateKeyTags: [] });

/** Calls of the contract whose answers have addresses, each with the same bytes whenever it is made. */
type Call = { name: string; run: (connection: Connection) => Promise<unknown> };

let organization: TestOrganization;
let quorumPublicKey: string;
/** A wallet of the same organization: its addresses, proofs and public keys are those that the host shows. */
let decoys: Shown[];
/** The answers of the honest service to pinned calls. */
const recorded = new Map<string, string>();
const calls: Call[] = [];

type Shown = Record<string, unknown>;
type At = (string | number)[];

function connectionTo(fetch: sdk.Fetch): Connection {
  return connectionOf(organization, { fetch, quorumPublicKey });
}

beforeAll(async () => {
  organization = await newOrganization();
  const { server, root, organizationId, userId } = organization;
  const described = server.signer.handle({ call: "describe" });
  if (described.kind !== "description") throw new Error("the signer did not describe itself");
  ({ quorumPublicKey } = described);
  const { signerPublicKey } = described;

  const accounts = [ethereum, second, solana];
  const decoy = await root.createWallet({ walletName: "decoy", accounts });
  decoys = (await root.listWalletAccounts({ walletId: decoy.walletId })).accounts;
  const { walletId } = await root.createWallet({ walletName: "mine", accounts });
  const made = await root.createPrivateKeys({ privateKeys: [privateKeyParams("mine")] });
  const [{ privateKeyId = "" } = {}] = made.privateKeys;
  const { account } = await root.getWalletAccount({ walletId, path: ethereum.path });

  const origin = { organizationId, userId, signerPublicKey };
  const forWallet = await root.initImportWallet({ userId });
  const mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow";
  const walletBundle = encryptWalletToBundle({ ...origin, ...forWallet, mnemonic });
  const forKey = await root.initImportPrivateKey({ userId });
  const { privateKey } = newKey();
  const keyBundle = encryptPrivateKeyToBundle({ ...origin, ...forKey, privateKey });
  await root.signRawPayload({
    signWith: account.address,
    payload: "00".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  await root.createSmartContractInterface({
    label: "token",
    notes: "",
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    smartContractAddress: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
    smartContractInterface: "[]",
  });
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "two for wallets",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'WALLET'",
    consensus: "approvers.count() >= 2",
    notes: "",
  });
  const waiting = await grace.client.createWallet.submit({ walletName: "voted", accounts });
  const { fingerprint, id: activityId } = waiting;
  const { targetPublicKey } = createTargetKey();

  const timestampMs = String(Date.now());
  const fixed = { timestampMs };
  calls.push(
    {
      name: "create_wallet",
      run: (it) => sdk.createWallet(it, { walletName: "new", accounts }, fixed),
    },
    {
      name: "create_wallet_accounts",
      run: (it) => sdk.createWalletAccounts(it, { walletId, accounts: [third] }, fixed),
    },
    {
      name: "create_private_keys",
      run: (it) => sdk.createPrivateKeys(it, { privateKeys: [privateKeyParams("new")] }, fixed),
    },
    {
      name: "import_wallet",
      run: (it) =>
        sdk.importWallet(
          it,
          { userId, walletName: "imported", encryptedBundle: walletBundle, accounts },
          fixed,
        ),
    },
    {
      name: "import_private_key",
      run: (it) =>
        sdk.importPrivateKey(
          it,
          { userId, encryptedBundle: keyBundle, ...importedKey("imported") },
          fixed,
        ),
    },
    {
      name: "export_wallet_account",
      run: (it) =>
        sdk.exportWalletAccount(
          it,
          { address: account.address.toLowerCase(), targetPublicKey },
          fixed,
        ),
    },
    { name: "approve_activity", run: (it) => sdk.approveActivity(it, { fingerprint }) },
    ...subOrganizations(timestampMs),
    { name: "get_activity", run: (it) => sdk.getActivity(it, { activityId }) },
    {
      name: "list_activities",
      run: (it) => sdk.listActivities(it, { paginationOptions: { limit: "100" } }),
    },
    { name: "get_organization", run: (it) => sdk.getOrganization(it) },
    { name: "get_private_key", run: (it) => sdk.getPrivateKey(it, { privateKeyId }) },
    { name: "list_private_keys", run: (it) => sdk.listPrivateKeys(it) },
    {
      name: "get_wallet_account",
      run: (it) => sdk.getWalletAccount(it, { walletId, path: ethereum.path }),
    },
    { name: "list_wallet_accounts", run: (it) => sdk.listWalletAccounts(it, { walletId }) },
  );
  for (const { name, run } of calls) {
    const connection = connectionTo(async (url, init) => {
      const response = await server.fetch(url, init);
      if (url.endsWith(`/${name.split(" ")[0]}`)) recorded.set(name, await response.clone().text());
      return response;
    });
    await run(connection);
  }
});

/** Every version that returns addresses. The root users of older ones have fewer members. */
function subOrganizations(timestampMs: string): Call[] {
  const apiKey = { apiKeyName: "k", publicKey: newKey().publicKey };
  const oldest = { userName: "Ada", apiKeys: [apiKey], authenticators: [] };
  const older = { ...oldest, oauthProviders: [] };
  const user = { ...older, apiKeys: [{ ...apiKey, curveType: "API_KEY_CURVE_P256" }] };
  const wallet = { walletName: "sub", accounts: [ethereum, second] };
  const versions: [version: string, parameters: object][] = [
    ["V3", { rootUsers: [oldest], privateKeys: [privateKeyParams("sub")] }],
    ["V4", { rootUsers: [oldest], wallet }],
    ["V5", { rootUsers: [older], wallet }],
    ["V6", { rootUsers: [user], wallet }],
    ["V7", { rootUsers: [user], wallet }],
    ["V8", { rootUsers: [user], wallet }],
  ];
  return versions.map(([version, more]) => {
    const defaultType = `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`;
    const facts = {
      path: "/public/v1/submit/create_sub_organization",
      defaultType,
      resultKeys: { [defaultType]: `createSubOrganizationResult${version}` },
    };
    const parameters = { subOrganizationName: version, rootQuorumThreshold: 1, ...more };
    return {
      name: `create_sub_organization ${version}`,
      run: (it) => it.perform(facts, parameters, { timestampMs }),
    };
  });
}

/** The places of the addresses and public keys of keys in an answer. */
function placesIn(answer: unknown): At[] {
  if (Array.isArray(answer)) {
    return answer.flatMap((each, index) => placesIn(each).map((at) => [index, ...at]));
  }
  if (typeof answer !== "object" || answer === null) return [];
  return Object.entries(answer).flatMap(([name, value]) => {
    const isKey = ["addresses", "walletAccountId"].some((member) => member in answer);
    const isShown =
      ["address", "signWith", "smartContractAddress"].includes(name) ||
      (name === "publicKey" && isKey);
    if (isShown && typeof value === "string" && !isContract(answer)) return [[name]];
    if (name === "addresses" && Array.isArray(value)) {
      const places = value.map((each, index) =>
        typeof each === "string" ? [[index]] : placesIn(each).map((at) => [index, ...at]),
      );
      return places.flat().map((at) => [name, ...at]);
    }
    return placesIn(value).map((at) => [name, ...at]);
  });
}

/** A contract's address, outside of intents, is what the organization wrote: it is not the address of a key. */
function isContract(answer: object): boolean {
  return "smartContractInterfaceId" in answer;
}

function read(value: unknown, at: At): unknown {
  return at.reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), value);
}

/** The answers with another address, or public key, at this place: alone, and with the proof that belongs to it. */
function replacing(text: string, at: At): string[] {
  const name = at.at(-1);
  const member = name === "publicKey" ? "publicKey" : "address";
  const own = read(JSON.parse(text), at);
  return decoys
    .filter((decoy) => decoy[member] !== own)
    .flatMap((decoy) =>
      [{}, { proof: decoy.proof }].map((proof) => {
        const answer: unknown = JSON.parse(text);
        const parent = read(answer, at.slice(0, -1));
        Reflect.set(Object(parent), name ?? "", decoy[member]);
        if (!Array.isArray(parent)) Object.assign(Object(parent), proof);
        return JSON.stringify(answer);
      }),
    );
}

function schemaOf(reference: string): Shown {
  const schemas: Record<string, unknown> = contract.components.schemas;
  return Object(schemas[reference.split("/").at(-1) ?? ""]);
}

/** Whether values of a schema have addresses. */
function hasAddresses(schema: unknown, seen: readonly string[] = []): boolean {
  if (Array.isArray(schema)) return schema.some((each) => hasAddresses(each, seen));
  if (typeof schema !== "object" || schema === null) return false;
  if ("$ref" in schema) {
    const reference = String(schema.$ref);
    return !seen.includes(reference) && hasAddresses(schemaOf(reference), [...seen, reference]);
  }
  const { properties = {}, ...others } = schema as Shown;
  return (
    Object.entries(Object(properties)).some(
      ([name, each]) => name === "address" || name === "addresses" || hasAddresses(each, seen),
    ) || Object.values(others).some((each) => hasAddresses(each, seen))
  );
}

type Operation = {
  responses?: { 200?: { content?: { "application/json"?: { schema?: unknown } } } };
  "x-activity"?: { versions: { resultKey: string; result?: unknown }[] };
};

const operations = Object.entries(contract.paths).flatMap(([path, item]) => {
  const { post }: { post?: Operation } = item;
  return post ? [{ path, name: path.slice(path.lastIndexOf("/") + 1), post }] : [];
});

test("the calls below are those of the contract whose answers have addresses", () => {
  const queries = operations.filter(
    ({ path, post }) =>
      path.includes("/query/") &&
      hasAddresses(post.responses?.[200]?.content?.["application/json"]?.schema),
  );
  const versions = operations.flatMap(({ name, post }) =>
    (post["x-activity"]?.versions ?? [])
      .filter(({ result }) => hasAddresses(result))
      .map(({ resultKey }) => ({ name, resultKey })),
  );
  const names = new Set([...queries, ...versions].map(({ name }) => name));
  expect(new Set(calls.map(({ name }) => name.split(" ")[0]))).toEqual(
    new Set([...names, "approve_activity"]),
  );
  // The list has a result of each kind.
  const { activities } = JSON.parse(recorded.get("list_activities") ?? "{}") as {
    activities: { result: object }[];
  };
  const shown = new Set(activities.flatMap(({ result }) => Object.keys(result)));
  expect(versions.filter(({ resultKey }) => !shown.has(resultKey))).toEqual([]);
});

const names = [
  "create_wallet",
  "create_wallet_accounts",
  "create_private_keys",
  "import_wallet",
  "import_private_key",
  "export_wallet_account",
  "approve_activity",
  ...["V3", "V4", "V5", "V6", "V7", "V8"].map((version) => `create_sub_organization ${version}`),
  "get_activity",
  "list_activities",
  "get_organization",
  "get_private_key",
  "list_private_keys",
  "get_wallet_account",
  "list_wallet_accounts",
];

test.each(names)(
  "%s shows no other address and no other public key to a client that pins the key",
  async (name) => {
    const call = calls.find((each) => each.name === name);
    const text = recorded.get(name);
    if (!call || !text) throw new Error(`the service did not answer ${name}`);
    const places = placesIn(JSON.parse(text));
    expect(places.length).toBeGreaterThan(0);
    const answering = (answer: string) =>
      connectionTo(async () => new Response(answer, { status: 200 }));
    await expect(call.run(answering(text))).resolves.toBeDefined();
    for (const at of places) {
      for (const answer of replacing(text, at)) {
        await expect(call.run(answering(answer)), at.join(".")).rejects.toMatchObject({
          name: "Unverified",
          code: "UNVERIFIED",
        });
      }
    }
  },
);

describe("with a pinned quorum key, an answer", () => {
  const lying = async (name: string, change: (answer: string) => string) => {
    const call = calls.find((each) => each.name === name);
    const text = recorded.get(name) ?? "";
    const changed = change(text);
    expect(changed).not.toBe(text);
    return call?.run(connectionTo(async () => new Response(changed, { status: 200 })));
  };
  const unverified = { name: "Unverified" };

  test("is refused if it leaves out the statement of the outcome, or shows that of another activity", async () => {
    const other: unknown = JSON.parse(recorded.get("import_wallet") ?? "{}").activity.appProofs;
    for (const appProofs of [undefined, [], other]) {
      const swapped = (answer: string) => {
        const { activity } = JSON.parse(answer);
        return JSON.stringify({ activity: { ...activity, appProofs } });
      };
      await expect(lying("create_wallet", swapped)).rejects.toMatchObject(unverified);
    }
  });

  test("is refused if it shows the public key of a private key without an address", async () => {
    const bare = (answer: string) => answer.replace(/"addresses":\[.*?\}\]/, '"addresses":[]');
    await expect(lying("get_private_key", bare)).rejects.toMatchObject({
      ...unverified,
      message: expect.stringContaining("Create keys with an address format"),
    });
  });

  test("is refused if it shows the address of a deleted key, and says what to read instead", async () => {
    const { root, server } = organization;
    const { walletId } = await root.createWallet({ walletName: "gone", accounts: [ethereum] });
    await root.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
    const list = sdk.listActivities(connectionTo(server.fetch), {
      filterByType: ["ACTIVITY_TYPE_CREATE_WALLET"],
      paginationOptions: { limit: "1" },
    });
    await expect(list).rejects.toMatchObject({
      ...unverified,
      message: expect.stringContaining("listWalletAccounts"),
    });
  });
});
