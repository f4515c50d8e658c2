import { newToken, nonceFor, TEST_AUDIENCE } from "@keyhearth/engine/oidc.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKey, secondServer, startTestServer, type TestServer } from "../testing.ts";
import {
  callerOf,
  loginOf,
  newEmail,
  newProxyFamily,
  type ProxyFamily,
  signUpByCode,
  signUpOf,
  verify,
} from "./proxy.testing.ts";

let server: TestServer;
let family: ProxyFamily;

beforeAll(async () => {
  server = await startTestServer();
  family = await newProxyFamily(server);
});

afterAll(async () => server?.stop());

const nobody = { apiKeys: [], authenticators: [], oauthProviders: [] };

test("of several audiences of a token, `azp` is the one that counts", async () => {
  const cases: [object, number][] = [
    [{ aud: [TEST_AUDIENCE] }, 200],
    [{ aud: [TEST_AUDIENCE, "other"], azp: TEST_AUDIENCE }, 200],
    [{ aud: ["other", TEST_AUDIENCE], azp: "other" }, 400],
    [{ aud: [TEST_AUDIENCE, "other"] }, 400],
    [{ aud: ["other"], azp: TEST_AUDIENCE }, 400],
    [{ aud: [] }, 400],
    [{ aud: [[TEST_AUDIENCE]] }, 400],
  ];
  for (const [claims, expected] of cases) {
    const key = newKey();
    const nonce = nonceFor(key.publicKey);
    const sub = crypto.randomUUID();
    const oidcToken = newToken({ sub, nonce, ...claims });
    const oauthProviders = [{ providerName: "Example", oidcToken }];
    const made = await family.call("signup_v2", { ...nobody, oauthProviders });
    expect(made.status, JSON.stringify(claims)).toBe(expected);
    if (expected !== 200) continue;
    const login = await family.call("oauth_login", { oidcToken, publicKey: key.publicKey });
    expect(login.status, JSON.stringify(claims)).toBe(200);
  }
});

test("a login that is refused does not use its proof up, and one that is not does", async () => {
  const { key, token } = await signUpByCode(family);
  const login = loginOf(token, key);
  const name = "FEATURE_NAME_OTP_EMAIL_AUTH" as const;
  await family.root.removeOrganizationFeature({ name });
  for (let i = 0; i < 2; i++) {
    expect((await family.call("otp_login_v2", login)).status).toBe(403);
  }
  await family.root.setOrganizationFeature({ name });
  const answers = await Promise.all([1, 2, 3].map(() => family.call("otp_login_v2", login)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect((await family.call("otp_login_v2", login)).status).toBe(409);
});

test("of a social login that is refused, the token can be sent again", async () => {
  const sub = crypto.randomUUID();
  const key = newKey();
  const oidcToken = newToken({ sub, nonce: nonceFor(key.publicKey) });
  const oauthProviders = [{ providerName: "Example", oidcToken }];
  await family.call("signup_v2", { ...nobody, oauthProviders });
  const login = { oidcToken, publicKey: key.publicKey };
  await family.root.createPolicy({
    policyName: "no social logins",
    effect: "EFFECT_DENY",
    condition: "activity.type == 'ACTIVITY_TYPE_OAUTH_LOGIN'",
    consensus: "approvers.any(user, true)",
    notes: "",
  });
  expect((await family.call("oauth_login", login)).status).toBe(403);
  const { policies } = await family.root.listPolicies();
  const policyId = policies.find(({ policyName }) => policyName === "no social logins")?.policyId;
  await family.root.deletePolicy({ policyId: String(policyId) });
  expect((await family.call("oauth_login", login)).status).toBe(200);
  expect((await family.call("oauth_login", login)).status).toBe(409);
});

test("of sign-ups with one contact at two processes, one makes an account", async () => {
  const second = { ...family, server: secondServer(server) };
  const callers = [family.call, callerOf(second), family.call, callerOf(second)];
  const contact = newEmail();
  const tokens: { key: ReturnType<typeof newKey>; token: string }[] = [];
  for (const key of [newKey(), newKey()]) {
    tokens.push({ key, token: await verify(family, { contact, key }) });
  }
  const answers = await Promise.all(
    callers.map((call, index) => {
      const { key, token } = tokens[index % 2] as (typeof tokens)[number];
      return call("signup_v2", signUpOf(contact, token, key));
    }),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const { organizationIds } = await family.root.listVerifiedSuborgs({
    filterType: "EMAIL",
    filterValue: contact,
  });
  expect(organizationIds).toHaveLength(1);
});

test("of sign-ups with one passkey at two processes, one makes an account", async () => {
  const second = callerOf({ ...family, server: secondServer(server) });
  const { params } = newPasskey();
  const signUp = { ...nobody, authenticators: [params] };
  const answers = await Promise.all([family.call, second].map((call) => call("signup_v2", signUp)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test("nobody keeps a person from signing up with what they only state", async () => {
  const contact = newEmail();
  const key = newKey();
  const token = await verify(family, { contact, key });
  const forged = signUpOf(contact, token, key);
  const flood = Array.from({ length: 12 }, () =>
    family.call("signup_v2", { ...forged, verificationToken: `${token.slice(0, -4)}AAAA` }),
  );
  expect((await family.call("signup_v2", signUpOf(contact, token, key))).status).toBe(200);
  for (const { status } of await Promise.all(flood)) expect(status).toBe(400);
});
