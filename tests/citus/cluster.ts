import { existsSync } from "node:fs";
import { join } from "node:path";
import { findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";

/** Where a PostgreSQL has its extensions, from its folder of programs: as Debian has them, and as its own build does. */
const extensions = (bin: string) =>
  [
    `../../../../share/postgresql/${/\/(\d+)\/bin$/.exec(bin)?.[1]}`,
    "../share/postgresql",
    "../share",
  ].map((path) => join(bin, path, "extension"));

/** Whether the PostgreSQL that tests use has Citus. */
export function hasCitus(): boolean {
  const bin = findPostgres();
  return bin !== null && extensions(bin).some((path) => existsSync(join(path, "citus.control")));
}

export type Cluster = { coordinator: Postgres; workers: Postgres[]; stop(): Promise<void> };

/** A coordinator without shards and two workers. No database has the extension yet. */
export async function startCitus(): Promise<Cluster> {
  const settings = {
    shared_preload_libraries: "citus",
    max_connections: "400",
    max_prepared_transactions: "200",
    // Each database has one of Citus.
    max_worker_processes: "64",
    // Of the loopback address, with the files of a test.
    "citus.node_conninfo": "sslmode=disable",
    "citus.shard_count": "4",
  };
  const nodes: Postgres[] = [];
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())));
  try {
    // Citus takes nodes with the same system identifier for one.
    for (let i = 0; i < 3; i++) {
      nodes.push(await startPostgres({ fsync: false, isUnrelated: true, settings }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const [coordinator, ...workers] = nodes as [Postgres, ...Postgres[]];
  return { coordinator, workers, stop };
}
