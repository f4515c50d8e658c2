import { claimsIn, codeOf, credentialOf, serverOf } from "@keyhearth/engine/oauth2-logins.testing";
import {
  CLIENT,
  type Oauth2Provider,
  startOauth2Provider,
} from "@keyhearth/engine/oauth2-provider.testing";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { TestServer } from "../testing.ts";
import { callerOf, newProxyFamily, type ProxyFamily } from "./proxy.testing.ts";

const provider = "OAUTH2_PROVIDER_DISCORD";

let double: Oauth2Provider;
let server: TestServer;
let family: ProxyFamily;

beforeAll(async () => {
  double = await startOauth2Provider();
  server = await serverOf(double);
  const oauthClientIds = { discord: CLIENT.clientId, other: "another-client" };
  family = await newProxyFamily(server, { oauthClientIds });
  await family.root.createOauth2Credential(credentialOf(server));
});

beforeEach(() => {
  double.requests.length = 0;
});

afterAll(async () => {
  await server?.stop();
  await double?.stop();
});

const authenticate = (change: object = {}, by = family) => {
  const { given, key } = codeOf(double);
  const body = { provider, clientId: CLIENT.clientId, ...given, ...change };
  return by.call("oauth2_authenticate", body).then((sent) => ({ ...sent, key, given }));
};

test("a visitor signs up and logs in with a code of the provider", async () => {
  const { status, body, key } = await authenticate();
  expect(status).toBe(200);
  const { oidcToken } = body as { oidcToken: string };
  expect(Object.keys(body)).toEqual(["oidcToken"]);
  expect(claimsIn(oidcToken)).toMatchObject({ aud: CLIENT.clientId, sub: double.person });
  const sought = { filterType: "OIDC_TOKEN", filterValue: oidcToken };
  expect((await family.call("account", sought)).body).toEqual({});
  const oauthProviders = [{ providerName: "Discord", oidcToken }];
  const registered = { apiKeys: [], authenticators: [], oauthProviders };
  const made = await family.call("signup_v2", registered);
  expect(made.status).toBe(200);
  const { organizationId } = made.body;
  expect((await family.call("account", sought)).body).toEqual({ organizationId });
  const login = { oidcToken, publicKey: key.publicKey };
  expect(await family.call("oauth_login", login)).toMatchObject({ status: 200 });
});

test("the proxy never asks for the provider’s own token", async () => {
  const refused = await authenticate({ bearerTokenTargetPublicKey: `02${"11".repeat(32)}` });
  expect(refused).toMatchObject({ status: 400 });
  expect(JSON.stringify(refused.body)).toContain("unknown field `bearerTokenTargetPublicKey`");
});

test("a client without a credential, or that is not listed, reaches no provider", async () => {
  const other = await newProxyFamily(server, { oauthClientIds: { discord: CLIENT.clientId } });
  const unlisted = await newProxyFamily(server);
  await unlisted.root.createOauth2Credential(credentialOf(server));
  for (const asked of [
    authenticate({ clientId: "another-client" }),
    authenticate({ provider: "OAUTH2_PROVIDER_X" }),
    authenticate({}, other),
    authenticate({}, unlisted),
  ]) {
    const { status, body } = await asked;
    expect(status).toBe(404);
    expect(body).toMatchObject({
      details: [{ code: "OAUTH2_CREDENTIAL_NOT_FOUND", field: "clientId" }],
    });
  }
  expect(double.requests).toEqual([]);
});

test("what is wrong is named by the call’s own fields, without the code", async () => {
  const { status, body, given } = await authenticate({ codeVerifier: "x".repeat(43) });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    details: [{ code: "OAUTH2_EXCHANGE_FAILED", field: "authCode" }],
  });
  expect(JSON.stringify(body)).not.toContain(given.authCode);
  const missing = await family.call("oauth2_authenticate", { provider });
  expect(missing.status).toBe(400);
  for (const text of ["auth_code", "code_verifier", "redirect_uri", "client_id"]) {
    expect(JSON.stringify(missing.body)).toContain(`${text} must be set`);
  }
});

test("the proxy’s user may do it, and a DENY of the organization counts", async () => {
  const denied = await newProxyFamily(server, { oauthClientIds: { discord: CLIENT.clientId } });
  await denied.root.createOauth2Credential(credentialOf(server));
  await denied.root.createPolicy({
    policyName: "no Discord",
    effect: "EFFECT_DENY",
    condition: "activity.type == 'ACTIVITY_TYPE_OAUTH2_AUTHENTICATE'",
    consensus: "approvers.any(user, true)",
    notes: "",
  });
  double.requests.length = 0;
  expect(await authenticate({}, denied)).toMatchObject({ status: 403 });
  expect(double.requests).toEqual([]);
});

test("wrong codes of one address are few, which costs nobody else", async () => {
  let address = "192.0.2.1";
  const options = { clientAddress: () => address, family: { email: null, sms: null } };
  const call = callerOf(family, { ...options, wrongCodes: { ofAddress: 3, withinSeconds: 600 } });
  const ask = (change: object = {}) => authenticate(change, { ...family, call });
  expect((await ask()).status).toBe(200);
  for (let i = 0; i < 3; i++) expect((await ask({ authCode: "of-nobody" })).status).toBe(400);
  double.requests.length = 0;
  expect(await ask({ authCode: "of-nobody" })).toMatchObject({
    status: 429,
    body: { message: expect.stringMatching(/codes that their provider refused: at most 3 within/) },
  });
  expect(double.requests).toEqual([]);
  address = "198.51.100.7";
  expect((await ask()).status).toBe(200);
});

test("the networks of one IPv6 site send few wrong codes together", async () => {
  let network = 0;
  const clientAddress = () => `2001:db8:1:${network.toString(16)}::1`;
  const call = callerOf(family, {
    clientAddress,
    family: { email: null, sms: null },
    wrongCodes: { ofAddress: 2, withinSeconds: 600 },
  });
  const statuses: number[] = [];
  for (; network < 6; network++) {
    const { status } = await authenticate({ authCode: "of-nobody" }, { ...family, call });
    statuses.push(status);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 429, 429]);
});

test("codes that wait for a slow provider leave half of the places to other logins", async () => {
  const waiting: (() => void)[] = [];
  double.misbehave = (_path, response) => {
    waiting.push(() => response.writeHead(500).end());
    return true;
  };
  onTestFinished(() => {
    double.misbehave = null;
  });
  const call = callerOf(family, { places: { ofSite: 4, ofConfiguration: 4, inTotal: 4 } });
  const statuses: number[] = [];
  const asked = Array.from({ length: 4 }, async () => {
    statuses.push((await authenticate({}, { ...family, call })).status);
  });
  await expect.poll(() => [waiting.length, ...statuses]).toEqual([2, 429, 429]);
  expect((await call("wallet_kit_config")).status).toBe(200);
  for (const answer of waiting) answer();
  await Promise.all(asked);
  expect(statuses).toEqual([429, 429, 400, 400]);
});
