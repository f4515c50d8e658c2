import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { clientOf, newKey, type TestKey } from "@keyhearth/api/testing";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { nonceFor } from "@keyhearth/engine/oidc.testing";
import { tokenName, UnverifiedStatements } from "@keyhearth/engine/people/attestation-statements";
import { createRegistrations } from "@keyhearth/engine/people/passkey-registrations";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenIdProvider, OTHER_CLIENT_ID, startOpenIdProvider } from "../openid/provider.ts";
import {
  type Ask,
  type Attacked,
  apiKey,
  ask,
  bytesOf,
  documentOf,
  expectRefused,
  knock,
  knockVerified,
  newChild,
  newVictim,
  perform,
  type Reply,
  resultOf,
  send,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// A token of an identity provider logs its user in. The attacker has tokens, sends anything with the
// parent's key, and controls the host.

let server: Attacked;
let provider: OpenIdProvider;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  server = await startAttackedServer({ issuers: `private:${provider.issuer}` });
});

afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});

const invalid = { status: 400, reason: "OIDC_TOKEN_INVALID" };

/** A parent, and a sub-organization whose only user has a social login, and a key to log out with. */
type Family = { parent: Victim; child: Victim; subject: string };

let families = 0;

/** Registers a social login of the tenant's user, with a token or with claims. */
function register({ people: [{ userId }] }: Victim, given: object): Ask {
  return {
    endpoint: "create_oauth_providers",
    type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
    parameters: { userId, oauthProviders: [{ providerName: "test", ...given }] },
  };
}

/** A login that names an organization, by the key for which the token was made. */
function attestedLogin(organizationId: string, token: string, key: TestKey) {
  const body = bytesOf(server, organizationId, {
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    parameters: { publicKey: key.publicKey },
  });
  const { publicKey, signature } = JSON.parse(
    Buffer.from(stampOf(key, body).value, "base64url").toString(),
  );
  const scheme = "STAMP_ATTESTED_SCHEME_P256_OIDC";
  const value = JSON.stringify({ publicKeyAttestation: token, scheme, publicKey, signature });
  const stamp = { name: "X-Stamp-Attested", value };
  return { body, stamp, send: () => send(server, "stamp_login", body, stamp) };
}

function organizationOf(reply: Reply): unknown {
  const { session } = resultOf(reply, "stampLoginResult") as { session: string };
  const [, claims = ""] = session.split(".");
  return JSON.parse(Buffer.from(claims, "base64url").toString()).organization_id;
}

async function newFamily(): Promise<Family> {
  families += 1;
  const subject = `ada-${families}`;
  const parent = await newVictim(server);
  const key = newKey();
  const oidcToken = await provider.logIn(subject, { nonce: "sign up" });
  const reply = await perform(server, parent, {
    endpoint: "create_sub_organization",
    type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    parameters: {
      subOrganizationName: subject,
      rootUsers: [
        {
          userName: "Ada",
          apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
          authenticators: [],
          oauthProviders: [{ providerName: "test", oidcToken }],
        },
      ],
      rootQuorumThreshold: 1,
    },
  });
  const { subOrganizationId, rootUserIds } = resultOf(reply, "createSubOrganizationResultV7") as {
    subOrganizationId: string;
    rootUserIds: [string];
  };
  const child: Victim = {
    organizationId: subOrganizationId,
    people: [{ userId: rootUserIds[0], key }],
  };
  return { parent, child, subject };
}

function logIn(oidcToken: string, publicKey = newKey().publicKey): Ask {
  return {
    endpoint: "oauth_login",
    type: "ACTIVITY_TYPE_OAUTH_LOGIN",
    parameters: { oidcToken, publicKey },
  };
}

/** Logs in with the parent's key, as an app's backend does. */
function asParent({ parent, child }: Family, what: Ask) {
  return ask(server, child, what, parent.people[0].key);
}

/** A login that the attacker must not get, because of its token. */
function expectTokenRefused(family: Family, oidcToken: string, publicKey?: string) {
  const { parent, child } = family;
  const attack = () => asParent(family, logIn(oidcToken, publicKey));
  return expectRefused(server, [parent.organizationId, child.organizationId], attack, invalid);
}

