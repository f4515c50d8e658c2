import { setPriority } from "node:os";
import { createRandom } from "../fuzz/random.ts";
import { findRow } from "./rows.ts";
import type { World } from "./world.ts";

/** The process of one actor. It answers one message at a time. */
export type AttackTask =
  | { start: { row: string; seed: number; world: World } }
  | { counts: true }
  | { stop: true };

/** How many requests had which status, since the start. */
export type Counts = Record<string, number>;

// Attackers have their own machines. Here they get what the service and its other clients leave.
setPriority(19);

const counts: Counts = {};
let isOver = false;

process.on("message", (task: AttackTask) => {
  if ("start" in task) start(task.start);
  if ("stop" in task) isOver = true;
  process.send?.({ result: counts });
});

function start({ row, seed, world }: { row: string; seed: number; world: World }) {
  const note = (outcome: number | string) => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  findRow(row)
    .actor({ world, random: createRandom(seed), isOver: () => isOver, note })
    .catch((error) => {
      // An actor notes what the service does to it. Anything else is a mistake of the test.
      console.error(error);
      process.exit(1);
    });
}
