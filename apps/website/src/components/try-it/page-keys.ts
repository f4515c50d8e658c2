import { indexedDbStorage, type KeyStorage, memoryStorage } from "@keyhearth/sdk/browser";
import { IndexedDbStamper } from "@keyhearth/sdk/stampers/indexed-db";
import type { ImportedKey } from "./pasted-key.ts";

/** A key that this browser keeps for the site, and the organization in which it was used last. */
export type KeptKey = { name: KeyName; publicKey: string; organizationId: string | null };

/** The reader's own key, if they asked to keep it, and the key that was made here. */
type KeyName = "api-reference-pasted" | "api-reference";

const MADE: KeyName = "api-reference";
const PASTED: KeyName = "api-reference-pasted";

/** The key that this browser made for the site, or a new one. It is kept, so that it can be registered meanwhile. */
export function openMadeKey(): Promise<IndexedDbStamper> {
  return openKept(MADE);
}

export function openKept(name: KeyName): Promise<IndexedDbStamper> {
  return IndexedDbStamper.open({ name, storage: only(name, indexedDbStorage()) });
}

/** Stamps with an imported key: until the page is closed, or from now on if the reader asks to keep it. */
export async function openImported(key: ImportedKey, isKept: boolean): Promise<IndexedDbStamper> {
  const storage = only(PASTED, isKept ? indexedDbStorage() : memoryStorage());
  await storage.update(PASTED, () => ({ ...key }));
  return IndexedDbStamper.open({ name: PASTED, storage });
}

/** Notes where a key is known. Does nothing for a key that is not kept. */
export async function rememberOrganization(publicKey: string, organizationId: string) {
  for (const name of [MADE, PASTED]) {
    await indexedDbStorage().update(name, (old) =>
      old?.publicKey === publicKey ? { ...old, organizationId } : old,
    );
  }
}

/** Empty if the browser keeps nothing for this page. */
export async function listKept(): Promise<KeptKey[]> {
  const names: KeyName[] = [PASTED, MADE];
  try {
    const entries = await Promise.all(names.map((name) => indexedDbStorage().read(name)));
    return entries.flatMap((entry, index) => {
      const name = names[index];
      if (!entry || name === undefined) return [];
      const { publicKey, organizationId } = entry;
      const known = typeof organizationId === "string" ? organizationId : null;
      return [{ name, publicKey, organizationId: known }];
    });
  } catch {
    return [];
  }
}

export async function forgetKept(name: KeyName): Promise<void> {
  await indexedDbStorage().update(name, () => undefined);
}

/** One entry, whatever name the stamper has for it. */
function only(name: KeyName, storage: KeyStorage): KeyStorage {
  return {
    read: () => storage.read(name),
    update: (_, change) => storage.update(name, change),
  };
}
