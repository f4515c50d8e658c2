import { decodeHex, encodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf, signP256Raw } from "@keyhearth/crypto/keys/keys";
import { parseObject } from "../connection/answers.ts";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { InvalidCredential, Unsupported } from "../errors/errors.ts";
import { isText, shown } from "../errors/given-values.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { KeyEntry, KeyStorage } from "./key-storage.ts";
import { type HeldKey, type P256Key, stampWithP256 } from "./p256-key.ts";
import { checkRandomness } from "./randomness.ts";

/**
 * Where a phone keeps short texts encrypted, such as `expo-secure-store`. For `react-native-keychain`, `keychainStore` makes
 * one.
 */
export type SecureStore<Options extends object = object> = {
  getItemAsync(key: string, options?: Options): Promise<string | null>;
  setItemAsync(key: string, value: string, options?: Options): Promise<void>;
  deleteItemAsync(key: string, options?: Options): Promise<void>;
};

/**
 * Keeps sessions and keys in a phone's secure storage, for a `SessionKeeper` or a `SecureStorageStamper`. The keys are on
 * P-256 and made in JavaScript, because React Native has no WebCrypto: code of the app can read them from the storage.
 * Make one for the whole app. `options` are passed to each call of the store.
 *
 *     // SecureStore has all exports of expo-secure-store.
 *     const storage = secureStorage(SecureStore, {
 *       keychainAccessible: SecureStore.WHEN_UNLOCKED_THIS_DEVICE_ONLY,
 *     });
 */
export function secureStorage<Options extends object>(
  store: SecureStore<Options>,
  options?: Options,
): KeyStorage & { newKey(): Promise<P256Key> } {
  const missing = ["getItemAsync", "setItemAsync", "deleteItemAsync"].filter(
    (name) => typeof Reflect.get(Object(store), name) !== "function",
  );
  if (missing.length > 0) {
    throw invalidFields({
      field: "store",
      message: `must be a store like expo-secure-store, but has no ${missing.join(", ")}`,
    });
  }
  let last: Promise<unknown> = Promise.resolve();
  const read = async (name: string) => entryOf(await store.getItemAsync(keyOf(name), options));
  return {
    newKey: async () => newKey(),
    read: (name) => read(name).catch(notUsable),
    update(name, change) {
      // The store has no transactions. One app is one program, so it is enough to take turns.
      const turn = last.then(async () => {
        const old = await read(name);
        const now = change(old);
        if (now) await store.setItemAsync(keyOf(name), textOf(now), options);
        else await store.deleteItemAsync(keyOf(name), options);
        return now;
      });
      last = turn.catch(() => {});
      return turn.catch(notUsable);
    },
  };
}

/** The part of `react-native-keychain` that is used. */
export type Keychain = {
  getGenericPassword(options?: { service: string }): Promise<false | { password: string }>;
  setGenericPassword(
    username: string,
    password: string,
    options?: { service: string },
  ): Promise<unknown>;
  resetGenericPassword(options?: { service: string }): Promise<boolean>;
};

/** Keeps each text as a password of `react-native-keychain`, in a service of its own. */
export function keychainStore(keychain: Keychain): SecureStore {
  return {
    async getItemAsync(key, options) {
      const found = await keychain.getGenericPassword({ ...options, service: key });
      return found ? found.password : null;
    },
    async setItemAsync(key, value, options) {
      const kept = await keychain.setGenericPassword("keyhearth", value, {
        ...options,
        service: key,
      });
      if (kept === false) throw new Error("the keychain kept nothing");
    },
    async deleteItemAsync(key, options) {
      await keychain.resetGenericPassword({ ...options, service: key });
    },
  };
}

export type SecureStorageStamperOptions = {
  /** What `secureStorage` returned. */
  storage: KeyStorage;
  /** For apps with several keys. Default: `default`. */
  name?: string;
  /** How long a key counts that is made now. Register it for as long. Default: until it is deleted. */
  lifetimeSeconds?: number;
};

/**
 * Stamps with a P-256 key that the phone keeps for this app. It survives restarts: register `publicKey` as an API key. For
 * sessions, pass the storage to a `SessionKeeper` instead.
 */
export class SecureStorageStamper implements Stamper {
  readonly #entry: string;
  readonly #storage: KeyStorage;
  readonly #lifetimeSeconds: number | undefined;
  #kept: Kept;

  private constructor(
    entry: string,
    storage: KeyStorage,
    lifetimeSeconds: number | undefined,
    kept: Kept,
  ) {
    this.#entry = entry;
    this.#storage = storage;
    this.#lifetimeSeconds = lifetimeSeconds;
    this.#kept = kept;
  }

  /** Opens the key that is kept under the name, or makes one. Replaces one that has expired. */
  static async open(options: SecureStorageStamperOptions): Promise<SecureStorageStamper> {
    const { storage, name = "default", lifetimeSeconds } = asObject(options);
    if (typeof storage?.newKey !== "function") {
      throw invalidFields({ field: "storage", message: "must be what secureStorage returned" });
    }
    if (
      lifetimeSeconds !== undefined &&
      !(Number.isSafeInteger(lifetimeSeconds) && lifetimeSeconds > 0)
    ) {
      throw invalidFields({
        field: "lifetimeSeconds",
        message: `must be a whole number above 0, but is ${shown(lifetimeSeconds)}`,
      });
    }
    const entry = `stamper:${name}`;
    const found = keptOf(await storage.read(entry));
    const kept =
      found && !isOver(found) ? found : await keep({ storage, entry, lifetimeSeconds, found });
    return new SecureStorageStamper(entry, storage, lifetimeSeconds, kept);
  }

