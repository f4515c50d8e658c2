import {
  createTestCore,
  documentWith,
  newPerson,
  testOrganizationId,
  userOf,
} from "@keyhearth/engine/core/core.testing";
import type { Proposal } from "@keyhearth/engine/core/protocol";
import type {
  OrganizationDocument,
  PrivateKeyLine,
  WalletLine,
} from "@keyhearth/engine/records/organization";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { expect, test } from "vitest";
import { type CommitUnit, decidedBy, unitOf } from "./commit-unit.ts";
import { lookupHash } from "./lookups.ts";

const core = createTestCore();
const ada = newPerson();
const parentOrganizationId = "11111111-1111-4111-8111-111111111111";

function newDocument(change: Partial<OrganizationDocument> = {}): OrganizationDocument {
  const users = [userOf(ada)];
  return documentWith({
    users,
    rootQuorum: { threshold: 1, userIds: [ada.userId] },
    ...change,
  });
}

function proposalFor(
  document: OrganizationDocument,
  endpoint: string,
  type: string,
  parameters: object,
): Proposal {
  const body = core.bodyOf({ type, parameters });
  const answer = core.ask(ada, { endpoint, body }, [core.notarized(document)]);
  if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
  return answer;
}

const createKeys = (document: OrganizationDocument, expirationSeconds?: string) => {
  const { publicKey } = newPerson();
  const apiKey = { apiKeyName: "phone", publicKey, curveType: "API_KEY_CURVE_P256" };
  const apiKeys = [{ ...apiKey, ...(expirationSeconds && { expirationSeconds }) }];
  const parameters = { userId: ada.userId, apiKeys };
  const type = "ACTIVITY_TYPE_CREATE_API_KEYS_V2";
  return { publicKey, proposal: proposalFor(document, "create_api_keys", type, parameters) };
};

const keyLookup = (publicKey: string, organizationId = testOrganizationId) => ({
  organizationId,
  kind: "PUBLIC_KEY",
  valueHash: lookupHash("PUBLIC_KEY", publicKey),
});

test("a change of the document adds and removes the look-ups that differ", () => {
  const document = newDocument();
  const { proposal, publicKey } = createKeys(document);
  const [record, next] = proposal.attachments;
  const unit = unitOf(proposal, document);
  expect(unit).toEqual({
    organizationId: testOrganizationId,
    parentOrganizationId: null,
    atMs: core.clock.nowMs,
    guard: { version: proposal.documentVersion, digest: proposal.documentDigest },
    activity: { ...proposal.activity, record, statement: null, size: record?.length },
    leaf: proposal.leaf,
    document: {
      organizationId: testOrganizationId,
      parentOrganizationId: null,
      organizationName: "Acme",
      createdAtMs: 0,
      deletedAtMs: null,
      version: proposal.documentVersion + 1,
      digest: recordDigest(next ?? new Uint8Array()),
      record: next,
      body: readRecord(next ?? new Uint8Array()).body,
    },
    organizations: [],
    isRoot: false,
    signup: null,
    records: [],
    lookups: [{ ...keyLookup(publicKey), subjectId: ada.userId, parentOrganizationId: null }],
    removedLookups: [],
    removedRecords: [],
    messages: [],
    targets: { written: [], removed: [] },
    resent: null,
  });

  // From a document that could be found by more.
  const old = newPerson();
  const more = { ...document, users: [userOf(ada, { ...old, userId: ada.userId })] };
  expect(unitOf(proposal, more).removedLookups).toEqual([
    { ...keyLookup(old.publicKey), subjectId: ada.userId, parentOrganizationId: null },
  ]);
  expect(unitOf(proposal, more).lookups).toEqual(unit.lookups);
});

const times = { createdAtMs: 0, updatedAtMs: 0 };
const flags = { exported: false, imported: false };

function walletLine(walletId: string, deleted: string[] = []): WalletLine {
  const deletedAccounts = deleted.map((walletAccountId) => {
    return {
      walletAccountId,
      place: walletAccountId,
      atMs: 0,
      documentVersion: 1,
      requestedAtMs: 0,
    };
  });
  const exports = { seedDigest: null, exportedAccountIds: [] };
  return { walletId, walletName: walletId, deletedAccounts, ...flags, ...exports, ...times };
}

function keyLine(privateKeyId: string): PrivateKeyLine {
  const key = { privateKeyName: privateKeyId, curve: "CURVE_P256" as const, publicKey: null };
  return { privateKeyId, ...key, privateKeyTags: [], ...flags, ...times };
}

