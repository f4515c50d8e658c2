import { createHash } from "node:crypto";
import { clientOf, newKey } from "@keyhearth/api/testing";
import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { expect, test } from "vitest";
import { newToken, nonceFor } from "../oidc.testing.ts";
import { loginOf, newSocialFamily, type SocialFamily } from "../oidc-logins.testing.ts";
import {
  addUser,
  allow,
  badRequest,
  bodyOf,
  claimsOf,
  post,
  refusal,
  submit,
} from "../organization.testing.ts";
import { newPasskey } from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_OAUTH_LOGIN";
const tokenAt = "parameters.oidcToken";

function logIn({ parent, organizationId }: SocialFamily, parameters: object, client = parent.root) {
  return post(client, "oauth_login", bodyOf(organizationId, { type, parameters }));
}

test("the parent logs a user in by token, and the session's key stamps as this user", async () => {
  const family = await newSocialFamily();
  const { parent, organizationId, userId } = family;
  const { key, publicKey, oidcToken } = loginOf(family);
  const activity = await logIn(family, { publicKey, oidcToken });
  expect(activity).toMatchObject({
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    intent: { oauthLoginIntent: { publicKey } },
  });
  const { session } = activity.result.oauthLoginResult as { session: string };
  expect(JSON.parse(decodeUtf8(decodeBase64Url(session.split(".")[1] ?? "")))).toEqual({
    exp: expect.any(Number),
    public_key: publicKey,
    session_type: "SESSION_TYPE_READ_WRITE",
    user_id: userId,
    organization_id: organizationId,
    proof_digest: createHash("sha256").update(oidcToken).digest("hex"),
  });
  const client = clientOf(parent.server, organizationId, key);
  expect(await client.whoami()).toMatchObject({ userId, organizationId });
  await client.createWallet({ walletName: "by the session", accounts: [] });
  const { apiKeys } = await client.getApiKeys({ userId });
  expect(apiKeys).toMatchObject([
    { credential: { publicKey, type: "CREDENTIAL_TYPE_LOGIN" }, expirationSeconds: "900" },
  ]);
});

test("the nonce is of the key's text as it was sent, in `nonce` or `tknonce`", async () => {
  const family = await newSocialFamily();
  const upper = newKey().publicKey.toUpperCase();
  const given = {
    publicKey: upper,
    oidcToken: loginOf(family, { nonce: nonceFor(upper) }).oidcToken,
  };
  await logIn(family, given);
  const { publicKey } = newKey();
  const nonces = { nonce: "of the provider", tknonce: nonceFor(publicKey) };
  await logIn(family, { publicKey, oidcToken: loginOf(family, nonces).oidcToken });
  for (const nonce of [undefined, "", nonceFor(newKey().publicKey), [nonceFor(publicKey)]]) {
    const { oidcToken } = loginOf(family, { nonce });
    expect(await refusal(logIn(family, { publicKey, oidcToken }))).toEqual(
      badRequest(
        "OIDC_TOKEN_INVALID",
        tokenAt,
        "invalid OIDC token: `parameters.oidcToken`: its `nonce`, or `tknonce`, must be the SHA-256 digest of the text of `parameters.publicKey`, in lower-case hex",
      ),
    );
  }
});

test("a token of another issuer, audience or subject logs nobody in", async () => {
  const family = await newSocialFamily();
  const cases: [object, RegExp][] = [
    [{ sub: "somebody else" }, /no user of the organization has a social login/],
    [{ aud: "other-app" }, /no user of the organization has a social login/],
    [{ aud: ["my-app", "other-app"], azp: "other-app" }, /no user of the organization/],
    [{ aud: ["my-app", "other-app"] }, /it needs an audience/],
    [{ iss: "https://evil.example.com" }, /its issuer is not accepted; this service accepts https/],
  ];
  for (const [claims, message] of cases) {
    const { publicKey, oidcToken } = loginOf(family, claims);
    expect(await refusal(logIn(family, { publicKey, oidcToken }))).toEqual(
      badRequest("OIDC_TOKEN_INVALID", tokenAt, expect.stringMatching(message)),
    );
  }
  const { publicKey, oidcToken } = loginOf(family, { aud: ["other-app", "my-app"], azp: "my-app" });
  await logIn(family, { publicKey, oidcToken });
});

test("an expired or malformed token, or one that is not signed by its issuer, is refused", async () => {
  const family = await newSocialFamily();
  const { publicKey } = newKey();
  const nowSeconds = Math.floor(Date.now() / 1000);
  const cases: [string, RegExp][] = [
    [newToken({ sub: "a", exp: nowSeconds - 61 }), /it has expired/],
    [newToken({ sub: "a", iat: nowSeconds + 90 }), /it is not valid yet/],
    [newToken({ sub: "a" }, { signature: "AAAA" }), /its signature does not verify/],
    ["a.b.c", /expected the compact form/],
  ];
  for (const [oidcToken, message] of cases) {
    const refused = await refusal(logIn(family, { publicKey, oidcToken }));
    expect(refused).toEqual(
      badRequest("OIDC_TOKEN_INVALID", tokenAt, expect.stringMatching(message)),
    );
  }
});

test("bad parameters are refused by field, all at once", async () => {
  const family = await newSocialFamily();
  const { publicKey, oidcToken } = loginOf(family);
  const parameters = { oidcToken: "x".repeat(16_385), publicKey: "02", expirationSeconds: "0" };
  const { message } = await refusal(logIn(family, parameters));
  for (const field of ["oidcToken", "publicKey", "expirationSeconds"]) {
    expect(message).toContain(`parameters.${field}`);
  }
  const profile = { publicKey, oidcToken, sessionProfileId: "p" };
  expect(await refusal(logIn(family, profile))).toMatchObject({ code: "FIELD_UNSUPPORTED" });
});

