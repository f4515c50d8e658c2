import { newKey, newOrganization } from "@keyhearth/api/testing";
import { offerMails } from "@keyhearth/engine/credential-mails.testing";
import { newToken, nonceFor } from "@keyhearth/engine/oidc.testing";
import {
  codeOf,
  encryptCode,
  newCodeFamily,
  signLogin,
  verifiedToken,
} from "@keyhearth/engine/otps.testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  ask,
  makePolicy,
  type Person,
  perform,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// A clerk who may log users in, but not one of them, names this user in every way that the API knows: by address,
// number, code and token, in any spelling.

let server: Attacked;
let victim: Victim;
let clerk: Person;
let ways: Record<string, () => Promise<Ask>>;
let ada: { userId: string; email: string; phone: string };

const { targetPublicKey } = createTargetKey();
const example = { emailCustomization: { appName: "Example" } };

beforeAll(async () => {
  server = await startAttackedServer();
  const organization = await newOrganization(server);
  await offerMails(organization);
  const family = await newCodeFamily(organization);
  const { subOrganizationId: organizationId, parents, own, ownKey, phone, adaId: userId } = family;
  victim = { organizationId, people: [{ userId, key: ownKey }] };
  clerk = await addUser(server, victim);
  const email = family.email.replace("ada", "Ada");
  await own.updateUser({ userId, userEmail: email });
  await own.createOauthProviders({
    userId,
    oauthProviders: [{ providerName: "Example", oidcToken: newToken({ sub: userId }) }],
  });
  ada = { userId, email, phone };
  ways = waysTo({ parents, email: email.toUpperCase() });
  const condition = "activity.resource in ['AUTH', 'OTP', 'RECOVERY']";
  const consensus = `approvers.any(user, user.id == '${clerk.userId}')`;
  await perform(server, victim, makePolicy("logins", "EFFECT_ALLOW", { condition, consensus }));
});

afterAll(() => server?.stop());

describe("a user whom nobody may log in", () => {
  test("is logged in and sent codes in every way, as long as no DENY says otherwise", async () => {
    for (const [way, attempt] of Object.entries(ways)) {
      const { status, message } = await ask(server, victim, await attempt(), clerk.key);
      expect({ way, status, message }).toEqual({ way, status: 200, message: undefined });
    }
  });

  test("is protected by a DENY about the user's id, however a request names the user", async () => {
    const attempts = await allAttempts();
    await withDeny(`activity.params.user_id == '${ada.userId}'`, async () => {
      for (const attempt of attempts) await expectDenied(attempt);
    });
  });

  test("is protected by a DENY about the stored contact, in any spelling and by code or token", async () => {
    const attempts = await allAttempts();
    const byContact = attempts.filter(([way]) => /code|token by code/.test(way));
    expect(byContact.length).toBeGreaterThan(5);
    const isContact = `activity.params.contact in ['${ada.email}', '${ada.phone}']`;
    await withDeny(isContact, async () => {
      for (const attempt of byContact) await expectDenied(attempt);
    });
    const byEmail = attempts.filter(([way]) => way.includes("email"));
    expect(byEmail).toHaveLength(3);
    await withDeny(`activity.params.email == '${ada.email}'`, async () => {
      for (const attempt of byEmail) await expectDenied(attempt);
    });
  });

  test("cannot be hidden behind a second user with the same contact in another spelling", async () => {
    const other = await addUser(server, victim);
    const [, phoneCode] = await Promise.all([
      ways["code to e-mail"]?.(),
      ways["code to phone"]?.(),
    ]);
    const share = { userEmail: ada.email.toLowerCase(), userPhoneNumber: ada.phone };
    await perform(server, victim, change(other.userId, share));
    for (const about of [
      `activity.params.user_id == '${ada.userId}'`,
      `activity.params.contact == '${ada.email}'`,
    ]) {
      await withDeny(about, async () => {
        const initOtp = await ways["code to e-mail"]?.();
        await expectDenied(["shared", initOtp as Ask]);
      });
    }
    const byPhone = `activity.params.contact == '${ada.phone}'`;
    await withDeny(byPhone, () => expectDenied(["shared phone", phoneCode as Ask]));
    const own = { userEmail: "other@example.com", userPhoneNumber: "+14155550199" };
    await perform(server, victim, change(other.userId, own));
  });

  test("does not stop codes for contacts of nobody", async () => {
    await withDeny(`activity.params.user_id == '${ada.userId}'`, async () => {
      const what = initOtp("init_otp", "OTP_TYPE_EMAIL", "newcomer@example.com");
      await perform(server, victim, what, clerk.key);
    });
  });
});

