import { expect, test } from "vitest";
import { findPostgres } from "../postgres/start.ts";
import { isLong } from "../start/long-form.ts";
import { together } from "./rows.ts";
import { runLoad } from "./run.ts";

// Ten minutes for each database, so only in the long run. The seed is printed, and
// `node tests/load/main.ts --seed=…` repeats its choices.

const minutes = 10;

test.runIf(isLong).for(["embedded", "postgres"] as const)(
  "on %s, nobody takes the service from the others",
  {
    timeout: 2 * minutes * 60_000,
  },
  async (database, { skip }) => {
    if (database === "postgres") skip(!findPostgres());
    const seed = Date.now() % 1_000_000_000;
    console.log(`${database}: seed ${seed}`);
    const [outcome] = await runLoad({
      database,
      minutes,
      seed,
      groups: [together],
      log: console.log,
    });
    expect(outcome?.broken).toEqual([]);
  },
);
