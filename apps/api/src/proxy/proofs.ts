import { randomUUID } from "node:crypto";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import {
  readVerificationToken,
  type VerificationClaims,
} from "@keyhearth/crypto/tokens/verification-token";
import { ApiError, invalid, shorten } from "@keyhearth/engine/errors";
import { unshown } from "@keyhearth/engine/fields/parse";
import { MAX_OIDC_TOKEN_LENGTH } from "@keyhearth/engine/fields/schemas";
import { identityIn } from "@keyhearth/engine/people/oidc-tokens";
import type { Identity } from "@keyhearth/engine/records/organization";
import * as z from "zod";
import { TryLater } from "../errors.ts";
import { turnOfProxy } from "../fairness/proxy-turn.ts";
import type { Host } from "../host/host.ts";
import { type Fact, findAccounts } from "../store/accounts.ts";
import { countSends, type Send, takeBackSends } from "../store/code-sends.ts";
import { identityLookup } from "../store/lookups.ts";
import { findIdentity } from "../submission/asks.ts";
import type { Configuration } from "./configuration.ts";
import type { Tools } from "./define.ts";
import { Undecided } from "./undecided.ts";

// What a caller proves before anything is looked up for them. The core verifies the same again.

const token = (most: number, description: string) =>
  z
    .string()
    .min(1, "must not be empty")
    .max(most, `must have at most ${most} characters`)
    .describe(description)
    .register(unshown, {});

export const Token = token(4096, "Token of a code that was typed, from `otp_verify_v2`.");
export const IdToken = token(MAX_OIDC_TOKEN_LENGTH, "ID token of an OpenID provider.");
export const FilterValue = token(
  MAX_OIDC_TOKEN_LENGTH,
  "The contact, ID token, public key or credential id.",
);

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
  claims: VerificationClaims,
): Promise<string[]> {
  const sought = { ...factOfContact(claims), nowMs: host.now() };
  return findAccounts(host.store.db, organizationId, sought);
}

/** By what the account is found in which the contact is verified. */
export function factOfContact({
  verification_type: type,
  contact: value,
}: VerificationClaims): Fact {
  return { kind: type === "OTP_TYPE_EMAIL" ? "VERIFIED_EMAIL" : "VERIFIED_PHONE_NUMBER", value };
}

/** In which accounts the social login of a token is proven. */
export async function accountsOfIdToken(
  tools: Tools,
  oidcToken: string,
  field: string,
): Promise<string[]> {
  const { host, configuration } = tools;
  const fact = await factOfIdToken(tools, oidcToken, field);
  const sought = { ...fact, nowMs: host.now() };
  return findAccounts(host.store.db, configuration.organizationId, sought);
}

/** By what the account is found in which the social login of a token is proven. The signer verifies the token first. */
export async function factOfIdToken(
  { host, configuration, takeIssuer }: Tools,
  oidcToken: string,
  field: string,
): Promise<Fact> {
  const { issuer } = assertAudience(configuration, oidcToken, field);
  const leave = takeIssuer(issuer);
  try {
    const turn = turnOfProxy(configuration.organizationId);
    const identity = await findIdentity(host, turn, oidcToken);
    return { kind: "VERIFIED_OIDC_TOKEN", value: identityLookup(identity) };
  } finally {
    leave();
  }
}

/** Tokens that the person gave to another application say nothing here. The signer verifies the rest. */
export function assertAudience(
  { settings: { oauthClientIds } }: Configuration,
  oidcToken: string,
  field: string,
): Identity {
  const clients = Object.values(oauthClientIds);
  // Of several audiences, it is the one that asked for the token (decision 13).
  const identity = identityIn(oidcToken);
  if (identity && clients.includes(identity.audience)) return identity;
  const given = identity ? `is for \`${shorten(identity.audience)}\`` : "has no audience";
  throw invalid(
    field,
    `invalid OIDC token: \`${field}\` ${given}, which is not in the \`oauthClientIds\` of this login proxy`,
    "OIDC_TOKEN_INVALID",
  );
}

const DAY_MS = 86_400_000;

