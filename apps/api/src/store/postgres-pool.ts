import pg from "pg";
import { urlsOfHosts } from "../config/database-url.ts";
import { Hosts } from "./postgres-hosts.ts";
import { digestName } from "./statement-names.ts";

/**
 * Every statement has an index to use, and a plan made while a table was small must not scan the table once it has
 * grown. A scan that is needed all the same then looks so dear to PostgreSQL that it compiles the statement, which takes
 * 60 ms and more where the scan takes none.
 */
const SETTINGS = ["enable_seqscan", "jit"];

const INT8 = 20;

/** A pool and the hosts that its connections are to. */
export type HostsPool = { hosts: Hosts; pool: pg.Pool };

export function hostsOf(
  url: string,
  { isPooled, targets }: { isPooled: boolean; targets?: readonly string[] },
): Hosts {
  const urls = urlsOfHosts(url, targets);
  if (!urls) throw new Error("the URL of the database was not checked");
  return new Hosts(urls, { isPooled });
}

/**
 * The name under which a connection keeps the plan of a text. It is made of the text: where a pooler that nobody has
 * declared lends one session to several processes, none can run what another one has prepared under the same name.
 */
export function namedOn({ hosts }: HostsPool, name: string, text: string): { name?: string } {
  return name === "" || hosts.isPooled ? {} : { name: digestName(text) };
}

/** `accept` throws if the host of a new connection is not one to use. */
export function createPool(
  hosts: Hosts,
  options: pg.PoolConfig,
  accept: (client: pg.ClientBase) => Promise<void>,
): HostsPool {
  pg.types.setTypeParser(INT8, Number);
  const pool = new pg.Pool({
    Client: hosts.Client,
    ...options,
    async onConnect(client) {
      await accept(client);
      // A setting would stay with the session, for whomever the pooler lends it to next. It is for plans that are
      // kept, and through a pooler none is.
      if (hosts.isPooled) return;
      // Engines that do not know one of them go without it.
      for (const setting of SETTINGS) await client.query(`SET ${setting} = off`).catch(() => {});
    },
  });
  // The pool replaces a connection that dies, idle or in use, and the statement on it fails. Without these
  // listeners it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return { hosts, pool };
}
