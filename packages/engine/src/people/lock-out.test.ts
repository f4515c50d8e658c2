import { describe, expect, test } from "vitest";
import { newOrganizationDocument, type User } from "../records/organization.ts";
import { assertNobodyLockedOut } from "./lock-out.ts";

const key = {
  apiKeyId: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
  apiKeyName: "k",
  credential: { publicKey: "02", type: "CREDENTIAL_TYPE_API_KEY_P256" as const },
  createdAtMs: 0,
  updatedAtMs: 0,
};

function user(changes: Partial<User> = {}): User {
  return {
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    userName: "Ada",
    userEmail: null,
    userPhoneNumber: null,
    apiKeys: [key],
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch: 0,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    createdAtMs: 0,
    updatedAtMs: 0,
    ...changes,
  };
}

function documentOf(users: User[], features: string[] = [], isSub = true) {
  return newOrganizationDocument({
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    organizationName: "o",
    parentOrganizationId: isSub ? "0e0f1c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" : null,
    createdAtMs: 0,
    users,
    rootQuorum: { threshold: 1, userIds: [] },
    features: features.map((name) => ({ name, value: null })),
  });
}

describe("no new document takes a user's last way back, whatever the activity", () => {
  const byMail = { apiKeys: [], userEmail: "ada@example.com" };
  const byPhone = { apiKeys: [], userPhoneNumber: "+14155550100" };
  const emailLogin = ["FEATURE_NAME_EMAIL_AUTH"];
  const emailCode = ["FEATURE_NAME_OTP_EMAIL_AUTH"];
  const sms = ["FEATURE_NAME_SMS_AUTH"];
  const other = { userId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f" };
  const before = documentOf([user()]);

  test.each([
    ["the last key is gone", before, documentOf([user({ apiKeys: [] })])],
    ["a user comes without a key", documentOf([]), documentOf([user({ apiKeys: [] })])],
    [
      "the contact is gone",
      documentOf([user(byMail)], emailLogin),
      documentOf([user({ apiKeys: [] })], emailLogin),
    ],
    [
      "the login is switched off",
      documentOf([user(byMail)], emailCode),
      documentOf([user(byMail)], sms),
    ],
    ["only recovery is left", before, documentOf([user(byMail)], ["FEATURE_NAME_EMAIL_RECOVERY"])],
    ["the contact is of another kind", before, documentOf([user(byPhone)], emailLogin)],
    [
      "another user has the contact",
      documentOf([user(byMail), user(other)], emailLogin),
      documentOf([user(byMail), user({ ...other, userEmail: "ADA@example.com" })], emailLogin),
    ],
    [
      "another user has the phone number",
      documentOf([user(byPhone), user(other)], sms),
      documentOf([user(byPhone), user({ ...other, userPhoneNumber: "+14155550100" })], sms),
    ],
    [
      "another user proves that the contact is theirs",
      documentOf([user(byMail), user(other)], emailLogin),
      documentOf(
        [user(byMail), user({ ...other, userEmail: "ADA@example.com", isEmailVerified: true })],
        emailLogin,
      ),
    ],
    [
      "another user proves the same contact",
      documentOf([user({ ...byMail, isEmailVerified: true }), user(other)], emailLogin),
      documentOf(
        [
          user({ ...byMail, isEmailVerified: true }),
          user({ ...other, userEmail: "ADA@example.com", isEmailVerified: true }),
        ],
        emailLogin,
      ),
    ],
    ["the organization has no parent", before, documentOf([user(byMail)], emailLogin, false)],
  ])("refused: %s", (_, base, next) => {
    expect(() => assertNobodyLockedOut(base, next)).toThrow(/^user missing valid credential: /);
  });

  test.each([
    ["a key is left", before, documentOf([user({ userName: "Grace" })])],
    ["an email address may log in", before, documentOf([user(byMail)], emailLogin)],
    ["an email address gets a code", before, documentOf([user(byMail)], emailCode)],
    [
      "another user states the email address of one who proved it",
      documentOf([user({ ...byMail, isEmailVerified: true }), user(other)], emailLogin),
      documentOf(
        [
          user({ ...byMail, isEmailVerified: true }),
          user({ ...other, userEmail: "ADA@example.com" }),
        ],
        emailLogin,
      ),
    ],
    [
      "another user states the phone number of one who proved it",
      documentOf([user({ ...byPhone, isPhoneNumberVerified: true }), user(other)], sms),
      documentOf(
        [
          user({ ...byPhone, isPhoneNumberVerified: true }),
          user({ ...other, userPhoneNumber: "+14155550100" }),
        ],
        sms,
      ),
    ],
    ["a phone number may log in", before, documentOf([user(byPhone)], sms)],
    ["the user is gone", before, documentOf([])],
    [
      "the user had no way back before, and others must still be able to act",
      documentOf([user({ apiKeys: [] })]),
      documentOf([user({ apiKeys: [], userName: "Grace" })]),
    ],
  ])("allowed: %s", (_, base, next) => {
    expect(() => assertNobodyLockedOut(base, next)).not.toThrow();
  });
});
