import { createHash } from "node:crypto";
import {
  decodeUtf8,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import type { StampScheme } from "@keyhearth/crypto/stamps/stamp";
import { expect, test } from "vitest";
import { ApiError, BODY_CHANGED } from "../errors.ts";
import type { CredentialType } from "../fields/logins.ts";
import { newToken, nonceFor, TEST_AUDIENCE, TEST_ISSUER } from "../oidc.testing.ts";
import { newPasskey, type TestPasskey, testOrigin } from "../passkey.testing.ts";
import {
  newOrganizationDocument,
  type OrganizationDocument,
  type User,
} from "../records/organization.ts";
import { createOrganization, type Organization } from "../records/organization-index.ts";
import type { SessionEntry, Sessions } from "../records/sessions.ts";
import { tokenName } from "./attestation-statements.ts";
import {
  authenticate,
  credentialTypeOfCurve,
  findLongLived,
  onlyRecovers,
  parseStamp,
  verifierOf,
} from "./authenticate.ts";
import { createRegistrations } from "./passkey-registrations.ts";
import { createStampKeys, type StampKeys } from "./stamp-keys.ts";

const organizationId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
const nowMs = 1_767_225_600_000;
const body = encodeUtf8('{"organizationId":"x"}');
const stampKeys = createStampKeys({ max: 1e6, maxPerOrganization: 1e6 });
const origins = () => ["*"];
const times = { createdAtMs: nowMs, updatedAtMs: nowMs };

function newKey() {
  const privateKey = generatePrivateKey("CURVE_P256");
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  return { privateKey, publicKey };
}

type Key = ReturnType<typeof newKey>;

function stampOf({ privateKey }: Key, stamped = body) {
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  return parseStamp({ name: "X-Stamp", value: createApiKeyStamp({ privateKey, scheme }, stamped) });
}

function userWith(userId: string, keys: Key[], sessionEpoch = 0): User {
  const type = "CREDENTIAL_TYPE_API_KEY_P256" as const;
  const apiKeys = keys.map(({ publicKey }) => ({
    apiKeyId: userId,
    apiKeyName: "laptop",
    credential: { publicKey, type },
    ...times,
  }));
  return {
    userId,
    userName: userId,
    userEmail: null,
    userPhoneNumber: null,
    apiKeys,
    userTags: [],
    authenticators: [],
    oauthProviders: [],
    sessionEpoch,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    ...times,
  };
}

function organizationOf(...users: User[]): Organization {
  // Authentication reads only the id and the users of the document.
  return createOrganization({ organizationId, users } as OrganizationDocument, () => []);
}

function entry({ publicKey }: Key, change: Partial<SessionEntry> = {}): SessionEntry {
  return {
    apiKeyId: "phone",
    apiKeyName: "phone",
    credential: { publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
    sessionEpoch: 0,
    expirationSeconds: 900,
    createdAtMs: nowMs,
    ...change,
  };
}

/** The user, who must be one. */
function authenticated(request: Omit<Parameters<typeof authenticate>[0], "isBy" | "named">) {
  const isBy = verifierOf(request.stamp, request.body);
  const who = authenticate({ ...request, isBy, named: organizationId });
  if (who instanceof ApiError) throw who;
  return who;
}

function reasonOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.reason];
    throw error;
  }
  return "accepted";
}

test("a long-lived key is found in the document", () => {
  const [one, two] = [newKey(), newKey()];
  const organization = organizationOf(userWith("ada", [one]), userWith("grace", [two]));
  const who = authenticated({
    stamp: stampOf(two),
    body,
    organization,
    sessions: [],
    stampKeys,
    origins,
    nowMs,
  });
  expect(who.user.userId).toBe("grace");
  expect(who.session).toBeNull();
  expect(findLongLived(organization, stampOf(two))?.user.userId).toBe("grace");
  expect(findLongLived(organization, stampOf(newKey()))).toBeUndefined();
});

