import { decodeUtf8, encodeHex, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256, randomBytes, sha256 } from "@keyhearth/crypto/primitives";
import type { Keyring } from "@keyhearth/engine/vault/keyring";
import { deriveSecret } from "@keyhearth/engine/vault/secrets";
import { newerThanThis, release } from "@keyhearth/outbound/release";
import type { Times } from "../marks/marks-store.ts";
import { SignerStateError } from "../state/state-error.ts";

/**
 * What signers of one installation share in etcd. Each value is JSON with an HMAC behind it, and names what it is, the
 * installation and its key, so that nobody without the keyring can make one, or put one in the place of another.
 */
export type Shared = {
  /** The group that was written last. */
  head: Head;
  /** Who decides, since the term with this number. */
  term: { number: number; holder: string };
  /** That the holder of a term is alive, and was at this time by its clock, when the head was there. */
  beat: { term: number; count: number; atMs: number; sequence: number; digest: string };
  /** To whom messages are sealed: its public key, in hex. */
  courier: { publicKey: string };
  /** How far one of the signers follows, and at what time by its clock. */
  member: { holder: string; sequence: number; atMs: number };
  group: Group;
};

/** The group that was written last, and the history that it ends: one that an operator began. */
export type Head = { history: string; sequence: number; digest: string };

/** Marks that moved together. */
export type Group = {
  sequence: number;
  /** The digest of the group before. Of the first one, that of the marks with which all began. */
  previous: string;
  term: number;
  /** By the clock of the signer that decided. */
  atMs: number;
  /** Entries of buckets, in base64. */
  entries: string;
  times?: Times;
};

const TAG_BYTES = 32;

/** Counted up if an earlier release would misunderstand what is shared. Values without a number are of the first form. */
const FORM = 1;

export type Seals = {
  seal<Kind extends keyof Shared>(kind: Kind, key: string, content: Shared[Kind]): Uint8Array;
  open<Kind extends keyof Shared>(kind: Kind, key: string, value: Uint8Array): Shared[Kind];
};

export function createSeals(
  keyring: Keyring,
  installationId: string,
  writer = { form: FORM, release },
): Seals {
  const secret = deriveSecret(keyring.derivationKey, "keyhearth.shared-marks.v1");
  return {
    seal(kind, key, content) {
      const text = encodeUtf8(JSON.stringify({ ...writer, kind, installationId, key, content }));
      const value = new Uint8Array(text.length + TAG_BYTES);
      value.set(text);
      value.set(hmacSha256(secret, text), text.length);
      return value;
    },
    open(kind, key, value) {
      const text = value.subarray(0, -TAG_BYTES);
      if (!equalBytes(hmacSha256(secret, text), value.subarray(-TAG_BYTES))) throw notOurs(key);
      const sealed = JSON.parse(decodeUtf8(text));
      if (sealed.kind !== kind || sealed.installationId !== installationId || sealed.key !== key) {
        throw notOurs(key);
      }
      if ((sealed.form ?? 1) > FORM) throw ofNewer(key, sealed.release);
      // `seal` wrote it, because its tag verifies.
      return sealed.content;
    },
  };
}

export function newHistory(): string {
  return encodeHex(randomBytes(8));
}

export function digestOf(value: Uint8Array): string {
  return encodeHex(sha256(value));
}

function ofNewer(key: string, by: unknown): SignerStateError {
  return new SignerStateError(
    `the value of ${key} in etcd ${newerThanThis(by === undefined ? null : String(by))}; upgrade this signer, so that all signers are of one release`,
  );
}

function notOurs(key: string): SignerStateError {
  return new SignerStateError(
    `the value of ${key} in etcd was not written there by a signer with this keyring; find out who writes to etcd, or use another cluster`,
  );
}
