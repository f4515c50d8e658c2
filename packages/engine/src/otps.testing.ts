import { randomInt, randomUUID } from "node:crypto";
import {
  clientOf,
  newKey,
  type TestClient,
  type TestKey,
  type TestOrganization,
  type TestServer,
} from "@keyhearth/api/testing";
import { decodeHex, decodeUtf8, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { signP256Raw } from "@keyhearth/crypto/keys/keys";
import { encryptToBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import type { CodeMessage, Message } from "./messages/message.ts";
import { messagesOf } from "./messages.testing.ts";

/** What the tests of one-time codes share: codes from the outbox, bundles and client signatures. */

export const OTP_FEATURES = ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"] as const;

/** Top-level organizations offer no logins by code until they say so. */
export async function offerCodes({ root }: Pick<TestOrganization, "root">) {
  for (const name of OTP_FEATURES) await root.setOrganizationFeature({ name });
}

/** A parent that offers codes, with a sub-organization whose user has an email address and a phone number. */
export async function newCodeFamily(family: TestOrganization) {
  await offerCodes(family);
  const ownKey = newKey();
  const email = `ada-${randomUUID()}@example.com`;
  const phone = `+1415${String(randomInt(1e7)).padStart(7, "0")}`;
  const { subOrganizationId, rootUserIds } = await family.root.createSubOrganization({
    subOrganizationName: `sub ${randomUUID()}`,
    rootUsers: [
      {
        userName: "Ada",
        userEmail: email,
        userPhoneNumber: phone,
        apiKeys: [
          { apiKeyName: "own", publicKey: ownKey.publicKey, curveType: "API_KEY_CURVE_P256" },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
  });
  return {
    ...family,
    subOrganizationId,
    /** The sub-organization's user. */
    adaId: rootUserIds?.[0] ?? "",
    /** The parent's user, for the sub-organization. */
    parents: clientOf(family.server, subOrganizationId, family.rootKey),
    /** The sub-organization's own user. */
    own: clientOf(family.server, subOrganizationId, ownKey),
    ownKey,
    email,
    phone,
  };
}

/** The messages with codes that wait in the outbox, the newest last. */
export async function codesOf(
  { store }: Pick<TestServer, "store">,
  organizationId: string,
): Promise<(Message & { content: CodeMessage })[]> {
  const messages = await messagesOf({ store }, organizationId);
  return messages.flatMap((message) =>
    message.kind === "email-code" || message.kind === "sms-code" ? [message] : [],
  );
}

/** The code that was sent with this id. */
export async function codeOf(
  server: Pick<TestServer, "store">,
  organizationId: string,
  otpId: string,
): Promise<string> {
  const messages = await codesOf(server, organizationId);
  const message = messages.find(({ content }) => content?.otpId === otpId);
  if (!message) throw new Error(`no message has the code ${otpId}`);
  return message.content.code;
}

/** What a client makes of a code, as released clients do it. */
export function encryptCode(code: string, bundle: string, publicKey: string): string {
  const { data } = JSON.parse(bundle) as { data: string };
  const { targetPublic } = JSON.parse(decodeUtf8(decodeHex(data))) as { targetPublic: string };
  const text = JSON.stringify({ otp_code: code, public_key: publicKey });
  return encryptToBundle(encodeUtf8(text), targetPublic);
}

export function tokenIdOf(verificationToken: string): string {
  return peekVerificationToken(verificationToken)?.id ?? "";
}

/** The signature with which a login spends a token. */
export function signLogin(key: TestKey, verificationToken: string, publicKey: string) {
  const tokenId = tokenIdOf(verificationToken);
  const message = JSON.stringify({ login: { publicKey }, tokenId, type: "USAGE_TYPE_LOGIN" });
  return signMessage(key, message);
}

export function signMessage(key: TestKey, message: string) {
  return {
    publicKey: key.publicKey,
    scheme: "CLIENT_SIGNATURE_SCHEME_API_P256" as const,
    message,
    signature: encodeHex(signP256Raw(encodeUtf8(message), decodeHex(key.privateKey))),
  };
}

/** Sends a code to a contact and verifies it, both in the client's organization. */
export async function verifiedToken(
  server: TestServer,
  client: TestClient,
  { contact, key }: { contact: string; key: TestKey },
): Promise<string> {
  const otpType = contact.startsWith("+") ? "OTP_TYPE_SMS" : "OTP_TYPE_EMAIL";
  const sent = await client.initOtp({ otpType, contact, appName: "Example" });
  const code = await codeOf(server, client.organizationId, sent.otpId);
  const encryptedOtpBundle = encryptCode(code, sent.otpEncryptionTargetBundle, key.publicKey);
  const { verificationToken } = await client.verifyOtp({ otpId: sent.otpId, encryptedOtpBundle });
  return verificationToken;
}
