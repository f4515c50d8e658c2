import { type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Keyring } from "../vault/keyring.ts";

/**
 * The keyring of the frozen examples, which an older version of the service wrote. They are never
 * created again, because they would prove nothing then.
 */
export const frozenKeyring: Keyring = {
  epochs: [{ epoch: 1, macKey: filled(1), sealKey: filled(2) }],
  quorumSeed: filled(3),
  derivationKey: filled(4),
  keys: {
    bundle: filled(5),
    session: filled(6),
    verification: filled(7),
    receipt: filled(8),
    webhook: filled(9),
  },
};

export function frozenBytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

function filled(byte: number): SecretBytes {
  return secretBytes(new Uint8Array(32).fill(byte));
}
