import { Unsupported } from "../errors/errors.ts";
import type { KeyMaker, P256Key } from "./p256-key.ts";

/** What is kept under a name: a key, and what is known about it. */
export type KeyEntry = P256Key & { readonly [fact: string]: unknown };

/**
 * Where keys are kept between page loads. Both methods reject with `Unsupported` if
 * the place cannot be used. WebCrypto makes the keys, unless the storage has a `newKey`.
 */
export type KeyStorage = KeyMaker & {
  read(name: string): Promise<KeyEntry | undefined>;
  /**
   * Replaces an entry by what `change` makes of it, in one step for all tabs. Undefined deletes it.
   * Returns what is kept now.
   */
  update(
    name: string,
    change: (old: KeyEntry | undefined) => KeyEntry | undefined,
  ): Promise<KeyEntry | undefined>;
};

const DATABASE = "keyhearth";
const STORE = "keys";

/**
 * Keeps keys in the IndexedDB of this origin, as objects that scripts can use and cannot read. All tabs
 * of the origin share them.
 */
export function indexedDbStorage(): KeyStorage {
  return {
    read: (name) => transact("readonly", (store, done) => get(store, name, done)),
    update: (name, change) =>
      transact("readwrite", (store, done) =>
        get(store, name, (old) => {
          const now = change(old);
          if (now) store.put(now, name);
          else if (old) store.delete(name);
          done(now);
        }),
      ),
  };
}

/** Keeps keys until the page is closed. For pages that may not store anything, and for tests. */
export function memoryStorage(): KeyStorage {
  const entries = new Map<string, KeyEntry>();
  return {
    read: async (name) => entries.get(name),
    async update(name, change) {
      const now = change(entries.get(name));
      if (now) entries.set(name, now);
      else entries.delete(name);
      return now;
    },
  };
}

type Done = (entry: KeyEntry | undefined) => void;

/** Runs `work` in a transaction of its own, and resolves once that is committed. */
async function transact(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore, done: Done) => void,
): Promise<KeyEntry | undefined> {
  try {
    // A connection for each transaction: browsers drop those of pages that they put to sleep.
    const database = await open();
    try {
      return await new Promise((resolve, reject) => {
        let result: KeyEntry | undefined;
        const transaction = database.transaction(STORE, mode);
        transaction.oncomplete = () => resolve(result);
        transaction.onabort = () => reject(transaction.error);
        work(transaction.objectStore(STORE), (entry) => {
          result = entry;
        });
      });
    } finally {
      database.close();
    }
  } catch (cause) {
    if (cause instanceof Unsupported) throw cause;
    throw noStorage(cause);
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    // In a sandboxed frame, reading the property throws.
    if (!globalThis.indexedDB) return reject(noStorage(undefined));
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function get(store: IDBObjectStore, name: string, then: Done) {
  const request: IDBRequest<unknown> = store.get(name);
  request.onsuccess = () => then(isEntry(request.result) ? request.result : undefined);
}

function isEntry(value: unknown): value is KeyEntry {
  return (
    typeof value === "object" &&
    value !== null &&
    "publicKey" in value &&
    typeof value.publicKey === "string" &&
    "privateKey" in value &&
    value.privateKey instanceof CryptoKey
  );
}

function noStorage(cause: unknown): Unsupported {
  return new Unsupported(
    "This browser does not let the page store keys. Leave private browsing or allow the page to store data, or pass storage: memoryStorage() for keys that end with the page",
    { code: "UNSUPPORTED", cause },
  );
}
