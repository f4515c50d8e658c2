import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import {
  decryptCredentialBundle,
  generateP256KeyPair,
  getPublicKey,
  verifySessionJwtSignature,
} from "@turnkey/crypto";
import { uint8ArrayFromHexString, uint8ArrayToHexString } from "@turnkey/encoding";
import { TurnkeyClient } from "@turnkey/http";
import { beforeAll, describe, expect, test } from "vitest";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { newApiKeyPair, type Release, releases, rootUserParams } from "./clients.ts";

// Sessions with the unmodified clients: they log in, check the token, open the bundle, and stamp with the
// session's key.

let product: SharedProduct;
let notarizerPublicKey: string;

// The list begins with the newest release.
const newest = releases[0] as Release;

beforeAll(async () => {
  product = await sharedProduct();
  const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
  const { sessionPublicKey } = (await described.json()) as { sessionPublicKey: string };
  notarizerPublicKey = sessionPublicKey;
});

/** A sub-organization, and a client of its user that names the parent. */
async function newUser() {
  const { url, root } = product;
  const parent = newest.connect(url, root.organizationId, root);
  const key = newApiKeyPair();
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: "sessions",
    rootUsers: [rootUserParams("Ada", key)],
    rootQuorumThreshold: 1,
  });
  const client = newest.connect(url, root.organizationId, key);
  return { organizationId: subOrganizationId, client, key };
}

describe("@turnkey/sdk-server", () => {
  test("logs in with the parent's id, and its client verifies the token", async () => {
    const { organizationId, client } = await newUser();
    const session = newApiKeyPair();
    for (let i = 0; i < 5; i++) {
      const { session: jwt } = await client.stampLogin({ publicKey: session.apiPublicKey });
      expect(await verifySessionJwtSignature(jwt, notarizerPublicKey)).toBe(true);
      expect(JSON.parse(atob(jwt.split(".")[1] ?? ""))).toMatchObject({
        organization_id: organizationId,
        public_key: session.apiPublicKey,
        session_type: "SESSION_TYPE_READ_WRITE",
      });
    }
    const own = newest.connect(product.url, organizationId, session);
    const { userId } = await own.getWhoami();
    const { wallet } = await own.createWallet({ walletName: "w", accounts: [] }).then(async () => {
      const { wallets } = await own.getWallets();
      return { wallet: wallets[0] };
    });
    expect(wallet).toMatchObject({ walletName: "w" });
    expect((await own.getApiKeys({ userId })).apiKeys[1]).toMatchObject({
      credential: { type: "CREDENTIAL_TYPE_LOGIN" },
    });
  });

  test("opens the bundle of a read-write session", async () => {
    const { organizationId, client } = await newUser();
    const target = generateP256KeyPair();
    const { credentialBundle, userId } = await client.createReadWriteSession({
      targetPublicKey: target.publicKeyUncompressed,
    });
    const apiPrivateKey = decryptCredentialBundle(credentialBundle, target.privateKey);
    const apiPublicKey = uint8ArrayToHexString(
      getPublicKey(uint8ArrayFromHexString(apiPrivateKey), true),
    );
    const own = newest.connect(product.url, organizationId, { apiPublicKey, apiPrivateKey });
    expect(await own.getWhoami()).toMatchObject({ userId, username: "Ada" });
  });

  test("reads with the token of a read-only session", async () => {
    const { organizationId, client } = await newUser();
    const { session, userId, sessionExpiry } = await client.createReadOnlySession({});
    expect(Number(sessionExpiry)).toBeGreaterThan(Date.now() / 1000 + 3500);
    const response = await fetch(`${product.url}/public/v1/query/whoami`, {
      method: "POST",
      headers: { "X-Session": session, "X-Client-Version": "@turnkey/sdk-browser@1.0.0" },
      body: JSON.stringify({ organizationId }),
    });
    expect(await response.json()).toMatchObject({ organizationId, userId, username: "Ada" });
  });
});

test("@turnkey/http logs in", async () => {
  const { organizationId, key } = await newUser();
  const client = new TurnkeyClient({ baseUrl: product.url }, new ApiKeyStamper(key));
  const { activity } = await client.stampLogin({
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    timestampMs: String(Date.now()),
    organizationId: product.root.organizationId,
    parameters: { publicKey: newApiKeyPair().apiPublicKey, expirationSeconds: "60" },
  });
  expect(activity).toMatchObject({ organizationId, status: "ACTIVITY_STATUS_COMPLETED" });
  expect(activity.result.stampLoginResult?.session).toEqual(expect.any(String));
});
