import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acceptClock, openSigner } from "./signer.ts";

// The operator's command as a process, on a state that has worked in another year.

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

let state: string;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "keyhearth-accept-clock-"));
  openSigner({ stateDirectory: state, mayCreate: true, log() {} }).close();
  const wrong = Date.now() + YEAR_MS;
  acceptClock(state, new Date(wrong).toISOString(), { now: () => wrong });
});

afterEach(() => rmSync(state, { recursive: true }));

const command = (...args: string[]) => run("accept-clock", ...args);

async function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  try {
    return await promisify(execFile)(process.execPath, [main, ...args, "--state", state]);
  } catch (error) {
    // It failed, and this has what it printed.
    return error as { stdout: string; stderr: string };
  }
}

function reasonOf(): string | null {
  const signer = openSigner({ stateDirectory: state, mayCreate: false, log() {} });
  try {
    const answer = signer.handle({ call: "describe" });
    return answer.kind === "error" ? answer.error.reason : null;
  } finally {
    signer.close();
  }
}

test("accept-clock takes a wrong time back, and says what is refused from then on", async () => {
  expect(reasonOf()).toBe("CLOCK_BACKWARDS");
  const { stdout } = await command(new Date().toISOString());
  const [first, ...spans] = stdout.trim().split("\n");
  expect(first).toMatch(/^The signer's time was taken back from 20\S+Z to 20\S+Z\.$/);
  expect(spans).toHaveLength(2);
  for (const line of spans) {
    expect(line).toMatch(/^Requests with timestamps from 20\S+Z to 20\S+Z are refused\.$/);
  }
  expect(reasonOf()).toBeNull();
});

test("a restored database is accepted at a time that the signer believes, and at a stated one if its marks are lost", async () => {
  const now = new Date().toISOString();
  const restore = (...args: string[]) => run("accept-restored-database", ...args);
  const began = /^The signer begins new marks at 20\S+Z, with what it sees next\./;
  for (const args of [[], [now]]) {
    expect(await restore(...args)).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/refuses to work before that time; .*accept-clock/),
    });
  }
  await command(now);
  expect((await restore()).stdout).toMatch(began);
  rmSync(join(state, "marks"));
  expect(await restore()).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining("`accept-restored-database 2026-01-31T09:30Z`"),
  });
  expect(await restore("yes")).toMatchObject({
    stderr: expect.stringContaining("not a time in UTC"),
  });
  expect((await restore(now)).stdout).toMatch(began);
  expect(reasonOf()).toBeNull();
});

test("accept-clock changes nothing unless the operator states the machine's time", async () => {
  const year = new Date(Date.now() + YEAR_MS).toISOString();
  const [text, wrong] = await Promise.all([command("yes"), command(year)]);
  expect(text).toMatchObject({ stdout: "", stderr: expect.stringContaining("not a time in UTC") });
  expect(wrong).toMatchObject({ stdout: "", stderr: expect.stringContaining("clock first") });
  expect(reasonOf()).toBe("CLOCK_BACKWARDS");
});