test("a key that another user has is refused", async () => {
  const family = await newSocialFamily();
  const { key, publicKey, oidcToken } = loginOf(family);
  await logIn(family, { publicKey, oidcToken });
  const session = clientOf(family.parent.server, family.organizationId, key);
  const bob = await addUser({ ...family.parent, ...family, root: session });
  const taken = loginOf(family, { nonce: nonceFor(bob.key.publicKey) }).oidcToken;
  const request = logIn(family, { publicKey: bob.key.publicKey, oidcToken: taken });
  expect(await refusal(request)).toMatchObject({ code: "PUBLIC_KEY_TAKEN" });
});

test("invalidateExisting ends the user's other logins", async () => {
  const family = await newSocialFamily();
  const { server } = family.parent;
  const [one, two] = [loginOf(family), loginOf(family)];
  await logIn(family, { publicKey: one.publicKey, oidcToken: one.oidcToken });
  const { publicKey, oidcToken } = two;
  await logIn(family, { publicKey, oidcToken, invalidateExisting: true });
  const old = clientOf(server, family.organizationId, one.key);
  expect(await refusal(old.whoami())).toMatchObject({ code: "CREDENTIAL_NOT_FOUND" });
  await clientOf(server, family.organizationId, two.key).whoami();
});

/** A session of the family's user, by a first login. */
async function newSession(family: SocialFamily) {
  const { key, publicKey, oidcToken } = loginOf(family);
  await logIn(family, { publicKey, oidcToken });
  return { publicKey, session: clientOf(family.parent.server, family.organizationId, key) };
}

/** Waits for the beginning of a second, so that what follows is in the same one. */
async function nextSecond() {
  await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)));
}

test("a login may follow the deletion of another credential in the same second", async () => {
  const family = await newSocialFamily();
  const { userId } = family;
  const { session } = await newSession(family);
  const deletions = [
    async () => {
      const { authenticatorIds } = await session.createAuthenticators({
        userId,
        authenticators: [newPasskey().params],
      });
      return () => session.deleteAuthenticators({ userId, authenticatorIds });
    },
    async () => {
      const { publicKey } = newKey();
      const curveType = "API_KEY_CURVE_P256" as const;
      const apiKeys = [{ apiKeyName: "k", publicKey, curveType }];
      const { apiKeyIds } = await session.createApiKeys({ userId, apiKeys });
      return () => session.deleteApiKeys({ userId, apiKeyIds });
    },
  ];
  for (const prepare of deletions) {
    const perform = await prepare();
    await nextSecond();
    await perform();
    const { publicKey, oidcToken } = loginOf(family);
    await logIn(family, { publicKey, oidcToken });
  }
});

test("the token of a session whose key was deleted starts no other one, not even in the same second", async () => {
  const family = await newSocialFamily();
  const { userId } = family;
  const { session } = await newSession(family);
  await nextSecond();
  const { publicKey, oidcToken } = loginOf(family);
  await logIn(family, { publicKey, oidcToken });
  const { apiKeys } = await session.getApiKeys({ userId });
  const { apiKeyId = "" } =
    apiKeys.find(({ credential }) => credential.publicKey === publicKey) ?? {};
  await session.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });
  expect(await refusal(logIn(family, { publicKey, oidcToken }))).toEqual(
    badRequest(
      "OIDC_TOKEN_INVALID",
      tokenAt,
      "invalid OIDC token: `parameters.oidcToken`: it was issued before the user's sessions were ended, or in the same second; log in at the provider again",
    ),
  );
});

test("users of a top-level organization have no social logins", async () => {
  const { parent } = await newSocialFamily();
  const { root, organizationId, userId } = parent;
  await root.createOauthProviders({
    userId,
    oauthProviders: [{ providerName: "Example", oidcToken: newToken({ sub: "top" }) }],
  });
  const { publicKey, oidcToken } = loginOf({ subject: "top" });
  const request = submit(root, "oauth_login", { type, parameters: { publicKey, oidcToken } });
  expect(await refusal(request)).toMatchObject({
    httpStatus: 400,
    field: "organizationId",
    message: `\`organizationId\` is \`${organizationId}\`, which is a top-level organization: social logins are for users of sub-organizations`,
  });
});

test("a parent's user needs a permission", async () => {
  const family = await newSocialFamily();
  const { parent } = family;
  const { publicKey, oidcToken } = loginOf(family);
  const parameters = { publicKey, oidcToken };
  const clerk = await addUser(parent);
  const denied = { httpStatus: 403, code: "POLICY_DENIED" };
  expect(await refusal(logIn(family, parameters, clerk.client))).toMatchObject(denied);
  await allow(parent, clerk.userId, ["AUTH", "CREATE"]);
  await logIn(family, parameters, clerk.client);
});

test("claims that were registered without a token log in too, by a token", async () => {
  const family = await newSocialFamily();
  const { publicKey, oidcToken, key } = loginOf(family);
  await logIn(family, { publicKey, oidcToken });
  const session = clientOf(family.parent.server, family.organizationId, key);
  await submit(session, "create_oauth_providers", {
    type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
    parameters: { userId: family.userId, oauthProviders: [claimsOf("by claims")] },
  });
  const { publicKey: next, oidcToken: token } = loginOf({ subject: "by claims" });
  await logIn(family, { publicKey: next, oidcToken: token });
});
