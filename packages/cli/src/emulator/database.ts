import { existsSync } from "node:fs";
import type { Store } from "@keyhearth/api/store/connect";
import { migrate } from "@keyhearth/api/store/migrate";
import { packed } from "@keyhearth/api/store/packed-database";
import { openPglite } from "@keyhearth/api/store/pglite";

/** A log of what was written is kept in memory too, until a checkpoint. */
const CHECKPOINT_MS = 60_000;

/**
 * The embedded database, in memory. A package has one with all tables, which was made when it was built; in a clone, the
 * migrations make it, which takes some seconds.
 */
export async function openDatabase(snapshot: string | null): Promise<Store> {
  const packedOrGiven = snapshot ?? (existsSync(packed) ? packed : null);
  const store = await openPglite({
    directory: null,
    ...(packedOrGiven !== null && { snapshot: packedOrGiven }),
  });
  if (packedOrGiven === null) await migrate(store, Date.now());
  const checkpoint = () => void store.run("", "CHECKPOINT", []).catch(() => {});
  const timer = setInterval(checkpoint, CHECKPOINT_MS).unref();
  return {
    ...store,
    async close() {
      clearInterval(timer);
      await store.close();
    },
  };
}
