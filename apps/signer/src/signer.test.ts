import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { randomBytes } from "@keyhearth/crypto/primitives";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import { notarize } from "@keyhearth/engine/records/notarize";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { addEpoch } from "@keyhearth/engine/vault/keyring";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openMarksFile } from "./marks/marks-file.ts";
import { readRootKeyFile } from "./root-key/file.ts";
import {
  acceptClock,
  acceptRestoredDatabase,
  openSigner,
  readPublicKeys,
  type Signer,
} from "./signer.ts";
import { readKeyringFile, writeKeyringFile } from "./state/keyring-file.ts";
import { SignerStateError } from "./state/state-error.ts";

let directory: string;
let state: string;
let signers: Signer[];
let events: CoreEvent[];
let machineMs: number;
/** How long the machine has been running. */
let upMs: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-signer-"));
  state = join(directory, "state");
  signers = [];
  events = [];
  machineMs = 1_767_225_600_000;
  upMs = 1_000_000;
});

afterEach(() => {
  for (const signer of signers) signer.close();
  rmSync(directory, { recursive: true });
});

function start(mayCreate = true): Signer {
  const signer = openSigner({
    stateDirectory: state,
    mayCreate,
    machine: { now: () => machineMs, running: () => upMs, up: () => upMs },
    log: (event) => void events.push(event),
  });
  signers.push(signer);
  return signer;
}

/** The operator accepts a restored database, and states a time if there is one. */
function restore(stated?: string) {
  return acceptRestoredDatabase(state, stated, { now: () => machineMs });
}

const timeOf = (ms: number) => new Date(ms).toISOString();

function stop() {
  signers.pop()?.close();
}

function describeSigner(signer: Signer) {
  const answer = signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error(`unexpected answer ${answer.kind}`);
  return answer;
}

const organizationId = "11111111-1111-4111-8111-111111111111";

/** The organization's document, as anyone with the keyring could create it. */
function document(
  version: number,
  name: string,
  more: object = {},
  of = organizationId,
): Uint8Array {
  const keyring = readKeyringFile(join(state, "keyring"), readRootKeyFile(join(state, "root-key")));
  const header = { type: "organization", schema: 2, id: of, version } as const;
  const lists = { users: [], closed: [], decided: [] };
  const body = { organizationId: of, organizationName: name, ...lists, ...more };
  return notarize(keyring, { ...header, organizationId: of }, body);
}

function newSessions(): Uint8Array {
  const keyring = readKeyringFile(join(state, "keyring"), readRootKeyFile(join(state, "root-key")));
  const id = "22222222-2222-4222-8222-222222222222";
  const header = { type: "sessions", schema: 1, organizationId, id, version: 3 } as const;
  return notarize(keyring, header, { userId: id, entries: [] });
}

/** Brings a document with an empty request, and confirms it if it is new. Returns why it is refused. */
function bring(signer: Signer, bytes: Uint8Array): string {
  const request = {
    call: "submit" as const,
    endpoint: "create_wallet",
    body: encodeUtf8("{}"),
    stamp: null,
    records: [recordDigest(bytes)],
    attachments: [bytes],
  };
  let answer = signer.handle(request);
  if (answer.kind === "unconfirmed") {
    expect(signer.handle({ call: "confirm", attachments: [bytes] })).toEqual({ kind: "confirmed" });
    answer = signer.handle(request);
  }
  if (answer.kind !== "error") throw new Error(`unexpected answer ${answer.kind}`);
  return answer.error.reason;
}

/** The document was accepted, so only the request itself is wrong. */
const believed = "ORGANIZATION_ID_MALFORMED";

test("a start loads what hashes large payloads quickly, before the first of them", async () => {
  vi.resetModules();
  const fresh = await import("./signer.ts");
  const { keccak256 } = await import("@keyhearth/crypto/primitives");
  const slow = await import("@keyhearth/crypto/primitives/shared");
  const data = new Uint8Array(1024 * 1024);
  const spentMs = (hash: typeof keccak256) => {
    const before = process.cpuUsage().user;
    hash(data);
    return process.cpuUsage().user - before;
  };
  spentMs(slow.keccak256);
  signers.push(fresh.openSigner({ stateDirectory: state, mayCreate: true, log() {} }));
  await setTimeout(500);
  // About a twelfth in WebAssembly. The call that has to load it takes as long as without it.
  expect(spentMs(keccak256)).toBeLessThan(spentMs(slow.keccak256) / 2);
});

