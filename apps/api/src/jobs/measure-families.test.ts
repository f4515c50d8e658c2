import { expect, onTestFinished, test, vi } from "vitest";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { createTestDatabase } from "../store/database.testing.ts";
import { startMeasuringFamilies } from "./measure-families.ts";

test("metrics show the twenty families that store the most, and follow what they store", async () => {
  const { store, drop } = await createTestDatabase();
  onTestFinished(drop);
  const metrics = createMetrics({ isWithProcess: false });
  await store.run(
    "",
    `INSERT INTO organization_storage (organization_id, bytes, is_family)
     SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 1000 * n, n <> 25
     FROM generate_series(1, 25) AS n`,
    [],
  );
  const shown = async () => {
    const { body } = await metrics.render();
    const found = body.matchAll(
      /^keyhearth_family_stored_bytes\{organization_id="(.*)"\} (\d+)$/gm,
    );
    return [...found].map(([, id = "", bytes]) => [Number(id.slice(-12)), Number(bytes)]);
  };

  const log = createLog({ level: "silent" });
  const measuring = startMeasuringFamilies({ store, metrics, log }, 10);
  onTestFinished(() => measuring.stop());
  const largest = Array.from({ length: 20 }, (_, i) => [24 - i, 1000 * (24 - i)]);
  await vi.waitFor(async () => expect(await shown()).toEqual(largest));
  expect((await metrics.render()).body).toContain("\nkeyhearth_family_stored_bytes_max 24000\n");

  await store.run("", "UPDATE organization_storage SET bytes = 50000 WHERE bytes = 1000", []);
  await vi.waitFor(async () =>
    expect(await shown()).toEqual([[1, 50_000], ...largest.slice(0, 19)]),
  );
});
