import { createHash } from "node:crypto";
import { clientOf, newKey, newOrganization, type TestServer } from "@keyhearth/api/testing";
import { decodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { hpkeDecrypt } from "@keyhearth/crypto/sealing/hpke";
import { openBytes } from "@keyhearth/crypto/secret-bytes";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { claimsIn, codeOf, newClient, serverOf } from "../oauth2-logins.testing.ts";
import {
  CLIENT,
  type Oauth2Provider,
  REDIRECT_URI,
  startOauth2Provider,
} from "../oauth2-provider.testing.ts";
import {
  addUser,
  bodyOf,
  expectDenied,
  first,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE";
const endpoint = "oauth2_authenticate";

let provider: Oauth2Provider;
let server: TestServer;

beforeAll(async () => {
  provider = await startOauth2Provider();
  server = await serverOf(provider);
});

afterEach(() => {
  provider.misbehave = null;
  provider.allowsReplays = false;
  provider.requests.length = 0;
});

afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});

test.each(["OAUTH2_PROVIDER_X", "OAUTH2_PROVIDER_DISCORD"] as const)(
  "somebody of %s signs up and logs in",
  async (of) => {
    const { root, oauth2CredentialId, organizationId } = await newClient(server, { provider: of });
    const subject = "80351110224678912";
    const { given, key } = codeOf(provider, { subject });
    const { oidcToken } = await root.oauth2Authenticate({ oauth2CredentialId, ...given });
    const issuer = `urn:keyhearth:oauth2:${of.slice(16).toLowerCase()}:${organizationId}`;
    expect(claimsIn(oidcToken)).toEqual({
      iss: issuer,
      aud: CLIENT.clientId,
      sub: subject,
      nonce: given.nonce,
      iat: expect.any(Number),
      exp: Number(claimsIn(oidcToken).iat) + 900,
      auth_code_digest: createHash("sha256").update(given.authCode).digest("hex"),
      jti: expect.stringMatching(/./),
    });
    const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
      subOrganizationName: "Ada",
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: "Ada",
          apiKeys: [],
          authenticators: [],
          oauthProviders: [{ providerName: "Discord", oidcToken }],
        },
      ],
    });
    expect(
      await root.listVerifiedSuborgs({ filterType: "OIDC_TOKEN", filterValue: oidcToken }),
    ).toMatchObject({ organizationIds: [subOrganizationId] });
    const login = { type: "ACTIVITY_TYPE_OAUTH_LOGIN" };
    const parameters = { oidcToken, publicKey: key.publicKey };
    await post(root, "oauth_login", bodyOf(subOrganizationId, { ...login, parameters }));
    const client = clientOf(server, subOrganizationId, key);
    expect(await client.whoami()).toMatchObject({ userId: first(rootUserIds) });

    // The token is for the key in its nonce alone.
    const other = { oidcToken, publicKey: newKey().publicKey };
    const body = bodyOf(subOrganizationId, { ...login, parameters: other });
    expect(await refusal(post(root, "oauth_login", body))).toMatchObject({
      code: "OIDC_TOKEN_INVALID",
    });
  },
);

test("the provider gets the client’s secret and the code, and answers show neither", async () => {
  const { root, oauth2CredentialId } = await newClient(server);
  const { given } = codeOf(provider);
  const parameters = { oauth2CredentialId, ...given };
  const activity = await submit(root, endpoint, { type, parameters });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const [token, user] = provider.requests;
  const sent = Buffer.from(token?.authorization.slice(6) ?? "", "base64").toString();
  expect(sent.split(":").map(decodeURIComponent)).toEqual([CLIENT.clientId, CLIENT.clientSecret]);
  expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
    grant_type: "authorization_code",
    code: given.authCode,
    redirect_uri: REDIRECT_URI,
    code_verifier: given.codeVerifier,
    client_id: CLIENT.clientId,
  });
  expect(user).toMatchObject({ path: "/api/v10/users/@me" });
  const bearer = user?.authorization.slice("Bearer ".length) ?? "";
  expect(bearer.length).toBeGreaterThan(20);
  for (const secret of [CLIENT.clientSecret, bearer]) {
    expect(JSON.stringify([activity, server.events])).not.toContain(secret);
  }
});

