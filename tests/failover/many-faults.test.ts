import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../start/long-form.ts";
import { expectAllKept } from "./expect-all-kept.ts";
import {
  type Cut,
  cutFor,
  cutsOf,
  type Fault,
  faultsOfServices,
  faultsOfSigners,
} from "./faults.ts";
import { type Installation, missingPrograms, startInstallation } from "./installation.ts";
import { type MixedLoad, startMixedLoad } from "./mixed-load.ts";
import { expectOneHistory, type Watch, watchTerms } from "./watch-terms.ts";

// Two signers, three members of etcd, four API processes behind HAProxy and a PostgreSQL, while each of them is killed,
// paused, ended or cut off from the others, and clients of several organizations work with the SDK as it is.

const numberOf = (variable: string, otherwise: number) =>
  Number(process.env[variable] ?? otherwise);

/** As many as there are, where the system has network namespaces. */
const MOST_CUTS = 90;
/** The first of them. */
const FIRST_CUT = numberOf("KEYHEARTH_FIRST_CUT", 0);

/** How often something happens to a signer or a member of etcd, to an API process, and to the network. */
const FAULTS = {
  signers: numberOf("KEYHEARTH_SIGNER_FAULTS", isLong ? 200 : 0),
  services: numberOf("KEYHEARTH_API_FAULTS", isLong ? 40 : 0),
  cuts: numberOf("KEYHEARTH_CUTS", isLong ? MOST_CUTS : 0),
};
/** For how many seconds the network is cut. */
const CUT_SECONDS = numberOf("KEYHEARTH_CUT_SECONDS", 6);
const ORGANIZATIONS = numberOf("KEYHEARTH_FAULT_ORGANIZATIONS", 3);
/** After so many faults everything is looked at, and other organizations go on. */
const A_ROUND = 20;
/** Once a fault is over, everybody is served again within 30 seconds, on a machine that does nothing else. */
const BACK_MS = isLong ? 30_000 : 120_000;
const MEDIAN_MS = 2000;
/** One fault, with what comes before and after it. */
const MOST_MS = isLong ? 60_000 : 180_000;

const missing = missingPrograms();
const isWanted = Object.values(FAULTS).some((count) => count > 0);
if (isWanted && missing.length > 0) console.log(`skipped: ${missing.join(", ")} is not installed`);

describe.runIf(isWanted && missing.length === 0)("whatever dies or is cut off", () => {
  let installation: Installation;
  let watch: Watch;

  beforeAll(async () => {
    installation = await startInstallation();
    watch = watchTerms(installation.etcd.urls);
  }, 300_000);
  afterAll(async () => {
    await watch?.stop();
    await installation?.stop();
  }, 120_000);

  /** Everything works, so that one fault is one. */
  async function untilWhole() {
    const { signers, services, etcd } = installation;
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
        await expect
          .poll(served, { timeout: BACK_MS, interval: 20, message: fault.name })
          .toBe(true);
        const first = probes.find(({ sentAt }) => sentAt >= from);
        return Number(first?.answeredAt) - from;
      }),
    );
    if (!fault.isOutage) await fault.end?.();
    return gaps;
  }

  async function survive(count: number, faultOf: (at: number) => Fault | Promise<Fault>) {
    const gaps: Gap[] = [];
    const failures = new Map<string, number>();
    let activities = 0;
    for (let begun = 0; begun < count; begun += A_ROUND) {
      const loads = await Promise.all(
        Array.from({ length: ORGANIZATIONS }, () =>
          startMixedLoad(installation.url, installation.root),
        ),
      );
      try {
        for (let at = begun; at < Math.min(count, begun + A_ROUND); at++) {
          await untilWhole();
          await sleep(500);
          const fault = await faultOf(at);
          for (const ms of await gapsOf(fault, loads)) gaps.push({ name: fault.name, ms });
        }
      } finally {
        await Promise.all(loads.map((load) => load.stop()));
      }
      await untilWhole();
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

  function expectTermsOfOne() {
    const terms = installation.signers.flatMap((each) => each.terms());
    expect(new Set(terms).size).toBe(terms.length);
  }

  test("of signers and etcd, no answered activity is lost or doubled, and one signer decides at a time", {
    timeout: (FAULTS.signers + 10) * MOST_MS,
  }, async ({ skip }) => {
    skip(FAULTS.signers === 0);
    const gaps = await survive(FAULTS.signers, (at) => {
      const all = faultsOfSigners(installation, at);
      return all[at % all.length] as Fault;
    });
    expectTermsOfOne();
    // A standby that dies is not noticed by clients, and would make the others look faster.
    expectQuick(gaps.filter(({ name }) => name.includes("active")));
  });

  test("of the API processes, no answered activity is lost or doubled", {
    timeout: (FAULTS.services + 10) * MOST_MS,
  }, async ({ skip }) => {
    skip(FAULTS.services === 0);
    const gaps = await survive(FAULTS.services, (at) => {
      const all = faultsOfServices(installation, at);
      return all[(at >> 2) % all.length] as Fault;
    });
    expectQuick(gaps);
  });

  test("in cuts of every link and each set of them, both ways and one way, all works again by itself", {
    timeout: (FAULTS.cuts + 10) * (MOST_MS + CUT_SECONDS * 1000),
  }, async ({ skip }) => {
    skip(FAULTS.cuts === 0);
    const cuts = cutsOf(installation).slice(FIRST_CUT);
    expect(cuts.length).toBeLessThanOrEqual(MOST_CUTS);
    await survive(Math.min(FAULTS.cuts, cuts.length), (at) =>
      cutFor(cuts[at] as Cut, CUT_SECONDS * 1000),
    );
    expectTermsOfOne();
  });
});

/** For how long one organization was not served at one fault. */
type Gap = { name: string; ms: number };

/** Where nothing else works on the machine. */
function expectQuick(gaps: readonly Gap[]) {
  const sorted = gaps.map(({ ms }) => ms).toSorted((a, b) => a - b);
  expect(sorted[sorted.length >> 1]).toBeLessThan(isLong ? MEDIAN_MS : BACK_MS);
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
