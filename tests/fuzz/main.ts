// Runs the fuzzer by itself.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readNames, readNumber, readOptions } from "../../scripts/options.ts";
import { fuzz } from "./fuzz.ts";
import { type Kind, kinds, openStage } from "./stage.ts";
import { decodeWire, send } from "./wire.ts";

const help = `Usage: node tests/fuzz/main.ts [options]

  --minutes=60       how long each kind of stage gets requests
  --seed=1           the choices of an earlier run
  --kinds=a,b        kinds of stages: ${kinds.join(", ")}; by default the first two
  --replay=FILE --data=DIRECTORY --kind=embedded
                     sends a saved request to what an earlier run left, and prints the answer
`;

const values = readOptions(help, {
  minutes: { type: "string", default: "60" },
  seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  kinds: { type: "string", default: "embedded,separate" },
  replay: { type: "string" },
  data: { type: "string" },
  kind: { type: "string", default: "embedded" },
});
const minutes = readNumber(help, "--minutes", values.minutes, { least: 0, isWhole: false });
const seed = readNumber(help, "--seed", values.seed, { least: 0 });

if (values.replay) await replay(values.replay, values.data ?? "");
else for (const kind of readNames(help, "--kinds", values.kinds, kinds)) await perform(kind);

async function perform(kind: Kind) {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-fuzz-"));
  console.log(`${kind}: seed ${seed}, ${minutes} minutes`);
  const stage = await openStage(directory, kind);
  const outcome = await fuzz({
    stage,
    seed,
    milliseconds: minutes * 60_000,
    directory: join(directory, "faults"),
    measureMs: 10_000,
    killEvery: 500,
    log: console.log,
  });
  const log = stage.log();
  await stage.stop();
  const { alone, beside } = outcome.victim;
  console.log(JSON.stringify(outcome, null, 2));
  console.log(`another organization signs ${(beside / alone).toFixed(2)} times slower`);
  if (outcome.faults.length === 0) {
    rmSync(directory, { recursive: true, force: true });
    return;
  }
  process.exitCode = 1;
  console.log(log.slice(-4000));
  console.log(
    `node tests/fuzz/main.ts --kind=${kind} --data=${directory} --replay=${directory}/faults/…`,
  );
}

async function replay(file: string, directory: string) {
  const [kind = "embedded"] = readNames(help, "--kind", values.kind, kinds);
  const stage = await openStage(directory, kind);
  const reply = await send(stage.url, decodeWire(readFileSync(file, "utf8")));
  console.log(reply?.status, reply?.text);
  console.log(stage.log());
  await stage.stop();
}
