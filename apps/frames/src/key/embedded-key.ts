import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { Encrypted } from "@keyhearth/crypto/sealing/hpke";
import { openWithHeldKey } from "@keyhearth/crypto/sealing/open-bundle";
import { Refusal } from "../channel/refusal.ts";
import { agree } from "./p256.ts";
import { type StoredKey, updateKey } from "./store.ts";

const HOURS_48_MS = 48 * 60 * 60 * 1000;
const ECDH = { name: "ECDH", namedCurve: "P-256" };

/**
 * The key that bundles for this frame are encrypted to. It is read for each use, so that a reset in one tab counts in all.
 */
export class EmbeddedKey {
  readonly #name: string;
  readonly #announce: (publicKey: string) => void;
  /** What the embedding page knows. */
  #announced = "";
  /** Made since this page was loaded, so that nobody knows it yet. */
  #fresh = "";

  constructor(name: string, announce: (publicKey: string) => void) {
    this.#name = name;
    this.#announce = announce;
  }

  /** The public key in hex, of a key that is made if there is none. */
  async init(): Promise<string> {
    const kept = await this.#read();
    if (kept) return this.#know(kept);
    const made = await newKey();
    // If two tabs make a key at once, both use the one that was stored first.
    const now = await updateKey(this.#name, (old) => (isCurrent(old) ? old : made));
    if (now === made) this.#fresh = made.publicKey;
    return this.#know(now ?? made);
  }

  /** How long a key lasts that was made for this page. Anything but a number of milliseconds above 0 changes nothing. */
  async setTtl(ttlMs: unknown) {
    if (typeof ttlMs !== "number" || !Number.isFinite(ttlMs) || ttlMs <= 0) return;
    await updateKey(this.#name, (old) =>
      old && old.publicKey === this.#fresh ? { ...old, expiresAtMs: Date.now() + ttlMs } : old,
    );
  }

  /** The public key in hex, or no text if there is none. */
  async get(): Promise<string> {
    const kept = await this.#read();
    return kept ? this.#know(kept) : "";
  }

  /** Deletes it. From then on nothing opens what was encrypted to it. */
  async reset() {
    await updateKey(this.#name, () => undefined);
    this.#announced = "";
  }

  /** Replaces it by a new one, and announces that. */
  async renew() {
    const made = await newKey();
    await updateKey(this.#name, () => made);
    this.#announce(this.#know(made));
  }

  /** Opens what was encrypted to the key that was announced last. */
  async open(encrypted: Encrypted): Promise<Uint8Array> {
    const kept = await this.#read();
    if (!kept && this.#announced === "") {
      throw new Refusal(
        "this frame has no key, because it was reset; send INIT_EMBEDDED_KEY, and request the bundle for the new key",
      );
    }
    if (!kept || kept.publicKey !== this.#announced) {
      this.#announce(await this.init());
      throw new Refusal(
        "the key of this frame has expired or was replaced, maybe in another tab; request the bundle for the new key, which the frame has announced",
      );
    }
    return openWithHeldKey(encrypted, {
      publicKey: decodeHex(kept.publicKey),
      agree: (point) => agree(kept.privateKey, point),
    });
  }

  /** An expired key is deleted when it is read. */
  #read(): Promise<StoredKey | undefined> {
    return updateKey(this.#name, (old) => (isCurrent(old) ? old : undefined));
  }

  #know({ publicKey }: StoredKey): string {
    this.#announced = publicKey;
    return publicKey;
  }
}

function isCurrent(key: StoredKey | undefined): key is StoredKey {
  return key !== undefined && key.expiresAtMs > Date.now();
}

async function newKey(): Promise<StoredKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ECDH, false, ["deriveBits"]);
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  return { publicKey: encodeHex(point), privateKey, expiresAtMs: Date.now() + HOURS_48_MS };
}
