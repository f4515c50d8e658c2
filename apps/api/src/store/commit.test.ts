import { randomUUID } from "node:crypto";
import { documentWith } from "@keyhearth/engine/core/core.testing";
import type { SealedMessage } from "@keyhearth/engine/messages/message";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type CommitObserver, createCommitter } from "./commit.ts";
import { newUnit } from "./commit-unit.testing.ts";
import { type CommitUnit, type DocumentRow, type RecordRow, rowsOf } from "./commit-unit.ts";
import type { Store } from "./connect.ts";
import { createTestDatabase } from "./database.testing.ts";
import { deleteExpiredLookups, type Lookup } from "./lookups.ts";
import { otps } from "./otps.ts";
import { privateKeys } from "./private-keys.ts";
import { sessions } from "./sessions.ts";
import { isGroupable } from "./statements/insert-group.ts";
import type { AnyTable } from "./table.ts";
import { walletAccounts } from "./wallet-accounts.ts";
import { wallets } from "./wallets.ts";

// Commits without the core: units that a test makes up, and what they leave in the database.

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let organizationId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  store = database.store;
});

afterAll(() => database?.drop());

beforeEach(async () => {
  organizationId = randomUUID();
  expect(await commit(founding(organizationId))).toBe(true);
});

const bytes = (text: string) => new TextEncoder().encode(text);

function commit(unit: CommitUnit): Promise<boolean> {
  return createCommitter(store).commit(unit);
}

/** A unit that only adds an activity. */
function unit(change: Partial<CommitUnit> = {}): CommitUnit {
  return newUnit({ organizationId, ...change });
}

function documentOf(id: string, version: number, organizationName = "Acme"): DocumentRow {
  return {
    organizationId: id,
    parentOrganizationId: null,
    organizationName,
    version,
    digest: `digest ${version}`,
    createdAtMs: 7,
    deletedAtMs: null,
    record: bytes(`document ${version}`),
    body: documentWith({
      organizationId: id,
      users: [],
      rootQuorum: { threshold: 1, userIds: [] },
    }),
  };
}

function founding(id: string, change: Partial<CommitUnit> = {}): CommitUnit {
  const organizations = [documentOf(id, 1)];
  return unit({ organizationId: id, guard: null, organizations, ...change });
}

/** A unit that writes the next document. */
function changing(version: number, change: Partial<CommitUnit> = {}): CommitUnit {
  const guard = { version: version - 1, digest: `digest ${version - 1}` };
  return unit({ guard, document: documentOf(organizationId, version, "Renamed"), ...change });
}

function row(table: unknown, id: string, version: number, body: object): RecordRow {
  // A row of any table; the body has what the table's columns read.
  const of = table as AnyTable;
  const record = bytes(`${of.name} ${id} ${version}`);
  return { table: of, organizationId, id, version, digest: `${of.name} ${version}`, record, body };
}

const walletRow = (id: string) => row(wallets, id, 1, {});
const sessionsRow = (id: string, version: number) => row(sessions, id, version, { entries: [] });

function lookup(subjectId: string, change: Partial<Lookup> = {}): Lookup {
  const found = { kind: "NAME" as const, valueHash: "hash", parentOrganizationId: null };
  return { organizationId, subjectId, ...found, ...change };
}

function message(messageId: string): SealedMessage {
  return { messageId, kind: "invitation", sealed: "sealed", createdAtMs: 7, expiresAtMs: 9 };
}

/** Everything that the tables hold about the organization. */
async function stored(...tables: string[]) {
  const found: Record<string, Record<string, unknown>[]> = {};
  for (const table of tables) {
    const text = `SELECT * FROM ${table} WHERE organization_id = $1::uuid ORDER BY ${table}::text`;
    const rows = await store.run("", text, [organizationId]);
    found[table] = rows.map((each) => ({
      ...each,
      ...(each.record instanceof Uint8Array && { record: new TextDecoder().decode(each.record) }),
    }));
  }
  return found;
}

const everything = [
  "organizations",
  "organization_documents",
  "activities",
  "leaves",
  "lookups",
  "sessions",
  "wallets",
  "wallet_accounts",
  "wallet_account_names",
  "private_keys",
  "private_key_addresses",
];

async function expectNothing(refused: CommitUnit) {
  const before = await stored(...everything, "outbox");
  expect(await commit(refused)).toBe(false);
  expect(await stored(...everything, "outbox")).toEqual(before);
}

/** Units of every form that write something in several tables. */
function forms(change: (form: CommitUnit) => CommitUnit): CommitUnit[] {
  const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
  return [
    unit({ records: [walletRow(one)], lookups: [lookup(one)] }),
    unit({ records: [sessionsRow(two, 1), walletRow(two)], lookups: [lookup(two)] }),
    changing(2, { records: [walletRow(three)], lookups: [lookup(three)] }),
  ].map(change);
}

