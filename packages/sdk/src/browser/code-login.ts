import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { pageOf } from "../connection/answers.ts";
import { asObject } from "../errors/as-object.ts";
import { type InvalidField, Unverified } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { ClientSignature } from "../generated/types.ts";
import { newP256Key, type P256Key, signP256, utf8, verifyP256 } from "../stampers/p256-key.ts";
import { attestedStamper } from "./attested-stamp.ts";
import { fromBase64Url, objectFromBase64Url } from "./base64.ts";
import {
  checkBackend,
  checkKeeper,
  loginAnswer,
  loginOf,
  type Session,
  type SessionRequest,
} from "./session.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import { logInWithStamp } from "./stamped-login.ts";

/** Whom a code is sent to: an email address, or a phone number in E.164 form. */
export type Contact = { otpType: "OTP_TYPE_EMAIL" | "OTP_TYPE_SMS"; contact: string };

/** A code that was sent, and to whom. It is plain data, so a page can keep it across a reload. */
export type SentCode = { otpId: string; otpEncryptionTargetBundle: string } & Contact;

/** What a login by code asks your server to send, stamped with an API key of your organization. */
export type CodeBackend = {
  /** Sends `init_otp` to your organization. Add the `appName`, and limit how often people may ask. */
  initOtp(contact: Contact): Promise<Omit<SentCode, keyof Contact>>;
  /** Sends `verify_otp` to your organization. */
  verifyOtp(request: {
    otpId: string;
    encryptedOtpBundle: string;
  }): Promise<{ verificationToken: string }>;
  /**
   * Sends `otp_login` to the sub-organization of whoever has the contact. If it returns the id of that
   * sub-organization, no session of another one is accepted. Without this function, the page logs in itself,
   * with the verification token as its credential: then the organization that the keeper names must be the
   * sub-organization or its parent, and the contact must be verified.
   */
  otpLogin?(request: {
    verificationToken: string;
    publicKey: string;
    clientSignature: ClientSignature;
    expirationSeconds?: string;
    invalidateExisting?: boolean;
  }): Promise<{ session: string; organizationId?: string }>;
};

/** Sends a code. People then type it, and `logInWithCode` takes it. */
export async function sendCode(backend: CodeBackend, contact: Contact): Promise<SentCode> {
  checkBackend(backend, "initOtp");
  const { otpType, contact: to } = asObject(contact);
  const answer = asObject(await backend.initOtp({ otpType, contact: to }));
  const { otpId, otpEncryptionTargetBundle } = answer;
  return { otpId, otpEncryptionTargetBundle, otpType, contact: to };
}

/**
 * Logs in with a code that `sendCode` sent. Your server never sees the code: it is encrypted to the
 * signer. An error of your functions is passed on. If it says that the code is wrong, people may type the
 * code again. Throws `Unverified` if a key or a token is not the pinned signer's, or proves another contact.
 */
export async function logInWithCode(
  keeper: SessionKeeper,
  backend: CodeBackend,
  login: { code: string; sent: SentCode } & SessionRequest,
): Promise<Session> {
  const { code, sent, ...request } = asObject(login);
  const verified = await verifyCode(keeper, backend, { code, sent });
  const { key, verificationToken } = verified;
  if (!backend.otpLogin) return logInWithToken(keeper, verified, {}, request);
  const { publicKey } = key;
  const usage = { login: { publicKey }, tokenId: verified.tokenId, type: "USAGE_TYPE_LOGIN" };
  const answer = await backend.otpLogin({
    verificationToken,
    publicKey,
    clientSignature: await signUsage(key, usage),
    ...loginOf(request).parameters,
  });
  const { session, ...holder } = loginAnswer(answer);
  return keeper.start(key, session, { ...holder, proof: verificationToken }, request);
}

/** A key, and the token of the pinned signer that names it. */
export type Verified = { key: P256Key; verificationToken: string; tokenId: string };

/**
 * Exchanges a code for a token of a new key. `organizationId` is the organization that sent the code, if the page knows
 * it: with a server of yours, it need not be the one that the keeper names.
 */
