// Runs plans of hostile and honest hosts against the core and the model.

import { readFileSync } from "node:fs";
import { readNumber, readOptions } from "../../scripts/options.ts";
import { mutants } from "./mutants.ts";
import { print } from "./plan.ts";
import { runMany } from "./run-many.ts";

const help = `Usage: node tests/model/main.ts [options]

  --plans=100000   how many
  --seed=1         the first plan's seed; the others follow
  --steps=30       of every plan; without it most have about 30, and one in 200 has 1,000
  --minutes=45     how long at most
  --mutants        puts each fault into the core and says how many plans find it
  --mutant=NAME    puts this fault into the core; with --mutants those whose names contain it
  --plan=FILE      runs one plan again, as JSON
`;

const values = readOptions(help, {
  plans: { type: "string", default: "100000" },
  seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  steps: { type: "string" },
  minutes: { type: "string", default: "45" },
  mutants: { type: "boolean", default: false },
  mutant: { type: "string" },
  plan: { type: "string" },
});
const seed = readNumber(help, "--seed", values.seed, { least: 0 });
const planned = readNumber(help, "--plans", values.plans, { least: 1 });
const minutes = readNumber(help, "--minutes", values.minutes, { least: 0, isWhole: false });
const steps =
  values.steps === undefined
    ? {}
    : { steps: readNumber(help, "--steps", values.steps, { least: 1 }) };

if (values.plan !== undefined) await runOne(values.plan);
else if (values.mutants) await runMutants();
else await runPlans();

async function runPlans() {
  console.log(`seed ${seed}`);
  const started = performance.now();
  let printed = started;
  const outcome = await runMany({
    seed,
    ...steps,
    plans: planned,
    isLong: true,
    minutes,
    maxFailures: 3,
    ...(values.mutant !== undefined && { mutant: values.mutant }),
    onProgress(plans) {
      if (performance.now() - printed < 10_000) return;
      printed = performance.now();
      const seconds = (printed - started) / 1000;
      console.log(`${plans} plans, ${(plans / seconds).toFixed(0)} a second`);
    },
  });
  const { plans, seconds, failures } = outcome;
  for (const { plan, message } of failures) {
    console.log(`\n${print(plan)}\n=> ${message}\n${JSON.stringify(plan)}`);
  }
  console.log(
    `${plans} plans of ${(outcome.steps / plans).toFixed(0)} steps in ${seconds.toFixed(0)} s: ${(plans / seconds).toFixed(1)} plans a second, ${failures.length} went wrong`,
  );
  if (failures.length > 0) process.exitCode = 1;
}

async function runMutants() {
  for (const { name } of mutants.filter((each) => each.name.includes(values.mutant ?? ""))) {
    const { plans, seconds, failures } = await runMany({
      seed,
      plans: planned,
      mutant: name,
      shrinks: false,
      ...steps,
    });
    const [first] = failures;
    const after = first
      ? `found by plan ${first.plan.seed - seed + 1}`
      : `NOT FOUND by ${plans} plans`;
    console.log(`${after.padEnd(28)} ${seconds.toFixed(1).padStart(6)} s  ${name}`);
    if (first) console.log(`    ${first.message.split("\n")[0]}`);
    else process.exitCode = 1;
  }
}

async function runOne(file: string) {
  const { runPlan } = await import("./run.ts");
  const plan = JSON.parse(readFileSync(file, "utf8"));
  const { message, answers } = runPlan(plan);
  console.log(print(plan));
  console.log(answers.map((answer, index) => `${plan.steps[index]?.id}: ${answer}`).join("\n"));
  console.log(message ?? "nothing went wrong");
}
