import type { Db, Store } from "./connect.ts";

/** The installation that the database belongs to. It is written once, at the first start (decision 5). */
export async function findInstallationId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom("installation").select("installation_id").executeTakeFirst();
  return row?.installation_id;
}

/** Binds a database that belongs to no installation yet. Returns the id that it has then. */
export async function bindInstallation(store: Store, installationId: string): Promise<string> {
  await store.run(
    "bind-installation",
    "INSERT INTO installation (singleton, installation_id) VALUES (1, $1) ON CONFLICT DO NOTHING",
    [installationId],
  );
  const found = await findInstallationId(store.db);
  if (found === undefined) throw new Error("the database did not keep the installation's id");
  return found;
}
