import { decodeBase64Url, encodeUtf8, isWellFormed } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { fingerprint as fingerprintOf } from "@keyhearth/crypto/stamps/fingerprint";
import { STAMP_SCHEMES, verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { parseWebAuthnStamp, verifyWebAuthnStamp } from "@keyhearth/crypto/webauthn/webauthn";
import { asObject } from "../errors/as-object.ts";
import { Unverified } from "../errors/errors.ts";
import type { Activity, Vote } from "../generated/types.ts";

/** The facts about an activity that a decision on it needs; every `Activity` has them. */
export type PendingActivity = Pick<Activity, "id" | "organizationId" | "fingerprint"> & {
  votes: readonly Pick<Vote, "message" | "publicKey" | "signature" | "scheme">[];
};

/** A request, read from bytes whose stamp has been verified. */
export type VerifiedRequest = {
  activityId: string;
  type: string;
  organizationId: string;
  timestampMs: string;
  parameters: Record<string, unknown>;
  /** Computed from the bytes, not taken from the service. */
  fingerprint: string;
  /** The key that stamped the request. Only the service says whose key it is. */
  publicKey: string;
  /** The request's body, character for character. */
  body: string;
};

/** A request, read from bytes that hash to the fingerprint. Nobody has verified who stamped them. */
export type RequestToReject = Omit<VerifiedRequest, "publicKey">;

/** Decides whether to approve a request. Unless it returns true, nothing is sent. */
export type Decide = (request: VerifiedRequest) => boolean | Promise<boolean>;

/** Decides whether to reject a request. Unless it returns true, nothing is sent. */
export type DecideToReject = (request: RequestToReject) => boolean | Promise<boolean>;

/**
 * The request that started an activity, read only from the bytes in its first vote. Throws
 * `Unverified` unless the bytes hash to the fingerprint and have a valid stamp in the vote. `docsUrl` is
 * the page that the error names.
 */
export function verifyStampedRequest(shown: PendingActivity, docsUrl?: string): VerifiedRequest {
  const { activity, vote, bytes, ...read } = readBytes(shown, docsUrl);
  if (!isStampValid(activity, vote, bytes)) {
    throw unverified(activity, "the stamp on the original request is not valid");
  }
  return { ...requestIn(activity, { vote, ...read }), publicKey: vote.publicKey };
}

/**
 * The same without the stamp, for a rejection: some stamps only the signer can verify, and ending a request needs no more
 * than to know that it is this one.
 */
export function readRequest(shown: PendingActivity, docsUrl?: string): RequestToReject {
  const { activity, ...read } = readBytes(shown, docsUrl);
  return requestIn(activity, read);
}

/** The bytes of the first vote, which hash to the fingerprint. */
function readBytes(shown: PendingActivity, docsUrl: string | undefined) {
  const { id = "without an id", votes } = asObject(shown);
  const page = /^https?:/.test(String(docsUrl)) ? docsUrl : undefined;
  const activity = { ...shown, id, docsUrl: page };
  const vote = Array.isArray(votes) ? activity.votes[0] : undefined;
  if (typeof vote?.message !== "string")
    throw unverified(activity, "it has no vote that shows the original request");
  if (!isWellFormed(vote.message)) throw unverified(activity, "the request is not text");
  const bytes = encodeUtf8(vote.message);
  const fingerprint = fingerprintOf(bytes);
  if (fingerprint !== activity.fingerprint) {
    throw unverified(activity, "the request that the service shows does not match the fingerprint");
  }
  return { activity, vote, bytes, fingerprint };
}

function requestIn(
  activity: Shown,
  { vote, fingerprint }: { vote: PendingActivity["votes"][number]; fingerprint: string },
): RequestToReject {
  const { type, organizationId, timestampMs, parameters } = envelope(activity, vote.message);
  if (organizationId !== activity.organizationId) {
    throw unverified(activity, "the request names another organization");
  }
  return {
    activityId: activity.id,
    type,
    organizationId,
    timestampMs,
    parameters,
    fingerprint,
    body: vote.message,
  };
}

type Shown = PendingActivity & { docsUrl: string | undefined };

function isStampValid(
  activity: Shown,
  { publicKey, signature, ...vote }: PendingActivity["votes"][number],
  bytes: Uint8Array,
): boolean {
  // A passkey signs more than the message, so the vote has its whole stamp.
  if (vote.scheme === PASSKEY_SCHEME) return isPasskeyStampValid(publicKey, signature, bytes);
  const scheme = STAMP_SCHEMES.find((known) => known === vote.scheme);
  if (!scheme) throw unverified(activity, `a stamp of \`${vote.scheme}\` cannot be verified here`);
  return verifyApiKeyStamp({ publicKey, scheme, signature }, bytes);
}

function isPasskeyStampValid(publicKey: string, stamp: string, bytes: Uint8Array): boolean {
  try {
    return verifyWebAuthnStamp(parseWebAuthnStamp(stamp), bytes, decodeBase64Url(publicKey));
  } catch {
    return false;
  }
}

const PASSKEY_SCHEME = "SIGNATURE_SCHEME_TK_WEBAUTHN";

function envelope(activity: Shown, body: string) {
  const value = parse(activity, body);
  if (
    isObject(value) &&
    typeof value.type === "string" &&
    typeof value.organizationId === "string" &&
    typeof value.timestampMs === "string" &&
    isObject(value.parameters)
  ) {
    const { type, organizationId, timestampMs, parameters } = value;
    return { type, organizationId, timestampMs, parameters };
  }
  throw unverified(activity, "the request is not an envelope of a submission");
}

function parse(activity: Shown, body: string): unknown {
  try {
    return parseStrictJson(body);
  } catch (cause) {
    throw unverified(activity, "the request is ambiguous", cause);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unverified({ id, docsUrl }: Shown, reason: string, cause?: unknown): Unverified {
  const message = `Activity ${id} cannot be verified: ${reason}. Do not approve it, and ask its requester what they sent`;
  return new Unverified(message, { code: "UNVERIFIED", cause, docsUrl });
}
