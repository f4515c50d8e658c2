import { randomUUID } from "node:crypto";
import {
  addUser,
  errorOf,
  ethereumAccount,
  expectDenied,
  first,
  refusal,
} from "@keyhearth/engine/organization.testing";
import { beforeEach, expect, test } from "vitest";
import type { Host } from "../host/host.ts";
import type { CommitUnit } from "../store/commit-unit.ts";
import { type DenialPlace, deleteOldDenials } from "../store/denials.ts";
import { insertGroup } from "../store/statements/insert-group.ts";
import {
  clientOf,
  newKey,
  newOrganization,
  secondServer,
  type TestClient,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";

let organization: TestOrganization;

beforeEach(async () => {
  organization = await newOrganization();
});

/** The same root user, talking to another host. */
function rootAt(server: TestServer) {
  return clientOf(server, organization.organizationId, organization.rootKey);
}

async function conflictsOf({ metrics }: Host): Promise<number> {
  const { body } = await metrics.render();
  return Number(/^keyhearth_database_commit_conflicts_total (\d+)$/m.exec(body)?.[1]);
}

const key = (publicKey: string) => ({
  apiKeyName: "phone",
  publicKey,
  curveType: "API_KEY_CURVE_P256" as const,
});

test("simultaneous changes through one host run one after another, and all are kept", async () => {
  const { root, server } = organization;
  const before = await conflictsOf(server.host);
  const names = Array.from({ length: 12 }, (_, i) => `wallet ${i}`);
  await Promise.all(names.map((walletName) => root.createWallet({ walletName, accounts: [] })));
  const { wallets } = await root.listWallets();
  expect(wallets.map(({ walletName }) => walletName).sort()).toEqual(names.sort());
  expect(await conflictsOf(server.host)).toBe(before);
});

test("of simultaneous changes through two hosts, the loser of a race tries again, and none is lost", async () => {
  const { root, server } = organization;
  const other = secondServer(organization.server);
  const names: string[] = [];
  // Two hosts do not race every time, so the rounds continue until one has lost a race.
  const lost = async () => (await conflictsOf(other.host)) + (await conflictsOf(server.host));
  const before = await lost();
  // An organization may have 100 wallets.
  for (let round = 0; round < 12 && (await lost()) === before; round++) {
    const made = [1, 2, 3, 4].flatMap((each) => {
      const [here, there] = [`${round} ${each} here`, `${round} ${each} there`] as const;
      names.push(here, there);
      return [
        root.createWallet({ walletName: here, accounts: [ethereumAccount] }),
        rootAt(other).createWallet({ walletName: there, accounts: [ethereumAccount] }),
      ];
    });
    await Promise.all(made);
  }
  const { wallets } = await root.listWallets();
  expect(wallets.map(({ walletName }) => walletName).sort()).toEqual(names.sort());
  expect(await lost()).toBeGreaterThan(before);
});

test("if two hosts race for a name, one gets it and the other gets an error", async () => {
  const other = secondServer(organization.server);
  const walletName = "treasury";
  const outcomes = await Promise.allSettled([
    organization.root.createWallet({ walletName, accounts: [] }),
    // Not the same bytes, even in the same millisecond.
    rootAt(other).createWallet({ walletName, accounts: [], mnemonicLength: 24 }),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const [loser] = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(loser).toMatchObject({ httpStatus: 409, code: "NAME_TAKEN" });
  expect((await organization.root.listWallets()).wallets).toHaveLength(1);
});

test("the same bytes through two hosts at once are one activity", async () => {
  const { root } = organization;
  const other = secondServer(organization.server);
  const timestampMs = String(Date.now());
  const made = await Promise.all(
    [root, rootAt(other), root, rootAt(other)].map((client) =>
      client.createWallet({ walletName: "once", accounts: [ethereumAccount] }, { timestampMs }),
    ),
  );
  expect(new Set(made.map(({ activity }) => activity.id)).size).toBe(1);
  expect(new Set(made.map(({ walletId }) => walletId)).size).toBe(1);
  const { activities } = await root.listActivities({
    filterByType: ["ACTIVITY_TYPE_CREATE_WALLET"],
  });
  expect(activities).toHaveLength(1);
  expect(first(made).activity).toEqual(first(activities));
});

test("a vote by a session is taken while other logins of its user replace the record of both", async () => {
  const { root, server, organizationId } = organization;
  for (let round = 0; round < 6; round++) {
    const session = newKey();
    const { activity } = await root.stampLogin({ publicKey: session.publicKey });
    const own = clientOf(server, organizationId, session);
    const logins = Array.from({ length: 3 }, () =>
      root.stampLogin({ publicKey: newKey().publicKey }),
    );
    const votes = Array.from({ length: 4 }, () =>
      own.approveActivity({ fingerprint: activity.fingerprint }),
    );
    for (const vote of await Promise.all(votes)) expect(vote.activity.id).toBe(activity.id);
    await Promise.all(logins);
  }
});

test("a host with an old document in its cache decides by the new one", async () => {
  const { root, userId } = organization;
  const other = secondServer(organization.server);
  const there = rootAt(other);
  await there.createUserTag({ userTagName: "warms the cache", userIds: [] });

  // A key added through the first host works at the second.
  const added = newKey();
  const { apiKeyIds } = await root.createApiKeys({ userId, apiKeys: [key(added.publicKey)] });
  const withAdded = clientOf(other, organization.organizationId, added);
  await withAdded.createUserTag({ userTagName: "by the new key", userIds: [] });
  expect(await withAdded.whoami()).toMatchObject({ userId });

  // A name taken through the first host is taken at the second.
  await root.createWallet({ walletName: "treasury", accounts: [] });
  expect(await refusal(there.createWallet({ walletName: "treasury", accounts: [] }))).toMatchObject(
    {
      code: "NAME_TAKEN",
    },
  );

  // A key removed through the first host no longer works at the second.
  await root.deleteApiKeys({ userId, apiKeyIds });
  for (const request of [
    () => withAdded.createUserTag({ userTagName: "too late", userIds: [] }),
    () => withAdded.createWallet({ walletName: "too late", accounts: [] }),
    () => withAdded.whoami(),
  ]) {
    expect(await refusal(request())).toMatchObject({
      httpStatus: 401,
      code: "CREDENTIAL_NOT_FOUND",
    });
  }
});

test("a right removed through one host is gone at the other", async () => {
  const { root, userId } = organization;
  const grace = await addUser(organization);
  const other = secondServer(organization.server);
  await root.updateRootQuorum({ threshold: 1, userIds: [userId, grace.userId] });
  const there = clientOf(other, organization.organizationId, grace.key);
  await there.createUserTag({ userTagName: "as a root user", userIds: [] });
  await root.updateRootQuorum({ threshold: 1, userIds: [userId] });
  await expectDenied(there.createUserTag({ userTagName: "no more", userIds: [] }));
});

/** Runs `meanwhile` between the decision about a request and its commit, the first time. */
function beforeCommit({ host }: TestServer, meanwhile: (unit: CommitUnit) => unknown) {
  const { commit } = host.committer;
  let isFirst = true;
  host.committer = {
    async commit(unit) {
      if (isFirst) {
        isFirst = false;
        await meanwhile(unit);
      }
      return commit(unit);
    },
  };
}

async function newAddress({ root }: TestOrganization): Promise<string> {
  const { addresses } = await root.createWallet({ walletName: "w", accounts: [ethereumAccount] });
  return first(addresses);
}

const signing = (signWith: string) =>
  ({
    signWith,
    payload: "00".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }) as const;

const madeWithoutDocument = (client: TestClient, signWith: string) =>
  client.signRawPayload(signing(signWith));
const madeWithDocument = (client: TestClient) =>
  client.createWallet({ walletName: "too late", accounts: [] });

test.each([
  ["a signature", madeWithoutDocument],
  ["a wallet", madeWithDocument],
])("%s is not committed if another process removed the user after the decision", async (_, ask) => {
  const { root, userId } = organization;
  const signWith = await newAddress(organization);
  const lost = newKey();
  const { apiKeyIds } = await root.createApiKeys({ userId, apiKeys: [key(lost.publicKey)] });
  const other = secondServer(organization.server);
  const isMade: boolean[] = [];
  beforeCommit(other, async (unit) => {
    isMade.push(unit.activity.status === "ACTIVITY_STATUS_COMPLETED");
    await root.deleteApiKeys({ userId, apiKeyIds });
  });
  const before = (await root.listActivities()).activities.length;
  const there = clientOf(other, organization.organizationId, lost);
  expect(await refusal(ask(there, signWith))).toMatchObject({
    httpStatus: 401,
    code: "CREDENTIAL_NOT_FOUND",
  });
  expect(isMade).toEqual([true]);
  expect(await conflictsOf(other.host)).toBe(1);
  // Only the deletion is new.
  expect((await root.listActivities()).activities).toHaveLength(before + 1);
});

test("a signature is not committed if another process created a policy against it after the decision", async () => {
  const { root } = organization;
  const grace = await addUser(organization);
  const signWith = await newAddress(organization);
  await root.createPolicy({
    policyName: "may sign",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${grace.userId}')`,
    condition: "activity.action == 'SIGN'",
    notes: "",
  });
  const other = secondServer(organization.server);
  const there = clientOf(other, organization.organizationId, grace.key);
  await there.signRawPayload(signing(signWith));
  beforeCommit(other, () =>
    root.createPolicy({
      policyName: "may not sign",
      effect: "EFFECT_DENY",
      condition: "activity.action == 'SIGN'",
      notes: "",
    }),
  );
  const second = there.signRawPayload({ ...signing(signWith), payload: "11".repeat(32) });
  expect(await refusal(second)).toMatchObject({ httpStatus: 403, code: "POLICY_DENIED" });
});

/** Runs `meanwhile` before each of the first calls of the signer. */
function beforeAsking({ host }: TestServer, times: number, meanwhile: () => Promise<unknown>) {
  const { askSigner } = host;
  let left = times;
  host.askSigner = async (request, organizationId) => {
    if (request.call === "submit" && left > 0) {
      left -= 1;
      await meanwhile();
    }
    return askSigner(request, organizationId);
  };
}

test.each([
  ["a signature", madeWithoutDocument],
  ["a wallet", madeWithDocument],
])(
  "%s is made although the organization changed four times while the signer was asked",
  async (_, ask) => {
    const signWith = await newAddress(organization);
    const other = secondServer(organization.server);
    let tags = 0;
    beforeAsking(other, 4, () =>
      organization.root.createUserTag({ userTagName: `tag ${++tags}`, userIds: [] }),
    );
    const { activity } = await ask(rootAt(other), signWith);
    expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(tags).toBe(4);
  },
);

test("a signature that loses races with other changes of its host takes a turn with them", async () => {
  const signWith = await newAddress(organization);
  const { root, server } = organization;
  let isDone = false;
  const changes = Array.from({ length: 4 }, async (_, i) => {
    for (let count = 0; count < 20 && !isDone; count++) {
      await root.createUserTag({ userTagName: `${i} ${count}`, userIds: [] });
    }
  });
  const other = secondServer(organization.server);
  const signed = await Promise.all(
    [server, other].flatMap((at) =>
      Array.from({ length: 12 }, () => madeWithoutDocument(rootAt(at), signWith)),
    ),
  );
  isDone = true;
  await Promise.all(changes);
  for (const { activity } of signed) expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("of a group, only what was decided by an outdated document is left out", async () => {
  const current = await newOrganization();
  const units: CommitUnit[] = [];
  for (const each of [organization, current]) {
    const signWith = await newAddress(each);
    const other = secondServer(each.server);
    const { commit } = other.host.committer;
    other.host.committer = {
      commit(unit) {
        units.push(unit);
        return commit({ ...unit, guard: { version: 0, digest: "no such document" } });
      },
    };
    const there = clientOf(other, each.organizationId, each.rootKey);
    expect(await refusal(there.signRawPayload(signing(signWith)))).toMatchObject({
      httpStatus: 503,
      code: "CONFLICT",
    });
  }
  const [outdated, kept] = [
    units.find((unit) => unit.organizationId === organization.organizationId),
    units.find((unit) => unit.organizationId === current.organizationId),
  ];
  if (!outdated?.guard || !kept?.guard) throw new Error("both were decided by a document");
  await organization.root.createUserTag({ userTagName: "changes the document", userIds: [] });
  const { store } = organization.server;
  const digest = "00".repeat(32);
  const version = kept.guard.version + 1;
  for (const wrong of [
    outdated,
    { ...kept, guard: { ...kept.guard, version } },
    { ...kept, guard: { ...kept.guard, digest } },
  ]) {
    expect(await insertGroup(store, [wrong])).toEqual(new Set());
  }
  expect(await insertGroup(store, [outdated, kept])).toEqual(new Set([kept.activity.activityId]));
});

test("signing with a key that does not exist is refused as not found, for any text", async () => {
  const { root } = organization;
  for (const signWith of [
    randomUUID(),
    "nothing",
    "0x0000000000000000000000000000000000000000",
    "00000000----------------------------",
    "00000000-0000-0000-0000-00000000000-",
    "\u0000",
    `0x${"\u0000".repeat(40)}`,
  ]) {
    const signed = root.signRawPayload({
      signWith,
      payload: "00".repeat(32),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
    expect(await refusal(signed)).toMatchObject({ httpStatus: 404, grpcCode: 5 });
  }
});

async function denialsOf({ server, organizationId }: TestOrganization) {
  return server.store.db
    .selectFrom("denials")
    .select(["user_id", "type", "fingerprint", "error", "created_at_ms"])
    .where("organization_id", "=", organizationId)
    .orderBy("created_at_ms")
    .execute();
}

test("a denial leaves an entry that explains it", async () => {
  const grace = await addUser(organization);
  const denied = grace.client.createWallet({ walletName: "mine", accounts: [] });
  const { serviceMessage: message, details } = await errorOf(denied);
  expect(await denialsOf(organization)).toEqual([
    {
      user_id: grace.userId,
      type: "ACTIVITY_TYPE_CREATE_WALLET",
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      error: {
        code: "PERMISSION_DENIED",
        reason: "POLICY_DENIED",
        message,
        details: details.slice(1, 2),
      },
      created_at_ms: expect.any(Number),
    },
  ]);
});

test("only denials leave entries: strangers and mistakes leave none", async () => {
  const { root, server, organizationId } = organization;
  await refusal(root.createWallet({ walletName: "", accounts: [] }));
  const stranger = clientOf(server, organizationId, newKey());
  await refusal(stranger.createWallet({ walletName: "mine", accounts: [] }));
  expect(await denialsOf(organization)).toEqual([]);
});

test("of each user at most sixty denials a minute are kept, and none for longer than a day", async () => {
  const { server, organizationId } = organization;
  const grace = await addUser(organization);
  const age = (ms: number) =>
    server.store.run(
      "",
      "UPDATE denials SET created_at_ms = created_at_ms - $1::bigint WHERE organization_id = $2::uuid",
      [ms, organizationId],
    );
  let last = 0;
  const isTraced: boolean[] = [];
  const deny = async (times: number) => {
    for (let i = 0; i < times; i++) {
      last += 1;
      const wallet = { walletName: `wallet ${last}`, accounts: [] };
      const { code, details } = await errorOf(grace.client.createWallet(wallet));
      expect(code).toBe("POLICY_DENIED");
      // A denial that is not kept cannot be explained, so its error has no trace id.
      isTraced.push(details.some(({ traceId }) => traceId !== undefined));
    }
  };
  await deny(62);
  expect(await denialsOf(organization)).toHaveLength(60);
  expect(isTraced).toEqual([...Array(60).fill(true), false, false]);
  // They do not take the place of other users' denials.
  const ada = await addUser(organization);
  const other = await errorOf(ada.client.createWallet({ walletName: "hers", accounts: [] }));
  expect(other.details.some(({ traceId }) => traceId !== undefined)).toBe(true);
  await age(61_000);
  await deny(45);
  const kept = await denialsOf(organization);
  expect(kept).toHaveLength(101);
  expect(kept.filter((row) => row.user_id === grace.userId)).toHaveLength(100);
  await age(24 * 60 * 60 * 1000 - 30_000);
  await deny(1);
  const left = await denialsOf(organization);
  expect(left.filter((row) => row.user_id === grace.userId)).toHaveLength(46);
  // Those of users who are denied nothing more go in the background, some at a time.
  const nowMs = server.host.now();
  for (let after: DenialPlace | null = null; ; ) {
    after = await deleteOldDenials(server.store, { after, nowMs, limit: 10 });
    if (after === null) break;
  }
  expect(await denialsOf(organization)).toHaveLength(46);
});

test("a denial does not look at those that deleted users left", async () => {
  const { server, organizationId } = organization;
  const grace = await addUser(organization);
  const deny = (walletName: string) =>
    refusal(grace.client.createWallet({ walletName, accounts: [] }));
  await deny("one");
  await server.store.run(
    "",
    `INSERT INTO denials SELECT (jsonb_populate_record(d, jsonb_build_object(
       'denial_id', gen_random_uuid(), 'user_id', gen_random_uuid(), 'created_at_ms', 0))).*
     FROM denials AS d, generate_series(1, 500) WHERE d.organization_id = $1::uuid`,
    [organizationId],
  );
  await deny("two");
  expect(await denialsOf(organization)).toHaveLength(502);
});
