import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { isValidPrivateKey } from "@keyhearth/crypto/keys/keys";
import { hideMembers } from "@keyhearth/crypto/secret";

/**
 * The keys that the root key encrypts: epochs of symmetric keys, and a P-256 key for each kind of
 * signed message. Records are MACed and key material is sealed under the newest epoch. What was
 * written under an older one stays readable. It shows as `[secret]`.
 */
export type Keyring = {
  /** Ascending by `epoch`. The last one is current. */
  epochs: { epoch: number; macKey: Uint8Array; sealKey: Uint8Array }[];
  /** Master seed of the quorum key pair. */
  quorumSeed: Uint8Array;
  /** For ids and the tags of leaves. It never signs. */
  derivationKey: Uint8Array;
  keys: Record<KeyPurpose, Uint8Array>;
};

export type KeyPurpose = "bundle" | "session" | "verification" | "receipt" | "webhook";

const purposes: KeyPurpose[] = ["bundle", "session", "verification", "receipt", "webhook"];

export function createKeyring(random: (length: number) => Uint8Array): Keyring {
  return hideMembers({
    epochs: [{ epoch: 1, macKey: random(32), sealKey: random(32) }],
    quorumSeed: random(32),
    derivationKey: random(32),
    keys: {
      bundle: randomScalar(random),
      session: randomScalar(random),
      verification: randomScalar(random),
      receipt: randomScalar(random),
      webhook: randomScalar(random),
    },
  });
}

export function currentEpoch(keyring: Keyring) {
  const epoch = keyring.epochs.at(-1);
  if (!epoch) throw new Error("keyring without an epoch");
  return epoch;
}

/** Adds an epoch, which new records use. Older records stay readable. */
export function addEpoch(keyring: Keyring, random: (length: number) => Uint8Array): Keyring {
  const epoch = currentEpoch(keyring).epoch + 1;
  return hideMembers({
    ...keyring,
    epochs: [...keyring.epochs, { epoch, macKey: random(32), sealKey: random(32) }],
  });
}

/** The keyring as text. It is secret, and stored only encrypted under the root key. */
export function encodeKeyring(keyring: Keyring): string {
  return JSON.stringify({
    version: 1,
    epochs: keyring.epochs.map(({ epoch, macKey, sealKey }) => ({
      epoch,
      macKey: encodeHex(macKey),
      sealKey: encodeHex(sealKey),
    })),
    quorumSeed: encodeHex(keyring.quorumSeed),
    derivationKey: encodeHex(keyring.derivationKey),
    keys: Object.fromEntries(purposes.map((name) => [name, encodeHex(keyring.keys[name])])),
  });
}

export function decodeKeyring(text: string): Keyring {
  const value = JSON.parse(text);
  if (value.version !== 1) throw new Error("keyring of an unknown version");
  const key = (name: KeyPurpose) => {
    const bytes = decodeHex(value.keys[name]);
    if (!isValidPrivateKey("CURVE_P256", bytes)) throw new Error("keyring holds an invalid key");
    return bytes;
  };
  return hideMembers({
    epochs: value.epochs.map((entry: { epoch: number; macKey: string; sealKey: string }) => ({
      epoch: entry.epoch,
      macKey: decodeHex(entry.macKey),
      sealKey: decodeHex(entry.sealKey),
    })),
    quorumSeed: decodeHex(value.quorumSeed),
    derivationKey: decodeHex(value.derivationKey),
    keys: {
      bundle: key("bundle"),
      session: key("session"),
      verification: key("verification"),
      receipt: key("receipt"),
      webhook: key("webhook"),
    },
  });
}

function randomScalar(random: (length: number) => Uint8Array): Uint8Array {
  for (;;) {
    const bytes = random(32);
    if (isValidPrivateKey("CURVE_P256", bytes)) return bytes;
  }
}
