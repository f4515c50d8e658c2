import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../start/long-form.ts";
import {
  type Cut,
  cutFor,
  cutsOf,
  type Fault,
  faultsOfServices,
  faultsOfSigners,
} from "./faults.ts";
import { type Installation, missingPrograms, startInstallation } from "./installation.ts";
import { BACK_MS, expectTermsOfOne, type Gap, MOST_MS, survive } from "./survive.ts";
import { type Watch, watchTerms } from "./watch-terms.ts";

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
const MEDIAN_MS = 2000;
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

  test("of signers and etcd, no answered activity is lost or doubled, and one signer decides at a time", {
    timeout: (FAULTS.signers + 10) * MOST_MS,
  }, async ({ skip }) => {
    skip(FAULTS.signers === 0);
    const gaps = await survive(
      { installation, watch },
      { count: FAULTS.signers, organizations: ORGANIZATIONS },
      (at) => {
        const all = faultsOfSigners(installation, at);
        return all[at % all.length] as Fault;
      },
    );
    expectTermsOfOne(installation);
    // A standby that dies is not noticed by clients, and would make the others look faster.
    expectQuick(gaps.filter(({ name }) => name.includes("active")));
  });

  test("of the API processes, no answered activity is lost or doubled", {
    timeout: (FAULTS.services + 10) * MOST_MS,
  }, async ({ skip }) => {
    skip(FAULTS.services === 0);
    const gaps = await survive(
      { installation, watch },
      { count: FAULTS.services, organizations: ORGANIZATIONS },
      (at) => {
        const all = faultsOfServices(installation, at);
        return all[(at >> 2) % all.length] as Fault;
      },
    );
    expectQuick(gaps);
  });

  test("in cuts of every link and each set of them, both ways and one way, all works again by itself", {
    timeout: (FAULTS.cuts + 10) * (MOST_MS + CUT_SECONDS * 1000),
  }, async ({ skip }) => {
    skip(FAULTS.cuts === 0);
    const cuts = cutsOf(installation).slice(FIRST_CUT);
    expect(cuts.length).toBeLessThanOrEqual(MOST_CUTS);
    await survive(
      { installation, watch },
      { count: Math.min(FAULTS.cuts, cuts.length), organizations: ORGANIZATIONS },
      (at) => cutFor(cuts[at] as Cut, CUT_SECONDS * 1000),
    );
    expectTermsOfOne(installation);
  });
});

/** Where nothing else works on the machine. */
function expectQuick(gaps: readonly Gap[]) {
  const sorted = gaps.map(({ ms }) => ms).toSorted((a, b) => a - b);
  expect(sorted[sorted.length >> 1]).toBeLessThan(isLong ? MEDIAN_MS : BACK_MS);
}
