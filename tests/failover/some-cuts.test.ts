import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cut, cutFor, someCutsOf } from "./faults.ts";
import { type Installation, missingPrograms, startInstallation } from "./installation.ts";
import { BACK_MS, expectTermsOfOne, survive } from "./survive.ts";
import { type Watch, watchTerms } from "./watch-terms.ts";

// A cut of each role, one way, in an installation of two signers, three members of etcd, two API processes behind HAProxy and a
// PostgreSQL. `many-faults.test.ts` has all of them, and everything that dies, in the long form.

/** Longer than signers wait for a sign of life. */
const CUT_MS = 2000;

const missing = missingPrograms();
if (missing.length > 0) console.log(`skipped: ${missing.join(", ")} is not installed`);

describe.runIf(missing.length === 0)("an installation whose network is cut", () => {
  let installation: Installation;
  let watch: Watch;

  beforeAll(async () => {
    installation = await startInstallation({ services: 2 });
    watch = watchTerms(installation.etcd.urls);
  }, 300_000);
  afterAll(async () => {
    await watch?.stop();
    await installation?.stop();
  }, 120_000);

  test("one way at each role loses nothing that was answered, and works again by itself", {
    timeout: 300_000,
  }, async () => {
    const { length: count } = someCutsOf(installation);
    expect(count).toBeGreaterThanOrEqual(4);
    // At each cut another signer may decide.
    const cutAt = (at: number) => cutFor(someCutsOf(installation)[at] as Cut, CUT_MS);
    const gaps = await survive({ installation, watch }, { count, organizations: 1 }, cutAt);
    for (const { ms } of gaps) expect(ms).toBeLessThan(BACK_MS);
    expectTermsOfOne(installation);
  });
});
