import { describe, expect, test } from "vitest";
import { findByContact, isSameEmail, usersWithContact } from "./contacts.ts";
import { newOrganizationDocument, type User } from "./organization.ts";

function documentOf(...contacts: [email: string | null, phone: string | null][]) {
  // The members that a look-up reads.
  const users = contacts.map(([userEmail, userPhoneNumber], index) => ({
    userId: `user ${index}`,
    userEmail,
    userPhoneNumber,
  })) as User[];
  return newOrganizationDocument({
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    organizationName: "Acme",
    createdAtMs: 0,
    users,
    rootQuorum: { threshold: 1, userIds: [] },
  });
}

describe("a user is found by contact", () => {
  const document = documentOf(["Ada@Example.com", null], ["grace@example.com", "+14155550123"]);
  const find = (type: "email" | "phone", contact: string) =>
    findByContact(document, { type, contact }, "parameters.contact").userId;

  test("in any case of ASCII letters", () => {
    expect(find("email", "ada@example.COM")).toBe("user 0");
  });

  test("by the exact phone number", () => {
    expect(find("phone", "+14155550123")).toBe("user 1");
    expect(() => find("phone", "+14155550124")).toThrow("phone number not found");
  });

  test("not by the other kind of contact", () => {
    expect(() => find("phone", "ada@example.com")).toThrow("not found");
  });

  test("not if two users have it", () => {
    const shared = documentOf(["ada@example.com", null], ["ADA@example.com", null]);
    expect(() =>
      findByContact(shared, { type: "email", contact: "ada@example.com" }, "parameters.email"),
    ).toThrow("more than one user has the email address `ada@example.com`");
  });
});

describe("a contact that several users have", () => {
  const shared = documentOf(["ada@example.com", null], ["ADA@example.com", null]);
  const [ada, grace] = shared.users as [User, User];
  const sought = { type: "email", contact: "Ada@example.com" } as const;
  const find = (...users: User[]) => findByContact({ ...shared, users }, sought, "email").userId;

  test("is that of the one who proved it, whatever others state", () => {
    expect(find(ada, { ...grace, isEmailVerified: true })).toBe(grace.userId);
    expect(find({ ...ada, isEmailVerified: true }, grace)).toBe(ada.userId);
    // The proof of another contact is none of this one.
    expect(() => find(ada, { ...grace, isPhoneNumberVerified: true })).toThrow("more than one");
  });

  test("is nobody's, if several proved it", () => {
    const both = [ada, grace].map((user) => ({ ...user, isEmailVerified: true }));
    expect(() => find(...both)).toThrow("more than one user has the email address");
  });

  test("may mean the users who proved it, or all who have it if nobody did", () => {
    expect(usersWithContact([ada, grace], sought)).toEqual([ada, grace]);
    const proven = { ...grace, isEmailVerified: true };
    expect(usersWithContact([ada, proven], sought)).toEqual([proven]);
    expect(usersWithContact([ada, proven], { type: "phone", contact: "+1" })).toEqual([]);
  });
});

test("letters outside of ASCII match only themselves", () => {
  // The Kelvin sign, whose lower case is an ASCII k.
  expect(isSameEmail("\u212a@example.com", "k@example.com")).toBe(false);
  expect(isSameEmail("\u0130@example.com", "i@example.com")).toBe(false);
});
