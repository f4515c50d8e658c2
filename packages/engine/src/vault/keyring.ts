import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { isValidPrivateKey } from "@keyhearth/crypto/keys/keys";
import { openBytes, type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import { randomPrivateKey, randomSecret } from "./secrets.ts";

/**
 * The keys that the root key encrypts: epochs of symmetric keys, and a P-256 key for each kind of
 * signed message. Records are MACed and key material is sealed under the newest epoch. What was
 * written under an older one stays readable.
 */
export type Keyring = {
  /** Ascending by `epoch`. The last one is current. */
  epochs: { epoch: number; macKey: SecretBytes; sealKey: SecretBytes }[];
  /** Master seed of the quorum key pair. */
  quorumSeed: SecretBytes;
  /** For ids and the tags of leaves. It never signs. */
  derivationKey: SecretBytes;
  keys: Record<KeyPurpose, SecretBytes>;
};

export type KeyPurpose = "bundle" | "session" | "verification" | "receipt" | "webhook";

const purposes: KeyPurpose[] = ["bundle", "session", "verification", "receipt", "webhook"];

export function createKeyring(random: (length: number) => Uint8Array): Keyring {
  const symmetric = () => randomSecret(32, { random });
  return {
    epochs: [{ epoch: 1, macKey: symmetric(), sealKey: symmetric() }],
    quorumSeed: symmetric(),
    derivationKey: symmetric(),
    keys: keysFrom(() => randomPrivateKey("CURVE_P256", { random })),
  };
}

export function currentEpoch(keyring: Keyring) {
  const epoch = keyring.epochs.at(-1);
  if (!epoch) throw new Error("keyring without an epoch");
  return epoch;
}

/** Adds an epoch, which new records use. Older records stay readable. */
export function addEpoch(keyring: Keyring, random: (length: number) => Uint8Array): Keyring {
  const epoch = currentEpoch(keyring).epoch + 1;
  const [macKey, sealKey] = [randomSecret(32, { random }), randomSecret(32, { random })];
  return { ...keyring, epochs: [...keyring.epochs, { epoch, macKey, sealKey }] };
}

/** The keyring as text. It is secret, and stored only encrypted under the root key. */
export function encodeKeyring(keyring: Keyring): string {
  return JSON.stringify({
    version: 1,
    epochs: keyring.epochs.map(({ epoch, macKey, sealKey }) => ({
      epoch,
      macKey: hexOf(macKey),
      sealKey: hexOf(sealKey),
    })),
    quorumSeed: hexOf(keyring.quorumSeed),
    derivationKey: hexOf(keyring.derivationKey),
    keys: Object.fromEntries(purposes.map((name) => [name, hexOf(keyring.keys[name])])),
  });
}

export function decodeKeyring(text: string): Keyring {
  const value = JSON.parse(text);
  if (value.version !== 1) throw new Error("keyring of an unknown version");
  const key = (name: KeyPurpose) => {
    const bytes = secretOf(value.keys[name]);
    if (!isValidPrivateKey("CURVE_P256", bytes)) throw new Error("keyring holds an invalid key");
    return bytes;
  };
  return {
    epochs: value.epochs.map((entry: { epoch: number; macKey: string; sealKey: string }) => ({
      epoch: entry.epoch,
      macKey: secretOf(entry.macKey),
      sealKey: secretOf(entry.sealKey),
    })),
    quorumSeed: secretOf(value.quorumSeed),
    derivationKey: secretOf(value.derivationKey),
    keys: keysFrom(key),
  };
}

function keysFrom(make: (purpose: KeyPurpose) => SecretBytes): Keyring["keys"] {
  // Invariant: the list has every purpose.
  return Object.fromEntries(purposes.map((name) => [name, make(name)])) as Keyring["keys"];
}

function hexOf(key: SecretBytes): string {
  return encodeHex(openBytes(key));
}

function secretOf(hex: string): SecretBytes {
  return secretBytes(decodeHex(hex));
}
