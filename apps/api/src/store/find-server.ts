import pg from "pg";
import { isDatabaseDown } from "./unavailable.ts";

/** How long a server has to answer while the service starts. It can be missing. */
const PATIENCE_MS = 2000;

/** The system identifier of a cluster, which its standbys have too. */
export const WHO = "SELECT (SELECT system_identifier FROM pg_control_system())::text AS system";

export type Server = { system: string; installationId: string | undefined };

/** Which server is at a URL of one host. Null if none is there. Throws what the server refuses with. */
export async function findServer(connectionString: string): Promise<Server | null> {
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
    throw cause;
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