/** A token of the provider for a key, and its parts. */
async function tokenFor({ subject }: Family, { publicKey } = newKey()) {
  const token = await provider.logIn(subject, { nonce: nonceFor(publicKey) });
  const [header, claims] = token
    .split(".", 2)
    .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
  return { token, header, claims, publicKey };
}

function encoded(header: object, claims: object): string {
  return [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
}

/** A token with a signature by a key of the attacker. */
function forged(header: object, claims: object): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const text = encoded(header, claims);
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

describe("a social login", () => {
  test("that somebody only stated does not lead its owner to their sub-organization", async () => {
    const { parent, child, subject } = await newFamily();
    const { token, claims } = await tokenFor({ parent, child, subject });
    const mallory = await newChild(server, parent);
    const oidcClaims = { iss: claims.iss, aud: claims.aud, sub: subject };
    await perform(server, mallory, register(mallory, { oidcClaims }));
    const application = clientOf(server, parent.organizationId, parent.people[0].key);
    const sought = { filterType: "OIDC_TOKEN", filterValue: token };
    const stated = await application.listSuborgs(sought);
    expect(stated.organizationIds).toContain(mallory.organizationId);
    expect(await application.listVerifiedSuborgs(sought)).toEqual({
      organizationIds: [child.organizationId],
    });
  });

  test("that a stranger stated catches no login by the parent's id, whatever the host brings", async () => {
    const { parent } = await newFamily();
    const mallory = await newChild(server, parent);
    const grace = { ...(await newFamily()), subject: `grace of ${parent.organizationId}` };
    const key = newKey();
    const { token, claims } = await tokenFor(grace, key);
    const oidcClaims = { iss: claims.iss, aud: claims.aud, sub: grace.subject };
    await perform(server, mallory, register(mallory, { oidcClaims }));
    const family = [parent.organizationId, mallory.organizationId];
    const notFound = { status: 401, reason: "CREDENTIAL_NOT_FOUND" };
    const { body, stamp, send } = attestedLogin(parent.organizationId, token, key);
    await expectRefused(server, family, send, notFound);
    const records = await Promise.all(
      family.toReversed().map((organizationId) => documentOf(server, organizationId)),
    );
    const knocked = { endpoint: "stamp_login", body, stamp, records };
    expect(await knockVerified(server, knocked)).toMatchObject({
      kind: "error",
      error: { reason: notFound.reason },
    });
  });

  test("that strangers state, or register with a token they saw, keeps its owner out of nothing", async () => {
    const family = await newFamily();
    const { parent, child, subject } = family;
    const key = newKey();
    const { token, claims } = await tokenFor(family, key);
    const oidcClaims = { iss: claims.iss, aud: claims.aud, sub: subject };
    const mallory = await newChild(server, parent);
    await perform(server, mallory, register(mallory, { oidcClaims }));
    const eve = await newChild(server, parent);
    await perform(server, eve, register(eve, { oidcToken: token }));
    const trudy = await newChild(server, parent);
    await perform(server, trudy, {
      endpoint: "create_users",
      type: "ACTIVITY_TYPE_CREATE_USERS_V3",
      parameters: {
        users: [
          {
            userName: "Ada",
            apiKeys: [apiKey(newKey())],
            authenticators: [],
            oauthProviders: [{ providerName: "test", oidcToken: token }],
            userTags: [],
          },
        ],
      },
    });
    const application = clientOf(server, parent.organizationId, parent.people[0].key);
    expect(
      await application.listVerifiedSuborgs({ filterType: "OIDC_TOKEN", filterValue: token }),
    ).toEqual({ organizationIds: [child.organizationId] });
    const reply = await attestedLogin(parent.organizationId, token, key).send();
    expect(organizationOf(reply)).toBe(child.organizationId);
  });

  test("is not proven beside a root user to whom its owner did not agree", async () => {
    const family = await newFamily();
    const { parent, child } = family;
    const key = newKey();
    const { token } = await tokenFor(family, key);
    const user = { authenticators: [], oauthProviders: [] };
    const oauthProviders = [{ providerName: "test", oidcToken: token }];
    await perform(server, parent, {
      endpoint: "create_sub_organization",
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
      parameters: {
        subOrganizationName: "trap",
        rootUsers: [
          { ...user, userName: "Ada", apiKeys: [apiKey(newKey())], oauthProviders },
          { ...user, userName: "Mallory", apiKeys: [apiKey(newKey())] },
        ],
        rootQuorumThreshold: 1,
      },
    });
    const application = clientOf(server, parent.organizationId, parent.people[0].key);
    const sought = { filterType: "OIDC_TOKEN", filterValue: token };
    expect(await application.listVerifiedSuborgs(sought)).toEqual({
      organizationIds: [child.organizationId],
    });
    const reply = await attestedLogin(parent.organizationId, token, key).send();
    expect(organizationOf(reply)).toBe(child.organizationId);
  });
});

describe("a token", () => {
  test("of a real provider logs in, and after the provider changed its keys only a new one does", async () => {
    const family = await newFamily();
    const before = await tokenFor(family);
    expect(await asParent(family, logIn(before.token, before.publicKey))).toMatchObject({
      status: 200,
      activity: { status: "ACTIVITY_STATUS_COMPLETED" },
    });
    provider.changeKeys();
    const after = await tokenFor(family);
    // The keys were fetched less than a minute ago.
    await expectTokenRefused(family, after.token, after.publicKey);
    server.clock.offsetMs += 60_000;
    expect(await asParent(family, logIn(after.token, after.publicKey))).toMatchObject({
      status: 200,
    });
    await expectTokenRefused(family, before.token, before.publicKey);
  });

  test("with keys of the host's own logs nobody in, wherever its header says that they are", async () => {
    const family = await newFamily();
    const { header, claims, publicKey } = await tokenFor(family);
    const { publicKey: own } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwk = { ...own.export({ format: "jwk" }), kid: header.kid };
    let visits = 0;
    const hostile = createServer((_request, response) => {
      visits += 1;
      response.end(JSON.stringify({ issuer: provider.issuer, keys: [jwk] }));
    });
    await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
    // A server that listens on a port has such an address.
    const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`;
    try {
      const headers = [{}, { jku: url }, { x5u: url }, { jwk }, { x5c: ["AAAA"] }, { kid: url }];
      for (const added of headers) {
        await expectTokenRefused(family, forged({ ...header, ...added }, claims), publicKey);
      }
      await expectTokenRefused(family, forged(header, { ...claims, iss: url }), publicKey);
      expect(visits).toBe(0);
    } finally {
      hostile.close();
    }
  });

  test("for another app, of another issuer or of somebody else logs nobody in", async () => {
    const family = await newFamily();
    const { publicKey } = newKey();
    const nonce = nonceFor(publicKey);
    const { subject } = family;
    const tokens = [
      await provider.logIn(subject, { nonce, clientId: OTHER_CLIENT_ID }),
      await provider.logIn("mallory", { nonce }),
    ];
    for (const token of tokens) await expectTokenRefused(family, token, publicKey);
    // The same name at an issuer that the operator does not list.
    const other = await startOpenIdProvider();
    try {
      await expectTokenRefused(family, await other.logIn(subject, { nonce }), publicKey);
      expect([...other.requests.keys()]).not.toContain("/jwks");
    } finally {
      await other.stop();
    }
  });

  test("without a signature, or signed with the issuer's public key as a secret, is refused", async () => {
    const family = await newFamily();
    const { header, claims, publicKey, token } = await tokenFor(family);
    const keys = await (await fetch(`${provider.issuer}/jwks`)).text();
    for (const alg of ["none", "NONE", "HS256"]) {
      const text = encoded({ ...header, alg }, claims);
      const mac = createHmac("sha256", keys).update(text).digest("base64url");
      for (const signature of ["", mac, token.split(".")[2]]) {
        await expectTokenRefused(family, `${text}.${signature}`, publicKey);
      }
    }
    // The algorithm in the header is not the one that signed.
    for (const alg of ["PS256", "RS512", "ES256", "EdDSA"]) {
      const text = encoded({ ...header, alg }, claims);
      await expectTokenRefused(family, `${text}.${token.split(".")[2]}`, publicKey);
    }
  });

  test("for a key of its user logs in with no key of the attacker", async () => {
    const family = await newFamily();
    const { token, publicKey } = await tokenFor(family);
    await expectTokenRefused(family, token, newKey().publicKey);
    await expectTokenRefused(family, token, publicKey.toUpperCase());
  });

  test("that was used before its user logged out everywhere starts no session afterwards", async () => {
    const family = await newFamily();
    const { parent, child } = family;
    const [{ userId, key }] = child.people;
    const { token, publicKey } = await tokenFor(family);
    const first = await asParent(family, logIn(token, publicKey));
    expect(first).toMatchObject({ status: 200 });
    await perform(
      server,
      child,
      {
        endpoint: "log_out_everywhere",
        type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
        parameters: { userId },
      },
      key,
    );
    // The same bytes, and a new request with the same token.
    const again = () =>
      send(server, "oauth_login", first.body, stampOf(parent.people[0].key, first.body));
    const reply = await again();
    expect(reply.activity?.id ?? null).toBe(first.activity?.id ?? null);
    await expectTokenRefused(family, token, publicKey);
    const whoami = await server.fetch("http://keyhearth.test/public/v1/query/whoami", {
      method: "POST",
      body: JSON.stringify({ organizationId: child.organizationId }),
    });
    expect(whoami.status).toBe(401);
  });

  test("has a verdict of its own, which counts for no other text", async () => {
    const family = await newFamily();
    const { token, header, claims, publicKey } = await tokenFor(family);
    const [, , signature] = token.split(".");
    const edited = `${encoded(header, { ...claims, sub: "mallory" })}.${signature}`;
    await expectTokenRefused(family, edited, publicKey);
    const verdicts = new Map([
      [tokenName(token), true],
      // A statement of an authenticator has such a name.
      [edited, true],
    ]);
    const registrations = createRegistrations({
      origins: () => [],
      verdicts,
      nowMs: Date.now() + server.clock.offsetMs,
    });
    registrations.readToken(edited, "oidcToken");
    expect(() => registrations.assertVerified()).toThrow(UnverifiedStatements);
  });

  test("is not believed on the host's word", async () => {
    const family = await newFamily();
    const { parent, child } = family;
    const { header, claims, publicKey } = await tokenFor(family);
    const token = forged(header, claims);
    const body = bytesOf(server, child.organizationId, logIn(token, publicKey));
    const records = [
      await documentOf(server, child.organizationId),
      await documentOf(server, parent.organizationId),
    ];
    const request = { endpoint: "oauth_login", body, key: parent.people[0].key, records };
    // The core decides nothing without a verdict, and the door has no place for one.
    expect(() => knock(server, request)).toThrow(UnverifiedStatements);
    const { issuer } = provider;
    const verdicts = [[tokenName(token), true]];
    const answer = await server.signer.answer({
      call: "submit",
      endpoint: request.endpoint,
      body: encodeUtf8(body),
      stamp: stampOf(request.key, body),
      records: [],
      attachments: records,
      // A hostile host sends more than the protocol has.
      ...({ verdicts, issuers: [{ issuer, keys: [] }] } as object),
    });
    expect(answer).toMatchObject({ kind: "error" });
  });

  // The last one: the clock of a signer does not run backwards.
  test("that has expired, or is from the future, logs nobody in", async () => {
    const family = await newFamily();
    const { token, publicKey, header, claims } = await tokenFor(family);
    for (const times of [{ iat: claims.iat + 7200, exp: claims.exp + 7200 }, { exp: 1 }]) {
      await expectTokenRefused(family, forged(header, { ...claims, ...times }), publicKey);
    }
    server.clock.offsetMs += (claims.exp - claims.iat) * 1000 + 61_000;
    await expectTokenRefused(family, token, publicKey);
  });
});
