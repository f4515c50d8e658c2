import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { VerificationClaims } from "@keyhearth/crypto/tokens/verification-token";
import type { KeyTools } from "../keys/tools.ts";
import type { PersonTools } from "../people/tools.ts";
import type { OrganizationDocument } from "../records/organization.ts";

/**
 * Everything that a handler can see and do: the facts of the request, the draft of what comes next, and five tools,
 * `write`, `keys`, `bundles`, `codes` and `tokens`.
 */
export type Context = KeyTools &
  PersonTools & {
    /** The parent's document, at least if users of the parent may send the request. */
    readonly parent: OrganizationDocument | null;
    readonly tokens: Tokens;
    readonly bundles: Bundles;
  };

/** Makes what is encrypted to the key of a client, or names the key to which a client encrypts. */
export type Bundles = KeyTools["bundles"] &
  PersonTools["bundles"] & {
    /** Encrypts a secret to the key of a client. */
    export(secret: SecretBytes, targetPublicKey: Uint8Array): string;
    /** Names the key to which a client encrypts a one-time code. */
    otp(targetPublicKey: Uint8Array): string;
  };

/** Makes what proves something to anyone who gets it. */
export type Tokens = PersonTools["tokens"] & {
  /** Makes a verification token. Its id says that it was made at this time. */
  create(atMs: number, claims: Omit<VerificationClaims, "id">): string;
  /** The token of an invitation of this organization. The caller wipes the result. */
  ofInvitation(invitation: { invitationId: string; salt: string }): Uint8Array;
};