test("the first start creates a root key and keyring that only their owner can read", () => {
  const first = describeSigner(start());
  expect(readdirSync(state).sort()).toEqual([
    "form",
    "keyring",
    "marks",
    "marks-wal",
    "new-installation",
    "root-key",
    "starts",
  ]);
  expect(statSync(state).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(state)) {
    expect(statSync(join(state, name)).mode & 0o777).toBe(0o600);
  }
  expect(first).toMatchObject({ keyEpoch: 1, nowMs: machineMs, starts: 1 });
  stop();
  const second = describeSigner(start(false));
  expect(second.run).not.toBe(first.run);
  expect(second).toEqual({ ...first, run: second.run, starts: 2 });
});

test("no root key is created if records may need a different one", () => {
  const missing = `the root key ${join(state, "root-key")} is missing, but there are records that it protects; restore it from a backup or point KEYHEARTH_SIGNER_STATE at the directory that holds it`;
  expect(() => start(false)).toThrow(new SignerStateError(missing));
  expect(existsSync(state)).toBe(false);
  start();
  stop();
  rmSync(join(state, "root-key"));
  expect(() => start(true)).toThrow(new SignerStateError(missing));
});

test("a first start without the flag that creates keys says which flag that is", () => {
  const options = { stateDirectory: state, mayCreate: false, createFlag: "--create" };
  const started = () => openSigner({ ...options, log: () => {} });
  const advice =
    "for a new installation with an empty database, start the signer once with --create, which creates its keys; otherwise restore them from a backup, or point --state at the directory that holds them";
  expect(started).toThrow(new SignerStateError(`the state directory ${state} is empty; ${advice}`));
  mkdirSync(state);
  expect(started).toThrow(new SignerStateError(`the state directory ${state} is empty; ${advice}`));
  writeFileSync(join(state, "courier"), "");
  expect(started).toThrow(
    new SignerStateError(`the state directory ${state} holds no keys; ${advice}`),
  );
  rmSync(join(state, "courier"));
  start();
  stop();
  rmSync(join(state, "root-key"));
  expect(started).toThrow(/^the root key .+ is missing, but there are records that it protects/);
});

test("a missing keyring is reported, and created only if no record can need a different one", () => {
  const missing = `the root key is there but the keyring ${join(state, "keyring")} is missing`;
  start();
  stop();
  rmSync(join(state, "keyring"));
  expect(() => start(false)).toThrow(`${missing}; restore it from a backup`);
  // A first start that was killed before it wrote the keyring.
  expect(describeSigner(start(true))).toMatchObject({ keyEpoch: 1, isNew: true });
  stop();

  expect(bring(start(), document(1, "a"))).toBe(believed);
  stop();
  rmSync(join(state, "keyring"));
  for (const mayCreate of [false, true]) expect(() => start(mayCreate)).toThrow(missing);
  expect(existsSync(join(state, "keyring"))).toBe(false);
});

test("an installation is new until a document was seen, whatever happens to its marks", () => {
  const first = describeSigner(start());
  expect(first.isNew).toBe(true);
  stop();
  const again = start(false);
  expect(describeSigner(again)).toMatchObject({
    installationId: first.installationId,
    isNew: true,
  });
  expect(bring(again, document(5, "seen"))).toBe(believed);
  expect(describeSigner(again).isNew).toBe(false);
  stop();
  restore();
  expect(describeSigner(start(false)).isNew).toBe(false);
});

test("an installation whose file is missing or names another one counts as used", () => {
  start();
  stop();
  const path = join(state, "new-installation");
  for (const text of ["", "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11\n", null]) {
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
    expect(describeSigner(start()).isNew).toBe(false);
    stop();
  }
});

test("the signer tells its own records from those of another installation", () => {
  const signer = start();
  const isOwn = (...attachments: Uint8Array[]) => {
    const answer = signer.handle({ call: "describe", attachments });
    return answer.kind === "description" && answer.isOwn;
  };
  const own = document(5, "own");
  expect(isOwn(own, newSessions())).toBe(true);
  const changed = Uint8Array.from(own);
  changed[20] = (changed[20] ?? 0) ^ 1;
  for (const other of [changed, new Uint8Array(0), new Uint8Array(100)]) {
    expect(isOwn(own, other)).toBe(false);
  }
});

