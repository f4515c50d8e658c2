import { lazyEnvironment } from "@keyhearth/policy/environment";
import { compile, evaluateValue } from "@keyhearth/policy/evaluate";
import { isFailure } from "@keyhearth/policy/values";
import { expect, test } from "vitest";
import * as z from "zod";
import { activities } from "../activities/index.ts";
import { createRecords, type Facts } from "../records/facts.ts";
import { newOrganizationDocument, type User } from "../records/organization.ts";
import { namedUser, waysOfNaming } from "./named-users.ts";

/** The parameters by which a request may name a user other than by id. */
const naming = ["email", "contact", "otpId", "verificationToken", "oidcToken"];

/** Activities with such a parameter that name no user by it, and why. */
const others: Record<string, string> = {
  create_sub_organization: "the token proves the contact of a user who does not exist yet",
  update_user_email: "the user is named by id, and the token proves the new address",
  update_user_phone_number: "the user is named by id, and the token proves the new number",
};

test("every activity that names a user other than by id says how, so that policies see whom", () => {
  const undeclared = activities.flatMap(({ name, versions, namesUserBy }) => {
    const fields = Object.values(versions).flatMap(({ intent }) => Object.keys(intent.shape));
    const isNaming = fields.some((field) => naming.includes(field));
    return isNaming === (namesUserBy !== undefined) || name in others ? [] : [name];
  });
  expect(undeclared).toEqual([]);
  const stale = Object.keys(others).filter((name) =>
    activities.every((each) => each.name !== name),
  );
  expect(stale).toEqual([]);
});

test("every activity has the parameters that its way of naming a user reads", () => {
  const fieldsOf = {
    email: ["email"],
    contact: ["otpType", "contact"],
    code: ["otpId"],
    verificationToken: ["verificationToken"],
    oidcToken: ["oidcToken"],
  };
  expect(Object.keys(fieldsOf)).toEqual(Object.keys(waysOfNaming));
  for (const { name, versions, namesUserBy } of activities) {
    if (!namesUserBy) continue;
    for (const { intent } of Object.values(versions)) {
      const isById = name === "create_read_write_session" && "userId" in intent.shape;
      const missing = fieldsOf[namesUserBy].filter((field) => !(field in intent.shape));
      expect({ name, missing }).toEqual({ name, missing: isById ? ["email"] : [] });
      expect(intent).toBeInstanceOf(z.ZodObject);
    }
  }
});

const ada = userWith({
  userId: "ada",
  userEmail: "Ada@example.com",
  userPhoneNumber: "+14155550100",
});
const bob = userWith({ userId: "bob", userEmail: "bob@example.com" });

test("policies see the user's id and the contact as it is stored", () => {
  for (const email of ["Ada@example.com", "ada@EXAMPLE.com"]) {
    expect(shown("email", { email })).toEqual({ user_id: "ada", email: "Ada@example.com" });
    const contact = { otpType: "OTP_TYPE_EMAIL", contact: email };
    expect(shown("contact", contact)).toEqual({ user_id: "ada", contact: "Ada@example.com" });
  }
  const phone = { otpType: "OTP_TYPE_SMS", contact: "+14155550100" };
  expect(shown("contact", phone)).toEqual({ user_id: "ada", contact: "+14155550100" });
});

test("a contact of nobody is shown as it was given, and the id of nobody is an empty text", () => {
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: "New@example.com" };
  expect(shown("contact", contact)).toEqual({ user_id: "", contact: "New@example.com" });
  // Its lower case is that of Kate's address only beyond ASCII.
  const kate = userWith({ userId: "kate", userEmail: "kate@example.com" });
  const lookalike = { email: "\u212aate@example.com" };
  expect(shown("email", lookalike, [kate])).toEqual({ user_id: "", email: lookalike.email });
});

test("policies cannot read which of several users is meant, or a contact with several spellings", () => {
  const other = userWith({ userId: "eve", userEmail: "ada@example.com" });
  const same = userWith({ userId: "eve", userEmail: "Ada@example.com" });
  const asked = { email: "ada@example.com" };
  expect(shown("email", asked, [ada, other])).toEqual({ user_id: unreadable, email: unreadable });
  expect(shown("email", asked, [ada, same])).toEqual({
    user_id: unreadable,
    email: "Ada@example.com",
  });
});

test("policies cannot read whom an unreadable token, or a code without its record, is about", () => {
  const neither = { user_id: unreadable, contact: unreadable };
  expect(shown("verificationToken", { verificationToken: "a.b.c" })).toEqual(neither);
  expect(shown("code", { otpId: "gone" })).toEqual(neither);
  expect(shown("oidcToken", { oidcToken: "a.b.c" })).toEqual({ user_id: unreadable });
});

test("a request that names its user by id shows no other", () => {
  expect(shown("email", {})).toEqual({});
});

const unreadable = "unreadable";

/** What expressions read, with a word for what they cannot. */
function shown(way: keyof typeof waysOfNaming, intent: object, users: User[] = [ada, bob]) {
  const document = newOrganizationDocument({
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    organizationName: "Acme",
    createdAtMs: 0,
    users,
    rootQuorum: { threshold: 1, userIds: ["ada"] },
  });
  const facts: Facts = { document, records: createRecords(document, []) };
  const params = namedUser(way, intent, facts);
  const environment = lazyEnvironment({ activity: { type: "", params } });
  const values = Object.keys(params).map((name) => {
    const value = evaluateValue(compile("condition", `activity.params.${name}`), environment);
    return [name, isFailure(value) ? unreadable : value];
  });
  return Object.fromEntries(values);
}

function userWith(user: Partial<User>): User {
  // Only contacts and identities are read.
  return { userEmail: null, userPhoneNumber: null, oauthProviders: [], ...user } as unknown as User;
}
