import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding";
import { parseStrictJson } from "@keyhearth/crypto/json";
import type { SessionClaims } from "@keyhearth/crypto/session-token";
import { exactly, integerFrom, literal, matching, uuid } from "@keyhearth/crypto/shape";

/** What the signer states about the session of a login. */
export type VerifiedSession = {
  organizationId: string;
  userId: string;
  /** The key that stamps the session's requests: 33 bytes in hex, compressed. */
  publicKey: string;
  expiresAtMs: number;
};

const isHeader = /* @__PURE__ */ exactly<{ alg: "ES256"; typ: "JWT" }>({
  alg: /* @__PURE__ */ literal("ES256"),
  typ: /* @__PURE__ */ literal("JWT"),
});

const isClaims = /* @__PURE__ */ exactly<SessionClaims>({
  exp: /* @__PURE__ */ integerFrom(0),
  public_key: /* @__PURE__ */ matching(/^0[23][0-9a-f]{64}$/),
  session_type: /* @__PURE__ */ literal("SESSION_TYPE_READ_WRITE"),
  user_id: uuid,
  organization_id: uuid,
});

/**
 * What a session's JWT (RFC 7519) states, or undefined if it is something else. The caller has verified
 * the signature, which is over the SHA-256 digest of what a JWT signs, and hashes that digest again.
 */
export function parseSession(jwt: string): VerifiedSession | undefined {
  const [header = "", payload = "", , ...rest] = jwt.split(".");
  if (rest.length > 0) return undefined;
  try {
    const claims = parse(payload);
    if (!isHeader(parse(header)) || !isClaims(claims)) return undefined;
    const { organization_id: organizationId, user_id: userId, public_key: publicKey } = claims;
    return { organizationId, userId, publicKey, expiresAtMs: claims.exp * 1000 };
  } catch {
    return undefined;
  }
}

function parse(segment: string): unknown {
  return parseStrictJson(decodeUtf8(decodeBase64Url(segment)), { maxDepth: 1 });
}
