import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { isText } from "../errors/given-values.ts";

/** What the signer states about the session of a login. */
export type VerifiedSession = {
  organizationId: string;
  userId: string;
  /** The key that stamps the session's requests: 33 bytes in hex, compressed. */
  publicKey: string;
  expiresAtMs: number;
  /**
   * SHA-256, in hex, of what proved who logs in: the stamp, the verification token or the OIDC token. Tokens of older
   * services do not state it.
   */
  proofDigest?: string;
  /** SHA-256, in hex, of the token in `X-Stamp-Attested`, if the login had one. Tokens of older services do not state it. */
  attestationDigest?: string;
};

/** `{"alg":"ES256","typ":"JWT"}`, as the signer writes it. */
const HEADER = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9";

/**
 * What a session's JWT (RFC 7519) states, or undefined if it is something else. The caller has verified
 * the signature, which is over the SHA-256 digest of what a JWT signs, and hashes that digest again. So these
 * are the signer's own bytes, and any parser reads them alike.
 */
export function parseSession(jwt: string): VerifiedSession | undefined {
  const [header, payload = "", , ...rest] = jwt.split(".");
  if (header !== HEADER || rest.length > 0) return undefined;
  try {
    const claims: Record<string, unknown> = JSON.parse(decodeUtf8(decodeBase64Url(payload)));
    const { organization_id: organizationId, user_id: userId, public_key: publicKey, exp } = claims;
    if (claims.session_type !== "SESSION_TYPE_READ_WRITE") return undefined;
    if (!isText(organizationId, UUID) || !isText(userId, UUID)) return undefined;
    if (!isText(publicKey, /^0[23][0-9a-f]{64}$/)) return undefined;
    if (typeof exp !== "number" || !Number.isSafeInteger(exp) || exp < 0) return undefined;
    const { proof_digest: proofDigest, attestation_digest: attestationDigest } = claims;
    return {
      ...{ organizationId, userId, publicKey, expiresAtMs: exp * 1000 },
      ...(isText(proofDigest, DIGEST) && { proofDigest }),
      ...(isText(attestationDigest, DIGEST) && { attestationDigest }),
    };
  } catch {
    return undefined;
  }
}

const DIGEST = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