test("the imported key of a stamp is kept for its organization, curve and text", () => {
  const key = newKey();
  const asked: unknown[] = [];
  const kept: StampKeys = {
    find: stampKeys.find,
    import(...name) {
      asked.push(name);
      return stampKeys.import(...name);
    },
  };
  const organization = organizationOf(userWith("ada", [key]));
  const given = { body, organization, sessions: [], stampKeys: kept, origins, nowMs };
  authenticated({ stamp: stampOf(key), ...given });
  expect(asked).toEqual([[organizationId, key.publicKey, "SIGNATURE_SCHEME_TK_API_P256"]]);
  // Those of strangers, and of stamps that the key did not make, displace nothing.
  for (const stamp of [stampOf(newKey()), stampOf(key, encodeUtf8("{}"))]) {
    expect(() => authenticated({ stamp, ...given })).toThrow(ApiError);
  }
  expect(asked).toHaveLength(1);
});

test("a stamp over other bytes, or with another curve's credential, is refused", () => {
  const key = newKey();
  const user = userWith("ada", [key]);
  const ask = (asked: User, stamped: Uint8Array) =>
    reasonOf(() =>
      authenticated({
        stamp: stampOf(key, stamped),
        body,
        organization: organizationOf(asked),
        sessions: [],
        stampKeys,
        origins,
        nowMs,
      }),
    );
  expect(ask(user, body)).toBe("accepted");
  expect(ask(user, encodeUtf8('{"organizationId":"y"}'))).toEqual([
    "UNAUTHENTICATED",
    "STAMP_INVALID",
  ]);
  const [apiKey] = user.apiKeys;
  const credential = {
    publicKey: key.publicKey,
    type: "CREDENTIAL_TYPE_API_KEY_SECP256K1" as const,
  };
  const relabelled = { ...user, apiKeys: apiKey ? [{ ...apiKey, credential }] : [] };
  expect(ask(relabelled, body)).toEqual(["UNAUTHENTICATED", "STAMP_INVALID"]);
});

test("an expiring key counts until it expires, in its user's epoch, while the user exists", () => {
  const key = newKey();
  const ask = (change: Partial<SessionEntry>, user: User, atMs: number) => {
    const sessions: Sessions[] = [{ userId: "ada", entries: [entry(key, change)] }];
    return reasonOf(() =>
      authenticated({
        stamp: stampOf(key),
        body,
        organization: organizationOf(user),
        sessions,
        stampKeys,
        origins,
        nowMs: atMs,
      }),
    );
  };
  const ada = userWith("ada", [newKey()]);
  expect(ask({}, ada, nowMs + 899_999)).toBe("accepted");
  expect(ask({}, ada, nowMs + 900_000)).toEqual(["UNAUTHENTICATED", "CREDENTIAL_EXPIRED"]);
  const notFound = ["UNAUTHENTICATED", "CREDENTIAL_NOT_FOUND"];
  expect(ask({ sessionEpoch: 1 }, ada, nowMs)).toEqual(notFound);
  expect(ask({}, userWith("ada", [newKey()], 1), nowMs)).toEqual(notFound);
  expect(ask({}, userWith("grace", [newKey()]), nowMs)).toEqual(notFound);
});

test("the sessions of a user authenticate no key that is not in them", () => {
  const [phone, stranger] = [newKey(), newKey()];
  const sessions = [{ userId: "ada", entries: [entry(phone)] }];
  const organization = organizationOf(userWith("ada", [newKey()]));
  expect(() =>
    authenticated({
      stamp: stampOf(stranger),
      body,
      organization,
      sessions,
      stampKeys,
      origins,
      nowMs,
    }),
  ).toThrow(
    `could not find public key in organization or its parent organization organizationId=${organizationId} publicKey=${stranger.publicKey}`,
  );
});

test.each([
  ["SIGNATURE_SCHEME_TK_API_SECP256K1", "CURVE_SECP256K1", "CREDENTIAL_TYPE_API_KEY_SECP256K1"],
  ["SIGNATURE_SCHEME_TK_API_ED25519", "CURVE_ED25519", "CREDENTIAL_TYPE_API_KEY_ED25519"],
] as const)(
  "a key for %s authenticates by a credential of its curve alone",
  (scheme, curve, type) => {
    const privateKey = generatePrivateKey(curve);
    const publicKey = encodeHex(publicKeyOf(curve, privateKey));
    const value = createApiKeyStamp({ privateKey, scheme }, body);
    const stamp = parseStamp({ name: "x-stamp", value });
    const ask = (asked: CredentialType) => {
      const user = userWith("ada", [newKey()]);
      const [apiKey] = user.apiKeys;
      if (apiKey) apiKey.credential = { publicKey, type: asked };
      const organization = organizationOf(user);
      return reasonOf(() =>
        authenticated({ stamp, body, organization, sessions: [], stampKeys, origins, nowMs }),
      );
    };
    expect(ask(type)).toBe("accepted");
    expect(ask("CREDENTIAL_TYPE_API_KEY_P256")).toEqual(["UNAUTHENTICATED", "STAMP_INVALID"]);
  },
);