test("a founding writes the organization, its document and its activity", async () => {
  const { activity } = founding(randomUUID());
  organizationId = randomUUID();
  const subjectId = randomUUID();
  expect(await commit(founding(organizationId, { activity, lookups: [lookup(subjectId)] }))).toBe(
    true,
  );
  const { activityId, fingerprint } = activity;
  expect(await stored(...everything.slice(0, 5))).toMatchObject({
    organizations: [
      {
        organization_id: organizationId,
        parent_organization_id: null,
        version: 1,
        digest: "digest 1",
        organization_name: "Acme",
        created_at_ms: 7,
      },
    ],
    organization_documents: [
      { organization_id: organizationId, version: 1, digest: "digest 1", record: "document 1" },
    ],
    activities: [
      {
        organization_id: organizationId,
        activity_id: activityId,
        fingerprint,
        version: 1,
        type: "TYPE",
        status: "ACTIVITY_STATUS_COMPLETED",
        record: `activity ${activityId}`,
      },
    ],
    leaves: [
      {
        organization_id: organizationId,
        activity_id: activityId,
        version: 1,
        hash: "hash",
        tag: "tag",
      },
    ],
    lookups: [
      {
        organization_id: organizationId,
        kind: "NAME",
        value_hash: "hash",
        subject_id: subjectId,
        parent_organization_id: null,
        expires_at_ms: null,
      },
    ],
  });
  await expectNothing(founding(organizationId));
});

test("a database has one root organization", async () => {
  await store.run("", "DELETE FROM root_organization", []);
  const [first, second] = [randomUUID(), randomUUID()];
  expect(await commit(founding(first, { isRoot: true }))).toBe(true);
  organizationId = second;
  await expectNothing(founding(second, { isRoot: true }));
  expect(await store.run("", "SELECT * FROM root_organization", [])).toEqual([
    { singleton: 1, organization_id: first },
  ]);
});

test("records of every kind are written with their columns and rows beside them", async () => {
  const [wallet, account, key, user] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const accountBody = {
    walletId: wallet,
    curve: "CURVE_ED25519",
    path: "m/0",
    addressFormat: "F",
    address: "a",
    name: "payouts",
    createdAtMs: 5,
  };
  const addresses = [{ address: "x" }, { address: "y" }, { address: "x" }];
  const records = [
    walletRow(wallet),
    row(walletAccounts, account, 1, accountBody),
    row(privateKeys, key, 1, { addresses, publicKey: "z" }),
  ];
  const only = unit({ records });
  expect(isGroupable(only)).toBe(true);
  expect(await commit(only)).toBe(true);
  expect(await commit(unit({ records: [sessionsRow(user, 1)] }))).toBe(true);
  const own = { organization_id: organizationId };
  expect(await stored(...everything.slice(5))).toEqual({
    sessions: [
      { ...own, user_id: user, version: 1, digest: "sessions 1", record: `sessions ${user} 1` },
    ],
    wallets: [{ ...own, wallet_id: wallet, digest: "wallets 1", record: `wallets ${wallet} 1` }],
    wallet_accounts: [
      {
        ...own,
        wallet_account_id: account,
        wallet_id: wallet,
        path: "m/0",
        address_format: "F",
        place: "CURVE_ED25519 m/0' F",
        address: "a",
        created_at_ms: 5,
        digest: "wallet_accounts 1",
        record: `wallet_accounts ${account} 1`,
      },
    ],
    wallet_account_names: [{ ...own, name: "payouts", wallet_account_id: account }],
    private_keys: [
      { ...own, private_key_id: key, digest: "private_keys 1", record: `private_keys ${key} 1` },
    ],
    private_key_addresses: [
      { ...own, address: "x", private_key_id: key },
      { ...own, address: "y", private_key_id: key },
      { ...own, address: "z", private_key_id: key },
    ],
  });
  expect(rowsOf(only, wallets).map(({ id }) => id)).toEqual([wallet]);
  expect(rowsOf(only, sessions)).toEqual([]);
});

test("rows that the next document no longer vouches for are deleted with it, and others stay", async () => {
  const [kept, gone] = [randomUUID(), randomUUID()];
  const account = (walletId: string) => {
    const place = { curve: "CURVE_ED25519", path: "m/0", addressFormat: "F" };
    const body = { ...place, walletId, address: "a", name: walletId, createdAtMs: 5 };
    return row(walletAccounts, randomUUID(), 1, body);
  };
  const records = [walletRow(kept), walletRow(gone), account(kept), account(gone)];
  expect(await commit(unit({ records }))).toBe(true);
  const removedRecords = [
    { table: wallets, column: "wallet_id", ids: [gone] },
    { table: walletAccounts, column: "wallet_id", ids: [gone] },
    { table: privateKeys, column: "private_key_id", ids: [kept] },
  ];
  const tables = ["wallets", "wallet_accounts", "wallet_account_names"];
  const count = async () => Object.values(await stored(...tables)).map((rows) => rows.length);
  const late = { guard: { version: 7, digest: "digest 7" }, removedRecords };
  expect(await commit(changing(8, late))).toBe(false);
  expect(await count()).toEqual([2, 2, 2]);
  expect(await commit(changing(2, { removedRecords }))).toBe(true);
  expect(await stored(...tables)).toMatchObject({
    wallets: [{ wallet_id: kept }],
    wallet_accounts: [{ wallet_id: kept }],
    wallet_account_names: [{ name: kept }],
  });
});

