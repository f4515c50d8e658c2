import type { PrivateKey } from "@keyhearth/crypto/keys/keys";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Prove } from "../receipts/prove.ts";
import type { Handling } from "../records/handling.ts";
import type { User } from "../records/organization.ts";
import type { Sealed, SealedOwner } from "../vault/seal.ts";
import type { UnsealableKey } from "./key-holder.ts";

/** What a handler brings to make, import and open keys. */
export type KeyTools = Handling & {
  /** The version of the document. */
  readonly documentVersion: number;
  /** The user who started the activity, from the current document of the organization or its parent. */
  readonly user: User;
  readonly keys: Keys;
  readonly bundles: {
    /** Names the key to which the user encrypts an import. */
    import(targetPublicKey: Uint8Array): string;
  };
};

/** Opens and seals the keys of the organization. */
export type Keys = {
  seal(owner: SealedOwner, plaintext: SecretBytes): Sealed;
  /** The caller wipes the result. */
  unseal(owner: SealedOwner, sealed: Sealed): SecretBytes;
  /** The private key of a key holder. It belongs to the core's cache: do not keep or wipe it. */
  privateKey(key: UnsealableKey): PrivateKey;
  /** Recognizes a seed in this organization. */
  seedDigest(seed: SecretBytes): string;
  prove: Prove;
};
