import { expect, test } from "vitest";
import { frozenKeyring } from "./frozen.testing.ts";
import { newOrganizationDocument, type OrganizationDocument, type User } from "./organization.ts";
import { notarizeDocument } from "./write.ts";

const nowMs = 1_767_225_600_000;

function userWith(keys: number, name = "€".repeat(255)): User {
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
  return {
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    userName: "user",
    userEmail: null,
    userPhoneNumber: null,
    apiKeys: Array.from({ length: keys }, () => ({
      apiKeyId: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
      apiKeyName: name,
      credential: { publicKey: "02".repeat(33), type: "CREDENTIAL_TYPE_API_KEY_P256" as const },
      ...times,
    })),
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    ...times,
  };
}

function documentWith(change: Partial<OrganizationDocument>): OrganizationDocument {
  return newOrganizationDocument({
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    organizationName: "Acme",
    createdAtMs: nowMs,
    users: [],
    rootQuorum: { threshold: 1, userIds: [] },
    ...change,
  });
}

/** Tags that leave the document a few bytes of its room. */
function fullOfTags(leave: number): OrganizationDocument {
  const users = Array.from({ length: 100 }, () => userWith(0));
  const empty = documentWith({ users });
  const size = notarizeDocument(frozenKeyring, empty, 9).bytes.length;
  const tag = { tagId: "t", tagName: "", createdAtMs: nowMs, updatedAtMs: nowMs };
  const room = 1024 * 1024 - size - JSON.stringify(tag).length - leave;
  return { ...empty, userTags: [{ ...tag, tagName: "x".repeat(room) }] };
}

function notarized(document: OrganizationDocument): number {
  return notarizeDocument(frozenKeyring, document, 9).bytes.length;
}

test("a document may have 1 MiB", () => {
  expect(notarized(fullOfTags(0))).toBe(1024 * 1024);
  // The record's header and tag, and the users' times, are left out.
  expect(() => notarized(fullOfTags(-2000))).toThrow("would exceed 1 MiB");
});

test("what users add without permission takes no room from the rest", () => {
  const full = fullOfTags(0);
  const users = full.users.map(() => ({ ...userWith(10), sessionEpoch: 2 ** 52 }));
  const own = {
    fingerprint: `sha256:${"01".repeat(32)}`,
    untilMs: nowMs,
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    isOwn: true,
  };
  // A hundred users, each with the most lines: 40 of own credentials, and 40 beside the 4,000 of all.
  const allowed = { ...own, isOwn: false };
  const closed = [
    ...Array.from({ length: 4000 }, () => own),
    ...Array.from({ length: 8000 }, () => allowed),
  ];
  const { isOwn: _, untilMs: __, ...line } = own;
  const waiting = Array.from({ length: 2000 }, () => ({
    ...line,
    state: "tZ9hE3rDq0y2mVfXc1aBkQ",
  }));
  const size = notarized({ ...full, users, closed, waiting });
  expect(size).toBeGreaterThan(4 * 1024 * 1024);
  expect(size).toBeLessThan(4.5 * 1024 * 1024);

  // Names do take room.
  const named = full.users.map((user) => ({ ...user, userName: "x".repeat(100) }));
  expect(() => notarized({ ...full, users: named })).toThrow("would exceed 1 MiB");
});
