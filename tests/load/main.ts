// Everybody attacks the real service at once, while another organization signs and asks.

import { readNumber, readOptions, refuseOptions } from "../../scripts/options.ts";
import type { Database } from "./bed.ts";
import { describe } from "./outcome.ts";
import { findRow, rows, together } from "./rows.ts";
import { runLoad } from "./run.ts";

const help = `Usage: node tests/load/main.ts [options]

  --minutes=10          how long the attacks last
  --database=embedded   or postgres
  --only=a,b            which rows attack:
${rows.map(({ name, who, what }) => `                          ${name.padEnd(16)}${who}: ${what}`).join("\n")}
  --each                one row after the other instead of all at once
  --seed=1              the choices of an earlier run
  --profile=DIR         CPU profiles of the service's threads
  --help`;

const values = readOptions(help, {
  minutes: { type: "string", default: "10" },
  database: { type: "string", default: "embedded" },
  only: { type: "string" },
  each: { type: "boolean", default: false },
  seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  profile: { type: "string" },
});
const minutes = readNumber(help, "--minutes", values.minutes, { least: 0, isWhole: false });
const seed = readNumber(help, "--seed", values.seed, { least: 0 });

await run();

async function run() {
  const { database } = values;
  if (!isDatabase(database)) {
    return refuseOptions(help, `--database is \`${database}\`; expected embedded or postgres`);
  }
  console.log(`${database}, ${values.minutes} minutes, seed ${seed}`);
  const chosen = values.only?.split(",").map(findRow) ?? (values.each ? rows : together);
  const groups = values.each ? chosen.map((row) => [row]) : [chosen];
  const { profile } = values;
  const options = { database, minutes, seed, groups, log: console.log };
  const outcomes = await runLoad({ ...options, ...(profile !== undefined && { profile }) });
  outcomes.forEach((outcome, i) => {
    const names = (groups[i] ?? []).map(({ name }) => name).join(", ");
    console.log(`\n${names}\n${describe(outcome)}`);
  });
  process.exitCode = outcomes.some(({ broken }) => broken.length > 0) ? 1 : 0;
}

function isDatabase(name: string): name is Database {
  return name === "embedded" || name === "postgres";
}
