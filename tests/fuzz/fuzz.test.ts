import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPostgres } from "../postgres/start.ts";
import { isLong } from "../start/long-form.ts";
import { fuzz } from "./fuzz.ts";
import { type Kind, openStage } from "./stage.ts";
import { unreached } from "./unreached.ts";

// The long form takes an hour. Its seed is printed, and `node tests/fuzz/main.ts --seed=…` repeats it.

const all: Kind[] = findPostgres()
  ? ["embedded", "separate", "postgres"]
  : ["embedded", "separate"];
const kinds: Kind[] = isLong ? all : ["separate"];
const milliseconds = isLong ? (60 * 60_000) / kinds.length : 60_000;
const seed = isLong ? Date.now() % 1_000_000_000 : 1;

test.each(kinds)(
  "%s: no request makes the service fail, forget an answer or mix up tenants",
  {
    timeout: 2 * milliseconds + 120_000,
  },
  async (kind) => {
    const directory = mkdtempSync(join(tmpdir(), "keyhearth-fuzz-"));
    console.log(`${kind}: seed ${seed}`);
    const stage = await openStage(directory, kind);
    const outcome = await fuzz({
      stage,
      seed,
      milliseconds,
      directory: join(directory, "faults"),
      measureMs: isLong ? 10_000 : 500,
      killEvery: isLong ? 500 : 50,
      ...(!isLong && { steps: 160 }),
      log: console.log,
    });
    await stage.stop();
    const { faults, acknowledged, kills, victim, neverAccepted } = outcome;
    const slower = victim.beside / victim.alone;
    console.log(
      `${kind}: ${outcome.requests} requests, ${acknowledged} activities kept through ${kills} kills`,
    );
    if (isLong) console.log(`another organization ${slower.toFixed(2)} times slower`);
    // What a fault left behind is kept, to send its request again.
    if (faults.length === 0) rmSync(directory, { recursive: true, force: true });
    expect(faults).toEqual([]);
    expect(kills).toBeGreaterThan(0);
    expect(acknowledged).toBeGreaterThan(isLong ? 1000 : 10);
    if (!isLong) return;
    expect(neverAccepted.filter((each) => !unreached.has(each))).toEqual([]);
    expect(slower).toBeLessThanOrEqual(2);
  },
);
