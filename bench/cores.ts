import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { treeOf } from "./resources.ts";

/** The cores that this process may use, by number; null if the system does not show them. */
export function coresOfProcess(): number[] | null {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    return readCores(/^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1] ?? "");
  } catch {
    return null;
  }
}

/** A list as Linux writes it, such as `0-2,5`. */
export function readCores(list: string): number[] {
  return list.split(",").flatMap((range) => {
    const [first = "", last = first] = range.split("-");
    const count = Number(last) - Number(first) + 1;
    return Array.from({ length: count }, (_, index) => Number(first) + index);
  });
}

const LEAST_CORES = 4;

type Places = {
  /** Where the service runs first, and then. */
  one: number[];
  two: number[];
  /** Where load and database run, which must take no time from it. */
  others: number[];
};

/** How the cores are given out to compare one with two, or the sentence that says why they cannot be. */
export function placesOf(cores: readonly number[] | null): Places | string {
  if (cores === null) return "this system does not show which cores a process may use";
  if (cores.length < LEAST_CORES) {
    const has = cores.length === 1 ? "is 1 core" : `are ${cores.length} cores`;
    return `needs ${LEAST_CORES} cores, two for the service and two for load and database, and here ${has}`;
  }
  const [first = 0, second = 0, ...others] = cores;
  return { one: [first], two: [first, second], others };
}

/** Moves a process, all that it has started, and all their threads to these cores. */
export function pin(pid: number, cores: readonly number[]) {
  for (const each of treeOf(pid)) {
    execFileSync("taskset", ["-apc", cores.join(","), String(each)], { stdio: "ignore" });
  }
}
