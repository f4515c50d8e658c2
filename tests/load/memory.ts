import { residentMbOfTree } from "../../bench/resources.ts";
import type { Service } from "../start/process.ts";

export type Memory = ReturnType<typeof watchMemory>;

const EVERY_MS = 500;

/** The resident memory of the service with its threads and processes, but without a PostgreSQL server. */
export function watchMemory({ child }: Service) {
  let now = 0;
  let most = 0;
  const timer = setInterval(() => {
    now = child.pid === undefined ? Number.NaN : residentMbOfTree(child.pid);
    most = Math.max(most, now);
  }, EVERY_MS);
  return {
    most: () => most,
    show: () => `${Math.round(now)} MB, at most ${Math.round(most)}`,
    stop: () => clearInterval(timer),
  };
}
