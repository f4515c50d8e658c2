import type { Prove } from "../receipts/prove.ts";
import type { Handling } from "../records/handling.ts";
import type { User } from "../records/organization.ts";
import type { Sealed, SealedOwner } from "../vault/seal.ts";

/** What a handler brings to make, import and open keys. */
export type KeyTools = Handling & {
  /** The version of the document. */
  readonly documentVersion: number;
  /** The user who started the activity, from the current document of the organization or its parent. */
  readonly user: User;
  seal(owner: SealedOwner, plaintext: Uint8Array): Sealed;
  /** The caller wipes the result. */
  unseal(owner: SealedOwner, sealed: Sealed): Uint8Array;
  /** Names the key to which the user encrypts an import. */
  importBundle(targetPublicKey: Uint8Array): string;
  prove: Prove;
};
