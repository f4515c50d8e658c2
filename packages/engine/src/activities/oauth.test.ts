import { clientOf } from "@keyhearth/api/testing";
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { openCredentialBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { expect, test } from "vitest";
import { newToken, nonceFor } from "../oidc.testing.ts";
import { newSocialFamily, type SocialFamily } from "../oidc-logins.testing.ts";
import { addUser, allow, badRequest, bodyOf, post, refusal } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_OAUTH";

function logIn({ parent, organizationId }: SocialFamily, parameters: object, client = parent.root) {
  return post(client, "oauth", bodyOf(organizationId, { type, parameters }));
}

function tokenFor({ subject }: SocialFamily, targetPublicKey: string): string {
  return newToken({ sub: subject, nonce: nonceFor(targetPublicKey) });
}

test("the key in the bundle stamps requests as the token's user", async () => {
  const family = await newSocialFamily();
  const { organizationId, userId, parent } = family;
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const oidcToken = tokenFor(family, targetPublicKey);
  const activity = await logIn(family, { oidcToken, targetPublicKey, expirationSeconds: "60" });
  const result = { userId, apiKeyId: expect.any(String), credentialBundle: expect.any(String) };
  expect(activity.result).toEqual({ oauthResult: result });
  const { credentialBundle } = activity.result.oauthResult as { credentialBundle: string };
  const privateKey = openCredentialBundle(credentialBundle, decodeHex(targetPrivateKey));
  const key = {
    publicKey: encodeHex(publicKeyOf("CURVE_P256", privateKey)),
    privateKey: encodeHex(privateKey),
  };
  const client = clientOf(parent.server, organizationId, key);
  expect(await client.whoami()).toMatchObject({ userId });
  expect((await client.getApiKeys({ userId })).apiKeys).toMatchObject([
    {
      apiKeyName: expect.stringMatching(/^Oauth - \d{4}-/),
      credential: { publicKey: key.publicKey, type: "CREDENTIAL_TYPE_OAUTH_KEY_P256" },
      expirationSeconds: "60",
    },
  ]);
  // A user of the sub-organization may do the same, with a name for the key.
  const { targetPublicKey: next } = createTargetKey();
  const again = { oidcToken: tokenFor(family, next), targetPublicKey: next };
  await logIn(family, { ...again, apiKeyName: "phone", invalidateExisting: true }, client);
  expect(await refusal(client.whoami())).toMatchObject({ code: "CREDENTIAL_NOT_FOUND" });
});

test("bad parameters, and a token for another key, are refused by field", async () => {
  const family = await newSocialFamily();
  const { targetPublicKey } = createTargetKey();
  const { message } = await refusal(logIn(family, { targetPublicKey: "04", apiKeyName: "" }));
  for (const field of ["oidcToken", "targetPublicKey", "apiKeyName"]) {
    expect(message).toContain(`parameters.${field}`);
  }
  const oidcToken = tokenFor(family, createTargetKey().targetPublicKey);
  expect(await refusal(logIn(family, { oidcToken, targetPublicKey }))).toEqual(
    badRequest(
      "OIDC_TOKEN_INVALID",
      "parameters.oidcToken",
      expect.stringContaining("the text of `parameters.targetPublicKey`"),
    ),
  );
});

test("users need a permission", async () => {
  const family = await newSocialFamily();
  const { parent } = family;
  const { targetPublicKey } = createTargetKey();
  const parameters = { oidcToken: tokenFor(family, targetPublicKey), targetPublicKey };
  const clerk = await addUser(parent);
  const denied = { httpStatus: 403, code: "POLICY_DENIED" };
  expect(await refusal(logIn(family, parameters, clerk.client))).toMatchObject(denied);
  await allow(parent, clerk.userId, ["AUTH", "CREATE"]);
  await logIn(family, parameters, clerk.client);
});