test.each([
  "CREDENTIAL_TYPE_API_KEY_P256",
  "CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256",
  "CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256",
  "CREDENTIAL_TYPE_RECOVER_USER_KEY_P256",
  "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256",
  "CREDENTIAL_TYPE_OAUTH_KEY_P256",
  "CREDENTIAL_TYPE_LOGIN",
] as const)("the key of a session, %s, stamps with P-256 alone", (type) => {
  const user = userWith("ada", [newKey()]);
  const ask = (curve: "CURVE_P256" | "CURVE_SECP256K1", scheme: StampScheme) => {
    const privateKey = generatePrivateKey(curve);
    const publicKey = encodeHex(publicKeyOf(curve, privateKey));
    const value = createApiKeyStamp({ privateKey, scheme }, body);
    const session = entry({ privateKey, publicKey }, { credential: { publicKey, type } });
    return reasonOf(() =>
      authenticated({
        stamp: parseStamp({ name: "x-stamp", value }),
        body,
        organization: organizationOf(user),
        sessions: [{ userId: "ada", entries: [session] }],
        stampKeys,
        origins,
        nowMs,
      }),
    );
  };
  expect(ask("CURVE_P256", "SIGNATURE_SCHEME_TK_API_P256")).toBe("accepted");
  expect(ask("CURVE_SECP256K1", "SIGNATURE_SCHEME_TK_API_SECP256K1")).toEqual([
    "UNAUTHENTICATED",
    "STAMP_INVALID",
  ]);
});

test("a stamp in the header of another kind is refused, even if it would verify", () => {
  const { privateKey } = newKey();
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const value = createApiKeyStamp({ privateKey, scheme }, body);
  expect(parseStamp({ name: "x-stamp", value })).toMatchObject({ scheme });
  expect(() => parseStamp({ name: "X-Stamp-Webauthn", value })).toThrow(
    "malformed activity stamp: could not extract webauthn stamp; expected JSON of {authenticatorData, clientDataJson, credentialId, signature}, each in base64url without padding",
  );
  expect(() => parseStamp({ name: "X-Stamp-Attested", value })).toThrow(
    "malformed activity stamp: `X-Stamp-Attested` stamps only start a session, with stamp_login; stamp other requests with the key of the session in `X-Stamp`",
  );
  expect(() => parseStamp({ name: "X-Stamp-Attested", value }, true)).toThrow(
    "malformed activity stamp: could not extract attested stamp; expected JSON, or base64url of JSON, of {publicKeyAttestation, scheme, publicKey, signature}",
  );
});

test("a refusal says which key of which organization", () => {
  const [one, two] = [newKey(), newKey()];
  const sessions = [
    { userId: "ada", entries: [entry(two)] },
    { userId: "grace", entries: [entry(two)] },
  ];
  const organization = organizationOf(userWith("ada", [one]), userWith("grace", [newKey()]));
  const ask = (stamp: ReturnType<typeof stampOf>, held: Sessions[], atMs = nowMs) => {
    return () =>
      authenticated({ stamp, body, organization, sessions: held, stampKeys, origins, nowMs: atMs });
  };
  expect(ask(stampOf(one, encodeUtf8("{}")), [])).toThrow(
    `could not verify api key signature organizationId=${organizationId} publicKey=${one.publicKey}: ${BODY_CHANGED}`,
  );
  expect(ask(stampOf(two), sessions.slice(1), nowMs + 900_000)).toThrow(
    `could not authenticate: rpc error: code = Unauthenticated desc = expired api key publicKey=${two.publicKey}`,
  );
  expect(ask(stampOf(two), sessions)).toThrow(
    `more than one user holds the public key organizationId=${organizationId} publicKey=${two.publicKey}`,
  );
});

