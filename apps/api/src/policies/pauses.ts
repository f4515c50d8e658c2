import { setImmediate } from "node:timers/promises";
import type { Work } from "@keyhearth/policy/evaluate";

/** After that much work, the others that this thread serves have their turn. */
const WORK_WITHOUT_PAUSE = 100_000;

/** Returns what pauses if enough work was done since the last pause. */
export function createPauses(work: Work): () => Promise<void> {
  let workAtPause = work.steps;
  return async () => {
    if (work.steps - workAtPause < WORK_WITHOUT_PAUSE) return;
    workAtPause = work.steps;
    await setImmediate();
  };
}