test("the clock does not run backwards across a restart", () => {
  bring(start(), document(1, "a"));
  stop();
  machineMs -= 20_000;
  expect(describeSigner(start()).nowMs).toBe(machineMs + 20_000);
  stop();
  machineMs -= 3_600_000;
  expect(start().handle({ call: "describe" })).toMatchObject({
    kind: "error",
    error: { code: "UNAVAILABLE", reason: "CLOCK_BACKWARDS" },
  });
  expect(events).toContainEqual(
    expect.objectContaining({ event: "refused", reason: "CLOCK_BACKWARDS" }),
  );
});

const year = 365 * 24 * 3_600_000;
const clockRefused = (reason: string) => ({
  kind: "error",
  error: { code: "UNAVAILABLE", reason },
});

test("a clock that is a year ahead at a start is refused and not remembered, also if the operator accepts a database then", () => {
  bring(start(), document(1, "a"));
  stop();
  machineMs += year;
  const wrong = start();
  expect(wrong.handle({ call: "describe" })).toMatchObject(clockRefused("CLOCK_JUMPED"));
  expect(bring(wrong, document(1, "a"))).toBe("CLOCK_JUMPED");
  expect(events).toContainEqual(
    expect.objectContaining({ event: "refused", reason: "CLOCK_JUMPED" }),
  );
  stop();
  const before = readdirSync(state);
  expect(() => restore()).toThrow(/more than 30 days before.* accept-clock.*nothing was changed$/);
  expect(readdirSync(state)).toEqual(before);
  machineMs -= year - 60_000;
  restore();
  const corrected = start();
  expect(describeSigner(corrected).nowMs).toBe(machineMs);
  expect(bring(corrected, document(1, "a"))).toBe(believed);
});

test("readiness probes with a wrong clock leave no trace", () => {
  bring(start(), document(1, "a"));
  stop();
  machineMs += 20 * 24 * 3_600_000;
  const wrong = start();
  expect(describeSigner(wrong)).toMatchObject({ nowMs: machineMs, clockJumps: 0 });
  stop();
  machineMs -= 20 * 24 * 3_600_000;
  expect(describeSigner(start()).nowMs).toBe(machineMs);
});

test("a clock that jumps ahead in a run is reported, or refused until it is right", () => {
  const signer = start();
  bring(signer, document(1, "a"));
  machineMs += 600_000;
  expect(bring(signer, document(1, "a"))).toBe(believed);
  expect(describeSigner(signer).clockJumps).toBe(1);
  expect(events).toContainEqual({
    event: "the clock jumped",
    from: "2026-01-01T00:00:00.000Z",
    to: "2026-01-01T00:10:00.000Z",
    seconds: 600,
  });
  machineMs += year;
  expect(bring(signer, document(1, "a"))).toBe("CLOCK_JUMPED");
  machineMs -= year;
  expect(bring(signer, document(1, "a"))).toBe(believed);
  // What the machine's counters explain is not a jump.
  machineMs += year;
  upMs += year;
  expect(bring(signer, document(1, "a"))).toBe(believed);
  expect(describeSigner(signer).clockJumps).toBe(1);
});

test("an operator takes a wrong time back that an earlier version had believed", () => {
  bring(start(), document(1, "a"));
  stop();
  const utc = () => new Date(machineMs).toISOString();
  const now = () => machineMs;
  machineMs += year;
  // The same command says that the time is right.
  expect(acceptClock(state, utc(), { now })).toMatchObject({ refused: [] });
  expect(bring(start(), document(1, "a"))).toBe(believed);
  stop();
  machineMs -= year;
  expect(bring(start(), document(1, "a"))).toBe("CLOCK_BACKWARDS");
  stop();
  expect(() => acceptClock(state, new Date(machineMs + year).toISOString(), { now })).toThrow(
    "correct the machine's clock first",
  );
  expect(() => acceptClock(join(directory, "other"), utc(), { now })).toThrow("point --state at");
  const { fromMs, toMs, refused } = acceptClock(state, utc(), { now });
  expect({ fromMs, toMs }).toEqual({ fromMs: machineMs + year, toMs: machineMs });
  expect(refused).toHaveLength(2);
  const signer = start();
  expect(describeSigner(signer).nowMs).toBe(machineMs);
  expect(bring(signer, document(1, "a"))).toBe(believed);
});

