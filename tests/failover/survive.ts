import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { isLong } from "../start/long-form.ts";
import { expectAllKept } from "./expect-all-kept.ts";
import type { Fault } from "./faults.ts";
import type { Installation } from "./installation.ts";
import { type MixedLoad, startMixedLoad } from "./mixed-load.ts";
import { expectOneHistory, type Watch } from "./watch-terms.ts";

/** Once a fault is over, everybody is served again within 30 seconds, on a machine that does nothing else. */
export const BACK_MS = isLong ? 30_000 : 120_000;
/** One fault, with what comes before and after it. */
export const MOST_MS = isLong ? 60_000 : 180_000;

/** After so many faults everything is looked at, and other organizations go on. */
const A_ROUND = 20;

/** An installation, and what is written to its etcd. */
export type Observed = { installation: Installation; watch: Watch };

/** For how long one organization was not served at one fault. */
export type Gap = { name: string; ms: number };

/** Everything works, so that one fault is one. */
async function untilWhole({ signers, services, etcd }: Installation) {
  const isWhole = async () =>
    signers.every((each) => each.isWorking()) &&
    services.every((each) => each.isUp()) &&
    (await Promise.all(etcd.urls.map(isHealthy))).every(Boolean);
  await expect.poll(isWhole, { timeout: MOST_MS, interval: 100 }).toBe(true);
}

/** For how long each organization was not served: from the fault, or from its end if it is an outage. */
async function gapsOf(fault: Fault, loads: readonly MixedLoad[]): Promise<number[]> {
  await fault.begin();
  if (fault.isOutage) await fault.end?.();
  const from = performance.now();
  const gaps = await Promise.all(
    loads.map(async ({ probes }) => {
      const served = () => probes.findLast(({ sentAt }) => sentAt >= from) !== undefined;
      await expect.poll(served, { timeout: BACK_MS, interval: 20, message: fault.name }).toBe(true);
      const first = probes.find(({ sentAt }) => sentAt >= from);
      return Number(first?.answeredAt) - from;
    }),
  );
  if (!fault.isOutage) await fault.end?.();
  return gaps;
}

/**
 * Lets so many faults happen, one after the other, while clients of these organizations work. In the end all that they were
 * told is there, once, and one signer decided at a time. Returns for how long each organization was not served.
 */
export async function survive(
  { installation, watch }: Observed,
  { count, organizations }: { count: number; organizations: number },
  faultOf: (at: number) => Fault | Promise<Fault>,
): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const failures = new Map<string, number>();
  let activities = 0;
  for (let begun = 0; begun < count; begun += A_ROUND) {
    const loads = await Promise.all(
      Array.from({ length: organizations }, () =>
        startMixedLoad(installation.url, installation.root),
      ),
    );
    try {
      for (let at = begun; at < Math.min(count, begun + A_ROUND); at++) {
        await untilWhole(installation);
        await sleep(500);
        const fault = await faultOf(at);
        for (const ms of await gapsOf(fault, loads)) gaps.push({ name: fault.name, ms });
      }
    } finally {
      await Promise.all(loads.map((load) => load.stop()));
    }
    await untilWhole(installation);
    for (const load of loads) {
      await expectAllKept(load, installation);
      activities += load.told.size;
      for (const [what, times] of load.failures) {
        failures.set(what, (failures.get(what) ?? 0) + times);
      }
    }
    await expectOneHistory(
      watch,
      installation.signers.map(({ name }) => name),
    );
    expectSaneLogs(installation);
  }
  report({ count, activities, gaps, failures, watch });
  return gaps;
}

/** Each term was that of one signer. */
export function expectTermsOfOne({ signers }: Installation) {
  const terms = signers.flatMap((each) => each.terms());
  expect(new Set(terms).size).toBe(terms.length);
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) });
    return (await answer.text()).includes('"health":"true"');
  } catch {
    return false;
  }
}

/** No signer found what it refuses to work with, and no API met a database that is older than the signers. */
function expectSaneLogs({ signers, services }: Installation) {
  const alarms = [...signers, ...services].flatMap((each) =>
    each
      .log()
      .split("\n")
      .filter((line) =>
        /ALARM|forked|put back|no longer has change|another signer named|TypeError/.test(line),
      ),
  );
  expect(alarms).toEqual([]);
}

function report({
  count,
  activities,
  gaps,
  failures,
  watch,
}: {
  count: number;
  activities: number;
  gaps: Gap[];
  failures: ReadonlyMap<string, number>;
  watch: Watch;
}) {
  const names = [...new Set(gaps.map(({ name }) => name))];
  const lines = [
    `${count} faults, ${activities} activities, ${watch.terms()} terms, ${watch.groups()} changes of marks`,
    `all: ${summary(gaps.map(({ ms }) => ms))}`,
    ...names.map(
      (name) => `${name}: ${summary(gaps.filter((gap) => gap.name === name).map(({ ms }) => ms))}`,
    ),
    `meanwhile: ${[...failures].map(([what, times]) => `${times} x ${what}`).join(", ") || "nothing"}`,
  ];
  console.log(lines.join("\n"));
}

function summary(milliseconds: number[]): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (part: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms (${sorted.length})`;
}
