import { expect, test } from "vitest";
import { mutants } from "./mutants.ts";
import { print } from "./plan.ts";
import { runMany } from "./run-many.ts";

// The long form runs as many plans as 45 minutes allow. Its seed is printed, and
// `node tests/model/main.ts --seed=…` repeats it.

const isLong = process.env.KEYHEARTH_LONG === "1";
const seed = isLong ? Date.now() % 1_000_000_000 : 1;
const minutes = isLong ? 45 : 5;

/** Faults that are found so quickly that every run looks for them. */
const quick = [
  "bytes that wait can start again",
  "a request that votes completed stays listed",
  "old requests can be sent",
  "exports are shown before their commit",
  "marks go back",
];

test("whatever a host does, only what people asked for and the rules allow takes effect", {
  timeout: (minutes + 5) * 60_000,
}, async () => {
  if (isLong) console.log(`seed ${seed}`);
  const plans = isLong ? 1_000_000 : 2000;
  const outcome = await runMany({ seed, plans, isLong, minutes });
  const failures = outcome.failures.map(
    ({ plan, message }) => `${print(plan)}\n=> ${message}\n${JSON.stringify(plan)}`,
  );
  expect(failures).toEqual([]);
  expect(outcome.plans).toBeGreaterThanOrEqual(isLong ? 100_000 : plans);
  console.log(`${outcome.plans} plans in ${outcome.seconds.toFixed(0)} s`);
});

test.each(mutants.filter(({ name }) => isLong || quick.includes(name)))(
  "the model notices that $name",
  { timeout: 10 * 60_000 },
  async ({ name }) => {
    const { failures } = await runMany({ seed: 1, plans: 2000, mutant: name, shrinks: false });
    expect(failures).not.toEqual([]);
  },
);