test("the clock cannot be moved under a signer that runs", () => {
  start();
  const utc = new Date(machineMs).toISOString();
  expect(() => acceptClock(state, utc, { now: () => machineMs })).toThrow(
    "another process has them open; stop it first",
  );
});

test("an older or forked document is stale, also after a restart, until an operator accepts the restored database", () => {
  let signer = start();
  const [old, current, forked] = [document(1, "a"), document(2, "b"), document(2, "c")];
  expect(bring(signer, current)).toBe(believed);
  for (let i = 0; i < 2; i++) {
    expect(bring(signer, old)).toBe("STALE_RECORD");
    expect(bring(signer, forked)).toBe("STALE_RECORD");
    expect(bring(signer, current)).toBe(believed);
    const [newest] = describeSigner(signer).newest ?? [];
    expect(newest?.version).toBe(2);
    stop();
    signer = start();
  }
  stop();

  const { setAside } = restore();
  expect(existsSync(setAside ?? "")).toBe(true);
  signer = start();
  expect(describeSigner(signer).newest).toEqual([]);
  expect(bring(signer, old)).toBe(believed);
  expect(describeSigner(signer).nowMs).toBe(machineMs);
  stop();
  machineMs -= 3_600_000;
  expect(start().handle({ call: "describe" })).toMatchObject({ kind: "error" });
});

test("the first document of a sub-organization that votes decided counts alone only if it is older than the marks", () => {
  const signer = start();
  const first = (createdAtMs: number) => document(1, "sub", { createdAtMs, isVoted: true });
  const [older, newer] = [first(machineMs), first(machineMs + 3_600_000)];
  const refused = { kind: "error", error: { reason: "RECORD_REFUSED" } };
  const confirm = (by: Signer, bytes: Uint8Array) =>
    by.handle({ call: "confirm", attachments: [bytes] });
  for (const bytes of [older, newer]) expect(confirm(signer, bytes)).toMatchObject(refused);
  signer.handle({ call: "sign-webhooks", events: [], attachments: [] });
  stop();
  // The operator believes the database, in which the older one is.
  restore();
  const again = start();
  expect(confirm(again, newer)).toMatchObject(refused);
  expect(confirm(again, older)).toEqual({ kind: "confirmed" });
});

const day = 24 * 3_600_000;

/** Confirms the first document of a sub-organization that votes decided, made at this time, alone. */
function confirmAlone(signer: Signer, createdAtMs: number): string | null {
  const bytes = document(1, "sub", { createdAtMs, isVoted: true }, randomUUID());
  const answer = signer.handle({ call: "confirm", attachments: [bytes] });
  return answer.kind === "error" ? answer.error.reason : null;
}

test("a database that is accepted at a wrong time is from before the time that the operator takes it back to", () => {
  bring(start(), document(1, "a"));
  stop();
  const rightMs = machineMs;
  // A start believes this.
  machineMs += 29 * day;
  restore();
  machineMs = rightMs + 60_000;
  expect(start().handle({ call: "describe" })).toMatchObject(clockRefused("CLOCK_BACKWARDS"));
  stop();
  acceptClock(state, timeOf(machineMs), { now: () => machineMs });
  const signer = start();
  expect(confirmAlone(signer, rightMs)).toBeNull();
  for (const days of [1, 20, 28]) {
    machineMs = rightMs + days * day;
    upMs += 10 * day;
    expect(confirmAlone(signer, machineMs)).toBe("RECORD_REFUSED");
  }
});

