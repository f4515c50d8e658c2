import { expect, test } from "vitest";
import { activities } from "../activities/index.ts";
import type { Vote } from "../records/activity.ts";
import { newOrganizationDocument, type OrganizationDocument } from "../records/organization.ts";
import { close, closeWaiting, isClosed, isForgotten } from "./closed-activities.ts";

const hour = 60 * 60 * 1000;
const nowMs = 1_767_225_600_000;

function newDocument(): OrganizationDocument {
  return newOrganizationDocument({
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    organizationName: "Acme",
    createdAtMs: nowMs,
    users: [],
    rootQuorum: { threshold: 1, userIds: [] },
  });
}

const by = { userId: "ada", isOwn: false };

function closeAt(document: OrganizationDocument, fingerprint: string, timestampMs: number) {
  close(document, { ...by, fingerprint, timestampMs }, timestampMs);
}

/** An activity that the user started. Only the user of the first vote is read. */
function startedBy(userId: string, fingerprint: string, createdAtMs: number) {
  return { fingerprint, createdAtMs, votes: [{ userId } as Vote] };
}

function end(document: OrganizationDocument, userId: string, createdAtMs: number, voter = userId) {
  const activity = startedBy(userId, `${userId} ${createdAtMs}`, createdAtMs);
  const change = { timestampMs: createdAtMs, userId: voter };
  closeWaiting(document, activity, change, createdAtMs);
  return activity;
}

test("bytes are closed for as long as their timestamp would let them run again", () => {
  const document = newDocument();
  close(document, { ...by, fingerprint: "a", timestampMs: nowMs }, nowMs);
  // An older timestamp does not make room for more changes sooner.
  close(document, { ...by, fingerprint: "b", timestampMs: nowMs - hour / 2 }, nowMs);
  close(document, { ...by, fingerprint: "too old", timestampMs: nowMs - hour }, nowMs);
  expect(document.closed).toEqual([
    { fingerprint: "a", untilMs: nowMs + hour, ...by },
    { fingerprint: "b", untilMs: nowMs + hour, ...by },
  ]);
  expect(isClosed(document, "a")).toBe(true);
  expect(isClosed(document, "c")).toBe(false);

  closeAt(document, "c", nowMs + hour / 2);
  expect(document.closed.map(({ fingerprint }) => fingerprint)).toEqual(["a", "b", "c"]);
  close(document, { ...by, fingerprint: "ahead", timestampMs: nowMs + hour + 1 }, nowMs + hour / 2);
  expect(document.closed.at(-1)?.untilMs).toBe(nowMs + 2 * hour + 1);
  document.closed.pop();
  closeAt(document, "d", nowMs + hour);
  expect(document.closed.map(({ fingerprint }) => fingerprint)).toEqual(["c", "d"]);
});

test("a user changes own credentials twenty times an hour without a permission", () => {
  const document = newDocument();
  const own = (userId: string, atMs: number) =>
    close(
      document,
      { fingerprint: `${userId} ${atMs}`, timestampMs: atMs, userId, isOwn: true },
      atMs,
    );
  for (let i = 0; i < 20; i++) own("ada", nowMs + i);
  expect(() => own("ada", nowMs + 20)).toThrow(
    "a user may change own credentials 20 times within an hour: send the request again after 2026-01-01T01:00:00.000Z",
  );
  expect(() => own("ada", nowMs + 20)).toThrow(
    expect.objectContaining({ field: "organizationId" }),
  );
  // Neither other users nor what a permission allows count towards it.
  own("grace", nowMs + 20);
  closeAt(document, "allowed", nowMs + 20);
  own("ada", nowMs + hour);
  expect(() => own("ada", nowMs + hour)).toThrow("20 times");
});

test("a user changes the organization a thousand times an hour", () => {
  const document = newDocument();
  for (let i = 0; i < 1000; i++) closeAt(document, `f${i}`, nowMs);
  expect(() => closeAt(document, "f1000", nowMs)).toThrow(
    "a user may change the organization 1000 times within an hour",
  );
  close(document, { ...by, userId: "grace", fingerprint: "g", timestampMs: nowMs }, nowMs);
  closeAt(document, "f1000", nowMs + hour);
  expect(document.closed).toHaveLength(1);
});

test("lines of which the user is unknown count for nobody", () => {
  const document = newDocument();
  document.closed = Array.from({ length: 2000 }, (_, i) => ({
    fingerprint: `old ${i}`,
    untilMs: nowMs + hour,
    userId: null,
    isOwn: false,
  }));
  document.decided = Array.from({ length: 1000 }, (_, i) => ({
    fingerprint: `decided ${i}`,
    createdAtMs: nowMs,
    userId: null,
  }));
  end(document, "ada", nowMs + 1);
  expect(document.decided).toHaveLength(1001);
  expect(document.lapsed).toEqual([]);
  expect(isClosed(document, "decided 0")).toBe(true);
});

test("a decided activity stays decided when its bytes are no longer closed", () => {
  const document = newDocument();
  const { fingerprint } = end(document, "ada", nowMs);
  closeAt(document, "b", nowMs + 2 * hour);
  expect(document.closed.map((line) => line.fingerprint)).toEqual(["b"]);
  expect(isClosed(document, fingerprint)).toBe(true);
  expect(document.lapsed).toEqual([]);
});

