import type { Log } from "../../observability/log.ts";
import type { Store } from "../../store/connect.ts";
import { type Ended, noteOutcomes } from "../../store/webhook-deliveries.ts";

/** Notes how attempts ended, many with one statement. */
export type Outcomes = {
  /** Resolves when it is noted, or could not be. */
  note(ended: Ended): Promise<void>;
};

/** A statement for each attempt would cost more than the attempt. Nobody waits for an outcome. */
const GATHER_MS = 30;
const MOST = 500;

type Waiting = { ended: Ended; resolve: () => void };

/** If the database is unavailable, the deliveries are tried again when their lease ends. */
export function createOutcomes(store: Store, log: Pick<Log, "warn">): Outcomes {
  let waiting: Waiting[] = [];
  let isNoting = false;

  async function noteAll() {
    isNoting = true;
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    while (waiting.length > 0) {
      const group = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      try {
        await noteOutcomes(
          store,
          group.map(({ ended }) => ended),
        );
      } catch (error) {
        log.warn({ attempts: group.length, err: error }, "attempts were not noted");
      }
      for (const { resolve } of group) resolve();
    }
    isNoting = false;
  }

  return {
    note(ended) {
      return new Promise((resolve) => {
        waiting.push({ ended, resolve });
        if (!isNoting) void noteAll();
      });
    },
  };
}
