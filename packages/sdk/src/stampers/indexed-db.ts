import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { InvalidCredential } from "../errors/errors.ts";
import { indexedDbStorage, type KeyStorage } from "./key-storage.ts";
import { newP256Key, type P256Key, stampWithP256 } from "./p256-key.ts";

export type IndexedDbStamperOptions = {
  /** For pages with several keys. Default: `default`. */
  name?: string;
  /** Where the key is kept. Default: the IndexedDB of this origin. */
  storage?: KeyStorage;
};

/**
 * Stamps with a P-256 key that the browser keeps for this origin. It survives reloads, and all tabs
 * share it. Scripts can use the key, but nothing can read its private half: register `publicKey` as an
 * API key, or as the key of a session.
 */
export class IndexedDbStamper implements Stamper {
  readonly #name: string;
  readonly #storage: KeyStorage;
  #publicKey: string;

  private constructor(name: string, storage: KeyStorage, publicKey: string) {
    this.#name = name;
    this.#storage = storage;
    this.#publicKey = publicKey;
  }

  /**
   * Opens the key that is kept under the name, or makes one. Throws `Unsupported` if the page may not
   * store keys, or has no WebCrypto.
   */
  static async open(options: IndexedDbStamperOptions = {}): Promise<IndexedDbStamper> {
    const { name = "default", storage = indexedDbStorage() } = asObject(options);
    const entry = `stamper:${name}`;
    const kept = await storage.read(entry);
    // If two tabs make a key at once, both use the one that was stored first.
    const key = kept ?? (await keep(storage, entry, (fresh) => (old) => old ?? fresh));
    return new IndexedDbStamper(entry, storage, key.publicKey);
  }

  /** The compressed public key in hex: P-256, 66 characters. */
  get publicKey(): string {
    return this.#publicKey;
  }

  /** Throws `InvalidCredential` if the key was deleted or replaced since, for example in another tab. */
  async stamp(body: string): Promise<{ name: string; value: string }> {
    const key = await this.#storage.read(this.#name);
    if (key?.publicKey === this.#publicKey) return stampWithP256(key, body);
    throw new InvalidCredential(
      "The key of this stamper was deleted or replaced, maybe in another tab. Open the stamper again with IndexedDbStamper.open, and register its public key",
      { code: "INVALID_CREDENTIAL" },
    );
  }

  /** Replaces the key by a new one. Returns the new public key, which nobody knows yet. */
  async reset(): Promise<string> {
    const key = await keep(this.#storage, this.#name, (fresh) => () => fresh);
    this.#publicKey = key.publicKey;
    return key.publicKey;
  }

  /** Deletes the key. From then on nothing can stamp with it. */
  async delete(): Promise<void> {
    await this.#storage.update(this.#name, () => undefined);
  }
}

async function keep(
  storage: KeyStorage,
  name: string,
  choose: (fresh: P256Key) => (old: P256Key | undefined) => P256Key,
): Promise<P256Key> {
  const fresh = await newP256Key(storage);
  const change = choose(fresh);
  return (await storage.update(name, (old) => ({ ...change(old) }))) ?? fresh;
}
