import { expect, test } from "vitest";
import { type ActivityRecord, APPROVAL_WINDOW_MS, type Vote } from "../records/activity.ts";
import type { Authenticator, OrganizationDocument, User } from "../records/organization.ts";
import { countedApprovals, hasLapsed, withoutLost } from "./approvals.ts";

const startMs = 1_767_225_600_000;

function user(userId: string, sessionEpoch = 0): User {
  const credential = {
    publicKey: `key of ${userId}`,
    type: "CREDENTIAL_TYPE_API_KEY_P256" as const,
  };
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  return {
    userId,
    userName: userId,
    userEmail: null,
    userPhoneNumber: null,
    apiKeys: [{ apiKeyId: userId, apiKeyName: "laptop", credential, ...times }],
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    ...times,
  };
}

function vote(userId: string, change: Partial<Vote> = {}): Vote {
  return {
    voteId: `vote of ${userId}`,
    userId,
    documentVersion: 1,
    isParents: false,
    selection: "VOTE_SELECTION_APPROVED",
    message: "{}",
    publicKey: `key of ${userId}`,
    signature: "",
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    sessionEpoch: null,
    credential: null,
    outcomes: "",
    createdAtMs: startMs,
    ...change,
  };
}

function counted(votes: Vote[], users: User[], nowMs = startMs, windowStartedAtMs = startMs) {
  // Voting reads only the users of the document and the votes of the activity.
  const activity = { votes, windowStartedAtMs } as ActivityRecord;
  const document = { users } as OrganizationDocument;
  return countedApprovals(activity, document, nowMs).map(({ user }) => user.userId);
}

test("approvals by users with their keys count, once for each user", () => {
  const users = [user("ada"), user("grace")];
  expect(counted([vote("ada"), vote("grace"), vote("ada")], users)).toEqual(["ada", "grace"]);
});

test("policies see the credential of each approval", () => {
  const type = "CREDENTIAL_TYPE_API_KEY_P256" as const;
  const ada = user("ada");
  const own = { ...ada, apiKeys: [...user("other").apiKeys, ...ada.apiKeys] };
  const credentialsOf = (votes: Vote[]) => {
    const activity = { votes, windowStartedAtMs: startMs } as ActivityRecord;
    const document = { users: [own] } as OrganizationDocument;
    return countedApprovals(activity, document, startMs).map(({ credential }) => credential);
  };
  const expected = { id: "ada", user_id: "ada", type, credential_id: "", public_key: "key of ada" };
  expect(credentialsOf([vote("ada", { credential: { id: "ada", type } })])).toEqual([expected]);
  // Votes from before credentials were stored.
  expect(credentialsOf([vote("ada")])).toEqual([expected]);
  const phone = { publicKey: "phone", sessionEpoch: 0, credential: { id: "session", type } };
  expect(credentialsOf([vote("ada", phone)])).toEqual([
    { ...expected, id: "session", public_key: "phone" },
  ]);
  expect(credentialsOf([vote("ada", { ...phone, credential: null })])).toEqual([undefined]);
});

const webAuthn = "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" as const;