export async function verifyCode(
  keeper: SessionKeeper,
  backend: Pick<CodeBackend, "verifyOtp">,
  { code, sent, organizationId }: { code: string; sent: SentCode; organizationId?: string },
): Promise<Verified> {
  checkKeeper(keeper);
  checkBackend(backend, "verifyOtp");
  checkCode(code, sent);
  const { verificationPublicKey, baseUrl } = keeper.options;
  if (!verificationPublicKey) throw noVerificationKey();
  const key = await newP256Key(keeper.storage);
  const { otpId } = sent;
  const pinned = { key, verificationPublicKey, baseUrl };
  const encryptedOtpBundle = await encryptCode(code.trim(), sent, pinned);
  const { verificationToken } = asObject(await backend.verifyOtp({ otpId, encryptedOtpBundle }));
  const proven = { ...sent, organizationId };
  return { key, verificationToken, tokenId: await readToken(verificationToken, pinned, proven) };
}

function checkCode(code: string, sent: SentCode) {
  const given: Record<string, unknown> = { ...sent, code };
  const missing = ["code", "otpId", "otpEncryptionTargetBundle", "otpType", "contact"].filter(
    (name) => typeof given[name] !== "string",
  );
  if (missing.length === 0) return;
  const message = "is missing: pass the code as text, and what sendCode returned as sent";
  const fieldOf = (name: string) => (name === "code" ? name : `sent.${name}`);
  throw invalidFields(...missing.map((name) => ({ field: fieldOf(name), message })));
}

/** Logs in with the token as the credential of its key. */
export function logInWithToken(
  keeper: SessionKeeper,
  { key, verificationToken }: Verified,
  at: { organizationId?: string },
  request: SessionRequest,
): Promise<Session> {
  const stamper = attestedStamper(key, verificationToken, "VERIFICATION_TOKEN");
  return logInWithStamp(keeper, stamper, { key, ...at }, request);
}

type Pinned = { key: P256Key; verificationPublicKey: string; baseUrl: string };

async function encryptCode(
  code: string,
  { otpEncryptionTargetBundle }: SentCode,
  { key, verificationPublicKey, baseUrl }: Pinned,
): Promise<string> {
  const text = JSON.stringify({ otp_code: code, public_key: key.publicKey });
  // Loaded when it is needed: encrypting needs a curve.
  const { encryptToBundle, openOtpBundle } = await import("@keyhearth/crypto/sealing/open-bundle");
  try {
    const { targetPublic } = openOtpBundle(otpEncryptionTargetBundle, verificationPublicKey);
    return encryptToBundle(encodeUtf8(text), targetPublic);
  } catch (cause) {
    throw unverified("The key for this code", baseUrl, cause);
  }
}

/**
 * The id of a verification token (RFC 7519) that the pinned signer made for this key and contact. Anyone can enter a code
 * of their own for this key.
 */
async function readToken(
  token: string,
  { key, verificationPublicKey, baseUrl }: Pinned,
  asked: Contact & { organizationId: string | undefined },
): Promise<string> {
  if (typeof token !== "string") throw unverified("The answer of verifyOtp", baseUrl);
  const end = token.lastIndexOf(".");
  const [, payload = ""] = token.split(".");
  const signature = fromBase64Url(token.slice(end + 1));
  const claims = objectFromBase64Url(payload);
  const isSigned =
    signature?.length === 64 &&
    (await verifyP256(verificationPublicKey, utf8(token.slice(0, end)), signature));
  const { id, public_key, organization_id, ...proven } = claims ?? {};
  if (!isSigned || typeof id !== "string" || public_key !== key.publicKey) {
    throw unverified("The verification token of this login", baseUrl);
  }
  const { organizationId = organization_id } = asked;
  const isOfContact =
    proven.verification_type === asked.otpType &&
    asciiLowerCase(String(proven.contact)) === asciiLowerCase(asked.contact);
  if (isOfContact && organization_id === organizationId) return id;
  throw new Unverified(
    "The verification token of this login proves another contact than its code was sent to, so nobody was logged in",
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}

/** As the service compares addresses: only ASCII letters match in both cases. Phone numbers have none. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Spends the token for one use with its key, so that nobody else can use it. */
export async function signUsage(key: P256Key, usage: object): Promise<ClientSignature> {
  const { publicKey } = key;
  const message = JSON.stringify(usage);
  const signature = encodeHex(await signP256(key, message));
  return { publicKey, scheme: "CLIENT_SIGNATURE_SCHEME_API_P256", message, signature };
}

function noVerificationKey(): InvalidField {
  return invalidFields({
    field: "verificationPublicKey",
    message:
      "is missing: logins by code need it. Take it from /.well-known/keyhearth.json of your service",
  });
}

function unverified(what: string, baseUrl: string, cause?: unknown): Unverified {
  return new Unverified(
    `${what} is not by the pinned signer, so nobody was logged in. Compare verificationPublicKey with the one that your operator gave you`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED"), cause },
  );
}