test("look-ups of a record that is deleted go with it, and those of others stay", async () => {
  const [kept, gone] = [randomUUID(), randomUUID()];
  const lookups = [kept, gone].map((userId) => lookup(userId, { kind: "PUBLIC_KEY" }));
  const records = [sessionsRow(kept, 1), sessionsRow(gone, 1)];
  expect(await commit(unit({ records, lookups }))).toBe(true);
  const foreign = lookup(gone, { organizationId: randomUUID(), kind: "PUBLIC_KEY" });
  expect(await commit(founding(foreign.organizationId, { lookups: [foreign] }))).toBe(true);
  const removedRecords = [{ table: sessions, column: "user_id", ids: [gone] }];
  expect(await commit(changing(2, { removedRecords }))).toBe(true);
  expect(await stored("sessions", "lookups")).toMatchObject({
    sessions: [{ user_id: kept }],
    lookups: [{ subject_id: kept }],
  });
  const text = "SELECT subject_id FROM lookups WHERE organization_id = $1::uuid";
  const others = await store.run("", text, [foreign.organizationId]);
  expect(others).toMatchObject([{ subject_id: gone }]);
});

test("what was decided by another document writes nothing", async () => {
  const changes: ((form: CommitUnit) => CommitUnit)[] = [
    (form) => ({ ...form, guard: { version: 2, digest: "digest 1" } }),
    (form) => ({ ...form, guard: { version: 1, digest: "digest 2" } }),
    (form) => ({ ...form, organizationId: randomUUID() }),
  ];
  for (const change of changes) {
    for (const refused of forms(change)) await expectNothing(refused);
  }
  for (const accepted of forms((form) => form)) expect(await commit(accepted)).toBe(true);
});

test("a document replaces its predecessor, which is kept", async () => {
  const before = lookup(randomUUID());
  const [kept, after] = [lookup(randomUUID(), { valueHash: "kept" }), lookup(randomUUID())];
  const others = [
    lookup(before.subjectId, { valueHash: "other" }),
    lookup(before.subjectId, { kind: "EMAIL" }),
  ];
  expect(await commit(unit({ lookups: [before, kept, ...others] }))).toBe(true);
  expect(await commit(changing(2, { lookups: [after], removedLookups: [before] }))).toBe(true);
  const { organizations, organization_documents, lookups } = await stored(...everything, "outbox");
  expect(organizations).toMatchObject([
    { version: 2, digest: "digest 2", organization_name: "Renamed" },
  ]);
  expect(organization_documents).toMatchObject([
    { version: 1, record: "document 1" },
    { version: 2, digest: "digest 2", record: "document 2" },
  ]);
  const subjects = (all: { subjectId: string }[]) => all.map(({ subjectId }) => subjectId).sort();
  expect(lookups?.map((each) => each.subject_id).sort()).toEqual(
    subjects([kept, after, ...others]),
  );
  await expectNothing(changing(2));
  expect(await commit(unit({ guard: { version: 2, digest: "digest 2" } }))).toBe(true);
  // A unit that only removes look-ups changes what is there, so it compares versions too.
  const removing = { guard: { version: 2, digest: "digest 2" }, removedLookups: [after] };
  expect(isGroupable(unit(removing))).toBe(false);
  expect(await commit(unit(removing))).toBe(true);
  expect((await stored("lookups")).lookups).toHaveLength(3);
});

test("a record replaces the version before it, and no other", async () => {
  const user = randomUUID();
  const at = (version: number) => unit({ records: [sessionsRow(user, version)] });
  expect(await commit(at(1))).toBe(true);
  await expectNothing(at(1));
  await expectNothing(at(3));
  expect(await commit(at(2))).toBe(true);
  await expectNothing(at(2));
  await expectNothing(at(1));
  expect(await stored("sessions")).toMatchObject({
    sessions: [{ version: 2, digest: "sessions 2", record: `sessions ${user} 2` }],
  });
  // Two of them in one unit, of which one does not follow.
  const other = randomUUID();
  await expectNothing(unit({ records: [sessionsRow(other, 1), sessionsRow(user, 4)] }));
  expect(await commit(unit({ records: [sessionsRow(other, 1), sessionsRow(user, 3)] }))).toBe(true);
});

test("an activity is replaced by its next version, and no other", async () => {
  const first = unit();
  expect(await commit(first)).toBe(true);
  const at = (version: number, change: Partial<CommitUnit["activity"]> = {}) => {
    const status = `STATUS ${version}`;
    const record = bytes(`version ${version}`);
    return unit({ activity: { ...first.activity, version, status, record, ...change } });
  };
  await expectNothing(at(3));
  await expectNothing(at(2, { activityId: randomUUID() }));
  await expectNothing({ ...at(2), guard: { version: 1, digest: "digest 2" } });
  expect(await commit(at(2))).toBe(true);
  await expectNothing(at(2));
  const { activities, leaves } = await stored("activities", "leaves");
  expect(activities).toContainEqual(
    expect.objectContaining({ version: 2, status: "STATUS 2", record: "version 2" }),
  );
  expect(leaves?.filter((leaf) => leaf.activity_id === first.activity.activityId)).toHaveLength(2);
});