test("the rows of keys and accounts that the next document drops are removed, and no others", () => {
  const next = newDocument({
    wallets: [walletLine("kept", ["old", "new"]), walletLine("fresh", ["first"])],
    privateKeys: [keyLine("kept key"), keyLine("fresh key")],
  });
  const { proposal } = createKeys(next);
  const current = newDocument({
    wallets: [walletLine("kept", ["old"]), walletLine("gone", ["its"])],
    privateKeys: [keyLine("kept key"), keyLine("gone key")],
  });
  const rowsRemoved = (unit: CommitUnit) =>
    unit.removedRecords.map(({ table, column, ids }) => [table.name, column, ids]);
  expect(rowsRemoved(unitOf(proposal, current))).toEqual([
    ["wallets", "wallet_id", ["gone"]],
    ["wallet_accounts", "wallet_id", ["gone"]],
    ["wallet_accounts", "wallet_account_id", ["new", "first"]],
    ["private_keys", "private_key_id", ["gone key"]],
  ]);
  expect(rowsRemoved(unitOf(proposal, next))).toEqual([]);
});

test("the session records of users whom the next document drops are removed, and no others", () => {
  const next = newDocument();
  const { proposal } = createKeys(next);
  const gone = userOf(newPerson());
  const current = { ...next, users: [...next.users, gone] };
  const { removedRecords } = unitOf(proposal, current);
  expect(removedRecords.map(({ table, column, ids }) => [table.name, column, ids])).toEqual([
    ["sessions", "user_id", [gone.userId]],
  ]);
});

test("the same value of another user is another look-up", () => {
  const document = newDocument();
  const { proposal } = createKeys(document);
  const renamed = document.users.map((user) => ({ ...user, userName: "Acme" }));
  const { lookups, removedLookups } = unitOf(proposal, { ...document, users: renamed });
  expect(removedLookups.map(({ kind, subjectId }) => [kind, subjectId])).toEqual([
    ["USERNAME", ada.userId],
  ]);
  expect(lookups.map(({ kind }) => kind)).toEqual(["USERNAME", "PUBLIC_KEY"]);
});

test("records become rows of their kind, with look-ups that name the parent", () => {
  for (const parent of [null, parentOrganizationId]) {
    const document = newDocument({ parentOrganizationId: parent });
    const { proposal, publicKey } = createKeys(document, "900");
    const { records, lookups } = unitOf(proposal, document);
    const written = proposal.attachments.find(
      (bytes) => readRecord(bytes).header.type === "sessions",
    );
    expect(records).toEqual([
      {
        table: expect.objectContaining({ name: "sessions" }),
        organizationId: testOrganizationId,
        id: ada.userId,
        version: 1,
        digest: recordDigest(written ?? new Uint8Array()),
        record: written,
        body: expect.objectContaining({ userId: ada.userId }),
      },
    ]);
    expect(lookups).toEqual([
      {
        ...keyLookup(publicKey),
        subjectId: ada.userId,
        parentOrganizationId: parent,
        // With the key, 900 seconds after the core's clock.
        expiresAtMs: 1_767_225_600_000 + 900_000,
      },
    ]);
  }
});

test("a kind that nobody searches by value adds no look-up", () => {
  const document = newDocument();
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  };
  const parameters = { walletName: "w", accounts: [account] };
  const type = "ACTIVITY_TYPE_CREATE_WALLET";
  const { records, lookups } = unitOf(
    proposalFor(document, "create_wallet", type, parameters),
    document,
  );
  expect(records.map(({ table }) => table.name).sort()).toEqual(["wallet_accounts", "wallets"]);
  expect(lookups).toEqual([]);
});

