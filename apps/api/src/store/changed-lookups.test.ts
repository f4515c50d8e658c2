import { documentWith, newPerson, userOf } from "@keyhearth/engine/core/core.testing";
import type { User } from "@keyhearth/engine/records/organization";
import { expect, test } from "vitest";
import { changedLookups, lookupHash, lookupsOfDocument } from "./lookups.ts";

const [ada, bob] = [userOf(newPerson()), userOf(newPerson())] as const;
const rootQuorum = { threshold: 1, userIds: [ada.userId] };
const documentOf = (...users: User[]) => documentWith({ users, rootQuorum });
const named = (lookups: { kind: string; valueHash: string; subjectId: string }[]) =>
  lookups.map(({ kind, valueHash, subjectId }) => [kind, valueHash, subjectId]);

test("of a changed user, what differs is added and removed", () => {
  const userEmail = "bob@acme.example";
  const renamed = { ...bob, userName: "Robert", userEmail, isEmailVerified: true };
  const { added, removed } = changedLookups(documentOf(ada, bob), documentOf(ada, renamed));
  expect(named(added)).toEqual([
    ["USERNAME", lookupHash("USERNAME", "Robert"), bob.userId],
    ["EMAIL", lookupHash("EMAIL", userEmail), bob.userId],
    ["VERIFIED_EMAIL", lookupHash("VERIFIED_EMAIL", userEmail), bob.userId],
  ]);
  expect(named(removed)).toEqual([["USERNAME", lookupHash("USERNAME", bob.userName), bob.userId]]);
});

test("an address that changes its case alone changes nothing", () => {
  const [lower, upper] = ["bob@acme.example", "BOB@acme.example"].map((userEmail) =>
    documentOf({ ...bob, userEmail }),
  ) as [ReturnType<typeof documentOf>, ReturnType<typeof documentOf>];
  expect(changedLookups(lower, upper)).toEqual({ added: [], removed: [] });
});

test("a user who is new or gone is added or removed as a whole", () => {
  const [both, one] = [documentOf(ada, bob), documentOf(ada)];
  const { added, removed } = changedLookups(one, both);
  expect(removed).toEqual([]);
  expect(added.map(({ subjectId }) => subjectId)).toEqual([bob.userId, bob.userId]);
  expect(changedLookups(both, one)).toEqual({ added: [], removed: added });
});

test("a change costs little beside thousands of credentials that stay, even if all users change otherwise", () => {
  const users = Array.from({ length: 100 }, () => {
    const apiKeys = Array.from({ length: 10 }, () => userOf(newPerson()).apiKeys).flat();
    return { ...userOf(newPerson()), apiKeys };
  });
  const tagged = users.map((user) => ({
    ...user,
    userTags: ["a"],
    sessionEpoch: 2,
    updatedAtMs: 2,
  }));
  const before = documentOf(...users);
  const after = { ...documentOf(...tagged), organizationName: "Another name" };
  expect(changedLookups(before, after).added).toHaveLength(1);
  const all = leastMs(() => lookupsOfDocument(before));
  expect(leastMs(() => changedLookups(before, after))).toBeLessThan(all);
});

/** Of several times, so that nothing else counts. */
function leastMs(work: () => void): number {
  const times = Array.from({ length: 20 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}
