import type { Host } from "../host/host.ts";

/**
 * Rows that were deleted or replaced stay until a vacuum. Nobody else does that in the embedded database, and there each
 * look for what waits would go past all that ever waited.
 */
const LEAST_DEAD = 1000;

/** A vacuum reads all indexes of a table, so a large one waits for more. */
const DEAD_PART = 1 / 20;

/** Nobody else has the database meanwhile, so it takes no more than this part of the time. */
const PART_OF_TIME = 1 / 200;

/** The database counts dead rows itself. If the service is killed, it begins again with none. */
const WORST_TABLE = `SELECT relname FROM pg_stat_user_tables
  WHERE n_dead_tup >= ${LEAST_DEAD} + ${DEAD_PART} * n_live_tup
  ORDER BY n_dead_tup / (1 + n_live_tup) DESC LIMIT 1`;

/** Estimates of a table that were never made, or are of a much smaller one, lead to the wrong index. */
const CHANGED_TABLES = `SELECT relname FROM pg_stat_user_tables
  WHERE n_mod_since_analyze >= ${LEAST_DEAD} + n_live_tup / 5
    OR last_analyze IS NULL AND pg_relation_size(relid) > 1024 * 1024`;

/** Does for the embedded database what PostgreSQL does by itself: counts again what is in tables, and vacuums the one that needs it most. */
export function createVacuum(
  { store }: Pick<Host, "store">,
  now = () => performance.now(),
): () => Promise<void> {
  let notBefore = 0;
  return async () => {
    if (store.kind !== "pglite" || now() < notBefore) return;
    const startedAt = now();
    for (const { relname } of await store.run("", CHANGED_TABLES, [])) {
      await store.run("", `ANALYZE ${relname}`, []);
    }
    const [worst] = await store.run("", WORST_TABLE, []);
    if (worst) await store.run("", `VACUUM (INDEX_CLEANUP ON) ${worst.relname}`, []);
    notBefore = now() + (now() - startedAt) / PART_OF_TIME;
  };
}
