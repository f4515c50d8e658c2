import type { PrivateKey } from "@keyhearth/crypto/keys";
import type { VerificationClaims } from "@keyhearth/crypto/verification-token";
import type { UnsealableKey } from "../keys/key-holder.ts";
import type { KeyTools } from "../keys/tools.ts";
import type { PersonTools } from "../people/tools.ts";
import type { OrganizationDocument } from "../records/organization.ts";

/** Everything that a handler can see and do. */
export type Context = KeyTools &
  PersonTools & {
    /** The parent's document, at least if users of the parent may send the request. */
    readonly parent: OrganizationDocument | null;
    /** The private key of a key holder. It belongs to the core's cache: do not keep or wipe it. */
    privateKey(key: UnsealableKey): PrivateKey;
    /** Recognizes a seed in this organization. */
    seedDigest(seed: Uint8Array): string;
    /** Names the key to which a client encrypts a one-time code. */
    otpBundle(targetPublicKey: Uint8Array): string;
    /** The token of an invitation of this organization. The caller wipes the result. */
    invitationToken(invitation: { invitationId: string; salt: string }): Uint8Array;
    /** Encrypts a secret to the key of a client. */
    exportBundle(secret: Uint8Array, targetPublicKey: Uint8Array): string;
    /** Makes a verification token. Its id says that it was made at this time. */
    createToken(atMs: number, claims: Omit<VerificationClaims, "id">): string;
  };