/**
 * A proof logs in once, whichever process is asked: the database counts it. Its signature does not, because one signature
 * has several forms. Only who may log in with it uses it up, so this comes after everything that can be checked here. A
 * login that was refused has not used it. One of which nobody knows whether it was committed has.
 */
export async function useOnce<T>(
  host: Host,
  { organizationId }: Configuration,
  proof: string,
  logIn: () => Promise<T>,
): Promise<T> {
  const signed = proof.slice(0, proof.lastIndexOf("."));
  const send = claimOf(organizationId, "login proxy", signed);
  if (!(await claim(host, [send], DAY_MS))) {
    throw new ApiError(
      "ALREADY_EXISTS",
      "ACTIVITY_ALREADY_EXECUTED",
      "this proof has logged in already: verify a new code, or log in at the provider again",
    );
  }
  try {
    return await logIn();
  } catch (error) {
    if (isRefusal(error)) await takeBack(host, [send]);
    throw error;
  }
}

/** Whether the core has decided that nothing happens, now or later. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError) || error instanceof Undecided) return false;
  return !["UNAVAILABLE", "INTERNAL"].includes(error.code);
}

/** How long a sign-up under way keeps others out, if its process ends in between. */
const SIGN_UP_MS = 60_000;
const LONGEST_WAIT_MS = 3000;
const PAUSE_MS = 150;

/**
 * Signs up while nobody else does with one of these facts, whichever process is asked: otherwise two requests at once both
 * find that nobody has an account. The database decides who is first of several processes. Of one process, only the first asks
 * it, and the others wait in line.
 */
export async function whileAlone<T>(
  { host, configuration: { organizationId }, turns, takeWaiting }: Tools,
  facts: readonly string[],
  { assertNew, signUp }: { assertNew: () => Promise<void>; signUp: () => Promise<T> },
): Promise<T> {
  const sends = [...new Set(facts)].map((fact) => claimOf(organizationId, "sign-up", fact));
  const { turn, leave } = turns.join(sends.map(({ recipientHash }) => recipientHash));
  const giveUp = AbortSignal.timeout(LONGEST_WAIT_MS);
  let stopWaiting: (() => void) | null = null;
  try {
    if (turn) {
      stopWaiting = takeWaiting();
      await waitFor(turn, giveUp);
    }
    // For those who have an account, nothing is written.
    await assertNew();
    while (!(await claim(host, sends, SIGN_UP_MS))) {
      stopWaiting ??= takeWaiting();
      await waitFor(new Promise((resolve) => setTimeout(resolve, PAUSE_MS)), giveUp);
    }
    stopWaiting?.();
    try {
      await assertNew();
      return await signUp();
    } finally {
      await takeBack(host, sends);
    }
  } finally {
    stopWaiting?.();
    leave();
  }
}

/** Throws once the signal is given. */
async function waitFor(event: Promise<unknown>, giveUp: AbortSignal) {
  const given = Promise.withResolvers<never>();
  const refuse = () =>
    given.reject(
      new TryLater(
        "UNAVAILABLE",
        "CONFLICT",
        "a sign-up with the same contact, social login or credential is under way; try again in a few seconds",
        2,
      ),
    );
  if (giveUp.aborted) refuse();
  giveUp.addEventListener("abort", refuse);
  try {
    await Promise.race([event, given.promise]);
  } finally {
    giveUp.removeEventListener("abort", refuse);
  }
}

/** What cannot be taken back now ends by itself, and the answer is known already. */
async function takeBack(host: Host, sends: readonly Send[]) {
  await takeBackSends(host.store, sends).catch((error: unknown) =>
    host.log.warn({ err: error }, "a claim of the login proxy was not taken back"),
  );
}

function claimOf(organizationId: string, purpose: string, text: string): Send {
  const recipientHash = encodeHex(sha256(encodeUtf8(`${purpose}\n${text}`)));
  return { organizationId, recipientHash, id: randomUUID(), count: "own" };
}

/** All of them, or none. */
function claim(host: Host, sends: readonly Send[], withinMs: number): Promise<boolean> {
  const windows = { own: [{ most: 1, withinMs }] };
  return countSends(host.store, { sends, nowMs: host.now() }, windows);
}
