// Runs the fuzzer by itself.
//
//   --minutes=60       how long each kind of stage gets requests
//   --seed=1           the choices of an earlier run
//   --kinds=embedded,separate,postgres
//   --replay=FILE --data=DIRECTORY --kind=embedded
//                      sends a saved request to what an earlier run left, and prints the answer

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fuzz } from "./fuzz.ts";
import { type Kind, openStage } from "./stage.ts";
import { decodeWire, send } from "./wire.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    kinds: { type: "string", default: "embedded,separate" },
    replay: { type: "string" },
    data: { type: "string" },
    kind: { type: "string", default: "embedded" },
  },
});

if (values.replay) await replay(values.replay, values.data ?? "");
else for (const kind of values.kinds.split(",")) await perform(kind as Kind);

async function perform(kind: Kind) {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-fuzz-"));
  const seed = Number(values.seed);
  console.log(`${kind}: seed ${seed}, ${values.minutes} minutes`);
  const stage = await openStage(directory, kind);
  const outcome = await fuzz({
    stage,
    seed,
    milliseconds: Number(values.minutes) * 60_000,
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
  const stage = await openStage(directory, values.kind as Kind);
  const reply = await send(stage.url, decodeWire(readFileSync(file, "utf8")));
  console.log(reply?.status, reply?.text);
  console.log(stage.log());
  await stage.stop();
}
