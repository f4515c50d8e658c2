import { expect, test } from "vitest";
import { measureHeap } from "../memory/measure.testing.ts";
import { newOrganizationDocument, type OrganizationDocument } from "./organization.ts";
import { createOrganization, heldSizeOf } from "./organization-index.ts";

const times = { createdAtMs: 1_767_225_600_000, updatedAtMs: 1_767_225_600_000 };
const uuid = (index: number) => `5f7c0c6a-1f2a-4f0e-9d2c-${String(index).padStart(12, "0")}`;

function documentWith(users: number, keysOfEach: number): OrganizationDocument {
  const list = <T>(length: number, one: (index: number) => T) =>
    Array.from({ length }, (_, index) => one(index));
  return newOrganizationDocument({
    organizationId: uuid(0),
    organizationName: "o",
    createdAtMs: 0,
    rootQuorum: { threshold: 1, userIds: [] },
    users: list(users, (user) => ({
      userId: uuid(user),
      userName: "u",
      userEmail: null,
      userPhoneNumber: null,
      userTags: [],
      authenticators: [],
      oauthProviders: [],
      sessionEpoch: 2 ** 52,
      sessionEpochStartedAtMs: 0,
      keyEpochs: [],
      isEmailVerified: false,
      isPhoneNumberVerified: false,
      apiKeys: list(keysOfEach, (key) => ({
        apiKeyId: uuid(user * 1000 + key),
        apiKeyName: "k",
        credential: {
          publicKey: `02${String(user * 1000 + key).padStart(64, "0")}`,
          type: "CREDENTIAL_TYPE_API_KEY_P256" as const,
        },
        ...times,
      })),
      ...times,
    })),
  });
}

test.each([
  [100, 10],
  [100, 1],
  [100, 0],
])("a document of %i users with %i keys each is charged with its lookups", (users, keys) => {
  const text = JSON.stringify(documentWith(users, keys));
  const taken = measureHeap(() => {
    // Written from such a document above.
    const organization = createOrganization(JSON.parse(text) as OrganizationDocument, () => []);
    organization.findKey("02");
    organization.policyUsers();
    return organization;
  });
  const charged = heldSizeOf(JSON.parse(text));
  expect(charged).toBeGreaterThan(taken);
  expect(charged).toBeLessThan(4 * taken);
});
