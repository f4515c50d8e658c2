import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { acceptClock, acceptRestoredDatabase, openSigner } from "./signer.ts";

// The operator's commands on a state that has worked in another year. One of each is a process.

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

/** What a command of the operator prints. */
async function command(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, "--state", state]);
  return stdout;
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
  const printed = await command("accept-clock", new Date().toISOString());
  const [first, ...spans] = printed.trim().split("\n");
  expect(first).toMatch(/^The signer's time was taken back from 20\S+Z to 20\S+Z\.$/);
  expect(spans).toHaveLength(2);
  for (const line of spans) {
    expect(line).toMatch(/^Requests with timestamps from 20\S+Z to 20\S+Z are refused\.$/);
  }
  expect(reasonOf()).toBeNull();
});

test("a restored database is accepted at a time that the signer believes, and at a stated one if its marks are lost", async () => {
  const now = new Date().toISOString();
  for (const stated of ["", now]) {
    expect(() => acceptRestoredDatabase(state, stated)).toThrow(
      /refuses to work before that time; .*accept-clock/,
    );
  }
  acceptClock(state, now);
  const began = /^The signer begins new marks at 20\S+Z, with what it sees next\./;
  expect(await command("accept-restored-database")).toMatch(began);
  rmSync(join(state, "marks"));
  expect(() => acceptRestoredDatabase(state)).toThrow(
    "`npm run signer -- accept-restored-database 2026-01-31T09:30Z`",
  );
  expect(() => acceptRestoredDatabase(state, "yes")).toThrow("not a time in UTC");
  expect(acceptRestoredDatabase(state, now)).toMatchObject({ setAside: null });
  expect(reasonOf()).toBeNull();
});

test("accept-clock changes nothing unless the operator states the machine's time", async () => {
  const year = new Date(Date.now() + YEAR_MS).toISOString();
  expect(() => acceptClock(state, "yes")).toThrow("not a time in UTC");
  await expect(command("accept-clock", year)).rejects.toMatchObject({
    ...{ code: 1, stdout: "" },
    stderr: expect.stringMatching(/^keyhearth signer: .*clock first/),
  });
  expect(reasonOf()).toBe("CLOCK_BACKWARDS");
});
