import pg from "pg";
import { STANDBY_TARGETS, urlsOfHosts } from "../config/database-url.ts";
import { StartError } from "../config/start-error.ts";
import type { Store } from "./connect.ts";
import { findInstallationId } from "./installation.ts";
import { isDatabaseDown } from "./unavailable.ts";

/** How long a standby has to answer while the service starts. It can be missing. */
const PATIENCE_MS = 2000;

const WHO = "SELECT (SELECT system_identifier FROM pg_control_system())::text AS system";

/**
 * Refuses a DATABASE_READ_URL whose servers do not follow the primary: those of another installation would answer with
 * the records of strangers. A server that is away is looked at when it is asked: it must have the primary's mark.
 */
export async function assertStandbysFollow(store: Store): Promise<void> {
  const url = store.place?.standbyUrl;
  if (!url) return;
  const [primary] = await store.run("", WHO, []).catch(refuseEngine);
  const expected = {
    system: String(primary?.system),
    installationId: await findInstallationId(store.db),
  };
  for (const each of urlsOfHosts(url.open(), STANDBY_TARGETS) ?? []) {
    const found = await findServer(each);
    if (found === null) continue;
    if (found.system !== expected.system) throw new StartError(OTHER_SERVER);
    // Its tables may still be on their way.
    if (found.installationId === undefined) continue;
    if (found.installationId !== expected.installationId) {
      throw new StartError(
        `DATABASE_READ_URL leads to a database of installation ${found.installationId}, but DATABASE_URL to one of installation ${expected.installationId}; set DATABASE_READ_URL to the same database on standbys, or unset it`,
      );
    }
  }
}

const OTHER_SERVER =
  "DATABASE_READ_URL leads to a server that is no standby of the one of DATABASE_URL, because the two have different system identifiers; set it to servers that follow that one, or unset it";

type Server = { system: string; installationId: string | undefined };

/** Null if it is not there. */
async function findServer(connectionString: string): Promise<Server | null> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ system: string }>(WHO);
    const ids = await client
      .query<{ installation_id: string }>("SELECT installation_id FROM installation")
      .catch(unlessMissing);
    return { system: String(rows[0]?.system), installationId: ids.rows[0]?.installation_id };
  } catch (cause) {
    if (isDatabaseDown(cause) || isTimeout(cause)) return null;
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new StartError(
      `a server of DATABASE_READ_URL lets the service look at nothing (${code ?? message}); check the user name, the password and the name of the database, or unset it`,
      { cause },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

/** The driver's own sentence, without a code. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout expired/.test(error.message);
}

/** PostgreSQL's undefined_table. */
function unlessMissing(error: NodeJS.ErrnoException): { rows: { installation_id: string }[] } {
  if (error.code === "42P01") return { rows: [] };
  throw error;
}

function refuseEngine(cause: unknown): never {
  if (isDatabaseDown(cause)) throw cause;
  throw new StartError(
    "DATABASE_READ_URL is set, but the database of DATABASE_URL does not say which PostgreSQL it is, so its standbys cannot be told from others; let the user run pg_control_system(), or unset DATABASE_READ_URL",
    { cause },
  );
}