test("who did not sign with a key hears nothing of it, and only of the organization that they named", () => {
  const [known, unknown] = [newKey(), newKey()];
  const organization = organizationOf(userWith("ada", [known]));
  const refused = ({ publicKey }: Key) => {
    const stamp = { ...stampOf(newKey()), publicKey };
    const given = { stamp, body, organization, sessions: [], stampKeys, origins, nowMs };
    const found = authenticate({ ...given, isBy: verifierOf(stamp, body), named: "the parent" });
    if (!(found instanceof ApiError)) throw new Error("a stamp that nobody made");
    return [found.reason, found.message.replace(publicKey, "key")];
  };
  expect(refused(known)).toEqual(refused(unknown));
  expect(refused(known)).toEqual([
    "STAMP_INVALID",
    `could not verify api key signature organizationId=the parent publicKey=key: ${BODY_CHANGED}`,
  ]);
});

test("only the holder of a key learns that it has expired", () => {
  const key = newKey();
  const sessions = [{ userId: "ada", entries: [entry(key)] }];
  const organization = organizationOf(userWith("ada", [newKey()]));
  const stamp = stampOf(key, encodeUtf8("{}"));
  const later = { stamp, body, organization, sessions, stampKeys, origins, nowMs: nowMs + 900_000 };
  expect(reasonOf(() => authenticated(later))).toEqual(["UNAUTHENTICATED", "STAMP_INVALID"]);
});

test("a key that was registered again counts by its newest entry", () => {
  const key = newKey();
  const entries = [entry(key, { createdAtMs: nowMs - 900_000 }), entry(key)];
  const sessions = [{ userId: "ada", entries }];
  const organization = organizationOf(userWith("ada", [newKey()]));
  const who = authenticated({
    stamp: stampOf(key),
    body,
    organization,
    sessions,
    stampKeys,
    origins,
    nowMs,
  });
  expect(who.session).toBe(entries[1]);
});

test("a key that two users hold authenticates nobody, unless it has expired for the other", () => {
  const key = newKey();
  const [ada, grace] = [userWith("ada", [newKey()]), userWith("grace", [newKey()])];
  const sessions = (expirationSeconds: number) => [
    { userId: "ada", entries: [entry(key, { expirationSeconds })] },
    { userId: "grace", entries: [entry(key)] },
  ];
  const ask = (held: Sessions[], users: User[]) => () =>
    authenticated({
      stamp: stampOf(key),
      body,
      organization: organizationOf(...users),
      sessions: held,
      stampKeys,
      origins,
      nowMs: nowMs + 60_000,
    });
  expect(reasonOf(ask(sessions(900), [ada, grace]))).toEqual([
    "UNAUTHENTICATED",
    "CREDENTIAL_AMBIGUOUS",
  ]);
  for (const seconds of [30, 60]) {
    expect(ask(sessions(seconds), [ada, grace])().user.userId).toBe("grace");
  }
  const longLived = [userWith("ada", [key]), grace];
  expect(reasonOf(ask(sessions(900).slice(1), longLived))).toEqual([
    "UNAUTHENTICATED",
    "CREDENTIAL_AMBIGUOUS",
  ]);
});

test("a request without a stamp, with another kind of stamp or with rubbish is refused", () => {
  expect(() => parseStamp(null)).toThrow(
    "no valid authentication signature found for request: cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header)",
  );
  expect(reasonOf(() => parseStamp(null))).toEqual(["UNAUTHENTICATED", "STAMP_MISSING"]);
  const headers = [
    { name: "X-Stamp-Webauthn", value: "{}" },
    { name: "X-Stamp", value: "" },
    { name: "X-Stamp", value: "not a stamp" },
    { name: "X-Stamp-Other", value: "{}" },
    { name: "X-Stamp-Attested", value: "{}" },
    { name: "X-Stamp", value: Buffer.from("{}").toString("base64url") },
  ];
  for (const header of headers) {
    expect(() => parseStamp(header)).toThrow("malformed activity stamp");
    expect(reasonOf(() => parseStamp(header))).toEqual(["UNAUTHENTICATED", "STAMP_MALFORMED"]);
  }
  expect(() => parseStamp({ name: "X-Stamp", value: "" })).toThrow(
    "malformed activity stamp: could not extract api key stamp; expected base64url of {publicKey, scheme, signature}",
  );
  expect(() => parseStamp({ name: "X-Stamp-Other", value: "" })).toThrow(
    "malformed activity stamp: `X-Stamp-Other` stamps are not supported by this version of the service; stamp with an API key in `X-Stamp` or with a passkey in `X-Stamp-Webauthn`",
  );
});