function waysTo({ parents, email }: { parents: Family["parents"]; email: string }) {
  const { organizationId } = victim;
  const { userId } = victim.people[0];
  const otpId = async () =>
    (await parents.initOtpAuth({ otpType: "OTP_TYPE_EMAIL", contact: email })).otpId;
  const token = (sub: string, publicKey: string) => newToken({ sub, nonce: nonceFor(publicKey) });
  return {
    "mail by email": async () =>
      request("email_auth", "_V2", { email, targetPublicKey, ...example }),
    "recovery by email": async () =>
      request("init_user_email_recovery", "", { email, targetPublicKey, ...example }),
    "session by email": async () =>
      request("create_read_write_session", "", { email, targetPublicKey }),
    "session by id": async () =>
      request("create_read_write_session", "_V2", { userId, targetPublicKey }),
    "login code to e-mail": async () => initOtp("init_otp_auth", "OTP_TYPE_EMAIL", email),
    "login code to phone": async () => initOtp("init_otp_auth", "OTP_TYPE_SMS", ada.phone),
    "code to e-mail": async () => initOtp("init_otp", "OTP_TYPE_EMAIL", email),
    "code to phone": async () => initOtp("init_otp", "OTP_TYPE_SMS", ada.phone),
    "key by login code": async () => {
      const id = await otpId();
      const otpCode = await codeOf(server, organizationId, id);
      return request("otp_auth", "", { otpId: id, otpCode, targetPublicKey });
    },
    "token by code": async () => {
      const { otpId, otpEncryptionTargetBundle: bundle } = await parents.initOtp({
        otpType: "OTP_TYPE_EMAIL",
        contact: email,
        appName: "Example",
      });
      const code = await codeOf(server, organizationId, otpId);
      const encryptedOtpBundle = encryptCode(code, bundle, newKey().publicKey);
      return request("verify_otp", "_V2", { otpId, encryptedOtpBundle });
    },
    "login with a token by code": async () => {
      const key = newKey();
      const verificationToken = await verifiedToken(server, parents, { contact: email, key });
      const { publicKey } = newKey();
      const clientSignature = signLogin(key, verificationToken, publicKey);
      return request("otp_login", "_V2", { verificationToken, publicKey, clientSignature });
    },
    "social login": async () => {
      const { publicKey } = newKey();
      return request("oauth_login", "", { oidcToken: token(userId, publicKey), publicKey });
    },
    "key by social login": async () =>
      request("oauth", "", { oidcToken: token(userId, targetPublicKey), targetPublicKey }),
  };
}

type Family = Awaited<ReturnType<typeof newCodeFamily>>;

function request(endpoint: string, version: string, parameters: Record<string, unknown>): Ask {
  return { endpoint, type: `ACTIVITY_TYPE_${endpoint.toUpperCase()}${version}`, parameters };
}

function initOtp(endpoint: "init_otp" | "init_otp_auth", otpType: string, contact: string): Ask {
  return request(endpoint, "_V3", { otpType, contact, appName: "Example" });
}

function change(userId: string, parameters: Record<string, unknown>): Ask {
  return request("update_user", "", { userId, ...parameters });
}

/** Made before there is a DENY, because some of them need a code that was sent. */
function allAttempts(): Promise<[string, Ask][]> {
  const entries = Object.entries(ways);
  return Promise.all(
    entries.map(async ([way, attempt]) => [way, await attempt()] as [string, Ask]),
  );
}

async function expectDenied([way, what]: [string, Ask]) {
  const { status, reason } = await ask(server, victim, what, clerk.key);
  expect({ way, status, reason }).toEqual({ way, status: 403, reason: "POLICY_DENIED" });
}

async function withDeny(condition: string, then: () => Promise<void>) {
  const reply = await perform(server, victim, makePolicy("not Ada", "EFFECT_DENY", { condition }));
  const { policyId } = reply.activity?.result.createPolicyResult ?? {};
  await then();
  await perform(server, victim, request("delete_policy", "", { policyId }));
}
