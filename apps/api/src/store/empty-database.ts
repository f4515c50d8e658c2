import type { Store } from "./connect.ts";

/**
 * Deletes all rows but those of the migrations, in a tenth of the time that a new database takes. For tests and for the
 * emulator: a service never forgets.
 */
export async function emptyDatabase({ run }: Store): Promise<void> {
  const tables = await run(
    "",
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations'",
    [],
  );
  const names = tables.map(({ tablename }) => tablename).join(", ");
  await run("", `TRUNCATE ${names} RESTART IDENTITY`, []);
  // Removes the log, which would grow in memory.
  await run("", "CHECKPOINT", []);
}
