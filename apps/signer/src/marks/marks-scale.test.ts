import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "@keyhearth/crypto/primitives";
import { createKeyring, encodeKeyring } from "@keyhearth/engine/vault/keyring";
import { afterAll, expect, test } from "vitest";

const organizations = process.env.KEYHEARTH_LONG ? 10_000_000 : 100_000;
const directory = mkdtempSync(join(tmpdir(), "keyhearth-marks-"));
afterAll(() => rmSync(directory, { recursive: true }));

test(`${organizations} organizations start in time and in bounded memory`, {
  timeout: 600_000,
}, () => {
  const path = join(directory, "marks");
  const keyring = encodeKeyring(createKeyring(randomBytes));
  const script = join(import.meta.dirname, "marks-scale.testing.ts");
  const run = (what: string) => {
    const given = ["--max-semi-space-size=8", script, what, path, String(organizations), keyring];
    return execFileSync(process.execPath, given, { encoding: "utf8" });
  };
  run("create");
  const measured = JSON.parse(run("measure"));
  const fileMb = statSync(path).size / 1024 / 1024;
  console.log({ organizations, fileMb, ...measured });
  // Not by the clock on the wall, because tests share the machine.
  expect(measured.startCpuMs).toBeLessThan(10_000);
  expect(measured.peakMb).toBeLessThan(256);
});
