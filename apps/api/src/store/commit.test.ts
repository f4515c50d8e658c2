import { randomUUID } from "node:crypto";
import type { SealedMessage } from "@keyhearth/engine/door/messages";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type CommitObserver, createCommitter } from "./commit.ts";
import { type CommitUnit, type DocumentRow, type RecordRow, rowsOf } from "./commit-unit.ts";
import type { Store } from "./connect.ts";
import { createTestDatabase } from "./database.testing.ts";
import { deleteExpiredLookups, type Lookup } from "./lookups.ts";
import { migrate } from "./migrate.ts";
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
  await migrate(store, Date.now());
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
  const activityId = randomUUID();
  return {
    organizationId,
    guard: { version: 1, digest: "digest 1" },
    activity: {
      activityId,
      fingerprint: `fingerprint ${activityId}`,
      version: 1,
      type: "TYPE",
      status: "ACTIVITY_STATUS_COMPLETED",
      record: bytes(`activity ${activityId}`),
    },
    leaf: { hash: "hash", tag: "tag" },
    document: null,
    organizations: [],
    isRoot: false,
    records: [],
    lookups: [],
    removedLookups: [],
    removedRecords: [],
    messages: [],
    parentOrganizationId: null,
    atMs: 7,
    targets: { written: [], removed: [] },
    resent: null,
    ...change,
  };
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
  const [late = ""] = users;
  expect(await commit(unit({ records: [sessionsRow(late, 2)] }))).toBe(true);
  expect(await all(2)).toEqual(users.map((user) => user !== late));
  expect(sizes.reduce((sum, size) => sum + size)).toBe(16);
  expect(Math.max(...sizes)).toBeGreaterThan(4);
  const { sessions: rows, activities } = await stored("sessions", "activities");
  expect(rows?.map(({ version }) => version)).toEqual(users.map(() => 2));
  expect(activities).toHaveLength(8 + 1 + 7 + 1);
});

test("of several units that replace one record, one wins", async () => {
  const user = randomUUID();
  const committer = createCommitter(store);
  const records = () => [sessionsRow(user, 1), sessionsRow(randomUUID(), 1)];
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => committer.commit(unit({ records: records() }))),
  );
  expect(answers.filter((isCommitted) => isCommitted)).toHaveLength(1);
  expect((await stored("sessions")).sessions).toHaveLength(2);
});

test("a look-up of what expires is renewed when it is written again", async () => {
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

test("units that wait share a statement, at most 64 of them, and each gets its own answer", async () => {
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
  expect(sizes).toEqual(store.kind === "pglite" ? [1, 64, 35] : sizes);
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
  const add = (count: number) => {
    for (let i = 0; i < count; i++) commits.push(committer.commit(unit()));
    return started.length;
  };
  expect(add(1)).toBe(1);
  expect(add(24)).toBe(1);
  expect(add(1)).toBe(2);
  expect(add(24)).toBe(2);
  expect(add(1)).toBe(3);
  expect(add(60)).toBe(3);
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

test("a unit that sends a message twice is not committed", async () => {
  const messages = [message(randomUUID())];
  expect(await commit(changing(2, { messages }))).toBe(true);
  const before = await stored(...everything, "outbox");
  expect(await commit(changing(3, { messages }))).toBe(false);
  expect(await stored(...everything, "outbox")).toEqual(before);
});
