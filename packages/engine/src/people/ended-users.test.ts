import { expect, test } from "vitest";
import { documentWith, newPerson, userOf } from "../core/core.testing.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { contactEndedAtMs, identityEndedAtMs, keyEndedAtMs, rememberEnded } from "./ended-users.ts";

const HOUR = 60 * 60 * 1000;

const identity = { issuer: "https://issuer.example", audience: "app", subject: "1" };

function documentOf(...users: User[]): OrganizationDocument {
  const root = newPerson();
  const rootQuorum = { threshold: 1, userIds: [root.userId] };
  return documentWith({ users: [userOf(root), ...users], rootQuorum });
}

const withEmail = (userEmail: string) => ({ ...userOf(newPerson()), userEmail });

/** The user loses everything that is not in the change. */
function lose(
  document: OrganizationDocument,
  user: User,
  change: Partial<User> | null,
  atMs: number,
) {
  const users = document.users.flatMap((each) => {
    if (each.userId !== user.userId) return each;
    return change ? { ...each, ...change } : [];
  });
  const draft = { ...structuredClone(document), users };
  rememberEnded(document, draft, atMs);
  return draft;
}

const emailEnded = (document: OrganizationDocument, contact: string, nowMs = 100 * HOUR) =>
  contactEndedAtMs({ document, nowMs }, { type: "email", contact });

test("what a deleted user had is remembered: contacts in any case, identities and keys", () => {
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  const provider = { providerId: "p", providerName: "p", ...identity, ...times };
  const contacts = { userEmail: "Ada@Example.com", userPhoneNumber: "+14155550123" };
  const ada: User = { ...userOf(newPerson()), ...contacts, oauthProviders: [provider] };
  const [{ credential } = { credential: { publicKey: "" } }] = ada.apiKeys;
  const document = documentOf(ada);
  expect(emailEnded(document, "ada@example.com")).toBe(0);
  const after = { document: lose(document, ada, null, 1000), nowMs: 2000 };
  expect(emailEnded(after.document, "ada@example.COM")).toBe(1000);
  expect(contactEndedAtMs(after, { type: "phone", contact: "+14155550123" })).toBe(1000);
  expect(identityEndedAtMs(after, identity)).toBe(1000);
  expect(keyEndedAtMs(after, credential.publicKey)).toBe(1000);
  expect(emailEnded(after.document, "grace@example.com")).toBe(0);
  expect(identityEndedAtMs(after, { ...identity, subject: "2" })).toBe(0);
});

test("so is what a user gives up, and not what the user keeps", () => {
  const ada = withEmail("ada@example.com");
  const document = documentOf(ada);
  const kept = lose(document, ada, { userName: "Ada", userEmail: "ADA@example.com" }, 1000);
  expect(kept.endedUsers).toBeUndefined();
  const moved = lose(document, ada, { userEmail: "grace@example.com" }, 1000);
  expect(emailEnded(moved, "ada@example.com")).toBe(1000);
  expect(emailEnded(moved, "grace@example.com")).toBe(0);
  expect(moved.endedUsers?.lines).toHaveLength(1);
});

test("it is forgotten when everything from before has expired", () => {
  const [ada, grace, alan] = ["ada", "grace", "alan"].map((name) => withEmail(name)) as [
    User,
    User,
    User,
  ];
  const gone = { userEmail: null };
  const first = lose(documentOf(ada, grace, alan), ada, gone, HOUR);
  const second = lose(first, grace, gone, 25 * HOUR);
  expect(emailEnded(second, "ada")).toBe(HOUR);
  expect(emailEnded(lose(second, alan, gone, 26 * HOUR), "ada")).toBe(0);
});

test("beyond the bound nothing is forgotten: everything counts as lost when the oldest was", () => {
  const users = Array.from({ length: 201 }, (_, i) => withEmail(`${i}@example.com`));
  let document = documentOf(...users);
  users.forEach((user, i) => {
    document = lose(document, user, { userEmail: null }, 1000 + i);
  });
  expect(document.endedUsers?.lines).toHaveLength(200);
  expect(emailEnded(document, "new@example.com")).toBe(1000);
  expect(emailEnded(document, "200@example.com")).toBe(1200);
});

test("a time that is still to come, because the clock was set back, keeps nobody out", () => {
  const ada = withEmail("ada@example.com");
  const document = lose(documentOf(ada), ada, null, 50 * HOUR);
  expect(emailEnded(document, "ada@example.com", 50 * HOUR - 1)).toBe(0);
  expect(emailEnded(document, "ada@example.com", 50 * HOUR)).toBe(50 * HOUR);
});