function passkeyOf(authenticatorId: string): Authenticator {
  return {
    authenticatorId,
    authenticatorName: authenticatorId,
    credentialId: `credential id of ${authenticatorId}`,
    credential: { publicKey: `key of ${authenticatorId}`, type: webAuthn },
    keyName: authenticatorId,
    transports: [],
    attestationType: "none",
    aaguid: "",
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

test("approvals by passkeys count, and policies see which one it was", () => {
  const authenticators = [passkeyOf("phone"), passkeyOf("token")];
  const document = { users: [{ ...user("ada"), authenticators }] } as OrganizationDocument;
  const credentialsOf = (change: Partial<Vote>) => {
    const votes = [vote("ada", change)];
    const activity = { votes, windowStartedAtMs: startMs } as ActivityRecord;
    return countedApprovals(activity, document, startMs).map(({ credential }) => credential);
  };
  const byToken = { publicKey: "key of token", credential: { id: "token", type: webAuthn } };
  expect(credentialsOf(byToken)).toEqual([
    {
      id: "token",
      user_id: "ada",
      type: webAuthn,
      credential_id: "credential id of token",
      public_key: "key of token",
    },
  ]);
  expect(credentialsOf({ ...byToken, publicKey: "key of phone" })).toEqual([]);
  expect(credentialsOf({ ...byToken, credential: { id: "deleted", type: webAuthn } })).toEqual([]);
  // A vote from before credentials were stored is not taken for that of another credential.
  const type = "CREDENTIAL_TYPE_API_KEY_P256";
  expect(credentialsOf({})).toMatchObject([{ id: "ada", type, credential_id: "" }]);
});

test("a rejection is not an approval", () => {
  const rejected = vote("ada", { selection: "VOTE_SELECTION_REJECTED" });
  expect(counted([rejected], [user("ada")])).toEqual([]);
});

test("a user who was removed does not count", () => {
  expect(counted([vote("ada"), vote("grace")], [user("grace")])).toEqual(["grace"]);
});

test("a key that was deleted, or belongs to somebody else, does not count", () => {
  const users = [user("ada"), user("grace")];
  expect(counted([vote("ada", { publicKey: "deleted" })], users)).toEqual([]);
  expect(counted([vote("ada", { publicKey: "key of grace" })], users)).toEqual([]);
  expect(counted([vote("ada", { publicKey: "deleted" }), vote("ada")], users)).toEqual(["ada"]);
});

test("a key that was deleted and registered again does not bring its votes back", () => {
  const type = "CREDENTIAL_TYPE_API_KEY_P256" as const;
  const before = vote("ada", { credential: { id: "deleted", type } });
  const now = vote("ada", { credential: { id: "ada", type } });
  expect(counted([before], [user("ada")])).toEqual([]);
  expect(counted([now], [user("ada")])).toEqual(["ada"]);
});

test("a vote by an expiring key counts while the user's epoch lasts", () => {
  const byPhone = vote("ada", { publicKey: "phone", sessionEpoch: 3 });
  expect(counted([byPhone], [user("ada", 3)])).toEqual(["ada"]);
  expect(counted([byPhone], [user("ada", 4)])).toEqual([]);
  expect(counted([vote("ada", { sessionEpoch: 3 })], [user("ada", 4)])).toEqual([]);
});

test("votes of deleted users go once there are many", () => {
  const document = { users: [user("ada"), user("grace")] } as OrganizationDocument;
  const votesOf = (count: number) => [
    vote("ada"),
    ...Array.from({ length: count - 2 }, (_, i) => vote(`deleted ${i}`)),
    vote("grace"),
  ];
  expect(withoutLost(document, votesOf(249))).toHaveLength(249);
  expect(withoutLost(document, votesOf(250))).toEqual([vote("ada"), vote("grace")]);
});

test("approvals lapse 24 hours after the window began", () => {
  const activity = { windowStartedAtMs: startMs } as ActivityRecord;
  expect(APPROVAL_WINDOW_MS).toBe(86_400_000);
  expect(hasLapsed(activity, startMs + APPROVAL_WINDOW_MS - 1)).toBe(false);
  expect(hasLapsed(activity, startMs + APPROVAL_WINDOW_MS)).toBe(true);
  const late = startMs + APPROVAL_WINDOW_MS;
  expect(counted([vote("ada")], [user("ada")], late - 1)).toEqual(["ada"]);
  expect(counted([vote("ada")], [user("ada")], late)).toEqual([]);
});

test("in a new window only the approvals given in it count", () => {
  const later = startMs + 2 * APPROVAL_WINDOW_MS;
  const votes = [vote("ada"), vote("grace", { createdAtMs: later })];
  const users = [user("ada"), user("grace")];
  expect(counted(votes, users, later + 1, later)).toEqual(["grace"]);
});

test("approvals and windows from the future do not count: their time was taken back", () => {
  const users = [user("ada"), user("grace")];
  const futureMs = startMs + 365 * APPROVAL_WINDOW_MS;
  const fromFuture = vote("grace", { createdAtMs: futureMs });
  expect(counted([vote("ada"), fromFuture], users)).toEqual(["ada"]);
  expect(counted([fromFuture], users, startMs, futureMs)).toEqual([]);
  expect(hasLapsed({ windowStartedAtMs: futureMs } as ActivityRecord, startMs)).toBe(true);
  // The clocks of host and signer differ a little.
  const little = { windowStartedAtMs: startMs + 300_000 } as ActivityRecord;
  expect(hasLapsed(little, startMs)).toBe(false);
});
