import { randomBytes } from "node:crypto";
import { newProxyFamily, type ProxyFamily, stampAsProxy } from "@keyhearth/api/proxy/proxy.testing";
import { newKey, newOrganization, type TestServer } from "@keyhearth/api/testing";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { claimsIn, codeOf, credentialOf, serverOf } from "@keyhearth/engine/oauth2-logins.testing";
import {
  CLIENT,
  type Oauth2Provider,
  REDIRECT_URI,
  startOauth2Provider,
} from "@keyhearth/engine/oauth2-provider.testing";
import { nonceFor } from "@keyhearth/engine/oidc.testing";
import { bodyOf, post, refusal } from "@keyhearth/engine/organization.testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

// People log in by a provider that only speaks OAuth 2.0. The attacker is another tenant, or controls the host, which carries
// codes and has the proxy's key.

let provider: Oauth2Provider;
let server: TestServer;
let victim: ProxyFamily;

beforeAll(async () => {
  provider = await startOauth2Provider();
  server = await serverOf(provider);
  victim = await newProxyFamily(server, { oauthClientIds: { discord: CLIENT.clientId } });
  await victim.root.createOauth2Credential(credentialOf(server));
});

beforeEach(() => {
  provider.requests.length = 0;
});

afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});

const nobody = { apiKeys: [], authenticators: [], oauthProviders: [] };

/** A visitor of the victim's page has an account. */
async function newAccount(subject: string): Promise<string> {
  const { given } = codeOf(provider, { subject });
  const asked = { provider: "OAUTH2_PROVIDER_DISCORD", clientId: CLIENT.clientId, ...given };
  const { oidcToken } = (await victim.call("oauth2_authenticate", asked)).body;
  const oauthProviders = [{ providerName: "Discord", oidcToken }];
  return String(
    (await victim.call("signup_v2", { ...nobody, oauthProviders })).body.organizationId,
  );
}

test("a token that another tenant had made for the same client and person logs in nowhere else", async () => {
  const account = await newAccount("777");
  const mallory = await newOrganization(server);
  // The ciphertext of a credential is readable for the victim's users, and this one is bound to nothing.
  const { oauth2CredentialId } = await mallory.root.createOauth2Credential(credentialOf(server));
  const { given, key } = codeOf(provider, { subject: "777" });
  const { oidcToken } = await mallory.root.oauth2Authenticate({ oauth2CredentialId, ...given });
  expect(claimsIn(oidcToken)).toMatchObject({ aud: CLIENT.clientId, sub: "777" });
  const parameters = { oidcToken, publicKey: key.publicKey };
  const body = bodyOf(account, { type: "ACTIVITY_TYPE_OAUTH_LOGIN", parameters });
  expect(await refusal(post(victim.root, "oauth_login", body))).toMatchObject({
    code: "OIDC_TOKEN_INVALID",
    message: expect.stringContaining("it was made for another organization"),
  });
  const sought = { filterType: "OIDC_TOKEN", filterValue: oidcToken };
  expect((await victim.call("account", sought)).body).toEqual({});
  const oauthProviders = [{ providerName: "Discord", oidcToken }];
  expect(await victim.call("signup_v2", { ...nobody, oauthProviders })).toMatchObject({
    status: 400,
  });
});

test("a secret that is bound to its organization is used in no other", async () => {
  const secret = `keyhearth.oauth2.v1|${victim.organizationId}|${CLIENT.clientId}|a-secret`;
  const stolen = credentialOf(server, { secret });
  const { root } = await newOrganization(server);
  expect(await refusal(root.createOauth2Credential(stolen))).toMatchObject({
    code: "BUNDLE_INVALID",
    message: expect.stringContaining("was encrypted for another organization"),
  });
});

test("a host says nothing about whom a code is", async () => {
  const { oauth2Credentials } = await victim.root.listOauth2Credentials();
  const { oauth2CredentialId = "" } = oauth2Credentials[0] ?? {};
  const { given } = codeOf(provider);
  const parameters = { oauth2CredentialId, ...given, authCode: "made-up-by-the-host" };
  const type = "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE";
  const body = encodeUtf8(bodyOf(victim.organizationId, { type, parameters }));
  const stamp = { name: "X-Stamp" as const, value: stampAsProxy(victim.organizationId, body) };
  const names = ["", victim.organizationId, "made-up-by-the-host"].map(
    (each) => `code-exchange:${each}`,
  );
  const outcome = { subject: "777", bearerToken: null };
  const call = server.host.signer.call;
  const answers: unknown[] = [];
  server.host.signer.call = async (request, ...rest) => {
    // A hostile host sends more than the protocol has.
    const verdicts = names.map((name) => [name, outcome]);
    const answer = await call(
      { ...request, verdicts, exchanges: verdicts, outcome } as never,
      ...rest,
    );
    answers.push(answer);
    return answer;
  };
  try {
    const response = await server.fetch(
      "http://keyhearth.test/public/v1/submit/oauth2_authenticate",
      { method: "POST", headers: { [stamp.name]: stamp.value }, body: new Uint8Array(body) },
    );
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain("OAUTH2_EXCHANGE_FAILED");
  } finally {
    server.host.signer.call = call;
  }
  expect(provider.requests.map(({ path }) => path)).toEqual(["/api/v10/oauth2/token"]);
  expect(JSON.stringify(answers)).not.toContain(CLIENT.clientSecret);
});

test("a host with the proxy’s key uses a code whose verifier names a key for no other key", async () => {
  const { oauth2Credentials } = await victim.root.listOauth2Credentials();
  const { oauth2CredentialId = "" } = oauth2Credentials[0] ?? {};
  const nonce = nonceFor(newKey().publicKey);
  const codeVerifier = `${randomBytes(32).toString("base64url")}~${nonce}`;
  const authCode = provider.codeOf({ verifier: codeVerifier });
  const carried = { authCode, codeVerifier, redirectUri: REDIRECT_URI };
  const own = newKey().publicKey;
  for (const change of [
    { nonce: nonceFor(own) },
    { nonce: nonceFor(own), codeVerifier: codeVerifier.slice(0, -65) },
    { nonce: nonceFor(own), codeVerifier: `${codeVerifier.slice(0, -64)}${nonceFor(own)}` },
    { nonce, bearerTokenTargetPublicKey: own },
  ]) {
    const parameters = { oauth2CredentialId, ...carried, ...change };
    const type = "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE";
    const body = encodeUtf8(bodyOf(victim.organizationId, { type, parameters }));
    const response = await server.fetch(
      "http://keyhearth.test/public/v1/submit/oauth2_authenticate",
      {
        method: "POST",
        headers: { "X-Stamp": stampAsProxy(victim.organizationId, body) },
        body: new Uint8Array(body),
      },
    );
    expect(response.status, JSON.stringify(change)).toBe(400);
  }
  // The person’s own request still works.
  const asked = {
    provider: "OAUTH2_PROVIDER_DISCORD",
    clientId: CLIENT.clientId,
    ...carried,
    nonce,
  };
  expect(await victim.call("oauth2_authenticate", asked)).toMatchObject({ status: 200 });
});
