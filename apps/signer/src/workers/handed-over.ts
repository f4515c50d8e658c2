import { wipe } from "@keyhearth/crypto/encoding/bytes";
import { openBytes, type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Keyring } from "@keyhearth/engine/vault/keyring";

// Secrets between the threads of a signer. Their bytes leave a thread only in buffers of their own, which are handed over
// with the message, so no other copy is left on the way.

/** Bytes of a secret, to be handed over. The secret stays as it is. */
export function toHandOver(secret: SecretBytes): Uint8Array<ArrayBuffer> {
  return new Uint8Array(openBytes(secret));
}

/** Bytes of a secret that nobody else needs, to be handed over. */
export function takenToHandOver(secret: SecretBytes): Uint8Array<ArrayBuffer> {
  const bytes = toHandOver(secret);
  wipe(secret);
  return bytes;
}

/** A secret that was handed over. */
export function received(bytes: Uint8Array): SecretBytes {
  return secretBytes(bytes);
}

/** The keyring with each of its secrets replaced. */
export function mapKeyring(keyring: Keyring, map: (secret: SecretBytes) => SecretBytes): Keyring {
  const { epochs, quorumSeed, derivationKey, keys } = keyring;
  const { bundle, session, verification, receipt, webhook } = keys;
  return {
    epochs: epochs.map(({ epoch, macKey, sealKey }) => ({
      epoch,
      macKey: map(macKey),
      sealKey: map(sealKey),
    })),
    quorumSeed: map(quorumSeed),
    derivationKey: map(derivationKey),
    keys: {
      bundle: map(bundle),
      session: map(session),
      verification: map(verification),
      receipt: map(receipt),
      webhook: map(webhook),
    },
  };
}