function userWithPasskey(userId: string, passkey: TestPasskey): User {
  const user = userWith(userId, []);
  const authenticator = {
    authenticatorId: `passkey of ${userId}`,
    authenticatorName: "phone",
    credentialId: passkey.credentialId,
    credential: {
      publicKey: encodeBase64Url(passkey.coseKey),
      type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" as const,
    },
    keyName: encodeHex(passkey.publicKey),
    transports: [],
    attestationType: "none",
    aaguid: "",
    ...times,
  };
  return { ...user, authenticators: [authenticator] };
}

test("a passkey is found by its credential id, and its vote shows the whole stamp", () => {
  const passkey = newPasskey();
  const organization = organizationOf(
    userWithPasskey("ada", passkey),
    userWithPasskey("grace", newPasskey()),
  );
  const value = passkey.stamp(decodeUtf8(body));
  const stamp = parseStamp({ name: "X-STAMP-WEBAUTHN", value });
  const given = { body, organization, sessions: [], stampKeys, origins, nowMs };
  const who = authenticated({ stamp, ...given });
  expect(who.user.userId).toBe("ada");
  expect(who.session).toBeNull();
  expect(who.credential).toEqual({
    id: "passkey of ada",
    publicKey: encodeBase64Url(passkey.coseKey),
    type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
    credentialId: passkey.credentialId,
  });
  expect(who.stamp).toEqual({
    publicKey: encodeBase64Url(passkey.coseKey),
    scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN",
    signature: value,
  });
  expect(findLongLived(organization, stamp)?.user.userId).toBe("ada");
});

test("a passkey's stamp must verify, from an allowed page, and the passkey must be known", () => {
  const passkey = newPasskey();
  const organization = organizationOf(userWithPasskey("ada", passkey));
  const ask = (value: string, allowed = ["*"]) => {
    const stamp = parseStamp({ name: "X-Stamp-Webauthn", value });
    const given = { body, organization, sessions: [], stampKeys, nowMs };
    return () => authenticated({ stamp, ...given, origins: () => allowed });
  };
  const attempt = (value: string, allowed = ["*"]) => reasonOf(ask(value, allowed));
  const text = decodeUtf8(body);
  const good = passkey.stamp(text);
  expect(attempt(good)).toBe("accepted");
  expect(attempt(good, [testOrigin])).toBe("accepted");
  const invalid = ["UNAUTHENTICATED", "STAMP_INVALID"];
  expect(attempt(good, ["https://other.example"])).toEqual(invalid);
  expect(attempt(good, [])).toEqual(invalid);
  const { credentialId } = passkey;
  expect(ask(good, [])).toThrow(
    `could not verify WebAuthN signature organizationId=${organizationId} credentialId=${credentialId}: ask for the passkey on a page that the organization allows`,
  );
  // One answer, whether the passkey is known or not.
  const other = newPasskey();
  const forged = JSON.stringify({ ...JSON.parse(newPasskey().stamp(text)), credentialId });
  for (const [stamp, id] of [
    [passkey.stamp(`${text} `), credentialId],
    [forged, credentialId],
    [other.stamp(text), other.credentialId],
  ] as const) {
    for (const allowed of [["*"], []]) {
      expect(attempt(stamp, allowed)).toEqual(["UNAUTHENTICATED", "CREDENTIAL_NOT_FOUND"]);
      expect(ask(stamp, allowed)).toThrow(
        `credential ID could not be found in organization or its parent organization organizationId=${organizationId} credentialId=${id}, or could not verify WebAuthN signature: ${BODY_CHANGED}`,
      );
    }
  }
});

