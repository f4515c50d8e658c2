import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { attributesOf, startCollector } from "../observability/collector.testing.ts";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { startPushingMetrics } from "./push-metrics.ts";

async function startTo(url: string, { everyMs = 20 } = {}) {
  const metrics = createMetrics({ isWithProcess: false });
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  const log = createLog({ level: "warn", destination });
  const settings = { url: `${url}/v1/metrics`, headers: {}, everyMs };
  const pushing = await startPushingMetrics(settings, { log, metrics });
  onTestFinished(() => pushing.stop());
  return { metrics, pushing, logged };
}

async function collectorFor() {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const named = (name: string) => collector.metrics.at(-1)?.find((each) => each.name === name);
  return { ...collector, named };
}

test("counters, gauges and histograms reach a collector as /metrics shows them", async () => {
  const collector = await collectorFor();
  const { metrics, pushing } = await startTo(collector.url, { everyMs: 60_000 });
  metrics.request("/public/v1/submit/:name", 200, 0.0008);
  metrics.request("/public/v1/submit/:name", 429, 0.0001);
  metrics.signerQueueDepth(7);
  for (const size of [1, 3, 4, 100]) metrics.commit(size, 0.002);
  await pushing.stop();

  const requests = collector.named("keyhearth_requests_total")?.sum;
  expect(requests).toMatchObject({ aggregationTemporality: 2, isMonotonic: true });
  expect(requests?.dataPoints.map((point) => [attributesOf(point), point.asDouble])).toEqual([
    [{ route: "/public/v1/submit/:name", status: "200" }, 1],
    [{ route: "/public/v1/submit/:name", status: "429" }, 1],
  ]);
  const depth = collector.named("keyhearth_signer_queue_depth")?.gauge?.dataPoints;
  expect(depth?.map(({ asDouble }) => asDouble)).toEqual([7]);
  const size = collector.named("keyhearth_database_commit_size")?.histogram;
  expect(size?.aggregationTemporality).toBe(2);
  expect(size?.dataPoints).toMatchObject([
    {
      attributes: [],
      count: 4,
      sum: 108,
      explicitBounds: [1, 2, 4, 8, 16, 32, 64],
      bucketCounts: [1, 0, 2, 0, 0, 0, 0, 1],
    },
  ]);
  const took = collector.named("keyhearth_request_duration_seconds");
  expect(took).toMatchObject({ unit: "s", description: expect.stringContaining("by route") });
  expect(took?.histogram?.dataPoints.map(attributesOf)).toEqual([
    { route: "/public/v1/submit/:name" },
  ]);
  const started = Number(requests?.dataPoints[0]?.startTimeUnixNano) / 1e6;
  expect(Math.abs(started - performance.timeOrigin)).toBeLessThan(1000);
  const [name, version, instance] = collector.resource.map(({ key }) => key);
  expect([name, version, instance]).toEqual([
    ...["service.name", "service.version", "service.instance.id"],
  ]);
});

test("numbers come again and again, and a collector that refuses or is away costs nothing else", async () => {
  const collector = await collectorFor();
  const { metrics, logged } = await startTo(collector.url);
  const depths = () =>
    collector.metrics.map(
      (each) =>
        each.find(({ name }) => name === "keyhearth_signer_queue_depth")?.gauge?.dataPoints[0]
          ?.asDouble,
    );
  metrics.signerQueueDepth(1);
  await expect.poll(() => depths().includes(1)).toBe(true);
  collector.state.answer = (response) => void response.writeHead(403).end("no-such-text");
  await expect.poll(() => logged.length).toBe(1);
  expect(JSON.parse(logged[0] ?? "")).toMatchObject({
    msg: "metrics were not sent",
    reason: "the collector answered 403",
  });
  collector.accept();
  metrics.signerQueueDepth(2);
  await expect.poll(() => depths().at(-1)).toBe(2);
  expect(logged).toHaveLength(1);
});

test("a collector that hangs does not hold up a stop for more than two seconds", async () => {
  const collector = await collectorFor();
  collector.state.answer = () => {};
  const { pushing } = await startTo(collector.url);
  await expect.poll(() => collector.state.requests).toBe(1);
  const before = performance.now();
  await pushing.stop();
  expect(performance.now() - before).toBeLessThan(3500);
});

test("a service that sends no numbers does not load the library", async () => {
  const source = `
    const { startPushingMetrics } = await import("./push-metrics.ts");
    await startPushingMetrics(null, {});
    const { default: Module } = await import("node:module");
    const loaded = () => Object.keys(Module._cache).filter((path) => path.includes("@opentelemetry/sdk-metrics")).length;
    const before = loaded();
    await import("../observability/otlp-metrics.ts");
    console.log(JSON.stringify({ before, after: loaded() > 0 }));
  `;
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const args = ["--input-type=module", "-e", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(JSON.parse(stdout)).toEqual({ before: 0, after: true });
}, 60_000);
