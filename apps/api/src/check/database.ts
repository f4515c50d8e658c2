import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import { assertHostsAreOne } from "../store/check-hosts.ts";
import { assertStandbysFollow } from "../store/check-standbys.ts";
import { openStore, type Store } from "../store/connect.ts";
import { assertNotNewer } from "../store/migrate.ts";
import { isDatabaseDown } from "../store/unavailable.ts";
import { doubtful, type Finding, fine, wrong } from "./findings.ts";

/** The service takes 10 connections and one to look, for each process, and 6 more for its reader. */
const FEWEST_CONNECTIONS = 40;

/** Looks at the database, and gives it to what else needs it. Changes nothing in it. */
export async function checkDatabase(
  { database }: Pick<Config, "database">,
  andWith: (store: Store) => Promise<Finding[]>,
): Promise<Finding[]> {
  const check = "database";
  if (database.kind === "pglite") {
    return [
      existsSync(database.directory)
        ? fine(check, `the embedded one in ${database.directory}, which only the service can open`)
        : wrong(
            check,
            `there is no database in ${database.directory}: set DATABASE_URL or KEYHEARTH_DATA_DIR as for the service`,
          ),
    ];
  }
  let store: Store;
  try {
    store = await openStore(database);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [wrong(check, error.message)];
  }
  try {
    return [
      ...(await checkWrites(store)),
      ...(await checkTables(store)),
      ...(await checkSettings(store)),
      ...(await checkServers(store)),
      ...(await andWith(store)),
    ];
  } finally {
    await store.close();
  }
}

async function checkWrites(store: Store): Promise<Finding[]> {
  const isThrough = store.place?.isPooled ? ", through a pooler in transaction mode" : "";
  try {
    await store.probe();
    return [fine("database", `it takes writes${isThrough}`)];
  } catch (error) {
    if (!isDatabaseDown(error)) throw error;
    return [wrong("database", "it does not take writes: promote it, or correct DATABASE_URL")];
  }
}

async function checkTables(store: Store): Promise<Finding[]> {
  try {
    await assertNotNewer(store);
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [wrong("tables", error.message)];
  }
}

/** Settings by which a commit can be lost that was acknowledged, or a connection refused. */
async function checkSettings(store: Store): Promise<Finding[]> {
  const rows = await store.run(
    "",
    `SELECT name, setting FROM pg_settings WHERE name IN
       ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'max_connections')`,
    [],
  );
  const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, String(setting)]));
  const [row] = await store
    .run("", "SELECT count(*) AS standbys FROM pg_stat_replication", [])
    .catch(() => []);
  return settingFindings(settings, Number(row?.standbys ?? 0));
}

/** `settings` as PostgreSQL shows them, by name; an engine that lacks one leaves it out. */
export function settingFindings(
  settings: Readonly<Record<string, string>>,
  standbys: number,
): Finding[] {
  const findings: Finding[] = [];
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
    if (settings[name] !== "off") continue;
    findings.push(
      wrong(
        name,
        `it is off, so a power cut loses commits that were acknowledged, and the signer refuses the rest as stale: set ${name} = on in postgresql.conf`,
      ),
    );
  }
  if (findings.length === 0) {
    findings.push(fine("commits", "acknowledged only once they are on the disk"));
  }
  const most = Number(settings.max_connections ?? Number.POSITIVE_INFINITY);
  if (most < FEWEST_CONNECTIONS) {
    findings.push(
      doubtful(
        "max_connections",
        `${most}, and each process of the service takes up to 17: set it to ${FEWEST_CONNECTIONS} or more, or use a pooler`,
      ),
    );
  }
  if (standbys > 0 && settings.synchronous_standby_names === "") {
    findings.push(
      doubtful(
        "replication",
        "no standby is synchronous, so a failover can lose commits, and the signer refuses what is left as stale: set synchronous_standby_names",
      ),
    );
  }
  return findings;
}

async function checkServers(store: Store): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    await assertHostsAreOne(store);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    findings.push(wrong("hosts", error.message));
  }
  if (store.standbys === null) return findings;
  try {
    await assertStandbysFollow(store);
    return [
      ...findings,
      fine("standbys", "those of DATABASE_READ_URL follow this database, or are away"),
    ];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [...findings, wrong("standbys", error.message)];
  }
}
