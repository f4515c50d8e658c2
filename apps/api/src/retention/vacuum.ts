import type { Host } from "../host.ts";

/**
 * Rows that were deleted or replaced stay until a vacuum. Nobody else does that in the embedded database, and there each
 * look for what waits would go past all that ever waited.
 */
const LEAST_DEAD = 1000;

/** A vacuum reads all indexes of a table, so a large one waits for more. */
const DEAD_PART = 1 / 20;

/** Nobody else has the database meanwhile, so it takes no more than this part of the time. */
const PART_OF_TIME = 1 / 50;

/** The database counts dead rows itself. If the service is killed, it begins again with none. */
const WORST_TABLE = `SELECT relname FROM pg_stat_user_tables
  WHERE n_dead_tup >= ${LEAST_DEAD} + ${DEAD_PART} * n_live_tup
  ORDER BY n_dead_tup / (1 + n_live_tup) DESC LIMIT 1`;

/** Vacuums the table of the embedded database that needs it most, if one does. */
export function createVacuum(
  { store }: Pick<Host, "store">,
  now = () => performance.now(),
): () => Promise<void> {
  let notBefore = 0;
  return async () => {
    if (store.kind !== "pglite" || now() < notBefore) return;
    const [row] = await store.run("", WORST_TABLE, []);
    if (!row) return;
    const startedAt = now();
    await store.run("", `VACUUM (INDEX_CLEANUP ON) ${row.relname}`, []);
    notBefore = now() + (now() - startedAt) / PART_OF_TIME;
  };
}
