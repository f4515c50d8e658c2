import type { User } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import { explain, type Situation } from "./decide.ts";
import type { NamedText } from "./draft.ts";
import { credentialsOf, policyUser } from "./voters.ts";

const at = { seconds: "0", nanos: "0" };

/** Somebody with a session, an API key that lasts and a passkey. */
const ada: User = {
  ...{ userId: "ada", userName: "Ada", userTags: [], createdAt: at, updatedAt: at },
  ...{ oauthProviders: [], mfaPolicies: [] },
  apiKeys: [
    {
      ...{ apiKeyId: "session", apiKeyName: "session", expirationSeconds: "900" },
      credential: { publicKey: "02aa", type: "CREDENTIAL_TYPE_LOGIN" },
      ...{ createdAt: at, updatedAt: at },
    },
    {
      ...{ apiKeyId: "key", apiKeyName: "key" },
      credential: { publicKey: "02bb", type: "CREDENTIAL_TYPE_API_KEY_P256" },
      ...{ createdAt: at, updatedAt: at },
    },
  ],
  authenticators: [
    {
      ...{ transports: [], attestationType: "none", aaguid: "", credentialId: "AAEC", model: "" },
      credential: { publicKey: "02cc", type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" },
      ...{ authenticatorId: "passkey", authenticatorName: "phone", createdAt: at, updatedAt: at },
    },
  ],
};

const withPasskey: readonly NamedText[] = [
  {
    policyId: "p1",
    policyName: "By passkey",
    effect: "EFFECT_ALLOW",
    consensus: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
  },
];

function outcomeOf(publicKeys?: Record<string, string>) {
  const users = [policyUser(ada)];
  const situation: Situation = {
    users,
    rootQuorum: { threshold: 1, userIds: [] },
    approvedBy: ["ada"],
    credentials: credentialsOf(users, ["ada"], publicKeys),
    now: "2026-07-06T08:30:00Z",
    context: {},
  };
  return explain(withPasskey, situation).outcome;
}

test("a vote counts with the credential that it was given with", () => {
  expect(outcomeOf({ ada: "02cc" })).toBe("OUTCOME_ALLOW");
  expect(outcomeOf({ ada: "02bb" })).not.toBe("OUTCOME_ALLOW");
  // Of a vote that nobody gave, the first credential that lasts counts, as at the service.
  expect(outcomeOf()).not.toBe("OUTCOME_ALLOW");
  expect(policyUser(ada).credentials?.map(({ id }) => id)).toEqual(["key", "passkey"]);
});