test("a thousand are remembered by fingerprint, and all older ones by their time", () => {
  const document = newDocument();
  const ended = Array.from({ length: 1000 }, (_, i) => end(document, "ada", nowMs + i * hour));
  expect(document.decided).toHaveLength(1000);
  expect(document.lapsed).toEqual([]);

  end(document, "ada", nowMs + 1000 * hour);
  expect(document.decided).toHaveLength(1000);
  expect(isClosed(document, ended[0]?.fingerprint ?? "")).toBe(false);
  expect(isClosed(document, ended[1]?.fingerprint ?? "")).toBe(true);
  expect(document.lapsed).toEqual([{ userId: "ada", beforeMs: nowMs + 1 }]);

  // The first created one is dropped, whenever it was decided. The time limit never goes back.
  const late = end(document, "ada", nowMs - hour);
  expect(isClosed(document, ended[1]?.fingerprint ?? "")).toBe(true);
  expect(document.decided.some(({ fingerprint }) => fingerprint === late.fingerprint)).toBe(false);
  expect(document.lapsed).toEqual([{ userId: "ada", beforeMs: nowMs + 1 }]);
  // A time limit from before the users were known holds for everybody.
  document.decidedBeforeMs = nowMs + 2;
  expect(isForgotten(document, startedBy("grace", "f", nowMs + 1))).toBe(true);
});

test("a user who ends many activities lapses none of others", () => {
  const document = newDocument();
  for (let i = 0; i < 10; i++) end(document, "grace", nowMs + i);
  for (let i = 0; i < 3000; i++) end(document, "ada", nowMs + 100 + i * 10_000);
  expect(document.decided).toHaveLength(1000);
  expect(document.decided.filter(({ userId }) => userId === "grace")).toHaveLength(10);
  expect(document.lapsed.map(({ userId }) => userId)).toEqual(["ada"]);
  expect(isForgotten(document, startedBy("grace", "waiting", nowMs))).toBe(false);
  expect(isForgotten(document, startedBy("ada", "waiting", nowMs))).toBe(true);
});

test("the user with the most ended activities loses the oldest, whoever ended one first", () => {
  const document = newDocument();
  for (let i = 0; i < 300; i++) end(document, "grace", nowMs + i);
  for (let i = 0; i < 400; i++) end(document, "ada", nowMs + 1000 + i);
  for (let i = 0; i < 300; i++) end(document, "alan", nowMs + 2000 + i);
  end(document, "alan", nowMs + 3000);
  expect(document.lapsed).toEqual([{ userId: "ada", beforeMs: nowMs + 1001 }]);
  // Now two have as many as each other, then grace has the most: each has its own limit.
  for (let i = 0; i < 200; i++) end(document, "grace", nowMs + 4000 + i);
  const limits = new Map(document.lapsed.map(({ userId, beforeMs }) => [userId, beforeMs]));
  expect([...limits.keys()].sort()).toEqual(["ada", "grace"]);
  expect(limits.get("grace")).toBeLessThanOrEqual(nowMs + 300);
  expect(limits.get("ada")).toBeGreaterThan(nowMs + 1001);
  expect(document.decided).toHaveLength(1000);
});

test("one of more than a thousand users with one activity each loses it", () => {
  const document = newDocument();
  for (let i = 0; i <= 1000; i++) end(document, `user ${i}`, nowMs + i);
  expect(document.decided).toHaveLength(1000);
  expect(document.lapsed).toEqual([{ userId: "user 0", beforeMs: nowMs + 1 }]);
});

test("activities that were dropped from the list are before the time limit or still closed", () => {
  const document = newDocument();
  const activities = Array.from({ length: 1500 }, (_, i) =>
    startedBy(`user ${i % 3}`, `f${i}`, nowMs + ((i * 7919) % 1500)),
  );
  for (const [i, each] of activities.entries()) {
    const change = { timestampMs: each.createdAtMs, userId: `voter ${i % 2}` };
    closeWaiting(document, each, change, nowMs);
  }
  for (const each of activities) {
    expect(isClosed(document, each.fingerprint) || isForgotten(document, each)).toBe(true);
  }
  document.closed = [];
  for (const each of activities) {
    expect(isClosed(document, each.fingerprint) || isForgotten(document, each)).toBe(true);
  }
});

test("a user may end own credentials after as many other changes as allowed", () => {
  const document = newDocument();
  const change = (i: number, endsCredentials: boolean) => () =>
    close(
      document,
      { fingerprint: `f${i}`, timestampMs: nowMs, userId: "ada", isOwn: true, endsCredentials },
      nowMs,
    );
  for (let i = 0; i < 20; i++) change(i, false)();
  expect(change(20, false)).toThrow("a user may change own credentials 20 times within an hour");
  for (let i = 20; i < 40; i++) change(i, true)();
  expect(change(40, true)).toThrow("a user may change own credentials 40 times within an hour");
});

test("everything that deletes credentials has the room that is kept for ending them", () => {
  const deletions = activities.filter(
    ({ policy }) => policy.resource === "CREDENTIAL" && policy.action === "DELETE",
  );
  expect(deletions.map(({ name, endsCredentials }) => [name, endsCredentials])).toEqual([
    ["delete_api_keys", true],
    ["delete_authenticators", true],
    ["delete_oauth_providers", true],
  ]);
});
