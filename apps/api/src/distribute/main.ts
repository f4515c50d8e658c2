import { readConfig } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import { openStore, type Store } from "../store/connect.ts";
import { countOthers, distribute, readDistribution } from "../store/distribution.ts";
import {
  type DistributeOptions,
  formatDistribution,
  readDistributeOptions,
  usage,
} from "./options.ts";

// `npm run distribute`: moves the tables of the service to where they belong on the nodes of Citus.

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  process.stdout.write(usage);
} else {
  try {
    await run(readDistributeOptions(process.argv.slice(2)));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`keyhearth: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function run(options: DistributeOptions) {
  const { database } = readConfig();
  if (database.kind === "pglite") {
    throw new StartError(
      "the embedded database cannot be distributed; set DATABASE_URL to the coordinator of a cluster of Citus",
    );
  }
  const store = await openStore(database, "keyhearth distribute");
  try {
    await (options.isApplied ? apply(store, options) : check(store));
  } finally {
    await store.close();
  }
}

async function check(store: Store) {
  const found = await readDistribution(store);
  process.stdout.write(formatDistribution(found));
  if (found.misplaced.length > 0) process.exitCode = 1;
}

async function apply(store: Store, { mayMoveRows }: DistributeOptions) {
  const { misplaced } = await readDistribution(store);
  const withRows = misplaced.filter(({ hasRows }) => hasRows).map(({ table }) => table);
  if (withRows.length > 0 && !mayMoveRows) {
    throw new StartError(
      `these tables have rows: ${withRows.join(", ")}; make a backup, and add --move-rows to move them`,
    );
  }
  if (misplaced.length > 0 && (await countOthers(store)) > 0) {
    throw new StartError(
      "others are connected to the database as the same user; stop all processes of the service while tables are moved",
    );
  }
  await distribute(store, misplaced);
  process.stdout.write(formatDistribution(await readDistribution(store)));
}