test("the provider’s own token comes encrypted to a key, if one is given", async () => {
  const { root, oauth2CredentialId } = await newClient(server);
  const { given } = codeOf(provider);
  const target = newKey();
  const { oidcToken } = await root.oauth2Authenticate({
    oauth2CredentialId,
    ...given,
    bearerTokenTargetPublicKey: target.publicKey,
  });
  const bearer = provider.requests[1]?.authorization.slice("Bearer ".length);
  const bundle = String(claimsIn(oidcToken).encrypted_bearer_token);
  const payload = decodeBase58(bundle).slice(0, -4);
  const encrypted = { encappedPublic: payload.slice(0, 33), ciphertext: payload.slice(33) };
  const opened = hpkeDecrypt(Buffer.from(target.privateKey, "hex"), encrypted);
  expect(Buffer.from(openBytes(opened)).toString()).toBe(bearer);
});

test("the same bytes get the same token, and the provider is asked once", async () => {
  const { root, oauth2CredentialId, organizationId } = await newClient(server);
  const { given } = codeOf(provider);
  const parameters = { oauth2CredentialId, ...given };
  const body = bodyOf(organizationId, { type, parameters });
  const answers = await Promise.all([1, 2, 3].map(() => post(root, endpoint, body)));
  const [activity] = answers;
  for (const each of answers) expect(each.id).toBe(activity?.id);
  expect(provider.requests).toHaveLength(2);
});

test("a code counts for one request, even if the provider allows more", async () => {
  provider.allowsReplays = true;
  const { root, oauth2CredentialId } = await newClient(server);
  const { given } = codeOf(provider);
  await root.oauth2Authenticate({ oauth2CredentialId, ...given });
  const again = { oauth2CredentialId, ...given, nonce: "of another key" };
  expect(await refusal(root.oauth2Authenticate(again))).toMatchObject({
    code: "OAUTH2_EXCHANGE_FAILED",
    field: "parameters.authCode",
    httpStatus: 400,
    message: "the code was not exchanged: Discord gave it for another request: a code works once",
  });
  expect(provider.requests).toHaveLength(2);
});

test("what the provider refuses is refused, and nothing is stored", async () => {
  const { root, oauth2CredentialId } = await newClient(server);
  const wrong = await newClient(server, { secret: "of-another-client" });
  const ask = async (change: object, client = { root, oauth2CredentialId }) => {
    const { given } = codeOf(provider);
    const parameters = { oauth2CredentialId: client.oauth2CredentialId, ...given, ...change };
    return refusal(submit(client.root, endpoint, { type, parameters }));
  };
  const refused = {
    code: "OAUTH2_EXCHANGE_FAILED",
    httpStatus: 400,
    field: "parameters.authCode",
    message: expect.stringMatching(/^the code was not exchanged: Discord refused it: a code works/),
  };
  expect(await ask({ authCode: "of-nobody" })).toMatchObject(refused);
  expect(await ask({ codeVerifier: "x".repeat(43) })).toMatchObject(refused);
  expect(await ask({ redirectUri: "https://evil.example.com/" })).toMatchObject(refused);
  expect((await ask({}, wrong)).message).toMatch(/does not accept the client/);
  const { activities } = await root.listActivities({ filterByType: [type] as never });
  expect(activities).toEqual([]);
});

