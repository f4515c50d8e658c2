import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startCollector } from "./collector.testing.ts";
import { createLog } from "./log.ts";
import type { SpanOutcome } from "./metrics.ts";
import { currentSpan, summaryOf, traced } from "./spans.ts";
import { startTracing } from "./start-tracing.ts";

async function startTo(url: string, share = 1) {
  const counts: Record<SpanOutcome, number> = { sent: 0, failed: 0, dropped: 0 };
  const metrics = {
    spans(outcome: SpanOutcome, count: number) {
      counts[outcome] += count;
    },
  };
  const log = createLog({ level: "silent" });
  const settings = { url: `${url}/v1/traces`, headers: {}, share };
  const tracing = await startTracing(settings, { log, metrics });
  onTestFinished(() => tracing.stop());
  return { tracing, counts };
}

async function collectorFor() {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  return collector;
}

test("while a collector hangs, spans beyond a bound are dropped and counted", async () => {
  const collector = await collectorFor();
  collector.state.answer = () => {};
  const { tracing, counts } = await startTo(collector.url);
  await tracing.root("root", { kind: "server" }, async () => {
    for (let i = 0; i < 20_000; i++) await traced("child", async () => {});
  });
  // One batch is on its way, and a queue waits.
  expect(counts.dropped).toBeGreaterThan(20_000 - 4096 - 2 * 256);
  expect(counts.sent).toBe(0);
});

test("however many requests come, at most a hundred a second are traced", async () => {
  const collector = await collectorFor();
  const { tracing } = await startTo(collector.url);
  let recorded = 0;
  const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
  for (let i = 0; i < 2000; i++) {
    await tracing.root("root", { kind: "server", traceparent }, async (span) => {
      if (span) recorded += 1;
      expect(currentSpan()).toBe(span);
    });
  }
  expect(recorded).toBeGreaterThanOrEqual(100);
  expect(recorded).toBeLessThan(300);
});

test("a trace that a client began counts for the share like any other", async () => {
  const collector = await collectorFor();
  const { tracing } = await startTo(collector.url, 0.000001);
  const traceparent = `00-ffffffff${"0".repeat(24)}-${"cd".repeat(8)}-01`;
  await tracing.root("root", { kind: "server", traceparent }, async (span) => {
    expect(span).toBeUndefined();
  });
});

test("a span says which kind of error ended it, and not its text", async () => {
  const collector = await collectorFor();
  const { tracing } = await startTo(collector.url);
  const failure = Object.assign(new Error("the text of Grace"), { code: "23505" });
  const work = tracing.root("root", { kind: "server" }, () =>
    traced("child", () => Promise.reject(failure)),
  );
  await expect(work).rejects.toBe(failure);
  await tracing.stop();
  expect(collector.spans.map(({ name, status }) => [name, status.code])).toEqual([
    ["child", 2],
    ["root", 2],
  ]);
  const sent = JSON.stringify(collector.spans);
  expect(sent).toContain("23505");
  expect(sent).not.toContain("Grace");
});

test("statements of the query builder are named by what they do", () => {
  expect(summaryOf('select "a" from "wallets" where "a" = $1')).toBe("select wallets");
  expect(summaryOf('insert into "outbox" ("a") values ($1)')).toBe("insert outbox");
  expect(summaryOf("SELECT 1")).toBe("select");
});

test("a service without traces does not load the library", async () => {
  const source = `
    const { startTracing } = await import("./start-tracing.ts");
    await import("../start/service.ts");
    const off = await startTracing(null, {});
    const { default: Module } = await import("node:module");
    const loaded = () => Object.keys(Module._cache).filter((path) => path.includes("@opentelemetry/") && !path.includes("@opentelemetry/api/"));
    const before = loaded().length;
    await import("./otlp.ts");
    console.log(JSON.stringify({ isOn: off.isOn, before, after: loaded().length > 50 }));
  `;
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const args = ["--input-type=module", "-e", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(JSON.parse(stdout)).toEqual({ isOn: false, before: 0, after: true });
}, 60_000);
