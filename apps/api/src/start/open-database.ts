import { setTimeout as rest } from "node:timers/promises";
import { StartError } from "../config/start-error.ts";
import type { Log } from "../observability/log.ts";
import { type DatabaseConfig, openStore, type Store } from "../store/connect.ts";
import { migrate } from "../store/migrate.ts";
import { isDatabaseDown, isReadOnly } from "../store/unavailable.ts";

const PAUSE_MS = 500;

/**
 * Opens the database and brings its tables up to date. A server that cannot be reached, or only be read, is
 * waited for: after a power cut or a failover it is often the last one that is there, and a start that gave up
 * would need somebody to try again. Whatever a person has to change ends the start at once.
 */
export async function openDatabase(config: DatabaseConfig, log: Log): Promise<Store> {
  let said: string | null = null;
  for (;;) {
    try {
      const store = await openAndMigrate(config);
      if (said !== null) log.warn("the database is there, and the start goes on");
      return store;
    } catch (error) {
      const why = whyWaiting(config, error);
      if (why === null) throw error;
      if (why !== said) log.warn(`the start waits, because ${why}`);
      said = why;
    }
    await rest(PAUSE_MS);
  }
}

async function openAndMigrate(config: DatabaseConfig): Promise<Store> {
  const store = await openStore(config);
  try {
    if (config.kind === "postgres") await store.probe();
    await migrate(store, Date.now());
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Null if waiting does not help. */
function whyWaiting({ kind }: DatabaseConfig, error: unknown): string | null {
  if (kind !== "postgres") return null;
  if (isReadOnly(error)) {
    return "the database of DATABASE_URL can only be read, as a standby can; make it the primary, or set DATABASE_URL to the primary";
  }
  if (error instanceof StartError) return isDatabaseDown(error.cause) ? error.message : null;
  return isDatabaseDown(error) ? "the database of DATABASE_URL was lost" : null;
}