test("the same request commits once, and nothing beside the second activity is written", async () => {
  const first = unit();
  expect(await commit(first)).toBe(true);
  for (const again of forms((form) => ({
    ...form,
    activity: { ...form.activity, fingerprint: first.activity.fingerprint },
  }))) {
    await expectNothing(again);
  }
});

test("only a unit that changes no document and no activity shares a statement", () => {
  expect(isGroupable(unit())).toBe(true);
  expect(isGroupable(founding(organizationId))).toBe(false);
  expect(isGroupable(changing(2))).toBe(false);
  const { activity } = unit();
  expect(isGroupable(unit({ activity: { ...activity, version: 2 } }))).toBe(false);
  const records = [walletRow(randomUUID()), sessionsRow(randomUUID(), 2)];
  expect(isGroupable(unit({ records }))).toBe(true);
});

test("units that replace records of different users share a statement, and a late one fails alone", async () => {
  const users = Array.from({ length: 8 }, () => randomUUID());
  const sizes: number[] = [];
  const committer = createCommitter(store, ({ size }) => void sizes.push(size));
  const all = (version: number) =>
    Promise.all(
      users.map((user) => committer.commit(unit({ records: [sessionsRow(user, version)] }))),
    );
  expect(await all(1)).toEqual(users.map(() => true));
  const late = users[3] ?? "";
  expect(await commit(unit({ records: [sessionsRow(late, 2)] }))).toBe(true);
  const [second, other] = await Promise.all([all(2), committer.commit(unit())]);
  expect(second).toEqual(users.map((user) => user !== late));
  expect(other).toBe(true);
  // It is left out of the statement that the others share, so that they need not run again.
  expect(sizes).toEqual([8, 9]);
  const { sessions: rows, activities } = await stored("sessions", "activities");
  expect(rows?.map(({ version }) => version)).toEqual(users.map(() => 2));
  expect(activities).toHaveLength(8 + 1 + 7 + 1 + 1);
});

test("of several units that replace one record, one wins", async () => {
  const user = randomUUID();
  const sizes: number[] = [];
  const committer = createCommitter(store, ({ size }) => void sizes.push(size));
  const records = () => [sessionsRow(user, 1), sessionsRow(randomUUID(), 1)];
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => committer.commit(unit({ records: records() }))),
  );
  expect(answers.filter((isCommitted) => isCommitted)).toHaveLength(1);
  expect((await stored("sessions")).sessions).toHaveLength(2);
  // One is tried, and the others cannot follow it.
  expect(sizes).toEqual([1]);
});

test("units that create one record are all tried, since it may be the first that fails", async () => {
  const sizes: number[] = [];
  const committer = createCommitter(store, ({ size }) => void sizes.push(size));
  const wallet = () => [walletRow(organizationId)];
  const outdated = { guard: { version: 1, digest: "digest 9" }, records: wallet() };
  const units = [unit(), unit(outdated), unit({ records: wallet() }), unit({ records: wallet() })];
  const answers = await Promise.all(units.map((each) => committer.commit(each)));
  expect(answers).toEqual([true, false, true, false]);
  expect(sizes.toSorted()).toEqual([1, 1, 1, 1, 4]);
});

test("a look-up of what expires is renewed when it is written again", async () => {
  // Those of other tests would be deleted with it.
  await store.run("", "DELETE FROM lookups WHERE expires_at_ms IS NOT NULL", []);
  const subject = randomUUID();
  const write = (expiresAtMs?: number) =>
    commit(unit({ lookups: [lookup(subject, expiresAtMs === undefined ? {} : { expiresAtMs })] }));
  const expiry = async () => (await stored("lookups")).lookups?.map((each) => each.expires_at_ms);
  await write(1000);
  expect(await expiry()).toEqual([1000]);
  await write(2000);
  expect(await expiry()).toEqual([2000]);
  expect(await deleteExpiredLookups(store, 2000, 10)).toBe(0);
  await write();
  expect(await expiry()).toEqual([null]);
  expect(await deleteExpiredLookups(store, Number.MAX_SAFE_INTEGER, 10)).toBe(0);
  await write(1000);
  expect(await deleteExpiredLookups(store, 1001, 10)).toBe(1);
  expect(await expiry()).toEqual([]);
});

test("units that arrive together share a statement, at most 64 of them, and each gets its own answer", async () => {
  const sizes: number[] = [];
  const committer = createCommitter(store, ({ size, seconds }) => {
    sizes.push(size);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(60);
  });
  const outdated = { guard: { version: 1, digest: "digest 9" } };
  const units = Array.from({ length: 100 }, (_, i) => unit(i % 10 === 3 ? outdated : {}));
  const answers = await Promise.all(units.map((each) => committer.commit(each)));
  expect(answers).toEqual(units.map((_, i) => i % 10 !== 3));
  expect(sizes).toEqual(store.kind === "pglite" ? [64, 36] : sizes);
  expect(sizes.reduce((a, b) => a + b)).toBe(100);
  // The founding is there too.
  expect((await stored("activities")).activities).toHaveLength(91);
});

