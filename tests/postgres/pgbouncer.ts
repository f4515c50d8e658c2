import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findProgram, startProgram } from "./programs.ts";
import { freePort, makeDirectory, unprivilegedUser } from "./start.ts";

export const findPgbouncer = () => findProgram("pgbouncer");

export type Pgbouncer = { url: string; stop(): Promise<void> };

/** A pgbouncer on a free loopback port before the database of a URL, with few sessions, so that they are shared. */
export async function startPgbouncer(
  databaseUrl: string,
  {
    mode = "transaction",
    sessions = 4,
    port: given,
  }: { mode?: "transaction" | "session"; sessions?: number; port?: number } = {},
): Promise<Pgbouncer> {
  const program = findPgbouncer();
  if (program === null) throw new Error("pgbouncer is not installed");
  const owner = unprivilegedUser();
  const directory = makeDirectory(owner);
  const port = given ?? (await freePort());
  const { hostname, port: server, pathname, username } = new URL(databaseUrl);
  const file = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (owner) chownSync(path, owner.uid, owner.gid);
    return path;
  };
  const users = file("users.txt", `"${username}" ""\n`);
  const settings = file(
    "pgbouncer.ini",
    `[databases]
* = host=${hostname} port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${sessions}
max_client_conn = 500
query_wait_timeout = 5
server_lifetime = 3600
logfile =
`,
  );
  const bouncer = startProgram(program, [settings], { directory });
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`;
  const stop = async () => {
    await bouncer.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("SELECT 1");
      await client.end();
      return { url, stop };
    } catch (cause) {
      await client.end().catch(() => {});
      if (tries === 100) {
        await stop();
        throw new Error(`pgbouncer did not start:\n${bouncer.output()}`, { cause });
      }
      await sleep(50);
    }
  }
}
