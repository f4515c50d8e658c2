import { expect, test } from "vitest";
import type { User } from "./organization.ts";
import { policyUsers } from "./terms.ts";

/** The addresses that policies see. Those with a `!` are verified. */
function shown(...emails: (string | null)[]): string[] {
  const users = emails.map((email, index) => ({
    userId: `user ${index}`,
    userName: "Ada",
    userEmail: email?.replace("!", "") ?? null,
    isEmailVerified: email?.endsWith("!") ?? false,
    userTags: [],
    apiKeys: [],
    authenticators: [],
  }));
  // The members that policies see.
  return policyUsers(users as unknown as User[]).map(({ email }) => email);
}

test("policies see the addresses that users state, if nobody verified them", () => {
  expect(shown("ada@example.com", "ADA@example.com", null)).toEqual([
    "ada@example.com",
    "ADA@example.com",
    "",
  ]);
});

test("policies see an address that a user verified for this user alone, in any case of ASCII letters", () => {
  expect(shown("ADA@example.com", "Ada@example.com!", "ada@example.com", "k@example.com")).toEqual([
    "",
    "Ada@example.com",
    "",
    "k@example.com",
  ]);
  // The Kelvin sign, whose lower case is an ASCII k.
  expect(shown("\u212a@example.com", "k@example.com!")).toEqual([
    "\u212a@example.com",
    "k@example.com",
  ]);
});

test("policies see an address that several users verified for none of them", () => {
  expect(shown("ada@example.com!", "ADA@example.com!", "grace@example.com!")).toEqual([
    "",
    "",
    "grace@example.com",
  ]);
});
