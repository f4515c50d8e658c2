import { expect, test } from "vitest";
import { activities } from "../activities/index.ts";
import { newOrganizationDocument, type OrganizationDocument } from "../records/organization.ts";
import { assertRoom, close, closeEnded, isClosed } from "./closed-activities.ts";

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

test("bytes are closed for as long as their timestamp would let them run again", () => {
  const document = newDocument();
  close(document, { ...by, fingerprint: "a", timestampMs: nowMs }, nowMs);
  // An older timestamp does not make room for more changes sooner.
  close(document, { ...by, fingerprint: "b", timestampMs: nowMs - hour / 2 }, nowMs);
  closeEnded(document, { ...by, fingerprint: "too old", timestampMs: nowMs - hour }, nowMs);
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

test("what a user started and what still waits have one limit, and nothing that ends is refused", () => {
  const document = newDocument();
  const waiting = (userId: string, fingerprint: string) => ({
    fingerprint,
    state: fingerprint,
    userId,
  });
  for (let i = 0; i < 600; i++) closeAt(document, `f${i}`, nowMs);
  for (let i = 0; i < 400; i++) document.waiting.push(waiting("ada", `w${i}`));
  const refusal = "a user may change the organization 1000 times within an hour: send";
  expect(() => closeAt(document, "more", nowMs)).toThrow(refusal);
  expect(() => assertRoom(document, "ada", nowMs)).toThrow(refusal);
  assertRoom(document, "grace", nowMs);
  closeEnded(document, { fingerprint: "w0", timestampMs: nowMs, userId: "ada" }, nowMs);
  expect(isClosed(document, "w0")).toBe(true);
  assertRoom(document, "ada", nowMs + hour);
});

test("many users together leave each other a few lines", () => {
  const document = newDocument();
  for (let user = 0; user < 4; user++) {
    for (let i = 0; i < 999; i++) {
      close(document, { ...by, userId: `u${user}`, fingerprint: "f", timestampMs: nowMs }, nowMs);
    }
  }
  const more = (userId: string) =>
    close(document, { ...by, userId, fingerprint: "f", timestampMs: nowMs }, nowMs);
  for (let i = 0; i < 40; i++) more("ada");
  expect(() => more("ada")).toThrow(
    "the organization may be changed 4000 times within an hour, by this user more than 40 times only as long as others leave room: send the request again after 2026-01-01T01:00:00.000Z",
  );
  for (let i = 0; i < 40; i++) more("grace");
  expect(() => more("u0")).toThrow("the organization may be changed 4000 times within an hour");
});

test("lines of which the user is unknown count for nobody alone", () => {
  const document = newDocument();
  document.closed = Array.from({ length: 2000 }, (_, i) => ({
    fingerprint: `old ${i}`,
    untilMs: nowMs + hour,
    userId: null,
    isOwn: false,
  }));
  closeAt(document, "new", nowMs);
  expect(document.closed).toHaveLength(2001);
});

test("the end of a credential is never refused, and remembered as long as there is room", () => {
  const document = newDocument();
  const change = (i: number, endsCredentials: boolean, isOwn = true) =>
    close(
      document,
      { fingerprint: `f${i}`, timestampMs: nowMs, userId: "ada", isOwn, endsCredentials },
      nowMs,
    );
  for (let i = 0; i < 20; i++) change(i, false);
  expect(() => change(20, false)).toThrow(
    "a user may change own credentials 20 times within an hour",
  );
  for (let i = 20; i < 45; i++) change(i, true);
  expect(document.closed).toHaveLength(40);
  for (let i = 0; i < 1030; i++) change(100 + i, true, false);
  expect(document.closed).toHaveLength(40 + 1020);
});

test("everything that deletes credentials has the room that is kept for ending them", () => {
  const deletions = activities.filter(
    ({ policy }) => policy.resource === "CREDENTIAL" && policy.action === "DELETE",
  );
  expect(deletions.map(({ name, changes }) => [name, changes])).toEqual([
    ["delete_api_keys", "fewer credentials"],
    ["delete_authenticators", "fewer credentials"],
    ["delete_oauth_providers", "fewer credentials"],
  ]);
});
