import { availableParallelism } from "node:os";
import { SignerStateError } from "../state/state-error.ts";

export const WORKERS_VARIABLE = "KEYHEARTH_SIGNER_WORKERS";

/** More would divide what they share into parts that are too small. */
const MOST_WORKERS = 8;

/** How many threads decide. By default, one core is left to whatever else the machine does. */
export function parseWorkers(text: string | undefined, cores = availableParallelism()): number {
  const given = text?.trim() ?? "";
  if (given === "") return Math.min(Math.max(cores - 1, 1), MOST_WORKERS);
  const workers = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (workers >= 1 && workers <= MOST_WORKERS) return workers;
  throw new SignerStateError(
    `the number of workers is \`${given.slice(0, 80)}\`; set --workers or ${WORKERS_VARIABLE} to a whole number from 1 to ${MOST_WORKERS}`,
  );
}

/** An event for the log, if they have to take turns on the cores. */
export function moreThanCores(workers: number, cores = availableParallelism()) {
  if (workers <= cores) return null;
  return { event: "the signer has more workers than cores", workers, cores };
}
