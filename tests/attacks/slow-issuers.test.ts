import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { newKey, type TestKey } from "@keyhearth/api/testing";
import { nonceFor } from "@keyhearth/engine/oidc.testing";
import { OTP_FEATURES } from "@keyhearth/engine/otps.testing";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLIENT_ID, type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import {
  type Attacked,
  bytesOf,
  newVictim,
  perform,
  resultOf,
  send,
  stampOf,
  startAttackedServer,
} from "./attacker.ts";

// An issuer of ID tokens does not answer, so tokens that nobody signed make requests wait for seconds.

let server: Attacked;
let provider: OpenIdProvider;
let silent: Server;
let silentIssuer: string;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has such an address.
  silentIssuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  server = await startAttackedServer({
    issuers: [provider.issuer, silentIssuer].map((issuer) => `private:${issuer}`).join(),
  });
});

afterAll(async () => {
  silent?.closeAllConnections();
  silent?.close();
  await server?.stop();
  await provider?.stop();
});

const EMAIL = "ada@example.com";

/** A sub-organization whose only user proved an email address and a social login. */
async function newChild(subject: string) {
  const parent = await newVictim(server);
  for (const name of OTP_FEATURES) {
    await perform(server, parent, {
      endpoint: "set_organization_feature",
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      parameters: { name },
    });
  }
  const oidcToken = await provider.logIn(subject, { nonce: "sign up" });
  const reply = await perform(server, parent, {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: subject,
      rootUsers: [
        {
          userName: "Ada",
          userEmail: EMAIL,
          apiKeys: [],
          authenticators: [],
          oauthProviders: [{ providerName: "test", oidcToken }],
        },
      ],
      rootQuorumThreshold: 1,
      verificationToken: tokenOf(server, {
        contact: EMAIL,
        organization_id: parent.organizationId,
      }),
    },
  });
  const made = resultOf(reply, "createSubOrganizationResultV7");
  return { parent, organizationId: String(made.subOrganizationId) };
}

type Attested = { scheme: "OIDC" | "VERIFICATION_TOKEN"; token: string; key: TestKey };

/** A login by a key that nobody has registered, and a token made for it. */
function logIn(organizationId: string, { scheme, token, key }: Attested, more: object = {}) {
  const body = bytesOf(server, organizationId, {
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    parameters: { publicKey: key.publicKey, ...more },
  });
  const { publicKey, signature } = JSON.parse(
    Buffer.from(stampOf(key, body).value, "base64url").toString(),
  );
  const value = JSON.stringify({
    publicKeyAttestation: token,
    scheme: `STAMP_ATTESTED_SCHEME_P256_${scheme}`,
    publicKey,
    signature,
  });
  return send(server, "stamp_login", body, { name: "X-Stamp-Attested", value });
}

const organizations = ["sub-organization", "parent"];

/** A token that nobody signed, of the issuer that does not answer. */
function forgedFor({ publicKey }: TestKey): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: silentIssuer, aud: CLIENT_ID, sub: "x", iat, exp: iat + 600 };
  const parts = [{ alg: "RS256", kid: "k" }, { ...claims, nonce: nonceFor(publicKey) }, {}];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
}

test.each(organizations)(
  "strangers' tokens that wait for an issuer and name the %s keep nobody from logging in there",
  async (named) => {
    server.clock.offsetMs += 120_000;
    const subject = `ada of the ${named}`;
    const { parent, organizationId } = await newChild(subject);
    const at = named === "parent" ? parent.organizationId : organizationId;
    const refused: number[] = [];
    let isOver = false;
    // They come again, so that some wait however long the others take on a busy machine.
    const strangers = Array.from({ length: 100 }, async () => {
      while (!isOver) {
        const key = newKey();
        const { status } = await logIn(at, { scheme: "OIDC", token: forgedFor(key), key });
        refused.push(status);
        await sleep(1000);
      }
    });
    await expect.poll(() => refused.length).toBeGreaterThanOrEqual(30);
    const key = newKey();
    const contact = { contact: EMAIL, organization_id: parent.organizationId };
    const token = tokenOf(server, { ...contact, public_key: key.publicKey });
    const byCode = await logIn(at, { scheme: "VERIFICATION_TOKEN", token, key });
    const other = newKey();
    const idToken = await provider.logIn(subject, { nonce: nonceFor(other.publicKey) });
    const bySocialLogin = await logIn(at, { scheme: "OIDC", token: idToken, key: other });
    isOver = true;
    expect([byCode.status, bySocialLogin.status]).toEqual([200, 200]);
    await Promise.all(strangers);
    expect(refused).not.toContain(200);
  },
);

test("strangers' tokens that wait for an issuer, in logins that would end sessions, hold up no change", async () => {
  server.clock.offsetMs += 120_000;
  const victim = await newVictim(server);
  let answered = 0;
  const strangers = Array.from({ length: 3 }, async () => {
    const key = newKey();
    const forged = { scheme: "OIDC", token: forgedFor(key), key } as const;
    const { status } = await logIn(victim.organizationId, forged, { invalidateExisting: true });
    answered += 1;
    return status;
  });
  // Each of them is at the signer, or waits for its turn.
  const { idTokens } = server.host.concurrency;
  await expect.poll(() => idTokens.taken(victim.organizationId)).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const changed = await perform(server, victim, {
    endpoint: "create_user_tag",
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName: "meanwhile", userIds: [] },
  });
  expect([changed.status, answered]).toEqual([200, 0]);
  expect(await Promise.all(strangers)).toEqual([401, 401, 401]);
});

test("a login by code has a place where forged requests have taken theirs, and one with a forged token has none", async () => {
  const { parent, organizationId } = await newChild("ada of the codes");
  const yes = async () => true;
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  const others = Array.from({ length: 64 }, () =>
    server.host.concurrency.submissions.run(organizationId, yes, work),
  );
  const logInBy = (signedBy: Attacked, claims: object = {}) => {
    const key = newKey();
    const contact = { contact: EMAIL, organization_id: parent.organizationId };
    const token = tokenOf(signedBy, { ...contact, public_key: key.publicKey, ...claims });
    return logIn(organizationId, { scheme: "VERIFICATION_TOKEN", token, key });
  };
  const other = await startAttackedServer();
  try {
    for (const claims of [
      { public_key: newKey().publicKey },
      { exp: String(Date.now() + server.clock.offsetMs) },
      { contact: "mallory@example.com" },
      { organization_id: (await newVictim(server)).organizationId },
    ]) {
      expect(await logInBy(server, claims)).toMatchObject({ status: 429 });
    }
    expect(await logInBy(other)).toMatchObject({ status: 429 });
    expect(await logInBy(server)).toMatchObject({ status: 200 });
  } finally {
    for (const end of ends) end();
    await Promise.all(others);
    await other.stop();
  }
});
