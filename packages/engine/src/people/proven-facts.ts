import type { ClientSignature } from "../fields/schemas.ts";
import { type Contact, contactOf } from "../records/contacts.ts";
import type { Identity } from "../records/organization.ts";
import { checkClientSignature, type Usage } from "./client-signatures.ts";
import { isMadeFor, type OidcClaims } from "./oidc-tokens.ts";
import type { VerifiedCode } from "./verification-tokens.ts";

// Anyone can state somebody's contact or identity, and anyone who has seen a token can send it. So a token
// proves a fact for a request only if the holder of the key that it names asks for this request, or if the
// organization that will be named later has decided.

const proof = Symbol("proof");

/** A fact that is proven for this request. Only this file makes one. */
export type Proven<F extends Contact | Identity> = { readonly fact: F; readonly [proof]: true };

/** The stamp that started the activity, as its vote shows it. Votes after it prove nothing. */
export type StartedBy = {
  readonly publicKey: string;
  readonly scheme: string;
  readonly signature: string;
  /** SHA-256, in hex, of the token that attests the key. The signature doesn't cover the token. */
  readonly attestationDigest?: string | undefined;
};

/** Who asks for a social login. The parent asks for that of the only root user of a new sub-organization. */
export type Asker = Pick<StartedBy, "publicKey"> | "parent" | "nobody";

/** Null if another key started the activity, or if the token names none: then the contact is only stated. */
export function proveContact(
  code: VerifiedCode,
  { publicKey }: Pick<StartedBy, "publicKey">,
): Proven<Contact> | null {
  return code.publicKey === publicKey ? proven(contactOf(code)) : null;
}

/**
 * The contact of somebody whom a parent makes the root user of a new sub-organization: the key that the token
 * names must have signed that user. Without such a key, the parent's word counts. The signature says nothing
 * about other root users, who could decide there alone. So with others the contact is only stated: null.
 */
export function proveContactOfSignup(
  code: VerifiedCode,
  given: { signature: ClientSignature | undefined; field: string },
  usage: Usage,
  isOnlyRootUser: boolean,
): Proven<Contact> | null {
  checkClientSignature(given, code, usage);
  return isOnlyRootUser ? proven(contactOf(code)) : null;
}

/** Null if the token was made for a different key from that of the stamp: then the identity is only stated. */
export function proveIdentity(claims: OidcClaims, asker: Asker): Proven<Identity> | null {
  const isBound = asker === "parent" || (asker !== "nobody" && isMadeFor(claims, asker.publicKey));
  const { issuer, audience, subject } = claims;
  return isBound ? proven({ issuer, audience, subject }) : null;
}

function proven<F extends Contact | Identity>(fact: F): Proven<F> {
  return { fact, [proof]: true };
}
