import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { flags } from "./setup/allocation.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const launch = fileURLToPath(new URL("./launch.mjs", import.meta.url));

/** Runs the launcher as a Node.js that says it is another version. */
async function run(args: string[], version = process.versions.node) {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  try {
    const command = ["--import", preload, launch, ...args];
    return { code: 0, ...(await promisify(execFile)(process.execPath, command, { cwd: root })) };
  } catch (error) {
    // execFile rejects with its output and the exit code.
    return error as { code: number; stdout: string; stderr: string };
  }
}

test("the scripts of package.json start both programs by the launcher", async () => {
  const { scripts } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
  expect(scripts.start).toContain("scripts/launch.mjs service");
  expect(scripts.signer).toContain("scripts/launch.mjs signer");
  expect(scripts.presigner).toBe("node scripts/setup.mjs install");
});

test("both programs get their arguments", async () => {
  const service = await run(["service", "--help"]);
  expect(service.stdout).toContain("Usage: npm start");
  const signer = await run(["signer", "--help"]);
  expect(signer.stdout).toContain("Usage: npm run signer");
});

const [, ...others] = flags;
const isLinux = process.platform === "linux";
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("MALLOC_")),
);

test.runIf(isLinux).each([
  ["2 131072 1048576", environment],
  ["5 131072 65536", { ...environment, MALLOC_TRIM_THRESHOLD_: "65536", MALLOC_ARENA_MAX: "5" }],
  ["2 131072 65536", { ...environment, MALLOC_TRIM_THRESHOLD_: "65536" }],
])("it runs with the allocation %s and the flags that were not given", async (allocation, env) => {
  const print = `const { env, pid, execArgv } = process; process.on("exit", () => console.log(pid, env.MALLOC_ARENA_MAX, env.MALLOC_MMAP_THRESHOLD_, env.MALLOC_TRIM_THRESHOLD_, execArgv[0], execArgv.slice(-3).join(" ")))`;
  const preload = ["--import", `data:text/javascript,${encodeURIComponent(print)}`];
  const started = promisify(execFile)(
    process.execPath,
    ["--max-semi-space-size=8", ...preload, launch, "signer", "--help"],
    { cwd: root, env },
  );
  const { stdout, stderr } = await started;
  expect(stdout).toContain("Usage: npm run signer");
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(
    `${started.child.pid} ${allocation} --max-semi-space-size=8 ${others.join(" ")}`,
  );
  expect(stderr).toBe("");
});

test.each([["service"], ["signer"]])("on an old Node.js, %s is one sentence", async (name) => {
  const { code, stderr } = await run([name, "--help"], "20.20.2");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^keyhearth: Node\.js 20\.20\.2 is too old, .+\n$/);
});

test("another name is one sentence", async () => {
  for (const name of ["", "toString", "../x"]) {
    const { code, stderr } = await run([name]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keyhearth: usage: .+\n$/);
  }
});

test("a SIGTERM to npm stops the program, though the shell between them passes nothing on", async () => {
  const state = await mkdtemp(join(tmpdir(), "keyhearth-launch-"));
  // As npm starts it: by a shell that waits for it, with the name of the script in the environment.
  const command = `"${process.execPath}" "${launch}" signer --create --state "${state}"; true`;
  const env = { ...process.env, npm_lifecycle_event: "signer" };
  const shell = spawn("sh", ["-c", command], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  shell.stdout.on("data", (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 30_000 }).toContain("listening");
  shell.kill("SIGTERM");
  const [, signal] = await once(shell, "exit");
  expect(signal).toBe("SIGTERM");
  // Its output is open until the program itself has ended.
  const ended = new Promise((resolve) => shell.stdout.once("end", () => resolve("ended")));
  const late = new Promise((resolve) => setTimeout(() => resolve("still running"), 5000));
  expect(await Promise.race([ended, late])).toBe("ended");
  await rm(state, { recursive: true });
});

// The version that most hosts have, if it is here.
const hosts = "/usr/bin/node";
test.runIf(existsSync(hosts))("the host's own Node.js never prints a stack", async () => {
  const outcome = await promisify(execFile)(hosts, [launch, "signer", "--help"]).catch(
    (error: { stderr: string }) => error,
  );
  expect(outcome.stderr).not.toMatch(/\n\s+at /);
});
