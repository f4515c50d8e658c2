import type { Curve } from "@keyhearth/crypto/keys";
import type { Sealed } from "../keys/seal.ts";
import type { RecordKind } from "./kind.ts";
import type { AddressProof } from "./wallet.ts";

export type PrivateKey = {
  privateKeyId: string;
  curve: Curve;
  /** Hex; compressed for ECDSA curves. */
  publicKey: string;
  addresses: { format: string; address: string; proof: AddressProof }[];
  sealedKey: Sealed;
  createdAtMs: number;
};

export const privateKey: RecordKind<PrivateKey> = { type: "private-key", schema: 1, upcasts: {} };