/** A sub-organization whose user has a social login, and a stamp by a key that its token attests. */
function newSocialLogin() {
  const key = newKey();
  const identity = { issuer: TEST_ISSUER, audience: TEST_AUDIENCE, subject: "ada" };
  const provider = { providerId: "social", providerName: "Example", ...identity, ...times };
  const ada = { ...userWith("ada", [newKey()]), oauthProviders: [provider] };
  const document = newOrganizationDocument({
    organizationId,
    parentOrganizationId: "8d3f4e5a-9c76-4ca0-8b70-2f3c4d5e6f70",
    organizationName: "Ada",
    createdAtMs: nowMs,
    users: [ada, userWith("grace", [newKey()])],
    rootQuorum: { threshold: 1, userIds: ["ada"] },
  });
  const seconds = nowMs / 1000;
  const nonce = nonceFor(key.publicKey);
  const token = newToken({ sub: "ada", nonce, iat: seconds, exp: seconds + 600 });
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const made = createApiKeyStamp({ privateKey: key.privateKey, scheme }, body);
  const { signature } = JSON.parse(Buffer.from(made, "base64url").toString()) as {
    signature: string;
  };
  const attested = "STAMP_ATTESTED_SCHEME_P256_OIDC";
  const { publicKey } = key;
  const members = { publicKeyAttestation: token, scheme: attested, publicKey, signature };
  const header = { name: "X-Stamp-Attested", value: JSON.stringify(members) };
  const verdicts = new Map([[tokenName(token), true]]);
  const organization = createOrganization(document, () => []);
  const parent = createOrganization({ ...document, parentOrganizationId: null }, () => []);
  const registrations = createRegistrations({ origins, verdicts, nowMs });
  const readToken = () => null;
  const attestations = { document, nowMs, readToken, registrations, parent, namesParent: false };
  const stamp = parseStamp(header, true);
  return { organization, attestations, stamp, token, publicKey, signature };
}

test("a key that a token attests authenticates the user of the token, and its vote shows how", () => {
  const { organization, attestations, stamp, token, publicKey, signature } = newSocialLogin();
  const given = { stamp, body, organization, sessions: [], stampKeys, origins, nowMs };
  const known = {
    session: null,
    credential: { id: "social", publicKey, type: "CREDENTIAL_TYPE_OAUTH_KEY_P256" },
  };
  const who = authenticated({ ...given, attestations });
  expect(who).toMatchObject({ ...known, user: { userId: "ada" } });
  expect(who.stamp).toStrictEqual({
    publicKey,
    scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC",
    signature,
    attestationDigest: createHash("sha256").update(token).digest("hex"),
  });
  expect(findLongLived(organization, stamp)).toMatchObject({ ...known, user: { userId: "ada" } });
  const named = { ...given, attestations: { ...attestations, namesParent: true } };
  expect(reasonOf(() => authenticated(named))).toEqual(["UNAUTHENTICATED", "CREDENTIAL_NOT_FOUND"]);
  const changed = { ...given, attestations, body: encodeUtf8("{}") };
  expect(reasonOf(() => authenticated(changed))).toEqual(["UNAUTHENTICATED", "STAMP_INVALID"]);
});

test("a key that a token attests authenticates nobody where such stamps do not count, or are about nobody", () => {
  const { organization, attestations, stamp } = newSocialLogin();
  const given = { stamp, body, sessions: [], stampKeys, origins, nowMs };
  expect(() => authenticated({ ...given, organization })).toThrow(
    "malformed activity stamp: `X-Stamp-Attested` stamps only start a session, with stamp_login; stamp other requests with the key of the session in `X-Stamp`",
  );
  expect(reasonOf(() => authenticated({ ...given, organization }))).toEqual([
    "UNAUTHENTICATED",
    "STAMP_MALFORMED",
  ]);
  const others = organizationOf(userWith("grace", [newKey()]));
  const asked = { ...given, attestations, organization: others };
  expect(reasonOf(() => authenticated(asked))).toEqual(["UNAUTHENTICATED", "CREDENTIAL_NOT_FOUND"]);
  expect(() => authenticated(asked)).toThrow(
    `no user of the organization, or of one of its sub-organizations, has the verified contact or the social login that the stamp attests; a social login that was only stated counts if you name the sub-organization itself organizationId=${organizationId}`,
  );
});

test("the key of a recovery mail is told what it is for", () => {
  expect(onlyRecovers()).toMatchObject({
    code: "PERMISSION_DENIED",
    reason: "REQUEST_NOT_AUTHORIZED",
    message:
      "request not authorized: the key of a recovery mail stamps recover_user for its own user, and nothing else",
  });
});

test.each([
  ["API_KEY_CURVE_P256", "CREDENTIAL_TYPE_API_KEY_P256"],
  ["API_KEY_CURVE_SECP256K1", "CREDENTIAL_TYPE_API_KEY_SECP256K1"],
  ["API_KEY_CURVE_ED25519", "CREDENTIAL_TYPE_API_KEY_ED25519"],
] as const)("an API key of %s is a credential of type %s", (curve, type) => {
  expect(credentialTypeOfCurve(curve)).toBe(type);
});
