import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { VerificationClaims } from "@keyhearth/crypto/tokens/verification-token";
import type { Message } from "../messages/message.ts";
import type { Handling } from "../records/handling.ts";
import type { Oauth2Claims } from "./oauth2-tokens.ts";
import type { Registrations } from "./passkey-registrations.ts";
import type { StartedBy } from "./proven-facts.ts";
import type { Codes } from "./waiting-codes.ts";

/** What a handler brings to make users, to log them in and to write to them. */
export type PersonTools = Handling & {
  /** The stamp that started the activity, however many votes came after it. */
  readonly startedBy: StartedBy;
  /** The passkeys that the activity registers. */
  readonly registrations: Registrations;
  /** The id of the sub-organization that a verification token makes, in whatever request. */
  newSignupId(tokenId: string): string;
  /** Whether the signer has seen the organization. */
  isKnown(organizationId: string): boolean;
  /** An id that differs in every run, for records with fresh key material. */
  newKeyId(name: string): string;
  /** The one-time codes that wait to be entered in the organization. */
  readonly codes: Codes;
  readonly bundles: {
    /** Encrypts the private key of a session to the key of a client. */
    credential(secret: SecretBytes, targetPublicKey: Uint8Array): string;
  };
  readonly tokens: {
    /** Signs the token of a session. */
    signSession(message: Uint8Array): Uint8Array;
  };
  /** What providers that only speak OAuth 2.0 need. */
  readonly oauth2: {
    /** Opens what a client encrypted to the quorum key. The caller wipes it. */
    openSecret(encrypted: Uint8Array): SecretBytes;
    /** Makes a token that says who somebody is. */
    createToken(claims: Omit<Oauth2Claims, "organizationId">): string;
  };
  /** What a verification token says. Null if this signer did not make it. */
  readToken(token: string): VerificationClaims | null;
  /** Sends a message once the proposal is committed. */
  send(message: Message): void;
};
