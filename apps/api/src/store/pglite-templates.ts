import type { PGlite } from "@electric-sql/pglite";

/**
 * Drops the databases from which PostgreSQL makes others. The embedded one never makes another: they are two thirds of
 * its files, and as nobody vacuums them, their age would one day stop it.
 */
export async function dropTemplates(database: Pick<PGlite, "exec">): Promise<void> {
  for (const name of ["template0", "template1"]) {
    await database.exec(`ALTER DATABASE ${name} IS_TEMPLATE false`);
    await database.exec(`DROP DATABASE ${name}`);
  }
}