test("a sub-organization's document and records name their organization and parent", () => {
  const document = newDocument();
  const [owner, phone] = [newPerson(), newPerson()];
  const key = (publicKey: string) => ({
    apiKeyName: "key",
    publicKey,
    curveType: "API_KEY_CURVE_P256",
  });
  const proposal = proposalFor(
    document,
    "create_sub_organization",
    "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    {
      subOrganizationName: "sub",
      rootUsers: [
        {
          userName: "owner",
          apiKeys: [key(owner.publicKey), { ...key(phone.publicKey), expirationSeconds: "60" }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
    },
  );
  const unit = unitOf(proposal, document);
  const [sub] = unit.organizations;
  expect(unit.organizations).toHaveLength(1);
  expect(sub).toMatchObject({
    parentOrganizationId: testOrganizationId,
    organizationName: "sub",
    version: 1,
  });
  expect(unit.document).toBeNull();
  const own = { parentOrganizationId: testOrganizationId, organizationId: sub?.organizationId };
  for (const each of unit.lookups) expect(each).toMatchObject(own);
  const hashes = unit.lookups.map(({ valueHash }) => valueHash);
  for (const { publicKey } of [owner, phone]) {
    expect(hashes).toContain(lookupHash("PUBLIC_KEY", publicKey));
  }
  // Its credentials are those that the parent gave it.
  for (const { kind, isFromParent } of unit.lookups) {
    expect(isFromParent).toBe(kind === "PUBLIC_KEY" ? true : undefined);
  }
  expect(unit.records.map(({ table, organizationId }) => [table.name, organizationId])).toEqual([
    ["sessions", sub?.organizationId],
  ]);
});

test("a founding has no document to compare, and no parent", () => {
  const document = newDocument();
  // With a key that expires, so that there is a record beside the document.
  const { proposal, publicKey } = createKeys(document, "900");
  const unit = unitOf(proposal, null);
  expect(unit.guard).toBeNull();
  expect(unit.parentOrganizationId).toBeNull();
  expect(unit.lookups).toContainEqual(
    expect.objectContaining({ ...keyLookup(publicKey), parentOrganizationId: null }),
  );
  expect(unit.lookups.every(({ isFromParent }) => !isFromParent)).toBe(true);
  expect(unit.document).toBeNull();
  expect(unit.organizations.map(({ organizationId }) => organizationId)).toEqual([
    testOrganizationId,
  ]);
});

test("a unit names the parent, whose webhooks get the event too, and has the sealed messages", () => {
  const document = newDocument({ parentOrganizationId });
  const { proposal } = createKeys(document);
  const times = { createdAtMs: 1, expiresAtMs: 2 };
  const messages = [
    { messageId: "m", kind: "invitation" as const, sealed: "s", receiver: "r", ...times },
  ];
  const unit = unitOf({ ...proposal, messages }, document);
  expect(unit.parentOrganizationId).toBe(parentOrganizationId);
  expect(unit.document?.parentOrganizationId).toBe(parentOrganizationId);
  expect(unit.messages).toEqual(messages);
});

test("a change of the webhook endpoints changes what events are sent to", () => {
  const document = newDocument();
  const [type, url] = ["ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT", "https://example.com/hook"];
  const subscriptions = [{ eventType: "ACTIVITY_UPDATES" }];
  const parameters = { name: "hook", url, subscriptions };
  const proposal = proposalFor(document, "create_webhook_endpoint", type, parameters);
  const { targets } = unitOf(proposal, document);
  expect(targets).toEqual({
    written: [
      {
        organizationId: testOrganizationId,
        endpointId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url,
        familyId: testOrganizationId,
      },
    ],
    removed: [],
  });
});

test("a deletion removes everything with the organization, so no row is named", () => {
  const url = "https://example.com/hook";
  const document = newDocument({
    parentOrganizationId,
    wallets: [walletLine("its")],
    features: [{ name: "FEATURE_NAME_WEBHOOK", value: url }],
  });
  const type = "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION";
  const parameters = { deleteWithoutExport: true };
  const proposal = proposalFor(document, "delete_sub_organization", type, parameters);
  const unit = unitOf(proposal, document);
  expect(unit.document?.deletedAtMs).toBe(core.clock.nowMs);
  expect(unit).toMatchObject({ lookups: [], removedLookups: [], removedRecords: [] });
  expect(unit.targets).toEqual({ written: [], removed: [testOrganizationId] });
});

test("a delivery is sent again once its activity is completed", () => {
  const document = newDocument();
  const deliveryId = "7e304152-9da4-4fb5-8ec6-3f4a5b6c7d8e";
  const type = "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY";
  const proposal = proposalFor(document, "resend_webhook_delivery", type, { deliveryId });
  const completed = decidedBy(proposal);
  expect(completed).toMatchObject({ type, status: "ACTIVITY_STATUS_COMPLETED" });
  const unit = unitOf(proposal, document);
  expect(unit.resent).toBe(deliveryId);
  // It changes nothing else.
  const targets = { written: [], removed: [] };
  expect(unit).toMatchObject({ document: null, records: [], lookups: [], targets });
  for (const other of [
    { ...completed, type: "ACTIVITY_TYPE_CREATE_WALLET" },
    { ...completed, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" as const, result: { deliveryId } },
    { ...completed, result: null },
    { ...completed, result: { deliveryId: 7 } },
  ]) {
    expect(unitOf(proposal, document, other).resent).toBeNull();
  }
});

test("a unit is of the instant at which it was decided", () => {
  const document = newDocument();
  const { proposal } = createKeys(document);
  const decided = { ...decidedBy(proposal), updatedAtMs: 123 };
  expect(unitOf(proposal, document, decided).atMs).toBe(123);
});

test("a proposal needs its activity, and records of kinds that it may write", () => {
  const document = newDocument();
  const { proposal } = createKeys(document);
  const without = { ...proposal, attachments: [] };
  expect(() => unitOf(without, document)).toThrow("a proposal without its activity");
  expect(() => unitOf(without, document, decidedBy(proposal))).toThrow(
    "a proposal without its activity",
  );
  const [activity = new Uint8Array()] = proposal.attachments;
  expect(() => unitOf({ ...proposal, attachments: [activity, activity] }, document)).toThrow(
    "a proposal does not write records of type activity beside its own",
  );
});
