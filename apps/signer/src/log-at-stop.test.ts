import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** The lengths of a frame and of its JSON, and what is none. */
const MALFORMED = Buffer.from([0, 0, 0, 6, 0, 0, 0, 2, 0x21, 0x21]);

test("a signer that stops within the minute says how many lines its log left out", async () => {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-log-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const main = join(import.meta.dirname, "main.ts");
  const signer = spawn(process.execPath, [main, "--state", directory, "--create"]);
  onTestFinished(() => void signer.kill("SIGKILL"));
  let log = "";
  signer.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const ended = once(signer, "close");
  await once(signer.stdout, "data");
  for (let i = 0; i < 103; i++) {
    const socket = createConnection(join(directory, "signer.sock"));
    socket.write(MALFORMED);
    await once(socket, "close");
  }
  signer.kill("SIGTERM");
  await ended;
  const lines = log.trimEnd().split("\n");
  const events = lines.map((line): Record<string, unknown> => JSON.parse(line));
  expect(events.filter(({ event }) => event === "connection cut")).toHaveLength(100);
  expect(events.at(-1)).toMatchObject({ event: "left out of the log", lines: 3 });
}, 60_000);
