import { createHash } from "node:crypto";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestClient,
} from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  allow,
  expectDenied,
  expectStrangersRefused,
  refusal,
  submit,
} from "../organization.testing.ts";
import {
  newCodeFamily,
  offerCodes,
  signLogin,
  signMessage,
  tokenIdOf,
  verifiedToken,
} from "../otps.testing.ts";

type Family = Awaited<ReturnType<typeof newCodeFamily>>;

/** A token of the parent for the sub-organization's user, and what logs in with it. */
async function newToken(given?: Family) {
  const family = given ?? (await newCodeFamily(await newOrganization()));
  const { server, root, parents, email } = family;
  const key = newKey();
  const verificationToken = await verifiedToken(server, root, { contact: email, key });
  const session = newKey();
  const { publicKey } = session;
  const logIn = (more: object = {}, client: TestClient = parents) =>
    client.otpLogin({
      verificationToken,
      publicKey,
      clientSignature: signLogin(key, verificationToken, publicKey),
      ...more,
    });
  return { ...family, key, verificationToken, session, logIn };
}

const tokenInvalid = (text: string) => ({
  httpStatus: 400,
  code: "VERIFICATION_TOKEN_INVALID",
  field: "parameters.verificationToken",
  message: expect.stringContaining(text),
});
const signatureInvalid = { httpStatus: 400, code: "CLIENT_SIGNATURE_INVALID" };

test("a parent's token logs in the sub-organization's user who has the contact", async () => {
  const { server, subOrganizationId, adaId, verificationToken, session, logIn } = await newToken();
  const { session: jwt } = await logIn();
  expect(JSON.parse(atob(jwt.split(".")[1] ?? ""))).toEqual({
    exp: expect.any(Number),
    public_key: session.publicKey,
    session_type: "SESSION_TYPE_READ_WRITE",
    user_id: adaId,
    organization_id: subOrganizationId,
    proof_digest: createHash("sha256").update(verificationToken).digest("hex"),
  });
  const client = clientOf(server, subOrganizationId, session);
  expect(await client.whoami()).toMatchObject({ userId: adaId });
  expect((await client.getApiKeys({ userId: adaId })).apiKeys[1]).toMatchObject({
    credential: { type: "CREDENTIAL_TYPE_LOGIN", publicKey: session.publicKey },
    expirationSeconds: "900",
  });
});

test("a login writes no document, and a token can be used again with a key of its own", async () => {
  const { server, subOrganizationId, verificationToken, key, logIn } = await newToken();
  const versionNow = async () => {
    const text = "SELECT version FROM organizations WHERE organization_id = $1::uuid";
    return (await server.store.run("", text, [subOrganizationId]))[0]?.version;
  };
  const before = await versionNow();
  await logIn();
  const { publicKey } = newKey();
  await logIn({ publicKey, clientSignature: signLogin(key, verificationToken, publicKey) });
  expect(await versionNow()).toBe(before);
});

test("a parent's user whose key is in a session too may do what the session's user may", async () => {
  const family = await newToken();
  const { server, subOrganizationId, own, ownKey, adaId, logIn } = family;
  const child = {
    server,
    organizationId: subOrganizationId,
    root: own,
    rootKey: ownKey,
    userId: adaId,
  };
  const bob = await addUser(child, "Bob");
  await allow(child, bob.userId, ["AUTH", "CREATE"]);
  const clerk = await addUser(family, "Clerk");
  const clerks = clientOf(server, subOrganizationId, clerk.key);
  expect(await refusal(logIn({}, clerks))).toMatchObject({ code: "POLICY_DENIED" });
  await bob.client.stampLogin({ publicKey: clerk.key.publicKey });
  await logIn({}, clerks);
});

test("without the signature of the token's key over this request there is no login", async () => {
  const { parents, key, verificationToken, session, logIn } = await newToken();
  const { publicKey } = session;
  const stolen = newKey().publicKey;
  const tokenId = tokenIdOf(verificationToken);
  const wrong = [
    signLogin(newKey(), verificationToken, publicKey),
    signLogin(key, verificationToken, stolen),
    { ...signLogin(newKey(), verificationToken, publicKey), publicKey: key.publicKey },
    signMessage(key, JSON.stringify({ signupV2: {}, tokenId, type: "USAGE_TYPE_SIGNUP" })),
  ];
  for (const clientSignature of wrong) {
    expect(await refusal(logIn({ clientSignature }))).toMatchObject(signatureInvalid);
  }
  expect(await refusal(logIn({ publicKey: stolen }))).toMatchObject(signatureInvalid);
  for (const type of ["ACTIVITY_TYPE_OTP_LOGIN", "ACTIVITY_TYPE_OTP_LOGIN_V2"]) {
    const parameters = { verificationToken, publicKey };
    const request = submit(parents, "otp_login", { type, parameters });
    const { httpStatus, field } = await refusal(request);
    expect({ httpStatus, field }).toEqual({ httpStatus: 400, field: "parameters.clientSignature" });
  }
});

