import type { Host } from "../host/host.ts";
import { listLargestFamilies } from "../store/family-storage.ts";
import { type Loop, startLoop } from "./loop.ts";

/** As many as `/metrics` shows. Each is a series of Prometheus, so it is not a tenant who decides how many there are. */
const SHOWN = 20;

/**
 * Reads which families store the most, for `/metrics`, until it is stopped. However often that is asked, the database is
 * asked once in a while.
 */
export function startMeasuringFamilies(
  { store, metrics, log }: Pick<Host, "store" | "metrics" | "log">,
  everyMs: number,
): Loop {
  return startLoop({
    everyMs,
    firstMs: 0,
    async round() {
      metrics.largestFamilies(await listLargestFamilies(store, SHOWN));
      return "idle";
    },
    logFailure: (err) => log.warn({ err }, "what families store will be read again"),
  });
}
