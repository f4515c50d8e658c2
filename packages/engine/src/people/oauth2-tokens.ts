import {
  decodeBase64Url,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { signEd25519 } from "@keyhearth/crypto/keys/keys";
import { verifyEd25519 } from "@keyhearth/crypto/keys/verify";
import { sha256 } from "@keyhearth/crypto/primitives";
import { OAUTH2_PROVIDERS, type Oauth2Provider, shortNameOf } from "../fields/oauth2.ts";
import { isUuid } from "../fields/schemas.ts";
import type { Oauth2Key } from "../vault/oauth2-key.ts";

// Tokens about people of providers that only speak OAuth 2.0. The core makes them itself, once the signer has asked the
// provider who somebody is, and nobody else has the key (decision 13).

/** How long a token counts: as a session by default. */
export const OAUTH2_TOKEN_SECONDS = 900;

export type Oauth2Claims = {
  provider: Oauth2Provider;
  /** The organization whose credential it is. The token counts there and in its sub-organizations. */
  organizationId: string;
  clientId: string;
  /** The person, as the provider names them. */
  subject: string;
  nonce: string;
  /** The code that was exchanged. The host carries it, so the token says which one it answers. */
  authCode: string;
  /** When the provider was asked. */
  issuedAtMs: number;
  encryptedBearerToken?: string | undefined;
  /** The name of the request that was decided at once. None if votes decided. */
  request?: string | undefined;
};

const HEADER = encodeBase64Url(encodeUtf8(JSON.stringify({ alg: "EdDSA", typ: "JWT" })));

const PREFIX = "urn:keyhearth:oauth2:";

/**
 * The providers have numbers for people that may be the same, and an organization chooses which clients it has. So the
 * issuer names both: an identity of one never reads as that of another.
 */
function issuerOf({
  provider,
  organizationId,
}: Pick<Oauth2Claims, "provider" | "organizationId">): string {
  return `${PREFIX}${shortNameOf(provider)}:${organizationId}`;
}

/**
 * A token is as old as what the provider said: a host that sends the same bytes again would get a younger one otherwise, which
 * a log-out in between does not end.
 */
export function createOauth2Token(claims: Oauth2Claims, { key }: Oauth2Key): string {
  const iat = Math.floor(claims.issuedAtMs / 1000);
  const payload = {
    iss: issuerOf(claims),
    aud: claims.clientId,
    sub: claims.subject,
    nonce: claims.nonce,
    iat,
    exp: iat + OAUTH2_TOKEN_SECONDS,
    auth_code_digest: encodeHex(sha256(encodeUtf8(claims.authCode))),
    ...(claims.request !== undefined && { jti: claims.request }),
    ...(claims.encryptedBearerToken !== undefined && {
      encrypted_bearer_token: claims.encryptedBearerToken,
    }),
  };
  const text = `${HEADER}.${encodeBase64Url(encodeUtf8(JSON.stringify(payload)))}`;
  return `${text}.${encodeBase64Url(signEd25519(encodeUtf8(text), key))}`;
}

/** Whether a token says that this service made it. No issuer of a list can have such a name, because those are URLs. */
export function saysOauth2({ issuer }: { issuer: string }): boolean {
  return issuer.startsWith(PREFIX);
}

/** The organization for which the token of such an issuer was made. */
export function organizationOfIssuer(issuer: string): string | undefined {
  const [provider = "", organizationId = "", ...rest] = issuer.slice(PREFIX.length).split(":");
  const isKnown = OAUTH2_PROVIDERS.some((each) => shortNameOf(each) === provider);
  return isKnown && rest.length === 0 && isUuid(organizationId) ? organizationId : undefined;
}

/** Whether this key signed the token. */
export function isOauth2Token(token: string, { publicKey }: Pick<Oauth2Key, "publicKey">): boolean {
  const end = token.lastIndexOf(".");
  if (!token.startsWith(`${HEADER}.`)) return false;
  try {
    const signature = decodeBase64Url(token.slice(end + 1));
    return verifyEd25519(publicKey, encodeUtf8(token.slice(0, end)), signature);
  } catch {
    return false;
  }
}
