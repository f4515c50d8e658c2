import { createHash, randomUUID } from "node:crypto";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestKey,
  type TestOrganization,
  type TestServer,
} from "@keyhearth/api/testing";
import {
  decodeBase64Url,
  decodeHex,
  decodeUtf8,
  encodeBase64Url,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { describe, expect, test } from "vitest";
import { newToken, nonceFor } from "../oidc.testing.ts";
import { loginOf, newSocialFamily } from "../oidc-logins.testing.ts";
import { addUser, bodyOf, claimsOf as statedLogin, submit } from "../organization.testing.ts";
import { newCodeFamily } from "../otps.testing.ts";
import { tokenIdAt, tokenOf } from "../verification-tokens.testing.ts";

const type = "ACTIVITY_TYPE_STAMP_LOGIN";
const BY_CODE = "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN";
const BY_OIDC = "STAMP_ATTESTED_SCHEME_P256_OIDC";

/** The value of the header, as released clients make it. */
function attest(key: TestKey, body: string, given: { scheme: string; token: string }): string {
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const made = createApiKeyStamp(
    { privateKey: decodeHex(key.privateKey), scheme },
    encodeUtf8(body),
  );
  const { signature } = JSON.parse(decodeUtf8(decodeBase64Url(made))) as { signature: string };
  const { publicKey } = key;
  const members = { publicKeyAttestation: given.token, scheme: given.scheme, publicKey, signature };
  return JSON.stringify(members);
}

type Attested = { scheme: string; token: string };

async function send(
  server: TestServer,
  given: { endpoint?: string; body: string; key: TestKey; attested: Attested; asJson?: boolean },
) {
  const { endpoint = "submit/stamp_login", body, key, attested, asJson } = given;
  const value = attest(key, body, attested);
  const response = await server.fetch(`http://test/public/v1/${endpoint}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "X-Stamp-Attested": asJson ? value : encodeBase64Url(encodeUtf8(value)),
    },
    body,
  });
  const answer = (await response.json()) as {
    message?: string;
    activity?: { result: { stampLoginResult?: { session: string } } };
  };
  const { session } = answer.activity?.result.stampLoginResult ?? {};
  return { status: response.status, message: answer.message, session };
}

function claimsOf(session = ""): unknown {
  return JSON.parse(decodeUtf8(decodeBase64Url(session.split(".")[1] ?? "")));
}

/** A user whose email address is proven, and a token of the parent for it and for a key. */
async function newProven(claims: object = {}) {
  const family = await newCodeFamily(await newOrganization());
  const { server, organizationId, own, ownKey, adaId, email } = family;
  const proof = tokenOf(server, {
    contact: email,
    organization_id: organizationId,
    public_key: ownKey.publicKey,
  });
  await own.updateUserEmail({ userId: adaId, userEmail: email, verificationToken: proof });
  const key = newKey();
  const token = tokenOf(server, {
    contact: email,
    organization_id: organizationId,
    public_key: key.publicKey,
    ...claims,
  });
  return { ...family, key, token, attested: { scheme: BY_CODE, token } };
}

/** One more sub-organization, whose user proved this address. */
async function signUpWith({ server, organizationId, root }: TestOrganization, userEmail: string) {
  const user = { userName: "Ada", userEmail, apiKeys: [], authenticators: [], oauthProviders: [] };
  await root.createSubOrganization({
    subOrganizationName: `sub ${randomUUID()}`,
    rootQuorumThreshold: 1,
    rootUsers: [user],
    verificationToken: tokenOf(server, { contact: userEmail, organization_id: organizationId }),
  });
}

/** A login by the key that a token attests. */
function loginBody(organizationId: string, { publicKey }: TestKey): string {
  return bodyOf(organizationId, { type, parameters: { publicKey } });
}

describe("a verification token attests its key", () => {
  test("by the parent's id and by the sub-organization's own, in both encodings", async () => {
    const { server, organizationId, subOrganizationId, adaId, key, attested } = await newProven();
    for (const [id, asJson] of [
      [organizationId, false],
      [subOrganizationId, true],
    ] as const) {
      const body = loginBody(id, key);
      const answer = await send(server, { body, key, attested, asJson });
      expect(answer).toMatchObject({ status: 200 });
      expect(claimsOf(answer.session)).toMatchObject({
        organization_id: subOrganizationId,
        user_id: adaId,
        public_key: key.publicKey,
      });
      const client = clientOf(server, subOrganizationId, key);
      expect(await client.whoami()).toMatchObject({ userId: adaId });
    }
  });

  test("that nobody signed, or for another key, does not tell who has proved its contact", async () => {
    const family = await newProven();
    const { server, organizationId, subOrganizationId, email, key, token } = family;
    const shared = `shared-${email}`;
    for (let i = 0; i < 2; i++) await signUpWith(family, shared);
    const [head = "", claims = ""] = token.split(".");
    const madeUp = (contact: string) => {
      const changed = { ...JSON.parse(decodeUtf8(decodeBase64Url(claims))), contact };
      const payload = encodeBase64Url(encodeUtf8(JSON.stringify(changed)));
      return `${head}.${payload}.${encodeBase64Url(new Uint8Array(64).fill(1))}`;
    };
    for (const id of [organizationId, subOrganizationId]) {
      const asked = (contact: string) => {
        const attested = { scheme: BY_CODE, token: madeUp(contact) };
        return send(server, { body: loginBody(id, key), key, attested });
      };
      const known = await asked(email);
      expect(known).toMatchObject({
        status: 401,
        message: expect.stringContaining("not a verification token"),
      });
      expect(await asked("nobody@example.com")).toEqual(known);
      expect(await asked(shared)).toEqual(known);
      const stolen = (contact: string) => {
        const token = tokenOf(server, { contact, organization_id: organizationId });
        const attested = { scheme: BY_CODE, token };
        return send(server, { body: loginBody(id, key), key, attested });
      };
      const others = await stolen(email);
      expect(others).toMatchObject({
        status: 401,
        message: expect.stringContaining("issued for another public key"),
      });
      expect(await stolen("nobody@example.com")).toEqual(others);
      expect(await stolen(shared)).toEqual(others);
    }
  });

  test("for a login alone: no other request, no vote and no query", async () => {
    const { server, subOrganizationId, adaId, key, attested } = await newProven();
    const refused = { status: 401, message: expect.stringContaining("only start a session") };
    for (const [endpoint, body] of [
      [
        "submit/create_wallet",
        bodyOf(subOrganizationId, {
          type: "ACTIVITY_TYPE_CREATE_WALLET",
          parameters: { walletName: "mine", accounts: [] },
        }),
      ],
      [
        "submit/delete_users",
        bodyOf(subOrganizationId, {
          type: "ACTIVITY_TYPE_DELETE_USERS",
          parameters: { userIds: [adaId] },
        }),
      ],
      [
        "submit/approve_activity",
        bodyOf(subOrganizationId, {
          type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
          parameters: { fingerprint: `sha256:${"00".repeat(32)}` },
        }),
      ],
      ["query/whoami", JSON.stringify({ organizationId: subOrganizationId })],
    ] as const) {
      expect(await send(server, { endpoint, body, key, attested })).toMatchObject(refused);
    }
  });

  test("for no approval of a login that waits", async () => {
    const { server, subOrganizationId, own, key, attested } = await newProven();
    const clerk = newKey();
    await own.createUsers({
      users: [
        {
          userName: "Clerk",
          apiKeys: [
            { apiKeyName: "own", publicKey: clerk.publicKey, curveType: "API_KEY_CURVE_P256" },
          ],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    });
    await own.createPolicy({
      policyName: "two for each login",
      effect: "EFFECT_ALLOW",
      condition: "activity.resource == 'AUTH'",
      consensus: "approvers.count() >= 2",
      notes: "",
    });
    const body = loginBody(subOrganizationId, key);
    const scheme = "SIGNATURE_SCHEME_TK_API_P256";
    const stamp = createApiKeyStamp(
      { privateKey: decodeHex(clerk.privateKey), scheme },
      encodeUtf8(body),
    );
    const response = await server.fetch("http://test/public/v1/submit/stamp_login", {
      method: "POST",
      headers: { "content-type": "application/json", "X-Stamp": stamp },
      body,
    });
    expect(await response.json()).toMatchObject({
      activity: { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
    });
    expect(await send(server, { body, key, attested })).toMatchObject({
      status: 403,
      message: expect.stringContaining("a stamp that a token attests approves nothing"),
    });
  });

  test("and the session names the token, also if the login waited for approvals", async () => {
    const family = await newProven();
    const { server, organizationId, subOrganizationId, own, ownKey } = family;
    const contact = `clerk-${randomUUID()}@example.com`;
    const [key, claims] = [newKey(), { contact, organization_id: organizationId }];
    const child = { ...family, organizationId: subOrganizationId, root: own, rootKey: ownKey };
    const { userId } = await addUser(child, "Clerk");
    await own.updateUserEmail({
      userId,
      userEmail: contact,
      verificationToken: tokenOf(server, { ...claims, public_key: ownKey.publicKey }),
    });
    const token = tokenOf(server, { ...claims, public_key: key.publicKey });
    const attested = { scheme: BY_CODE, token };
    const attestation_digest = createHash("sha256").update(token).digest("hex");
    const atOnce = await send(server, { body: loginBody(subOrganizationId, key), key, attested });
    expect(claimsOf(atOnce.session)).toMatchObject({ attestation_digest });

    await own.createPolicy({
      policyName: "two for each login",
      effect: "EFFECT_ALLOW",
      condition: "activity.resource == 'AUTH'",
      consensus: "approvers.count() >= 2",
      notes: "",
    });
    const next = newKey();
    const body = loginBody(subOrganizationId, next);
    const nextToken = tokenOf(server, { ...claims, public_key: next.publicKey });
    const waits = { scheme: BY_CODE, token: nextToken };
    expect(await send(server, { body, key: next, attested: waits })).toMatchObject({
      status: 200,
      session: undefined,
    });
    const { activity } = await own.approveActivity({ fingerprint: fingerprint(encodeUtf8(body)) });
    expect(claimsOf(activity.result.stampLoginResult?.session)).toMatchObject({
      user_id: userId,
      public_key: next.publicKey,
      attestation_digest: createHash("sha256").update(nextToken).digest("hex"),
    });
  });

  test("not for another key, and not if another key signed the request", async () => {
    const { server, organizationId, attested, key } = await newProven();
    const body = loginBody(organizationId, key);
    const other = newKey();
    const others = loginBody(organizationId, other);
    expect(await send(server, { body: others, key: other, attested })).toMatchObject({
      status: 401,
      message: expect.stringContaining("issued for another public key"),
    });
    const forged = { publicKey: key.publicKey, privateKey: other.privateKey };
    expect(await send(server, { body, key: forged, attested })).toMatchObject({
      status: 401,
      message: expect.stringMatching(
        /^could not verify attested stamp signature: the body may have been changed/,
      ),
    });
  });

  test("for a login with that key alone, which no other user has registered", async () => {
    const { server, organizationId, subOrganizationId, own, key, attested } = await newProven();
    for (const id of [organizationId, subOrganizationId]) {
      const body = loginBody(id, newKey());
      expect(await send(server, { body, key, attested })).toMatchObject({
        status: 401,
        message: expect.stringContaining("`parameters.publicKey` must be the key that the token"),
      });
    }
    const { publicKey } = key;
    const apiKeys = [{ apiKeyName: "own", publicKey, curveType: "API_KEY_CURVE_P256" as const }];
    const others = { authenticators: [], oauthProviders: [], userTags: [] };
    await own.createUsers({ users: [{ userName: "Grace", apiKeys, ...others }] });
    const body = loginBody(subOrganizationId, key);
    expect(await send(server, { body, key, attested })).toMatchObject({
      status: 401,
      message: expect.stringContaining("another user of the organization has registered its key"),
    });
  });

  test("not if it names no key, has expired, or was made for another organization", async () => {
    const stranger = await newOrganization();
    for (const [claims, why] of [
      [{ public_key: "" }, "issued for another public key"],
      [{ exp: String(Date.now() - 1) }, "expired"],
      [{ organization_id: stranger.organizationId }, "another organization"],
    ] as const) {
      const { server, subOrganizationId, key, attested } = await newProven(claims);
      const answer = await send(server, { body: loginBody(subOrganizationId, key), key, attested });
      expect(answer).toMatchObject({ status: 401, message: expect.stringContaining(why) });
    }
  });

  test("not if the service did not make it", async () => {
    const { server, subOrganizationId, key, token } = await newProven();
    const [header, payload, signature = ""] = token.split(".");
    const changed = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    const attested = { scheme: BY_CODE, token: `${header}.${payload}.${changed}` };
    expect(
      await send(server, { body: loginBody(subOrganizationId, key), key, attested }),
    ).toMatchObject({ status: 401, message: expect.stringContaining("not a verification token") });
  });

  test("not for a contact that is not proven, or that the user has no more", async () => {
    const { server, organizationId, subOrganizationId, own, adaId, key, attested } =
      await newProven();
    await own.updateUserEmail({ userId: adaId, userEmail: "new@example.com" });
    for (const id of [organizationId, subOrganizationId]) {
      expect(await send(server, { body: loginBody(id, key), key, attested })).toMatchObject({
        status: 401,
        message: expect.stringContaining("verified contact"),
      });
    }
  });

  test("not if the organization offers no such login, or the sessions were ended since", async () => {
    const { server, organizationId, subOrganizationId, root, own, adaId, key, email, attested } =
      await newProven();
    await own.logOutEverywhere({ userId: adaId });
    const answer = await send(server, { body: loginBody(subOrganizationId, key), key, attested });
    expect(answer).toMatchObject({
      status: 401,
      message: expect.stringContaining("sessions were ended"),
    });
    const later = tokenOf(server, {
      id: tokenIdAt(Date.now() + server.clock.offsetMs + 1),
      contact: email,
      organization_id: organizationId,
      public_key: key.publicKey,
    });
    const again = { scheme: BY_CODE, token: later };
    await root.removeOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
    expect(
      await send(server, { body: loginBody(subOrganizationId, key), key, attested: again }),
    ).toMatchObject({
      status: 401,
      message: expect.stringContaining("FEATURE_NAME_OTP_EMAIL_AUTH"),
    });
  });

  test("for no one, if users of two sub-organizations have the contact", async () => {
    const family = await newProven();
    const { server, organizationId, email, key, attested } = family;
    await signUpWith(family, email);
    expect(
      await send(server, { body: loginBody(organizationId, key), key, attested }),
    ).toMatchObject({
      status: 401,
      message: expect.stringContaining("more than one suborg"),
    });
  });
});

describe("an OIDC token attests the key of its nonce", () => {
  test("by the parent's id and by the sub-organization's own", async () => {
    const family = await newSocialFamily(await startTestServer());
    const { parent, organizationId, userId } = family;
    const { key, oidcToken } = loginOf(family);
    const attested = { scheme: BY_OIDC, token: oidcToken };
    for (const id of [parent.organizationId, organizationId]) {
      const answer = await send(parent.server, { body: loginBody(id, key), key, attested });
      expect(answer).toMatchObject({ status: 200 });
      expect(claimsOf(answer.session)).toMatchObject({
        organization_id: organizationId,
        user_id: userId,
      });
    }
  });

  test("by the sub-organization's own id alone, if the identity was only stated", async () => {
    const { server, organizationId, subOrganizationId, own, ownKey, adaId } = await newCodeFamily(
      await newOrganization(),
    );
    const register = async (subject: string, oauthProvider: object) => {
      const parameters = { userId: adaId, oauthProviders: [oauthProvider] };
      const version = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2";
      await submit(own, "create_oauth_providers", { type: version, parameters });
      const { key, oidcToken: token } = loginOf({ subject });
      const attested = { scheme: BY_OIDC, token };
      return (id: string) => send(server, { body: loginBody(id, key), key, attested });
    };
    const byToken = (sub: string, nonce: string) => ({
      providerName: "Example",
      oidcToken: newToken({ sub, nonce }),
    });
    const name = (what: string) => `${what} ${subOrganizationId}`;
    for (const [subject, stated] of [
      [name("claims"), statedLogin(name("claims"))],
      [name("another key"), byToken(name("another key"), nonceFor(newKey().publicKey))],
    ] as const) {
      const logIn = await register(subject, stated);
      expect(await logIn(organizationId)).toMatchObject({
        status: 401,
        message: expect.stringContaining("counts if you name the sub-organization itself"),
      });
      expect(await logIn(subOrganizationId)).toMatchObject({ status: 200 });
    }
    const proven = byToken(name("own key"), nonceFor(ownKey.publicKey));
    const logIn = await register(name("own key"), proven);
    expect(await logIn(organizationId)).toMatchObject({ status: 200 });
  });

  test("not another key, another scheme, or a person whom nobody registered", async () => {
    const family = await newSocialFamily();
    const { parent, organizationId } = family;
    const { key, oidcToken } = loginOf(family);
    const body = loginBody(organizationId, key);
    const { server } = parent;
    const refusals = [
      await send(server, { body, key: newKey(), attested: { scheme: BY_OIDC, token: oidcToken } }),
      await send(server, { body, key, attested: { scheme: BY_CODE, token: oidcToken } }),
      await send(server, { body, key, attested: { scheme: "SCHEME", token: oidcToken } }),
    ];
    const stranger = loginOf({ subject: "nobody" });
    const unknown = { scheme: BY_OIDC, token: stranger.oidcToken };
    refusals.push(await send(server, { body, key: stranger.key, attested: unknown }));
    expect(refusals.map(({ status, message }) => [status, message])).toEqual([
      [401, expect.stringContaining("its `nonce`, or `tknonce`, must be")],
      [401, expect.stringContaining("could not extract attested stamp")],
      [401, expect.stringContaining("could not extract attested stamp")],
      [401, expect.stringContaining("social login that the stamp attests")],
    ]);
  });

  test("and one that nobody signed, or for another key, does not tell who has the social login", async () => {
    const family = await newSocialFamily();
    const { parent, organizationId, subject } = family;
    const { server, root } = parent;
    const shared = `shared ${subject}`;
    for (let i = 0; i < 2; i++) {
      const oidcToken = newToken({ sub: shared });
      const oauthProviders = [{ providerName: "Example", oidcToken }];
      const user = { userName: "Ada", apiKeys: [], authenticators: [], oauthProviders };
      await root.createSubOrganization({
        subOrganizationName: `sub ${randomUUID()}`,
        rootQuorumThreshold: 1,
        rootUsers: [user],
      });
    }
    const key = newKey();
    const nonce = nonceFor(key.publicKey);
    const signature = encodeBase64Url(new Uint8Array(64).fill(1));
    const forged = (sub: string) => newToken({ sub, nonce }, { signature });
    const stolen = (sub: string) => newToken({ sub, nonce: nonceFor(newKey().publicKey) });
    const unaccepted = (sub: string) => newToken({ sub, nonce, iss: "https://evil.example" });
    for (const id of [parent.organizationId, organizationId]) {
      const asked = (token: string) => {
        const attested = { scheme: BY_OIDC, token };
        return send(server, { body: loginBody(id, key), key, attested });
      };
      for (const [made, why] of [
        [forged, "its signature does not verify"],
        [stolen, "its `nonce`, or `tknonce`, must be"],
        [unaccepted, "its issuer is not accepted"],
      ] as const) {
        const known = await asked(made(subject));
        expect(known).toMatchObject({ status: 401, message: expect.stringContaining(why) });
        expect(await asked(made("nobody"))).toEqual(known);
        expect(await asked(made(shared))).toEqual(known);
      }
    }
    // The person who proved it hears that it does not say where to log in.
    const own = { scheme: BY_OIDC, token: newToken({ sub: shared, nonce }) };
    const body = loginBody(parent.organizationId, key);
    expect(await send(server, { body, key, attested: own })).toMatchObject({
      status: 401,
      message: expect.stringContaining("more than one suborg"),
    });
  });

  test("not one whose signature does not verify", async () => {
    const family = await newSocialFamily();
    const { parent, organizationId } = family;
    const { key, oidcToken } = loginOf(family);
    const [header, payload, signature = ""] = oidcToken.split(".");
    const changed = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
    const attested = { scheme: BY_OIDC, token: `${header}.${payload}.${changed}` };
    const body = loginBody(organizationId, key);
    expect(await send(parent.server, { body, key, attested })).toMatchObject({ status: 401 });
  });
});
