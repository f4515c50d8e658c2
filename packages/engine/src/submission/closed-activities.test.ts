import { expect, test } from "vitest";
import { newOrganizationDocument, type OrganizationDocument } from "../records/organization.ts";
import { close, closeWaiting, isClosed } from "./closed-activities.ts";

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

test("bytes are closed for as long as their timestamp would let them run again", () => {
  const document = newDocument();
  close(document, "a", nowMs, nowMs);
  close(document, "b", nowMs - hour / 2, nowMs);
  expect(document.closed).toEqual([
    { fingerprint: "a", untilMs: nowMs + hour },
    { fingerprint: "b", untilMs: nowMs + hour / 2 },
  ]);
  expect(isClosed(document, "a")).toBe(true);
  expect(isClosed(document, "c")).toBe(false);

  close(document, "c", nowMs + hour / 2, nowMs + hour / 2);
  expect(document.closed.map(({ fingerprint }) => fingerprint)).toEqual(["a", "c"]);
  close(document, "d", nowMs + hour, nowMs + hour);
  expect(document.closed.map(({ fingerprint }) => fingerprint)).toEqual(["c", "d"]);
});

test("a decided activity stays decided when its bytes are no longer closed", () => {
  const document = newDocument();
  closeWaiting(document, { fingerprint: "a", createdAtMs: nowMs }, nowMs, nowMs);
  close(document, "b", nowMs + 2 * hour, nowMs + 2 * hour);
  expect(document.closed.map(({ fingerprint }) => fingerprint)).toEqual(["b"]);
  expect(isClosed(document, "a")).toBe(true);
  expect(document.decidedBeforeMs).toBe(0);
});

test("a thousand are remembered by fingerprint, and all older ones by their time", () => {
  const document = newDocument();
  const decideOne = (fingerprint: string, createdAtMs: number) =>
    closeWaiting(document, { fingerprint, createdAtMs }, createdAtMs, createdAtMs);
  for (let i = 0; i < 1000; i++) decideOne(`f${i}`, nowMs + i * hour);
  expect(document.decided).toHaveLength(1000);
  expect(document.decidedBeforeMs).toBe(0);

  decideOne("f1000", nowMs + 1000 * hour);
  expect(document.decided).toHaveLength(1000);
  expect(isClosed(document, "f0")).toBe(false);
  expect(isClosed(document, "f1")).toBe(true);
  expect(document.decidedBeforeMs).toBe(nowMs + 1);

  // The first created one is dropped, whenever it was decided. The time limit never goes back.
  decideOne("late", nowMs - hour);
  expect(isClosed(document, "f1")).toBe(true);
  expect(document.decided.some(({ fingerprint }) => fingerprint === "late")).toBe(false);
  expect(document.decidedBeforeMs).toBe(nowMs + 1);
});

test("activities that were dropped from the list are before the time limit or still closed", () => {
  const document = newDocument();
  const activities = Array.from({ length: 1500 }, (_, i) => ({
    fingerprint: `f${i}`,
    createdAtMs: nowMs + ((i * 7919) % 1500),
  }));
  for (const each of activities) closeWaiting(document, each, each.createdAtMs, nowMs);
  for (const { fingerprint, createdAtMs } of activities) {
    expect(isClosed(document, fingerprint) || createdAtMs < document.decidedBeforeMs).toBe(true);
  }
});
