import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

async function lines(metrics: ReturnType<typeof createMetrics>) {
  const { body } = await metrics.render();
  return body.split("\n").filter((line) => !line.startsWith("#"));
}

test("requests, activities, signer calls, commits and queries are counted by their labels", async () => {
  const metrics = createMetrics({ isWithProcess: false });
  metrics.request("/public/v1/submit/:name", 200, 0.0008);
  metrics.request("/public/v1/submit/:name", 200, 0.004);
  metrics.request("/public/v1/submit/:name", 429, 0.0001);
  metrics.activity("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", "ACTIVITY_STATUS_COMPLETED");
  metrics.signerCall("submit", 0.0004);
  metrics.signerFailure("confirm");
  metrics.signerQueueDepth(7);
  metrics.signerStarted(2, 1_700_000_000);
  metrics.signerStarted(3, 1_700_000_100.5);
  metrics.commit(3, 0.002);
  metrics.commitConflict();
  metrics.query("whoami", 0.001);
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'keyhearth_requests_total{route="/public/v1/submit/:name",status="200"} 2',
      'keyhearth_requests_total{route="/public/v1/submit/:name",status="429"} 1',
      'keyhearth_request_duration_seconds_bucket{le="0.001",route="/public/v1/submit/:name"} 2',
      'keyhearth_request_duration_seconds_count{route="/public/v1/submit/:name"} 3',
      'keyhearth_activities_total{type="ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",status="ACTIVITY_STATUS_COMPLETED"} 1',
      'keyhearth_signer_call_duration_seconds_count{call="submit"} 1',
      'keyhearth_signer_failures_total{call="confirm"} 1',
      "keyhearth_signer_queue_depth 7",
      "keyhearth_signer_starts_total 3",
      "keyhearth_signer_started_timestamp_seconds 1700000100.5",
      'keyhearth_database_commit_size_bucket{le="4"} 1',
      "keyhearth_database_commit_duration_seconds_count 1",
      "keyhearth_database_commit_conflicts_total 1",
      'keyhearth_database_query_duration_seconds_count{query="whoami"} 1',
    ]),
  );
});

test("families are shown by their ids, and no longer once others store more", async () => {
  const metrics = createMetrics({ isWithProcess: false });
  const shown = async () =>
    (await lines(metrics)).filter((line) => line.startsWith("keyhearth_family_"));
  expect(await shown()).toEqual(["keyhearth_family_stored_bytes_max 0"]);
  metrics.largestFamilies([
    { organizationId: "one", bytes: 5000 },
    { organizationId: "two", bytes: 4000 },
  ]);
  expect(await shown()).toEqual([
    "keyhearth_family_stored_bytes_max 5000",
    'keyhearth_family_stored_bytes{organization_id="one"} 5000',
    'keyhearth_family_stored_bytes{organization_id="two"} 4000',
  ]);
  metrics.largestFamilies([{ organizationId: "three", bytes: 6000 }]);
  expect(await shown()).toEqual([
    "keyhearth_family_stored_bytes_max 6000",
    'keyhearth_family_stored_bytes{organization_id="three"} 6000',
  ]);
});

test("two apps in one process do not share numbers", async () => {
  const one = createMetrics({ isWithProcess: false });
  const two = createMetrics({ isWithProcess: false });
  one.commitConflict();
  expect(await lines(two)).toContain("keyhearth_database_commit_conflicts_total 0");
});

test("the text is what Prometheus reads, with the process's own numbers", async () => {
  const { contentType, body } = await createMetrics().render();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(body).toMatch(/^process_resident_memory_bytes \d+/m);
});
