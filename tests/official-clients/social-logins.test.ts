import { codeOf } from "@keyhearth/engine/oauth2-logins.testing";
import {
  CLIENT,
  type Oauth2Provider,
  startOauth2Provider,
} from "@keyhearth/engine/oauth2-provider.testing";
import { nonceFor } from "@keyhearth/engine/oidc.testing";
import {
  decryptCredentialBundle,
  encryptOauth2ClientSecret,
  generateP256KeyPair,
  getPublicKey,
} from "@turnkey/crypto";
import { uint8ArrayFromHexString, uint8ArrayToHexString } from "@turnkey/encoding";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import { newApiKeyPair, type Release, releases } from "./clients.ts";
import { type Product, startProduct } from "./product.ts";

// Social logins with the unmodified client, as an app's backend does them, and a real OpenID provider.

let provider: OpenIdProvider;
let double: Oauth2Provider;
let product: Product;

// The list begins with the newest release.
const newest = releases[0] as Release;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  double = await startOauth2Provider();
  product = await startProduct({
    KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}`,
    KEYHEARTH_OAUTH2_PROVIDERS: `x=private:${double.url},discord=private:${double.url}`,
  });
});

afterAll(async () => {
  await product?.stop();
  await provider?.stop();
  await double?.stop();
});

test("somebody of a provider that only speaks OAuth 2.0 signs up and logs in", async () => {
  const { url, root } = product;
  const parent = newest.connect(url, root.organizationId, root);
  const keys = await fetch(`${url}/.well-known/keyhearth.json`);
  const { quorumPublicKey } = (await keys.json()) as { quorumPublicKey: string };
  const point = quorumPublicKey.slice(0, 130);
  const { oauth2CredentialId } = await parent.createOauth2Credential({
    provider: "OAUTH2_PROVIDER_X",
    clientId: CLIENT.clientId,
    encryptedClientSecret: await encryptOauth2ClientSecret(CLIENT.clientSecret, point),
  });
  const { oauth2Credentials } = await parent.listOauth2Credentials({});
  expect(oauth2Credentials).toMatchObject([{ oauth2CredentialId, clientId: CLIENT.clientId }]);
  const target = generateP256KeyPair();
  const { given, key } = codeOf(double);
  const { oidcToken } = await parent.oauth2Authenticate({
    oauth2CredentialId,
    ...given,
    bearerTokenTargetPublicKey: target.publicKeyUncompressed,
  });
  const claims = JSON.parse(Buffer.from(oidcToken.split(".")[1] ?? "", "base64url").toString());
  const bearer = decryptCredentialBundle(claims.encrypted_bearer_token, target.privateKey);
  expect(double.requests.map(({ authorization }) => authorization)).toContain(
    `Bearer ${Buffer.from(bearer, "hex").toString()}`,
  );
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: "Grace",
    rootUsers: [
      {
        userName: "Grace",
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: "x", oidcToken }],
      },
    ],
    rootQuorumThreshold: 1,
  });
  const { session } = await parent.oauthLogin({
    organizationId: subOrganizationId,
    oidcToken,
    publicKey: key.publicKey,
  });
  expect(JSON.parse(atob(session.split(".")[1] ?? ""))).toMatchObject({
    organization_id: subOrganizationId,
  });
});

test("somebody signs up and logs in with a token, and signs with the session", async () => {
  const { url, root } = product;
  const parent = newest.connect(url, root.organizationId, root);
  const key = newApiKeyPair();
  const oidcToken = await provider.logIn("ada", { nonce: nonceFor(key.apiPublicKey) });
  const search = { filterType: "OIDC_TOKEN", filterValue: oidcToken };
  expect(await parent.getSubOrgIds(search)).toMatchObject({ organizationIds: [] });
  const { subOrganizationId, rootUserIds } = await parent.createSubOrganization({
    subOrganizationName: "Ada",
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: "test", oidcToken }],
      },
    ],
    rootQuorumThreshold: 1,
  });
  expect(await parent.getSubOrgIds(search)).toMatchObject({ organizationIds: [subOrganizationId] });
  expect(await parent.getVerifiedSubOrgIds(search)).toMatchObject({
    organizationIds: [subOrganizationId],
  });

  const { session } = await parent.oauthLogin({
    organizationId: subOrganizationId,
    oidcToken,
    publicKey: key.apiPublicKey,
  });
  expect(JSON.parse(atob(session.split(".")[1] ?? ""))).toMatchObject({
    organization_id: subOrganizationId,
    public_key: key.apiPublicKey,
    user_id: rootUserIds?.[0],
  });
  const ada = newest.connect(url, subOrganizationId, key);
  const { walletId } = await ada.createWallet({ walletName: "w", accounts: [] });
  expect(walletId).toEqual(expect.any(String));
});

test("the bundle of oauth opens to the key of a session", async () => {
  const { url, root } = product;
  const parent = newest.connect(url, root.organizationId, root);
  const target = generateP256KeyPair();
  const nonce = nonceFor(target.publicKeyUncompressed);
  const oidcToken = await provider.logIn("grace", { nonce });
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: "Grace",
    rootUsers: [
      {
        userName: "Grace",
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: "test", oidcToken }],
      },
    ],
    rootQuorumThreshold: 1,
  });
  const { credentialBundle, userId } = await parent.oauth({
    organizationId: subOrganizationId,
    oidcToken,
    targetPublicKey: target.publicKeyUncompressed,
  });
  const apiPrivateKey = decryptCredentialBundle(credentialBundle, target.privateKey);
  const apiPublicKey = uint8ArrayToHexString(
    getPublicKey(uint8ArrayFromHexString(apiPrivateKey), true),
  );
  const grace = newest.connect(url, subOrganizationId, { apiPublicKey, apiPrivateKey });
  expect(await grace.getWhoami()).toMatchObject({ userId, organizationId: subOrganizationId });
});