test("a provider that misbehaves says nothing about anybody", async () => {
  const { root, oauth2CredentialId } = await newClient(server);
  const isToken = (path: string) => path.endsWith("/token");
  const json = { "content-type": "application/json" };
  const cases: [RegExp, NonNullable<Oauth2Provider["misbehave"]>][] = [
    [/answered with status 302/, (_path, response) => redirect(response)],
    [/answered with status 302 when/, (path, response) => !isToken(path) && redirect(response)],
    [/did not answer/, (_path, response) => !response.socket?.destroy()],
    [
      /did not answer \(.*more than/,
      (_path, response) => done(response.writeHead(200, json).end("x".repeat(100_000))),
    ],
    [/something other than JSON/, (_path, response) => done(response.writeHead(200).end("<html>"))],
    [/other than a bearer token/, (_path, response) => done(response.writeHead(200).end("{}"))],
    [
      /other than a bearer token/,
      (_path, response) => done(response.end('{"access_token":"a b","token_type":"bearer"}')),
    ],
    [/answered with status 500/, (_path, response) => done(response.writeHead(500).end())],
    [
      /did not say who/,
      (path, response) => !isToken(path) && done(response.end('{"id":80351110224678912}')),
    ],
    [
      /did not say who/,
      (path, response) => !isToken(path) && done(response.end('{"id":"../admin"}')),
    ],
    [
      /did not say who/,
      (path, response) => !isToken(path) && done(response.end('{"data":{"id":"1"}}')),
    ],
  ];
  for (const [message, misbehave] of cases) {
    provider.misbehave = misbehave;
    const { given } = codeOf(provider);
    const refused = await refusal(root.oauth2Authenticate({ oauth2CredentialId, ...given }));
    expect(refused).toMatchObject({ code: "OAUTH2_EXCHANGE_FAILED", httpStatus: 400 });
    expect(refused.message).toMatch(message);
    expect(refused.message).not.toContain(given.authCode);
  }
});

function done(_written: unknown): true {
  return true;
}

function redirect(response: Parameters<NonNullable<Oauth2Provider["misbehave"]>>[1]): true {
  return done(response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
}

test("a verifier that names its nonce counts for that one alone, and asks nobody otherwise", async () => {
  const { root, oauth2CredentialId } = await newClient(server);
  const { given } = codeOf(provider);
  const codeVerifier = `${given.codeVerifier}~${given.nonce}`;
  const authCode = provider.codeOf({ verifier: codeVerifier });
  const named = { oauth2CredentialId, ...given, authCode, codeVerifier };
  const other = root.oauth2Authenticate({ ...named, nonce: "0".repeat(64) });
  expect(await refusal(other)).toMatchObject({ field: "parameters.nonce", httpStatus: 400 });
  const { publicKey: bearerTokenTargetPublicKey } = newKey();
  const taken = root.oauth2Authenticate({ ...named, bearerTokenTargetPublicKey });
  expect(await refusal(taken)).toMatchObject({ field: "parameters.bearerTokenTargetPublicKey" });
  expect(provider.requests).toEqual([]);
  await root.oauth2Authenticate(named);
});

test("a provider that the signer does not list is refused by its operator’s choice", async () => {
  const { server: without } = await newOrganization();
  const { root, oauth2CredentialId } = await newClient(without);
  const { given } = codeOf(provider);
  expect(await refusal(root.oauth2Authenticate({ oauth2CredentialId, ...given }))).toMatchObject({
    code: "OAUTH2_PROVIDER_NOT_CONFIGURED",
    field: "parameters.oauth2CredentialId",
    message: expect.stringContaining("KEYHEARTH_OAUTH2_PROVIDERS"),
  });
});

test("bad parameters are refused by field, and no message shows a code", async () => {
  const { root } = await newClient(server);
  const parameters = { oauth2CredentialId: "x", authCode: "a code", codeVerifier: "é" };
  const refused = await refusal(submit(root, endpoint, { type, parameters }));
  expect(refused.httpStatus).toBe(400);
  for (const each of ["redirect_uri must be set", "nonce", "parameters.authCode", "UUID"]) {
    expect(refused.message).toContain(each);
  }
  expect(refused.message).not.toContain("a code");
  expect(provider.requests).toEqual([]);
});

test("a user without a permission reaches no provider, and nor does another organization", async () => {
  const organization = await newClient(server);
  const { oauth2CredentialId } = organization;
  const { client } = await addUser(organization, "Ada");
  const parameters = { oauth2CredentialId, ...codeOf(provider).given };
  await expectDenied(submit(client, endpoint, { type, parameters }));
  const other = await newOrganization(server);
  expect(await refusal(submit(other.root, endpoint, { type, parameters }))).toMatchObject({
    code: "OAUTH2_CREDENTIAL_NOT_FOUND",
    httpStatus: 404,
  });
  expect(provider.requests).toEqual([]);
});

test("the provider is asked once votes have decided, and only then", async () => {
  const organization = await newClient(server);
  const { oauth2CredentialId, userId, root } = organization;
  const second = await addUser(organization, "Second");
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  const parameters = { oauth2CredentialId, ...codeOf(provider).given };
  const { fingerprint, id } = await startWaiting(root, endpoint, { type, parameters });
  expect(provider.requests).toEqual([]);
  await second.client.approveActivity({ fingerprint });
  expect(provider.requests).toHaveLength(2);
  const { activity } = await root.getActivity({ activityId: id });
  const { oidcToken } = activity.result.oauth2AuthenticateResult as { oidcToken: string };
  expect(claimsIn(oidcToken)).toMatchObject({ nonce: parameters.nonce });
});
