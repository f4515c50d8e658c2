import { Refusal } from "../channel/refusal.ts";

/** A P-256 key that agrees, whose private half nothing can read. */
export type StoredKey = {
  /** Uncompressed, in hex, as it is announced. */
  readonly publicKey: string;
  readonly privateKey: CryptoKey;
  readonly expiresAtMs: number;
};

const DATABASE = "keyhearth-frames";
const STORE = "keys";

/** In one step for all frames of this origin in one site. Undefined deletes. Returns what is kept now. */
export async function updateKey(
  name: string,
  change: (old: StoredKey | undefined) => StoredKey | undefined,
): Promise<StoredKey | undefined> {
  try {
    // A connection for each step: browsers drop those of pages that they put to sleep.
    const database = await open();
    try {
      return await new Promise((resolve, reject) => {
        let now: StoredKey | undefined;
        const transaction = database.transaction(STORE, "readwrite");
        transaction.oncomplete = () => resolve(now);
        transaction.onabort = () => reject(transaction.error);
        const store = transaction.objectStore(STORE);
        const request: IDBRequest<unknown> = store.get(name);
        request.onsuccess = () => {
          const old = isStored(request.result) ? request.result : undefined;
          now = change(old);
          if (now === old) return;
          if (now) store.put(now, name);
          else store.delete(name);
        };
      });
    } finally {
      database.close();
    }
  } catch {
    throw new Refusal(
      "this browser does not let the frame store its key; allow the page to store data, or leave private browsing",
    );
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

function isStored(value: unknown): value is StoredKey {
  return (
    typeof value === "object" &&
    value !== null &&
    "publicKey" in value &&
    typeof value.publicKey === "string" &&
    "privateKey" in value &&
    value.privateKey instanceof CryptoKey &&
    "expiresAtMs" in value &&
    typeof value.expiresAtMs === "number"
  );
}
