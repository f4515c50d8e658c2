import { nonceFor } from "@keyhearth/engine/oidc.testing";
import { decryptCredentialBundle, generateP256KeyPair, getPublicKey } from "@turnkey/crypto";
import { uint8ArrayFromHexString, uint8ArrayToHexString } from "@turnkey/encoding";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import { newApiKeyPair, type Release, releases } from "./clients.ts";
import { type Product, startProduct } from "./product.ts";

// Social logins with the unmodified client, as an app's backend does them, and a real OpenID provider.

let provider: OpenIdProvider;
let product: Product;

// The list begins with the newest release.
const newest = releases[0] as Release;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  product = await startProduct({ KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}` });
});

afterAll(async () => {
  await product?.stop();
  await provider?.stop();
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
