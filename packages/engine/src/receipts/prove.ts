import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { canonicalJson } from "@keyhearth/crypto/encoding/canonical";
import { signP256 } from "@keyhearth/crypto/primitives";
import type { AddressProof } from "../records/wallet-account.ts";
import type { QuorumKeys } from "../vault/quorum-key.ts";

/** Signs a statement of the core, which anyone can check with the quorum public key. */
export type Prove = (
  type: string,
  member: string,
  statement: Record<string, unknown>,
) => AddressProof;

export function createProver({ signKey, publicKey }: QuorumKeys, nowMs: number): Prove {
  return (type, member, statement) => {
    const proofPayload = canonicalJson({ type, timestampMs: String(nowMs), [member]: statement });
    return {
      scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
      publicKey,
      proofPayload,
      // Nobody compares repeated statements, so random nonces are fine, and faster.
      signature: encodeHex(signP256(signKey, encodeUtf8(proofPayload))),
    };
  };
}
