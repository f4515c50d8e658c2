import type { Curve } from "@keyhearth/crypto/keys";
import type { Sealed } from "../keys/seal.ts";
import type { RecordKind } from "./kind.ts";

/** A wallet's seed, sealed. It never changes; name and flags are lines of the document. */
export type Wallet = {
  walletId: string;
  mnemonicLength: number;
  sealedEntropy: Sealed;
  /** The BIP-39 seed of the entropy, kept so that signing need not stretch it again. */
  sealedSeed: Sealed;
  createdAtMs: number;
};

export const wallet: RecordKind<Wallet> = { type: "wallet", schema: 1, upcasts: {} };

export type WalletAccount = {
  walletAccountId: string;
  walletId: string;
  curve: Curve;
  pathFormat: "PATH_FORMAT_BIP32";
  path: string;
  addressFormat: string;
  address: string;
  /** Hex; compressed for ECDSA curves. */
  publicKey: string;
  proof: AddressProof;
  createdAtMs: number;
};

/** Signed statement that this signer derived this address, verifiable offline. */
export type AddressProof = {
  scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";
  /** Encryption point and signing point of the quorum key, hex, 130 bytes. */
  publicKey: string;
  proofPayload: string;
  /** Hex, r and s, 64 bytes. */
  signature: string;
};

export const walletAccount: RecordKind<WalletAccount> = {
  type: "wallet-account",
  schema: 1,
  upcasts: {},
};
