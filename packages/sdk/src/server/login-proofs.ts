import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import {
  readVerificationToken,
  type VerificationClaims,
} from "@keyhearth/crypto/tokens/verification-token";
import { listSuborgs, listVerifiedSuborgs } from "../calls/generated/calls.ts";
import type { LoginSettings } from "./login-options.ts";
import { ProxyRefusal } from "./refusal.ts";

// What a page proves before anything is looked up for it. The service and its core verify the same again.

/** What a token says that the service signed for this organization and for a key, and that has not expired. */
export function claimsOf(
  { connection, verificationKey }: LoginSettings,
  token: unknown,
): VerificationClaims {
  const claims = verificationKey && readVerificationToken(String(token), verificationKey);
  const isGood =
    claims?.organization_id === connection.organizationId &&
    Number(claims.exp) > Date.now() &&
    claims.public_key !== "";
  if (claims && isGood) return claims;
  throw new ProxyRefusal(
    "VERIFICATION_TOKEN_INVALID",
    "invalid verification token: it is not one that this organization gave for a key, or it has expired; verify a new code",
    "verificationToken",
  );
}

/** The account in which the contact is verified, if there is one. */
export async function accountOfContact(
  { connection }: LoginSettings,
  { verification_type: type, contact: filterValue }: VerificationClaims,
): Promise<string | undefined> {
  const filterType = type === "OTP_TYPE_EMAIL" ? "EMAIL" : "PHONE_NUMBER";
  return (await listVerifiedSuborgs(connection, { filterType, filterValue })).organizationIds[0];
}

/** The account in which the social login of a token is proven. The service verifies the token. */
export async function accountOfIdToken(
  settings: LoginSettings,
  filterValue: string,
  field: string,
): Promise<string | undefined> {
  assertAudience(settings, filterValue, field);
  const filter = { filterType: "OIDC_TOKEN", filterValue } as const;
  return (await listVerifiedSuborgs(settings.connection, filter)).organizationIds[0];
}

/** Who has the public key. It is known only to those who have it or have seen it used. */
export async function accountOfKey(
  { connection }: LoginSettings,
  publicKey: string,
): Promise<string | undefined> {
  const filterValue = publicKey.replace(/^0x/, "").toLowerCase();
  const found = await listSuborgs(connection, { filterType: "PUBLIC_KEY", filterValue });
  return found.organizationIds[0];
}

/** Who has the passkey. */
export async function accountOfPasskey(
  { connection }: LoginSettings,
  filterValue: string,
): Promise<string | undefined> {
  const found = await listSuborgs(connection, { filterType: "CREDENTIAL_ID", filterValue });
  return found.organizationIds[0];
}

/** A token that somebody gave to another application says nothing here. */
function assertAudience({ oauthClientIds }: LoginSettings, token: string, field: string) {
  const audience = audienceOf(token);
  if (audience !== undefined && Object.values(oauthClientIds).includes(audience)) return;
  throw new ProxyRefusal(
    "OIDC_TOKEN_INVALID",
    `invalid OIDC token: \`${field}\` is not for one of the \`oauthClientIds\` of this handler`,
    field,
  );
}

function audienceOf(token: string): string | undefined {
  try {
    const payload = decodeUtf8(decodeBase64Url(token.split(".")[1] ?? ""));
    const { aud } = Object(parseStrictJson(payload));
    return typeof aud === "string" ? aud : undefined;
  } catch {
    return undefined;
  }
}