test("the first version needs no signature, if the token names no key", async () => {
  const { server, root, parents, email, adaId, subOrganizationId } = await newToken();
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: email, appName: "Example" } as const;
  const { otpId } = await root.initOtp(contact);
  const { codeOf } = await import("../otps.testing.ts");
  const otpCode = await codeOf(server, root.organizationId, otpId);
  const verified = await submit(root, "verify_otp", {
    type: "ACTIVITY_TYPE_VERIFY_OTP",
    parameters: { otpId, otpCode },
  });
  const { verifyOtpResult } = verified.result as { verifyOtpResult: { verificationToken: string } };
  const { verificationToken } = verifyOtpResult;
  const key = newKey();
  const { publicKey } = key;
  const parameters = { verificationToken, publicKey };
  const newest = { type: "ACTIVITY_TYPE_OTP_LOGIN_V2" };
  const clientSignature = signLogin(key, verificationToken, publicKey);
  const signed = submit(parents, "otp_login", {
    ...newest,
    parameters: { ...parameters, clientSignature },
  });
  expect(await refusal(signed)).toMatchObject(signatureInvalid);
  await submit(parents, "otp_login", { type: "ACTIVITY_TYPE_OTP_LOGIN", parameters });
  expect(await clientOf(server, subOrganizationId, key).whoami()).toMatchObject({ userId: adaId });
});

test("a sub-organization's own token counts there and not in its parent", async () => {
  const family = await newCodeFamily(await newOrganization());
  const { server, own, root, email, userId } = family;
  const key = newKey();
  const verificationToken = await verifiedToken(server, own, { contact: email, key });
  const { publicKey } = newKey();
  const clientSignature = signLogin(key, verificationToken, publicKey);
  const asked = { verificationToken, publicKey, clientSignature };
  await root.updateUser({ userId, userEmail: email, userTagIds: [] });
  expect(await refusal(root.otpLogin(asked))).toMatchObject(tokenInvalid("another organization"));
  const sibling = await newCodeFamily(family);
  await sibling.own.updateUser({ userId: sibling.adaId, userEmail: email, userTagIds: [] });
  const refused = await refusal(sibling.parents.otpLogin(asked));
  expect(refused).toMatchObject(tokenInvalid("another organization"));
  await own.otpLogin(asked);
});

test("nobody else is logged in: not another contact, nor one that two users have", async () => {
  const { own, adaId, logIn, email } = await newToken();
  const [grace] = (
    await own.createUsers({
      users: [
        {
          userName: "Grace",
          userEmail: email,
          apiKeys: [
            { apiKeyName: "own", publicKey: newKey().publicKey, curveType: "API_KEY_CURVE_P256" },
          ],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    })
  ).userIds;
  expect(await refusal(logIn())).toMatchObject({
    httpStatus: 400,
    message: expect.stringContaining("more than one user has the email address"),
  });
  await own.deleteUsers({ userIds: [grace ?? ""] });
  await own.updateUser({ userId: adaId, userEmail: "other@example.com", userTagIds: [] });
  expect(await refusal(logIn())).toMatchObject({ httpStatus: 404 });
});

test("a log-out ends the tokens from before", async () => {
  const { own, adaId, logIn } = await newToken();
  await logIn();
  await own.logOutEverywhere({ userId: adaId });
  expect(await refusal(logIn())).toMatchObject(tokenInvalid("when the user's sessions were ended"));
});

test("a token ends after its time, and organizations that offer no codes accept none", async () => {
  const server = await startTestServer();
  try {
    const { own, logIn } = await newToken(await newCodeFamily(await newOrganization(server)));
    const name = "FEATURE_NAME_OTP_EMAIL_AUTH";
    await own.removeOrganizationFeature({ name });
    expect(await refusal(logIn())).toMatchObject({ httpStatus: 403, code: "FEATURE_DISABLED" });
    await own.setOrganizationFeature({ name });
    await logIn();
    server.clock.offsetMs += 3_600_000;
    expect(await refusal(logIn())).toMatchObject({ httpStatus: 400 });
  } finally {
    await server.stop();
  }
});

test("a text that is no token is refused", async () => {
  const { logIn, verificationToken } = await newToken();
  const changed = verificationToken.replace(/.{8}$/, "AAAAAAAA");
  for (const text of ["", "a.b.c", changed]) {
    const refused = await refusal(logIn({ verificationToken: text }));
    expect(refused).toMatchObject(tokenInvalid("is not a verification token of this service"));
  }
});

test("a user without permission and strangers log nobody in", async () => {
  const organization = await newOrganization();
  await offerCodes(organization);
  const { server, root, userId } = organization;
  const contact = "root@example.com";
  await root.updateUser({ userId, userEmail: contact, userTagIds: [] });
  const key = newKey();
  const verificationToken = await verifiedToken(server, root, { contact, key });
  const { publicKey } = newKey();
  const clientSignature = signLogin(key, verificationToken, publicKey);
  const asked = { verificationToken, publicKey, clientSignature };
  const grace = await addUser(organization);
  await expectDenied(grace.client.otpLogin(asked));
  await expectStrangersRefused(organization, (client) => client.otpLogin(asked));
  await root.otpLogin(asked);
});