  /** The compressed public key in hex: P-256, 66 characters. */
  get publicKey(): string {
    return this.#kept.publicKey;
  }

  /** When the key stops counting, if it was made with a lifetime. */
  get expiresAtMs(): number | undefined {
    return this.#kept.expiresAtMs;
  }

  /** Throws `InvalidCredential` if the key has expired, which deletes it, or was deleted or replaced. */
  async stamp(body: string): Promise<{ name: string; value: string }> {
    const kept = keptOf(await this.#storage.read(this.#entry));
    if (kept?.publicKey !== this.publicKey) throw lost("was deleted or replaced");
    if (!isOver(kept)) return stampWithP256(kept, body);
    await this.delete();
    throw lost("has expired");
  }

  /** Replaces the key by a new one. Returns the new public key, which nobody knows yet. */
  async reset(): Promise<string> {
    const found = this.#kept;
    this.#kept = await keep({
      storage: this.#storage,
      entry: this.#entry,
      lifetimeSeconds: this.#lifetimeSeconds,
      found,
    });
    return this.publicKey;
  }

  /** Deletes the key. From then on nothing can stamp with it. */
  async delete(): Promise<void> {
    const { publicKey } = this;
    await this.#storage.update(this.#entry, (old) =>
      old?.publicKey === publicKey ? undefined : old,
    );
  }
}

type Kept = P256Key & { readonly expiresAtMs: number | undefined };

function keptOf(entry: KeyEntry | undefined): Kept | undefined {
  if (!entry) return undefined;
  const { publicKey, privateKey, expiresAtMs } = entry;
  return {
    publicKey,
    privateKey,
    expiresAtMs: typeof expiresAtMs === "number" ? expiresAtMs : undefined,
  };
}

function isOver({ expiresAtMs }: Kept): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= Date.now();
}

/** Keeps a new key in the place of the one that was found. If two calls do it at once, both use the first one's. */
async function keep(given: {
  storage: KeyStorage;
  entry: string;
  lifetimeSeconds: number | undefined;
  found: Kept | undefined;
}): Promise<Kept> {
  const { storage, entry, lifetimeSeconds, found } = given;
  const key = await newKey();
  const expiresAtMs = lifetimeSeconds && Date.now() + lifetimeSeconds * 1000;
  const fresh = { ...key, ...(expiresAtMs && { expiresAtMs }) };
  const now = await storage.update(entry, (old) =>
    old && old.publicKey !== found?.publicKey ? old : fresh,
  );
  return keptOf(now) ?? (keptOf(fresh) as Kept);
}

function lost(how: string): InvalidCredential {
  return new InvalidCredential(
    `The key of this stamper ${how}. Open the stamper again with SecureStorageStamper.open, and register its public key`,
    { code: "INVALID_CREDENTIAL" },
  );
}

/** A private half that only `textOf` and `sign` read. */
class StoredKey implements HeldKey {
  readonly #hex: string;

  constructor(hex: string) {
    this.#hex = hex;
  }

  static hexOf(key: StoredKey): string {
    return key.#hex;
  }

  async sign(message: Uint8Array): Promise<Uint8Array> {
    const privateKey = decodeHex(this.#hex);
    try {
      return signP256Raw(message, privateKey);
    } finally {
      wipe(privateKey);
    }
  }
}

function newKey(): P256Key {
  checkRandomness();
  const privateKey = generatePrivateKey("CURVE_P256");
  try {
    const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
    return { publicKey, privateKey: new StoredKey(encodeHex(privateKey)) };
  } finally {
    wipe(privateKey);
  }
}

/** A store takes letters, digits, `.`, `-` and `_` in keys. No two names have the same. */
function keyOf(name: string): string {
  const escaped = name.replace(/[^a-zA-Z0-9-]/g, (each) => `_${each.charCodeAt(0).toString(16)}.`);
  return `keyhearth.${escaped}`;
}

function textOf({ privateKey, ...facts }: KeyEntry): string {
  if (privateKey instanceof StoredKey) {
    return JSON.stringify({ ...facts, privateKey: StoredKey.hexOf(privateKey) });
  }
  throw new Unsupported(
    "Secure storage keeps only keys that it made itself. Start the session with a keeper that has this storage",
    { code: "UNSUPPORTED" },
  );
}

/** What is kept, or undefined if it is something else. */
function entryOf(text: string | null): KeyEntry | undefined {
  const { publicKey, privateKey, ...facts } = { ...(text ? parseObject(text) : undefined) };
  if (!isText(publicKey, /^0[23][0-9a-f]{64}$/) || !isText(privateKey, /^[0-9a-f]{64}$/)) {
    return undefined;
  }
  return { ...facts, publicKey, privateKey: new StoredKey(privateKey) };
}

function notUsable(cause: unknown): never {
  if (cause instanceof Unsupported) throw cause;
  throw new Unsupported(
    "The secure storage of this phone cannot be used. Ask the user to unlock the phone, and look at the error's cause",
    { code: "UNSUPPORTED", cause },
  );
}
