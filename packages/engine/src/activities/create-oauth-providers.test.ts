import { newKey, newOrganization, type TestClient } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { newToken } from "../oidc.testing.ts";
import {
  addUser,
  allow,
  badRequest,
  claimsOf,
  expectDenied,
  impatient,
  refusal,
  socialLogin,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS";
const unknownId = "00000000-0000-4000-8000-000000000000";

function create(client: TestClient, parameters: object) {
  return submit(client, "create_oauth_providers", { type: `${type}_V2`, parameters });
}

test("social logins are registered by claims, and shown with the user", async () => {
  const { root, userId } = await newOrganization();
  const request = { userId, oauthProviders: [claimsOf("one"), claimsOf("two")] };
  const activity = await create(root, request);
  expect(activity).toMatchObject({
    status: "ACTIVITY_STATUS_COMPLETED",
    intent: { createOauthProvidersIntentV2: request },
    result: {
      createOauthProvidersResultV2: { providerIds: [expect.any(String), expect.any(String)] },
    },
  });
  // The assertion above has just checked this.
  const { providerIds } = activity.result.createOauthProvidersResultV2 as { providerIds: string[] };
  const { user } = await root.getUser({ userId });
  expect(user.oauthProviders).toEqual(
    ["one", "two"].map((subject, index) => ({
      providerId: providerIds[index],
      providerName: "Example",
      issuer: "https://accounts.example.com",
      audience: "my-app",
      subject,
      createdAt: user.updatedAt,
      updatedAt: user.updatedAt,
    })),
  );
});

test("an empty list, or none, registers nothing", async () => {
  const { root, userId } = await newOrganization();
  const { providerIds, activity } = await root.createOauthProviders({ userId, oauthProviders: [] });
  expect(providerIds).toEqual([]);
  expect(activity.type).toBe(type);
  const intent = { createOauthProvidersIntentV2: { userId, oauthProviders: [] } };
  expect(await create(root, { userId })).toMatchObject({ intent });
});

test("a token registers the identity that it proves, in every version", async () => {
  const { root, userId } = await newOrganization();
  const byToken = (claims: object) => ({
    providerName: "Example",
    oidcToken: newToken({ ...claims }),
  });
  const old = { userId, oauthProviders: [byToken({ sub: "one", nonce: "any" })] };
  await submit(root, "create_oauth_providers", { type, parameters: old });
  const several = byToken({ sub: "two", aud: ["other-app", "my-app"], azp: "my-app" });
  await create(root, { userId, oauthProviders: [several, claimsOf("three")] });
  expect((await root.getUser({ userId })).user.oauthProviders).toMatchObject(
    ["one", "two", "three"].map((subject) => ({
      issuer: "https://accounts.example.com",
      audience: "my-app",
      subject,
    })),
  );
  const again = { userId, oauthProviders: [byToken({ sub: "three" })] };
  expect(await refusal(create(root, again))).toMatchObject({
    code: "OAUTH_PROVIDER_TAKEN",
    field: "parameters.oauthProviders[0].oidcToken",
  });
});

test("every token that does not verify is refused by its field, and none is shown", async () => {
  const { root, userId } = await newOrganization();
  const forged = newToken({ sub: "one" }, { signature: "AAAA" });
  const oauthProviders = [
    socialLogin,
    claimsOf("two"),
    { providerName: "Forged", oidcToken: forged },
  ];
  const { code, message } = await refusal(create(root, { userId, oauthProviders }));
  const at = (index: number) => `\`parameters.oauthProviders[${index}].oidcToken\``;
  expect(code).toBe("OIDC_TOKEN_INVALID");
  expect(message).toBe(
    `invalid OIDC token: ${at(0)}: expected the compact form of a signed JWT: three parts in base64url with dots; invalid OIDC token: ${at(2)}: its signature does not verify with the keys of its issuer`,
  );
  const both = { userId, oauthProviders: [{ ...socialLogin, ...claimsOf("one") }] };
  const tokenAt = "parameters.oauthProviders[0].oidcToken";
  expect(await refusal(create(root, both))).toEqual(
    badRequest(
      "FIELD_INVALID",
      tokenAt,
      `expected \`oidcToken\` or \`oidcClaims\`, not both: \`${tokenAt}\` is a text of 5 characters`,
    ),
  );
  expect(await root.getOauthProviders()).toEqual({ oauthProviders: [] });
});

test("a request has at most ten tokens", async () => {
  const { root } = await newOrganization();
  const users = Array.from({ length: 11 }, (_, index) => ({
    userName: `user ${index}`,
    apiKeys: [
      { apiKeyName: "k", publicKey: newKey().publicKey, curveType: "API_KEY_CURVE_P256" as const },
    ],
    authenticators: [],
    oauthProviders: [{ providerName: "Example", oidcToken: newToken({ sub: `user ${index}` }) }],
    userTags: [],
  }));
  expect(await refusal(root.createUsers({ users }))).toMatchObject({
    code: "OIDC_TOKEN_INVALID",
    field: "parameters.users[10].oauthProviders[0].oidcToken",
    message: expect.stringContaining("a request may have 10 tokens"),
  });
  await root.createUsers({ users: users.slice(1) });
});

test("bad parameters are refused by field", async () => {
  const { root, userId } = await newOrganization();
  const at = "parameters.oauthProviders[0]";
  const { providerName, oidcClaims } = claimsOf("one");
  const cases: [object, string, string, unknown][] = [
    [
      { providerName },
      "FIELD_INVALID",
      `${at}.oidcToken`,
      `\`${at}.oidcToken\`: expected \`oidcToken\`, or \`oidcClaims\` with iss, sub and aud`,
    ],
    [
      { providerName, oidcClaims: { ...oidcClaims, iss: "x".repeat(256) } },
      "FIELD_INVALID",
      `${at}.oidcClaims.iss`,
      expect.stringContaining("must have at most 255 characters"),
    ],
  ];
  for (const [provider, code, field, message] of cases) {
    const refused = await refusal(create(root, { userId, oauthProviders: [provider] }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect(await root.getOauthProviders()).toEqual({ oauthProviders: [] });
});

test("an identity belongs to one user, also within one request", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  await create(root, { userId, oauthProviders: [claimsOf("ada")] });
  const cases: [string, object[], number][] = [
    [grace.userId, [claimsOf("grace"), claimsOf("ada")], 1],
    [userId, [claimsOf("ada")], 0],
    [grace.userId, [claimsOf("grace"), { ...claimsOf("grace"), providerName: "Other" }], 1],
  ];
  for (const [owner, oauthProviders, index] of cases) {
    expect(await refusal(create(root, { userId: owner, oauthProviders }))).toEqual({
      httpStatus: 409,
      grpcCode: 6,
      code: "OAUTH_PROVIDER_TAKEN",
      field: `parameters.oauthProviders[${index}].oidcClaims`,
      message:
        "an OAuth provider with the same issuer, audience and subject already exists in this organization",
    });
  }
  // Another subject, audience or issuer is somebody else.
  const { oidcClaims } = claimsOf("ada");
  const others = [{ sub: "ADA" }, { aud: "other-app" }, { iss: "https://accounts.example.com/" }];
  const oauthProviders = others.map((change) => ({
    providerName: "Example",
    oidcClaims: { ...oidcClaims, ...change },
  }));
  await create(root, { userId: grace.userId, oauthProviders });
  // Another organization may have the same identity.
  const other = await newOrganization();
  await create(other.root, { userId: other.userId, oauthProviders: [claimsOf("ada")] });
});

test("a user has at most ten", async () => {
  const organization = await newOrganization();
  const { userId } = organization;
  const root = impatient(organization);
  const eleven = Array.from({ length: 11 }, (_, index) => claimsOf(`subject ${index}`));
  const refused = {
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.oauthProviders",
    message: "user has exceeded maximum OAuth providers: a user may have 10",
  };
  expect(await refusal(create(root, { userId, oauthProviders: eleven }))).toEqual(refused);
  await create(root, { userId, oauthProviders: eleven.slice(1) });
  const one = { userId, oauthProviders: eleven.slice(0, 1) };
  expect(await refusal(create(root, one))).toEqual(refused);
});

test("a user that is unknown or of another organization is not found", async () => {
  const { root, organizationId } = await newOrganization();
  const other = await newOrganization();
  for (const userId of [unknownId, other.userId]) {
    const request = { userId, oauthProviders: [claimsOf("one")] };
    expect(await refusal(create(root, request))).toMatchObject({
      httpStatus: 404,
      field: "parameters.userId",
      message: `user not found: unable to find user ${userId} in organization ${organizationId}`,
    });
  }
});

// Nothing proves that the claims are the user's own.
test("users do not register claims without a permission, not even for themselves", async () => {
  const organization = await newOrganization();
  const { client, userId } = await addUser(organization);
  const request = { userId, oauthProviders: [claimsOf("one")] };
  await expectDenied(create(client, request));
  await expectDenied(create(client, { ...request, userId: organization.userId }));
  await allow(organization, userId, ["CREDENTIAL", "CREATE"]);
  await create(client, request);
});
