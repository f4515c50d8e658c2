import { expect, test } from "vitest";
import { documentWith, newPerson, userOf } from "../door/core.testing.ts";
import type { User } from "../records/organization.ts";
import { endedAtMs, rememberEnded } from "./ended-users.ts";

const HOUR = 60 * 60 * 1000;

function personWith(userEmail: string | null, subject?: string): User {
  const times = { createdAtMs: 0, updatedAtMs: 0 };
  const claims = { issuer: "https://issuer.example", audience: "app" };
  const provider = subject && { providerId: "", providerName: "", ...claims, subject, ...times };
  return { ...userOf(newPerson()), userEmail, oauthProviders: provider ? [provider] : [] };
}

const newDocument = () => {
  const root = newPerson();
  const rootQuorum = { threshold: 1, userIds: [root.userId] };
  return documentWith({ users: [userOf(root)], rootQuorum });
};

test("a deleted user is recognized by each contact and identity, in any case of the address", () => {
  const document = newDocument();
  expect(endedAtMs(document, personWith("ada@example.com"))).toBe(0);
  rememberEnded(document, [personWith("Ada@Example.com", "1")], 1000);
  expect(endedAtMs(document, personWith("ada@example.com"))).toBe(1000);
  expect(endedAtMs(document, personWith(null, "1"))).toBe(1000);
  const phone = { ...personWith(null), userPhoneNumber: "+14155550123" };
  rememberEnded(document, [phone], 1500);
  expect(endedAtMs(document, phone)).toBe(1500);
  for (const other of [personWith("grace@example.com"), personWith(null, "2"), personWith(null)]) {
    expect(endedAtMs(document, other)).toBe(0);
  }
  rememberEnded(document, [personWith("ada@example.com")], 2000);
  expect(endedAtMs(document, personWith("ada@example.com", "1"))).toBe(2000);
  expect(document.endedUsers?.lines).toHaveLength(3);
});

test("it is forgotten when everything from before has expired", () => {
  const document = newDocument();
  rememberEnded(document, [personWith("ada@example.com")], HOUR);
  rememberEnded(document, [personWith("grace@example.com")], 25 * HOUR);
  expect(endedAtMs(document, personWith("ada@example.com"))).toBe(HOUR);
  rememberEnded(document, [personWith("alan@example.com")], 26 * HOUR);
  expect(endedAtMs(document, personWith("ada@example.com"))).toBe(0);
});

test("beyond the bound nothing is forgotten: every new user counts as one of those", () => {
  const document = newDocument();
  for (let i = 0; i < 201; i++) rememberEnded(document, [personWith(`${i}@example.com`)], 1000 + i);
  expect(document.endedUsers?.lines).toHaveLength(200);
  expect(endedAtMs(document, personWith("new@example.com"))).toBe(1000);
  expect(endedAtMs(document, personWith("200@example.com"))).toBe(1200);
});
