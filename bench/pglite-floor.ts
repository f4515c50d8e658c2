import { PGlite } from "@electric-sql/pglite";
import { residentMb } from "./resources.ts";

/** What the embedded database alone takes in a process: as it comes, and with the pages that we give it. */
type Task = { directory: string; settings: string[] };

process.on("message", async ({ directory, settings }: Task) => {
  try {
    const startParams = [...PGlite.defaultStartParams, ...settings];
    const database = await PGlite.create({ dataDir: directory, startParams });
    await database.exec("CREATE TABLE IF NOT EXISTS floor (id integer PRIMARY KEY, record text)");
    for (let round = 0; round < ROUNDS; round++) {
      await database.query(
        "INSERT INTO floor SELECT n, repeat(md5(n::text), 20) FROM generate_series($1::int, $2::int) n ON CONFLICT DO NOTHING",
        [round * 100, round * 100 + 99],
      );
    }
    process.send?.({ result: { megabytes: residentMb(process.pid) } });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});

/** As many rows as the service writes in its own measurement. */
const ROUNDS = 200;
