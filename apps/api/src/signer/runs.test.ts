import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { createHost } from "../host/host.ts";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { startTestServer } from "../testing.ts";
import { createSignerRuns, watchSignerRuns } from "./runs.ts";
import { connectToSigner } from "./socket.ts";

const main = fileURLToPath(new URL("../../../signer/src/main.ts", import.meta.url));

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test("the metrics show how often the signer had no file descriptor left, in its current run", async () => {
  const metrics = createMetrics({ isWithProcess: false });
  const runs = createSignerRuns({ log: createLog({ level: "silent" }), metrics });
  const shown = async () =>
    (await metrics.render()).body.match(/^keyhearth_signer_descriptor_shortages_total .*/m)?.[0];
  for (const [run, shortages, expected] of [
    ["first", 0, 0],
    ["first", 3, 3],
    ["second", 1, 1],
    // An embedded signer does not say.
    ["third", undefined, 0],
  ] as const) {
    runs.note({ run, starts: 1, startedAtMs: 0, ...(shortages !== undefined && { shortages }) });
    expect(await shown()).toBe(`keyhearth_signer_descriptor_shortages_total ${expected}`);
  }
});

test("the API logs and counts a start of the signer's process that it did not ask for", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-runs-"));
  closers.push(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "signer.sock");
  const first = await startSigner(directory, path);
  const client = connectToSigner({
    addresses: [{ kind: "unix", path, text: `unix:${path}` }],
    identity: null,
    onEvent: () => {},
  });
  closers.push(() => client.close());
  const server = await startTestServer();
  closers.push(() => server.stop());
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ level: "error", destination });
  const metrics = createMetrics({ isWithProcess: false });
  const host = createHost({ store: server.store, signer: client, log, metrics });
  const watching = watchSignerRuns(host, 20);
  closers.push(() => watching.stop());
  const shown = async () => (await metrics.render()).body.match(/^keyhearth_signer_start.*/gm);

  await expect.poll(shown, { timeout: 15_000 }).toContain("keyhearth_signer_starts_total 1");
  expect(lines).toEqual([]);
  expect(first.lines).toContainEqual(
    expect.objectContaining({ event: "signer started", starts: 1 }),
  );

  await first.kill();
  const second = await startSigner(directory, path);
  await expect.poll(shown, { timeout: 15_000 }).toContain("keyhearth_signer_starts_total 2");
  const [, at = ""] = /started_timestamp_seconds (\S+)/.exec(String(await shown())) ?? [];
  expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(60);
  expect(lines).toMatchObject([
    {
      level: "error",
      msg: expect.stringContaining("the signer has started again"),
      signer: { starts: 2, startsBefore: 1 },
    },
  ]);
  expect(second.lines).toContainEqual(
    expect.objectContaining({ event: "signer started", starts: 2 }),
  );
});

/** A real signer process, and the lines of its log. */
async function startSigner(directory: string, path: string) {
  const args = [
    main,
    "--state",
    join(directory, "state"),
    "--socket",
    path,
    "--create",
    "--issuers",
    "none",
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const lines: Record<string, unknown>[] = [];
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
    const ended = text.split("\n");
    text = ended.pop() ?? "";
    for (const line of ended) if (line.startsWith("{")) lines.push(JSON.parse(line));
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  closers.push(kill);
  await once(child.stdout, "data");
  return { lines, kill };
}
