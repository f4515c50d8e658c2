import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

// Runs the script for pipelines as a pipeline does: it starts the service, runs a command, and leaves nothing behind.

const root = fileURLToPath(new URL("../../", import.meta.url));
const script = "apps/website/snippets/ci/ci.sh";
const checks = ["node_modules/.bin/node", "--test", "apps/website/snippets/ci/check.ts"];

async function runScript(command: string[]) {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-ci-"));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const port = await freePort();
  // A clone has the service as sources, and no package of it is installed.
  const START_COMMAND = "node_modules/.bin/node scripts/launch.mjs service";
  const env = { PATH: process.env.PATH, TMPDIR: temporary, PORT: String(port), START_COMMAND };
  const ended = await promisify(execFile)("sh", [script, ...command], { cwd: root, env }).catch(
    (error: { code: number; stdout: string }) => error,
  );
  const isClosed = await fetch(`http://127.0.0.1:${port}/readyz`).then(
    () => false,
    () => true,
  );
  const { code, stdout } = { code: 0, ...ended };
  return { code, stdout, left: readdirSync(temporary), isClosed };
}

test("tests run against a service of their own, and their failure is the script's", async () => {
  const command = `${checks.join(" ")} && exit 7`;
  const { code, stdout, left, isClosed } = await runScript(["sh", "-c", command]);
  expect(stdout).toContain("pass 2");
  expect({ code, left, isClosed }).toEqual({ code: 7, left: [], isClosed: true });
}, 240_000);

test("a service that has the port is not taken for its own", async () => {
  const server = createHttpServer((_, response) => response.end("ready"));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const run = promisify(execFile)("sh", [script, "echo", "a test ran"], { cwd: root, env });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: `port ${port} is in use; set PORT to another one\n`,
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}
