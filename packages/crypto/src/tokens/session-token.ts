import { sha256 } from "#primitives";
import { concatBytes, encodeBase64Url, encodeUtf8 } from "../encoding/bytes.ts";
import { canonicalJson } from "../encoding/canonical.ts";

// The two tokens of sessions. Both are signed with the signer's session key, over messages that cannot
// be confused: one is a digest of 32 bytes, the other begins with a long prefix.

/** Signs a message with P-256 and SHA-256. Returns r and s, 64 bytes. */
type Sign = (message: Uint8Array) => Uint8Array;

/** What a login tells its client. The key pair stays with the client, and stamps every request. */
export type SessionClaims = {
  /** In seconds. */
  exp: number;
  /** The compressed public key of the session, in hex. */
  public_key: string;
  session_type: "SESSION_TYPE_READ_WRITE";
  user_id: string;
  organization_id: string;
  /** SHA-256 of what proved who logs in, in hex. With it, the client sees that this is the answer to its own login. */
  proof_digest?: string;
  /** The same of the token in an attested stamp, which the proof doesn't cover. */
  attestation_digest?: string | undefined;
};

/**
 * A JWT about a session, which authenticates nobody. Its signature is over the SHA-256 digest of what
 * a JWT signs, and hashes that digest again: released clients verify it like this.
 */
export function createSessionJwt(claims: SessionClaims, sign: Sign): string {
  const { exp, public_key, session_type, user_id, organization_id, ...digests } = claims;
  // Released clients ignore the digests. Text in hex keeps the payload readable for those that decode it with `atob`.
  const payload = { exp, public_key, session_type, user_id, organization_id, ...digests };
  const text = `${segment({ alg: "ES256", typ: "JWT" })}.${segment(payload)}`;
  return `${text}.${encodeBase64Url(sign(sha256(encodeUtf8(text))))}`;
}

/** Who may read with a token, until when. It ends earlier with the user's session epoch. */
export type ReadOnlySession = {
  organizationId: string;
  userId: string;
  sessionEpoch: number;
  expiresAtMs: number;
};

const PREFIX = encodeUtf8("keyhearth.read-only-session.v1|");

/** The message that the signature of a read-only session is over. */
export function readOnlyMessage(payload: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, payload);
}

/** A token for queries: what it is about and a signature, both in base64url. */
export function createReadOnlySession(session: ReadOnlySession, sign: Sign): string {
  const payload = encodeUtf8(canonicalJson(session));
  return `${encodeBase64Url(payload)}.${encodeBase64Url(sign(readOnlyMessage(payload)))}`;
}

function segment(value: object): string {
  return encodeBase64Url(encodeUtf8(JSON.stringify(value)));
}
