import { decodeBase64Url, encodeBase64Url, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { isValidPrivateKey } from "@keyhearth/crypto/keys/keys";
import { parseEncrypted } from "@keyhearth/crypto/sealing/bundle";
import { hpkeDecrypt } from "@keyhearth/crypto/sealing/hpke";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { OtpType } from "@keyhearth/crypto/tokens/verification-token";
import { invalid, limitExceeded, notFound } from "../errors.ts";
import type { FeatureName } from "../fields/schemas.ts";
import type { Addressee, MessageStyle } from "../messages/message.ts";
import { asciiLowerCase, contactOf } from "../records/contacts.ts";
import { LIMITS } from "../records/limits.ts";
import type { User } from "../records/organization.ts";
import type { Otp } from "../records/otp.ts";
import { decodeSecret } from "../vault/secrets.ts";
import { contactEndedAtMs } from "./ended-users.ts";
import { type CodeForm, chanceOf, createCode, normalizeCode } from "./one-time-codes.ts";
import type { PersonTools } from "./tools.ts";
import { MAX_WRONG, type Outcome } from "./waiting-codes.ts";

// One-time codes: how they are sent, and what an attempt at one leads to.

/** The feature that an organization needs for codes of a type. */
export function featureOf(type: OtpType): FeatureName {
  return type === "OTP_TYPE_EMAIL" ? "FEATURE_NAME_OTP_EMAIL_AUTH" : "FEATURE_NAME_SMS_AUTH";
}

/** Whom a request for a code sends it. */
export function codeTo({ otpType, contact }: { otpType: OtpType; contact: string }): Addressee[] {
  return [{ kind: kindOf(otpType), recipient: contact }];
}

function kindOf(type: OtpType) {
  return type === "OTP_TYPE_EMAIL" ? "email-code" : "sms-code";
}

/**
 * Refuses a request for a code that is old. Codes are forgotten after ten minutes and with the signer's run, and
 * nothing else remembers the request: a host could have another code sent for the same bytes. What votes decided
 * is listed in the document until it ended.
 */
export function checkAskedRecently({ requestedAtMs, nowMs, isVoted }: PersonTools) {
  if (isVoted || nowMs - requestedAtMs < MAX_ASKED_MS) return;
  throw invalid(
    "timestampMs",
    "`timestampMs` is more than five minutes old, and a request for a code must be newer: stamp the request again; if it is refused again, check this machine's clock",
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** Half of the time for which a code is remembered: the timestamp may be ahead by the other half. */
const MAX_ASKED_MS = 5 * 60_000;

type NewOtp = Pick<Otp, "sentBy" | "type" | "contact" | "userId"> & {
  form: CodeForm;
  expirationSeconds: number;
  style: MessageStyle;
};

/** Sends a code to a contact. Returns its id. */
export function sendOtp(context: PersonTools, asked: NewOtp): string {
  const { sentBy, userId, type, contact, form, style } = asked;
  const { organizationId, document, codes, nowMs } = context;
  const otpId = context.newId("otp");
  const latestMs = nowMs + asked.expirationSeconds * 1000;
  const decided = context.isVoted
    ? { votedAs: listVoted(context, latestMs) }
    : { request: context.requestName() };
  const opened = codes.open(otpId, {
    contact: `${type} ${asciiLowerCase(contact)}`,
    expiresAtMs: latestMs,
    chance: chanceOf(form),
  });
  if (opened === null) {
    throw invalid(
      "parameters.contact",
      "Max number of OTPs have been initiated please wait and try again: too many codes wait to be entered in this organization, or too many wrong ones were entered for this contact; wait ten minutes, or a day after many wrong ones",
      "MAX_OTP_INITIATED",
    );
  }
  const { sentAtMs, expiresAtMs } = opened;
  if (expiresAtMs <= nowMs) throw refused("this request sent one before, which has expired");
  const code = createCode(form, (number) => secretOf(context, otpId, `code ${number}`));
  const place = { otpId, expiresAtMs };
  const codeHash = encodeBase64Url(codes.hash(place, code));
  const { run } = codes;
  context.write.otp({
    ...place,
    sentBy,
    userId,
    type,
    contact,
    codeHash,
    run,
    createdAtMs: sentAtMs,
    ...decided,
  });
  context.send({
    messageId: context.newId("otp/message"),
    kind: kindOf(type),
    recipient: contact,
    content: { organizationId, organizationName: document.organizationName, otpId, code, style },
    createdAtMs: sentAtMs,
    expiresAtMs,
  });
  return otpId;
}

/** Random, so that a code counts only with the commit that decided it, and not if the request is rejected instead. */
function listVoted(context: PersonTools, untilMs: number): string {
  const value = encodeBase64Url(context.random(9));
  const { document, nowMs } = context;
  const live = (document.votedCodes ?? []).filter((each) => each.untilMs > nowMs);
  if (live.length >= LIMITS.votedCodes) {
    throw limitExceeded(
      "parameters.contact",
      `${LIMITS.votedCodes} codes that votes decided wait to be entered in this organization: wait ten minutes, or let a policy allow such requests without votes`,
    );
  }
  context.update().votedCodes = [...live, { value, untilMs }];
  return value;
}

/** The private key to which clients encrypt the code. It is made again whenever it is needed. */
export function targetKeyOf(context: PersonTools, otpId: string): SecretBytes {
  for (let number = 0; ; number++) {
    const bytes = secretOf(context, otpId, `target key ${number}`);
    if (isValidPrivateKey("CURVE_P256", bytes)) return bytes;
  }
}

function secretOf({ codes }: PersonTools, otpId: string, purpose: string): SecretBytes {
  const secret = codes.secret(otpId, purpose);
  if (!secret) throw refused("it has expired");
  return secret;
}

/** A code that can still be entered, as far as its record says. */
export function findOtp(
  { records, codes, nowMs }: PersonTools,
  otpId: string,
  sentBy: Otp["sentBy"],
): Otp {
  const otp = records.otp(otpId);
  if (!otp || otp.sentBy !== sentBy) throw notFound("parameters.otpId", "OTP", otpId);
  if (otp.run !== codes.run) throw refused("it was sent before the signer last started");
  if (otp.expiresAtMs <= nowMs) {
    throw refused(`it expired at ${new Date(otp.expiresAtMs).toISOString()}`);
  }
  return otp;
}

/** The end of a user's sessions also ends the codes that were sent before. */
export function checkSentSince(
  moment: Pick<PersonTools, "document" | "nowMs">,
  { createdAtMs, ...otp }: Otp,
  { sessionEpochStartedAtMs }: User,
) {
  if (createdAtMs <= sessionEpochStartedAtMs) {
    throw refused("it was sent before the user's sessions were ended");
  }
  if (createdAtMs <= contactEndedAtMs(moment, contactOf(otp))) {
    throw refused("it was sent before a user lost the contact");
  }
}

/** Uses a code up. Returns when. Refuses a wrong code, which counts as an attempt. */
export function redeemOtp({ codes }: PersonTools, otp: Otp, typed: string): number {
  const outcome = codes.attempt(otp.otpId, () =>
    equalBytes(codes.hash(otp, normalizeCode(typed)), decodeBase64Url(otp.codeHash)),
  );
  if (outcome.kind === "right") return outcome.atMs;
  throw refusal(outcome);
}

function refusal(outcome: Exclude<Outcome, { kind: "right" }>) {
  switch (outcome.kind) {
    case "wrong": {
      const left = outcome.attemptsLeft;
      if (left === 0) return refused(`it is wrong, and locked after ${MAX_WRONG} wrong attempts`);
      const message = `Invalid OTP code: it is wrong; attempts left at this code: ${left}`;
      return invalid("parameters", message, "OTP_INVALID");
    }
    case "locked":
      return refused("it is locked after too many wrong attempts");
    case "used":
      return refused("it was used");
    case "unknown":
      return refused("it has expired");
  }
}

/** Clients look for the beginning of this text. */
function refused(why: string) {
  return invalid("parameters", `Invalid OTP code: ${why}; ask for a new code`, "OTP_INVALID");
}

/** What a client encrypted to the target key of a code. No message shows any of it. */
export function openOtpBundle(
  context: PersonTools,
  otpId: string,
  bundle: string,
): { code: string; publicKey: string } {
  const privateKey = targetKeyOf(context, otpId);
  let value: unknown;
  try {
    value = parseStrictJson(decodeSecret(hpkeDecrypt(privateKey, parseEncrypted(bundle))));
  } catch {
    throw bundleInvalid(
      "cannot be decrypted: encrypt to the key of the bundle that init_otp returned with this `otpId`",
    );
  }
  if (typeof value === "object" && value !== null && "otp_code" in value && "public_key" in value) {
    const { otp_code: code, public_key: publicKey } = value;
    if (typeof code === "string" && typeof publicKey === "string") return { code, publicKey };
  }
  throw bundleInvalid('must hold the JSON {"otp_code","public_key"} of two strings');
}

export function bundleInvalid(why: string) {
  const field = "parameters.encryptedOtpBundle";
  return invalid(field, `invalid encrypted bundle: \`${field}\` ${why}`, "BUNDLE_INVALID");
}
