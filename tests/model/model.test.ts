import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isLong } from "../start/long-form.ts";
import { mutants } from "./mutants.ts";
import { print } from "./plan.ts";
import { type RunOutcome, runMany } from "./run-many.ts";

// The long form runs as many plans as 45 minutes allow, and a slow machine goes on until there are enough. Its seed
// is printed, and `node tests/model/main.ts --seed=…` repeats it.

const seed = isLong ? Date.now() % 1_000_000_000 : 1;
const minutes = isLong ? 45 : 5;
/** Of the short form. It finds each of the faults below in the first 40. */
const PLANS = 600;
/** Of the long form. */
const LEAST_PLANS = 100_000;
const MOST_MINUTES = 120;

/** Faults that are found so quickly that every run looks for them. */
const quick = [
  "bytes that wait can start again",
  "a request that votes completed stays listed",
  "old requests can be sent",
  "exports are shown before their commit",
  "marks go back",
];

test("whatever a host does, only what people asked for and the rules allow takes effect", {
  timeout: (isLong ? MOST_MINUTES + 5 : minutes + 5) * 60_000,
}, async () => {
  if (isLong) console.log(`seed ${seed}`);
  const most = isLong ? 1_000_000 : PLANS;
  const first = await runMany({ seed, plans: most, isLong, minutes });
  expect(printed(first)).toEqual([]);
  const left = isLong ? LEAST_PLANS - first.plans : most - first.plans;
  if (left <= 0 || !isLong) return expect(left).toBeLessThanOrEqual(0);
  // Those of the processes that were ahead are run again: seeds are spread over all of them.
  const next = { seed: seed + first.plans, plans: left, isLong, minutes: MOST_MINUTES - minutes };
  const second = await runMany(next);
  expect(printed(second)).toEqual([]);
  expect(first.plans + second.plans).toBeGreaterThanOrEqual(LEAST_PLANS);
});

function printed({ failures, plans, seconds }: RunOutcome): string[] {
  console.log(`${plans} plans in ${seconds.toFixed(0)} s`);
  return failures.map(
    ({ plan, message }) => `${print(plan)}\n=> ${message}\n${JSON.stringify(plan)}`,
  );
}

test("each fault still has its place in the core", () => {
  const lost = mutants.filter(({ file, text }) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
    return source.split(text).length !== 2;
  });
  expect(lost.map(({ name }) => name)).toEqual([]);
});

test.each(mutants.filter(({ name }) => isLong || quick.includes(name)))(
  "the model notices that $name",
  { timeout: 10 * 60_000 },
  async ({ name }) => {
    const { failures } = await runMany({
      seed: 1,
      plans: isLong ? 2000 : PLANS,
      mutant: name,
      shrinks: false,
    });
    expect(failures).not.toEqual([]);
  },
);
