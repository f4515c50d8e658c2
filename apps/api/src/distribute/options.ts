import { parseArgs } from "node:util";
import type { Distribution, Misplaced } from "../store/distribution.ts";

/** What `npm run distribute` is asked to do, and what it prints. */

export type DistributeOptions = { isApplied: boolean; mayMoveRows: boolean };

export const usage = `usage: npm run distribute -- --check | --apply [--move-rows]

Distributes the tables of the service over the nodes of a Citus cluster, by organization. DATABASE_URL is the coordinator, as
for the service. --check changes nothing, and ends with 1 if a table is not where it belongs.

  --check      says which tables are not where they belong
  --apply      moves them, all or none; stop the service before
  --move-rows  with --apply, also moves tables that have rows; make a backup before
`;

/** Throws an Error with a sentence for the operator. */
export function readDistributeOptions(args: string[]): DistributeOptions {
  const { values } = parseArgs({
    args,
    strict: true,
    options: {
      check: { type: "boolean", default: false },
      apply: { type: "boolean", default: false },
      "move-rows": { type: "boolean", default: false },
    },
  });
  if (values.check === values.apply) {
    throw new Error("give either --check, which changes nothing, or --apply");
  }
  if (values["move-rows"] && !values.apply) {
    throw new Error("--move-rows is a part of --apply; --check says which tables have rows");
  }
  return { isApplied: values.apply, mayMoveRows: values["move-rows"] };
}

/** One sentence, and a line for each table that is not where it belongs. */
export function formatDistribution({ version, workers, misplaced }: Distribution): string {
  const where = `Citus ${version} with ${workers} ${workers === 1 ? "node" : "nodes"} for shards`;
  if (misplaced.length === 0) return `${where}: every table is where it belongs.\n`;
  const lines = misplaced.map(
    ({ table, place, hasRows }) => `  ${table}: ${placeOf(place)}${hasRows ? ", has rows" : ""}\n`,
  );
  return `${where}: ${misplaced.length} tables are not where they belong, which is:\n${lines.join("")}`;
}

function placeOf(place: Misplaced["place"]): string {
  if (place === "everywhere") return "on every node";
  if (place === "coordinator") return "on the coordinator";
  return `by ${place.by}`;
}
