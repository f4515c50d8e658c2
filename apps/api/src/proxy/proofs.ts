import { randomUUID } from "node:crypto";
import {
  decodeBase64Url,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { sha256 } from "@keyhearth/crypto/primitives";
import {
  readVerificationToken,
  type VerificationClaims,
} from "@keyhearth/crypto/tokens/verification-token";
import { ApiError, invalid, shorten } from "@keyhearth/engine/errors";
import { unshown } from "@keyhearth/engine/fields/parse";
import { MAX_OIDC_TOKEN_LENGTH } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import type { Host } from "../host/host.ts";
import { findAccounts } from "../store/accounts.ts";
import { countSends } from "../store/code-sends.ts";
import { identityLookup } from "../store/lookups.ts";
import { findIdentity } from "../submission/asks.ts";
import type { Configuration } from "./configuration.ts";

// What a caller proves before anything is looked up for them. The core verifies the same again.

const token = (most: number) =>
  z
    .string()
    .min(1, "must not be empty")
    .max(most, `must have at most ${most} characters`)
    .register(unshown, {});

export const Token = token(4096);
export const IdToken = token(MAX_OIDC_TOKEN_LENGTH);

/** A token that this service signed for this organization, and that has not expired. */
export async function readToken(
  host: Host,
  { organizationId }: Configuration,
  token: string,
  field: string,
): Promise<VerificationClaims> {
  const claims = readVerificationToken(token, await host.verificationKey());
  const isGood =
    claims?.organization_id === organizationId &&
    Number(claims.exp) > host.now() &&
    claims.public_key !== "";
  if (claims && isGood) return claims;
  throw invalid(
    field,
    `invalid verification token: \`${field}\` is not one that this login proxy gave for a key, or it has expired: verify a new code`,
    "VERIFICATION_TOKEN_INVALID",
  );
}

/** In which accounts the contact is verified. */
export function accountsOfContact(
  host: Host,
  { organizationId }: Configuration,
  { verification_type: type, contact: value }: VerificationClaims,
): Promise<string[]> {
  const kind = type === "OTP_TYPE_EMAIL" ? "VERIFIED_EMAIL" : "VERIFIED_PHONE_NUMBER";
  return findAccounts(host.store.db, organizationId, { kind, value, nowMs: host.now() });
}

/** In which accounts the social login of a token is proven. The signer verifies the token first. */
export async function accountsOfIdToken(
  host: Host,
  configuration: Configuration,
  oidcToken: string,
  field: string,
): Promise<string[]> {
  const { organizationId } = configuration;
  assertAudience(configuration, oidcToken, field);
  const value = identityLookup(await findIdentity(host, organizationId, oidcToken));
  const sought = { kind: "VERIFIED_OIDC_TOKEN", value, nowMs: host.now() } as const;
  return findAccounts(host.store.db, organizationId, sought);
}

/** Tokens that the person gave to another application say nothing here. The signer verifies the rest. */
export function assertAudience(
  { settings: { oauthClientIds } }: Configuration,
  oidcToken: string,
  field: string,
) {
  const clients = Object.values(oauthClientIds);
  const audience = audienceOf(oidcToken);
  if (audience !== null && clients.includes(audience)) return;
  const given = audience === null ? "has no audience" : `is for \`${shorten(audience)}\``;
  throw invalid(
    field,
    `invalid OIDC token: \`${field}\` ${given}, which is not in the \`oauthClientIds\` of this login proxy`,
    "OIDC_TOKEN_INVALID",
  );
}

function audienceOf(token: string): string | null {
  try {
    const payload = decodeUtf8(decodeBase64Url(token.split(".")[1] ?? ""));
    const claims = parseStrictJson(payload) as { aud?: unknown };
    return typeof claims.aud === "string" ? claims.aud : null;
  } catch {
    return null;
  }
}

const DAY_MS = 86_400_000;

/**
 * A proof logs in once, whichever process is asked: the database counts it. Its signature does not, because one signature
 * has several forms. Only who may log in with it uses it up, so this comes after everything that can be checked here.
 */
export async function useOnce(host: Host, { organizationId }: Configuration, proof: string) {
  const signed = proof.slice(0, proof.lastIndexOf("."));
  const recipientHash = encodeHex(sha256(encodeUtf8(`login proxy\n${signed}`)));
  const send = { organizationId, recipientHash, id: randomUUID(), count: "own" } as const;
  const window = [{ most: 1, withinMs: DAY_MS }];
  const isFirst = await countSends(
    host.store,
    { sends: [send], nowMs: host.now() },
    { own: window },
  );
  if (isFirst) return;
  throw new ApiError(
    "ALREADY_EXISTS",
    "ACTIVITY_ALREADY_EXECUTED",
    "this proof has logged in already: verify a new code, or log in at the provider again",
  );
}