test("a unit that fails does not fail the others of its group", async () => {
  const taken = randomUUID();
  expect(await commit(unit({ records: [walletRow(taken)] }))).toBe(true);
  const sizes: number[] = [];
  const committer = createCommitter(store, ({ size }) => void sizes.push(size));
  const broken = unit();
  broken.activity.activityId = "not an id";
  const all = await Promise.allSettled(
    [unit(), unit(), unit({ records: [walletRow(taken)] }), broken, unit()].map((each) =>
      committer.commit(each),
    ),
  );
  expect(all.map((each) => (each.status === "fulfilled" ? each.value : "failed"))).toEqual([
    true,
    true,
    false,
    "failed",
    true,
  ]);
  expect(all[3]).toMatchObject({ reason: expect.objectContaining({ code: "22P02" }) });
});

test("an error that is no conflict is an error of a unit that runs alone, too", async () => {
  const broken = changing(2);
  broken.activity.activityId = "not an id";
  await expect(commit(broken)).rejects.toMatchObject({ code: "22P02" });
});

test.each([
  ["22012", false],
  ["23505", false],
  ["40001", false],
  ["40P01", false],
  ["57P01", "failed"],
  [undefined, "failed"],
])("an error with the code %s: %s", async (code, expected) => {
  const error = Object.assign(new Error("of the database"), code ? { code } : {});
  const failing: Store = { ...store, run: () => Promise.reject(error) };
  const sizes: number[] = [];
  const observe: CommitObserver = ({ size }) => void sizes.push(size);
  for (const each of [unit(), changing(2)]) {
    const answer = await createCommitter(failing, observe)
      .commit(each)
      .catch((thrown) => (thrown === error ? "failed" : thrown));
    expect(answer).toBe(expected);
  }
  expect(sizes).toEqual([1, 1]);
});