test("of a time that was taken back before a restore, only when the signer had worked is from before", () => {
  const rightMs = machineMs;
  const wrongMs = rightMs + 29 * day;
  start().handle({ call: "sign-webhooks", events: [], attachments: [] });
  stop();
  const store = () => {
    const keyring = readKeyringFile(
      join(state, "keyring"),
      readRootKeyFile(join(state, "root-key")),
    );
    return openMarksFile(join(state, "marks"), { keyring, log() {} });
  };
  // The signer accepts a request at the wrong time.
  const marks = store();
  marks.rememberClock(wrongMs, [{ fromMs: wrongMs, untilMs: wrongMs }]);
  marks.close();
  acceptClock(state, timeOf(rightMs), { now: () => rightMs });
  restore();
  // A later mistake makes nothing more count.
  const again = store();
  again.rememberClock(wrongMs - 5 * day, [
    { fromMs: wrongMs - 5 * day, untilMs: wrongMs - 5 * day },
  ]);
  again.close();
  acceptClock(state, timeOf(rightMs), { now: () => rightMs });
  const signer = start();
  expect(confirmAlone(signer, rightMs)).toBeNull();
  expect(confirmAlone(signer, wrongMs + 3_600_000)).toBeNull();
  for (const ms of [rightMs + 1, rightMs + 20 * day, wrongMs - 5 * day, wrongMs + 2 * 3_600_000]) {
    expect(confirmAlone(signer, ms)).toBe("RECORD_REFUSED");
  }
});

test("missing or damaged marks stop the start, until an operator accepts the database", () => {
  const damages = [
    () => rmSync(join(state, "marks")),
    () => writeFileSync(join(state, "marks"), randomBytes(8192)),
    () => writeFileSync(join(state, "marks-wal"), randomBytes(8192)),
  ];
  for (const damage of damages) {
    const signer = start();
    expect(bring(signer, document(1, "a"))).toBe(believed);
    expect(bring(signer, document(3, "b"))).toBe(believed);
    stop();
    damage();
    for (const mayCreate of [false, true]) {
      expect(() => start(mayCreate)).toThrow(/the marks .* are (missing|damaged).*accept-restored/);
    }
    expect(() => restore()).toThrow(/state what time it is.*nothing was changed$/);
    expect(() => restore(timeOf(machineMs + year))).toThrow("correct the machine's clock first");
    restore(timeOf(machineMs));
    expect(bring(start(), document(1, "a"))).toBe(believed);
    stop();
    restore();
  }
});

test("the clock does not run backwards when an operator accepts a restored database", () => {
  bring(start(), document(1, "a"));
  stop();
  restore();
  // The signer has not run since, so only what was kept of its clock can tell.
  machineMs -= 3_600_000;
  expect(start().handle({ call: "describe" })).toMatchObject({
    kind: "error",
    error: { reason: "CLOCK_BACKWARDS" },
  });
});

test("there must be marks to put aside", () => {
  expect(() => restore()).toThrow(`there are no marks in ${state}; nothing was changed`);
});

test("records of an older key epoch can be read, and are renewed under the current one", () => {
  let signer = start();
  const old = document(1, "a");
  const session = newSessions();
  expect(bring(signer, old)).toBe(believed);
  stop();
  const rootKey = readRootKeyFile(join(state, "root-key"));
  const keyring = readKeyringFile(join(state, "keyring"), rootKey);
  writeKeyringFile(join(state, "keyring"), rootKey, addEpoch(keyring, randomBytes));

  signer = start();
  expect(describeSigner(signer).keyEpoch).toBe(2);
  expect(bring(signer, old)).toBe(believed);
  const answer = signer.handle({ call: "renew", attachments: [session] });
  if (answer.kind !== "renewed") throw new Error(`unexpected answer ${answer.kind}`);
  const [renewed = new Uint8Array()] = answer.attachments;
  const before = readRecord(session);
  expect(readRecord(renewed)).toEqual({ ...before, header: { ...before.header, keyEpoch: 2 } });

  const damaged = Uint8Array.from(session);
  damaged[20] = (damaged[20] ?? 0) ^ 1;
  for (const attachment of [damaged, old]) {
    expect(signer.handle({ call: "renew", attachments: [attachment] })).toMatchObject({
      kind: "error",
      error: { code: "INTERNAL", reason: "RECORD_REFUSED" },
    });
  }
});

test("the public keys can be read from the state while the signer runs", () => {
  expect(() => readPublicKeys(state)).toThrow("there is no root key and keyring");
  const { webhookKey, ...described } = describeSigner(start());
  const { webhookPublicKey, ...keys } = readPublicKeys(state);
  expect(described).toMatchObject(keys);
  expect(webhookPublicKey).toBe(webhookKey.publicKey);
  const names = ["quorumPublicKey", "sessionPublicKey", "signerPublicKey", "verificationPublicKey"];
  expect(Object.keys(keys).toSorted()).toEqual(names);
});