test("a server gets up to three groups at once, when enough units wait", async () => {
  const started: (() => void)[] = [];
  const gated: Store = {
    ...store,
    kind: "postgres",
    async run(...args) {
      await new Promise<void>((resolve) => started.push(resolve));
      return store.run(...args);
    },
  };
  const committer = createCommitter(gated);
  const commits: Promise<boolean>[] = [];
  const add = async (count: number) => {
    for (let i = 0; i < count; i++) commits.push(committer.commit(unit()));
    await new Promise((resolve) => setImmediate(resolve));
    return started.length;
  };
  expect(await add(1)).toBe(1);
  expect(await add(24)).toBe(1);
  expect(await add(1)).toBe(2);
  expect(await add(24)).toBe(2);
  expect(await add(1)).toBe(3);
  expect(await add(60)).toBe(3);
  // A connection that is free again takes what waits, although others are busy.
  started[0]?.();
  await expect.poll(() => started.length).toBe(4);
  while (started.length > 0) {
    for (const release of started.splice(0)) release();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  expect(await Promise.all(commits)).toEqual(commits.map(() => true));
});

test("a message is in the outbox exactly if its unit is committed", async () => {
  const ids = [randomUUID(), randomUUID()];
  const messages = ids.map(message);
  expect(await commit(changing(2, { messages }))).toBe(true);
  const { outbox } = await stored("outbox");
  expect(outbox?.map((each) => each.message_id).sort()).toEqual(ids.toSorted());
  expect(outbox?.[0]).toMatchObject({
    kind: "invitation",
    sealed: "sealed",
    recipient: null,
    content: null,
    state: "waiting",
    attempts: 0,
    next_attempt_at_ms: 7,
    expires_at_ms: 9,
    created_at_ms: 7,
  });

  // Each loses a race: the document has moved on, or the activity exists already.
  const before = await stored(...everything, "outbox");
  expect(await commit(changing(2, { messages: [message(randomUUID())] }))).toBe(false);
  expect(await commit(unit({ messages: [message(randomUUID())] }))).toBe(false);
  expect(await stored(...everything, "outbox")).toEqual(before);
});

/** Runs one statement of the test's own. */
const run = (text: string, ...values: unknown[]) => store.run("", text, values);

/** Where events of an organization are sent. */
async function newTarget(owner: string): Promise<string> {
  const endpointId = randomUUID();
  await run(
    "INSERT INTO webhook_targets VALUES ($1::uuid, $2::uuid, 'https://example.com', $1::uuid)",
    owner,
    endpointId,
  );
  return endpointId;
}

async function deliveriesOf(activityId: string) {
  const rows = await run(
    `SELECT endpoint_id, owner_id, organization_id, activity_version, event_type, may_change, bytes, state,
       attempts, next_attempt_at_ms, created_at_ms
     FROM webhook_deliveries WHERE activity_id = $1::uuid
     ORDER BY owner_id = organization_id, activity_version`,
    activityId,
  );
  return rows.map((row): Record<string, unknown> => ({ ...row }));
}

test("each target of the organization and of its parent gets a delivery of the activity", async () => {
  const parentOrganizationId = randomUUID();
  const [own, parents] = [await newTarget(organizationId), await newTarget(parentOrganizationId)];
  await newTarget(randomUUID());
  for (const [status, mayChange] of [
    ["ACTIVITY_STATUS_COMPLETED", false],
    ["ACTIVITY_STATUS_FAILED", false],
    ["ACTIVITY_STATUS_REJECTED", false],
    // This one may be replaced before it was sent.
    ["ACTIVITY_STATUS_CONSENSUS_NEEDED", true],
  ] as const) {
    const made = unit({ parentOrganizationId, atMs: 1234 });
    Object.assign(made.activity, { status });
    expect(await commit(made)).toBe(true);
    const delivery = {
      organization_id: organizationId,
      activity_version: 1,
      event_type: "ACTIVITY_UPDATES",
      may_change: mayChange,
      bytes: 1000,
      state: "waiting",
      attempts: 0,
      next_attempt_at_ms: 1234,
      created_at_ms: 1234,
    };
    expect(await deliveriesOf(made.activity.activityId)).toEqual([
      { ...delivery, endpoint_id: parents, owner_id: parentOrganizationId },
      { ...delivery, endpoint_id: own, owner_id: organizationId },
    ]);
  }
});

test("the next version of an activity is a delivery too, and what is not committed is none", async () => {
  await newTarget(organizationId);
  const first = unit();
  expect(await commit(first)).toBe(true);
  const { activity } = first;
  expect(await commit(unit({ activity: { ...activity, version: 2 } }))).toBe(true);
  const versions = async () =>
    (await deliveriesOf(activity.activityId)).map((each) => each.activity_version);
  expect(await versions()).toEqual([1, 2]);
  expect(await commit(unit({ activity: { ...activity, version: 2 } }))).toBe(false);
  expect(await versions()).toEqual([1, 2]);
  const late = unit({ guard: { version: 1, digest: "digest 9" } });
  expect(await commit(late)).toBe(false);
  expect(await deliveriesOf(late.activity.activityId)).toEqual([]);
});

test("a delivery is put back if its own organization asks, and it does not wait already", async () => {
  const [own, others] = [randomUUID(), randomUUID()];
  await newTarget(organizationId);
  const { activity } = unit();
  expect(await commit(unit({ activity }))).toBe(true);
  const [{ delivery_id: sent } = {}] = await run(
    `UPDATE webhook_deliveries SET state = 'exhausted', attempts = 5, owner_id = $2::uuid
     WHERE activity_id = $1::uuid RETURNING delivery_id`,
    activity.activityId,
    others,
  );
  const resent = String(sent);
  const state = () =>
    run(
      "SELECT state, attempts, next_attempt_at_ms FROM webhook_deliveries WHERE delivery_id = $1::uuid",
      resent,
    );
  const exhausted = [{ state: "exhausted", attempts: 5, next_attempt_at_ms: 7 }];
  expect(await commit(unit({ resent, atMs: 50 }))).toBe(true);
  expect(await state()).toEqual(exhausted);
  const text = "UPDATE webhook_deliveries SET owner_id = $2::uuid WHERE delivery_id = $1::uuid";
  await run(text, resent, organizationId);
  expect(await commit(unit({ resent: own, atMs: 50 }))).toBe(true);
  expect(await commit(unit({ resent, atMs: 50, guard: { version: 1, digest: "other" } }))).toBe(
    false,
  );
  expect(await state()).toEqual(exhausted);
  expect(await commit(unit({ resent, atMs: 50 }))).toBe(true);
  expect(await state()).toEqual([{ state: "waiting", attempts: 0, next_attempt_at_ms: 50 }]);
  // While it is being tried, a second request does not have it tried at once again.
  expect(await commit(unit({ resent, atMs: 60 }))).toBe(true);
  expect(await state()).toEqual([{ state: "waiting", attempts: 0, next_attempt_at_ms: 50 }]);
});

test("targets are written, changed and removed with the document that says so", async () => {
  const [one, two, foreign] = [randomUUID(), randomUUID(), randomUUID()];
  const familyId = randomUUID();
  const target = (endpointId: string, url: string) => ({
    organizationId,
    endpointId,
    url,
    familyId,
  });
  const written = [target(one, "https://one.example"), target(two, "https://two.example")];
  expect(await commit(changing(7, { targets: { written, removed: [] } }))).toBe(false);
  const targets = async () => (await stored("webhook_targets")).webhook_targets;
  expect(await targets()).toEqual([]);
  expect(await commit(changing(2, { targets: { written, removed: [] } }))).toBe(true);
  const row = (endpoint_id: string, url: string) => ({
    organization_id: organizationId,
    endpoint_id,
    url,
    family_id: familyId,
    failures: 0,
    // What was held before is released.
    retry_at_ms: 7,
  });
  const sorted = (rows: object[]) => rows.map((each) => expect.objectContaining(each));
  expect(await targets()).toHaveLength(2);
  expect(await targets()).toEqual(
    expect.arrayContaining(
      sorted([row(one, "https://one.example"), row(two, "https://two.example")]),
    ),
  );

  // Another organization cannot remove it.
  const before = organizationId;
  organizationId = foreign;
  expect(await commit(founding(foreign))).toBe(true);
  expect(await commit(changing(2, { targets: { written: [], removed: [one, two] } }))).toBe(true);
  organizationId = before;
  expect(await targets()).toHaveLength(2);

  const next = { written: [target(two, "https://new.example")], removed: [one] };
  expect(await commit(changing(3, { targets: next }))).toBe(true);
  expect(await targets()).toEqual([row(two, "https://new.example")]);
});

test("the organization's deletion takes all its records and look-ups with it, but not its log", async () => {
  const fill = async () => {
    const [wallet, account, key, user] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const place = { curve: "CURVE_ED25519", path: "m/0", addressFormat: "F" };
    const body = { ...place, walletId: wallet, address: "a", name: "payouts", createdAtMs: 5 };
    const records = [
      walletRow(wallet),
      row(walletAccounts, account, 1, body),
      row(privateKeys, key, 1, { addresses: [{ address: "x" }], publicKey: "z" }),
      row(otps, randomUUID(), 1, { userId: user, expiresAtMs: 5 }),
      sessionsRow(user, 1),
    ];
    expect(await commit(unit({ records, lookups: [lookup(user)] }))).toBe(true);
    const use = "INSERT INTO passkey_uses VALUES ($1::uuid, $2::uuid, 5)";
    await run(use, organizationId, randomUUID());
  };
  const removed = [...everything.slice(4), "passkey_uses", "otps"];
  const deleted = organizationId;
  const other = randomUUID();
  organizationId = other;
  expect(await commit(founding(other))).toBe(true);
  await fill();
  const before = await stored(...removed);
  for (const rows of Object.values(before)) expect(rows.length).toBeGreaterThan(0);
  organizationId = deleted;
  await fill();

  const document = { ...documentOf(deleted, 2), deletedAtMs: 9 };
  const late = { guard: { version: 1, digest: "digest 9" }, document };
  await expectNothing(changing(2, late));
  expect(await commit(changing(2, { document }))).toBe(true);
  for (const rows of Object.values(await stored(...removed))) expect(rows).toEqual([]);
  const log = await stored("organizations", "organization_documents", "activities", "leaves");
  expect(log.organizations).toMatchObject([{ version: 2, deleted_at_ms: 9 }]);
  for (const name of ["organization_documents", "activities", "leaves"]) {
    expect(log[name]?.length).toBe(name === "organization_documents" ? 2 : 3);
  }
  organizationId = other;
  expect(await stored(...removed)).toEqual(before);
});

test("a version that was replaced is noted, so that it can be made smaller later", async () => {
  expect(await commit(changing(2))).toBe(true);
  expect(await commit(changing(3))).toBe(true);
  const own = { organization_id: organizationId };
  expect((await stored("past_documents")).past_documents).toEqual([
    { ...own, version: 1 },
    { ...own, version: 2 },
  ]);
});

test("a unit that changes the document replaces records by their versions, too", async () => {
  const [ada, bob] = [randomUUID(), randomUUID()];
  const at = (version: number, records: RecordRow[]) => changing(version, { records });
  expect(await commit(at(2, [sessionsRow(ada, 1), walletRow(ada)]))).toBe(true);
  await expectNothing(at(3, [sessionsRow(ada, 1)]));
  await expectNothing(at(3, [sessionsRow(ada, 3)]));
  await expectNothing(at(3, [sessionsRow(bob, 1), sessionsRow(ada, 3)]));
  expect(await commit(at(3, [sessionsRow(bob, 1), sessionsRow(ada, 2), walletRow(bob)]))).toBe(
    true,
  );
  const { sessions: found, wallets: made } = await stored("sessions", "wallets");
  expect(found).toHaveLength(2);
  expect(found).toContainEqual({
    organization_id: organizationId,
    user_id: ada,
    version: 2,
    digest: "sessions 2",
    record: `sessions ${ada} 2`,
  });
  expect(made).toHaveLength(2);
});

test("a sub-organization is written with its parent's activity", async () => {
  const child = randomUUID();
  const organizations = [{ ...documentOf(child, 1), parentOrganizationId: organizationId }];
  const parent = organizationId;
  const found = { organizationId: child, parentOrganizationId: parent };
  const only = unit({ organizations, lookups: [lookup(child, found)] });
  expect(isGroupable(only)).toBe(true);
  expect(await commit(only)).toBe(true);
  organizationId = child;
  const { organizations: children, activities, lookups } = await stored(...everything);
  expect(children).toMatchObject([{ parent_organization_id: parent, digest: "digest 1" }]);
  expect(activities).toEqual([]);
  expect(lookups).toMatchObject([{ subject_id: child, parent_organization_id: parent }]);
});

// Citus has no triggers.
test.skipIf(process.env.KEYHEARTH_TEST_CITUS)(
  "a record that another process replaced in between fails the statement",
  async () => {
    const user = randomUUID();
    expect(await commit(unit({ records: [sessionsRow(user, 1)] }))).toBe(true);
    // As if the update had waited for the other process: it finds no row of the version before.
    await run(
      "CREATE FUNCTION skip() RETURNS trigger AS $$ BEGIN RETURN NULL; END $$ LANGUAGE plpgsql",
    );
    await run("CREATE TRIGGER skip BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION skip()");
    try {
      await expectNothing(unit({ records: [sessionsRow(user, 2), sessionsRow(randomUUID(), 1)] }));
      await expectNothing(changing(2, { records: [sessionsRow(user, 2)] }));
    } finally {
      await run("DROP TRIGGER skip ON sessions");
      await run("DROP FUNCTION skip()");
    }
    expect(await commit(unit({ records: [sessionsRow(user, 2)] }))).toBe(true);
  },
);

/** The statements of commits, as they reach the database. */
function listening() {
  const statements: { name: string; text: string; values: unknown[] }[] = [];
  const heard: Store = {
    ...store,
    run(name, text, values) {
      statements.push({ name, text, values });
      return store.run(name, text, values);
    },
  };
  return { statements, committer: createCommitter(heard) };
}

test("rows are written in one order by all processes, so that none waits for another in a circle", async () => {
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const orders = [ids.toSorted(), ids.toSorted().reverse()];
  const [ascending = []] = orders;
  for (const [index, order] of orders.entries()) {
    const { statements, committer } = listening();
    const records = order.map((id) => sessionsRow(id, index + 1));
    const lookups = order.map((id) => lookup(id, { valueHash: "same" }));
    expect(await committer.commit(unit({ records, lookups }))).toBe(true);
    const lists = statements[0]?.values.filter(
      (value) => Array.isArray(value) && value.length === 5 && ids.includes(value[0]),
    );
    // What is meant comes in any order. It is the rows to be written, and the subjects, that are locked.
    expect(lists).toEqual([order, ascending, ascending]);
  }
});

test("of the same look-up in several units of a statement, the last one counts", async () => {
  const subject = randomUUID();
  const committer = createCommitter(store);
  const [first, second, third] = [
    lookup(randomUUID()),
    lookup(subject, { expiresAtMs: 1000 }),
    lookup(subject, { expiresAtMs: 2000 }),
  ];
  const units = [
    unit({ lookups: [first] }),
    unit({ lookups: [second] }),
    unit({ lookups: [third] }),
  ];
  await Promise.all(units.map((each) => committer.commit(each)));
  const { lookups } = await stored("lookups");
  expect(lookups).toHaveLength(2);
  expect(lookups).toContainEqual(
    expect.objectContaining({ subject_id: subject, expires_at_ms: 2000 }),
  );
});

test("each text of a statement has a name of its own, by which a connection plans it once", async () => {
  const { statements, committer } = listening();
  const several = () => [
    unit(),
    unit({ records: [walletRow(randomUUID())] }),
    unit({ records: [sessionsRow(randomUUID(), 1)] }),
  ];
  for (const each of [...several(), ...several(), changing(2)]) await committer.commit(each);
  const names = statements.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(names.slice(3, 6));
  expect(new Set(names).size).toBe(4);
  expect(new Set(statements.map(({ text }) => text)).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^commit-[1-9]\d*$/);
});

test("a statement has no part for what its units do not write", async () => {
  const partsOf = async (each: CommitUnit) => {
    const { statements, committer } = listening();
    expect(await committer.commit(each)).toBe(true);
    const text = statements.map((statement) => statement.text).join();
    return [...text.matchAll(/(?<=^(?:WITH )?)\w+(?= AS \()/gm)].map(([name]) => name);
  };
  const always = ["accepted", "new_deliveries", "new_leaves"];
  expect(await partsOf(unit())).toEqual(["unit", ...always]);
  const document = ["guard", "next_document", "past_document"];
  expect(await partsOf(changing(2))).toEqual([...document, ...always]);
  const guard = { version: 2, digest: "digest 2" };
  const records = [walletRow(randomUUID())];
  expect(await partsOf(unit({ guard, records }))).toEqual(["unit", ...always, "new_wallets"]);
});

test("a record that is part of a larger buffer is stored without the rest", async () => {
  const buffer = bytes("before, inside, after");
  const record = buffer.subarray(8, 14);
  const wallet = { ...walletRow(randomUUID()), record };
  const made = unit({ records: [wallet] });
  made.activity.record = record;
  expect(await commit(made)).toBe(true);
  const changed = changing(2, { document: { ...documentOf(organizationId, 2), record } });
  changed.activity.record = record;
  expect(await commit(changed)).toBe(true);
  const found = await stored("wallets", "activities", "organization_documents");
  expect(found.wallets).toMatchObject([{ record: "inside" }]);
  expect(found.activities?.filter((each) => each.record === "inside")).toHaveLength(2);
  expect(found.organization_documents).toMatchObject([{ version: 1 }, { record: "inside" }]);
});

test("the observer hears how long each statement took, in seconds", async () => {
  for (const each of [unit(), changing(2), changing(2)]) {
    const heard: Parameters<CommitObserver>[0][] = [];
    const startedAt = performance.now();
    await createCommitter(store, (group) => void heard.push(group)).commit(each);
    const elapsed = (performance.now() - startedAt) / 1000;
    expect(heard).toEqual([{ size: 1, seconds: expect.any(Number) }]);
    // The statement is most of it.
    expect(heard[0]?.seconds).toBeLessThanOrEqual(elapsed);
    expect(heard[0]?.seconds).toBeGreaterThan(elapsed / 100);
  }
});

test("a unit that sends a message twice is not committed", async () => {
  const messages = [message(randomUUID())];
  expect(await commit(changing(2, { messages }))).toBe(true);
  const before = await stored(...everything, "outbox");
  expect(await commit(changing(3, { messages }))).toBe(false);
  expect(await stored(...everything, "outbox")).toEqual(before);
});
