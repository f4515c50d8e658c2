import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runMain, startService, startSigner } from "./process.ts";

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-start-courier-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

let directories = 0;
function newDirectory(): string {
  directories += 1;
  return join(temporary, `data-${directories}`);
}

async function sentenceOf(environment: Record<string, string>): Promise<string> {
  const process = runMain(environment);
  expect(await process.ended).toBe(1);
  const lines = process.stderr().trim().split("\n");
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

test("the embedded courier has a key that the embedded signer trusts, also in an older data directory", async () => {
  const data = newDirectory();
  const environment = { KEYHEARTH_DATA_DIR: data };
  const key = join(data, "courier-key");
  const trusted = join(data, "signer", "courier");
  await (await startService(environment)).stop();
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const before = [readFileSync(key, "utf8"), readFileSync(trusted, "utf8")];
  await (await startService(environment)).stop();
  expect([readFileSync(key, "utf8"), readFileSync(trusted, "utf8")]).toEqual(before);

  // As an earlier version left it.
  rmSync(key);
  rmSync(trusted);
  await (await startService(environment)).stop();
  expect(readFileSync(key, "utf8")).not.toBe(before[0]);
  expect(existsSync(`${key}.new`)).toBe(false);

  // A start that was killed after the signer had learned the key, and before it had its name.
  writeFileSync(`${key}.new`, readFileSync(key, "utf8"), { mode: 0o600 });
  const killed = readFileSync(key, "utf8");
  rmSync(key);
  await (await startService(environment)).stop();
  expect(readFileSync(key, "utf8")).toBe(killed);
});

test("a start never replaces a courier's key, on either side", async () => {
  const data = newDirectory();
  const environment = { KEYHEARTH_DATA_DIR: data };
  const key = join(data, "courier-key");
  await (await startService(environment)).stop();
  const own = readFileSync(key, "utf8");

  writeFileSync(key, `${"11".repeat(32)}\n`);
  expect(await sentenceOf(environment)).toMatch(
    /the signer seals messages to another courier; to have it trust this one, .*`npm run signer -- trust-courier 04[0-9a-f]{128}`/,
  );
  expect(readFileSync(key, "utf8")).toBe(`${"11".repeat(32)}\n`);

  rmSync(key);
  expect(await sentenceOf(environment)).toMatch(/whose key is not in .*courier-key; restore/);
  expect(existsSync(key)).toBe(false);
  expect(existsSync(`${key}.new`)).toBe(false);

  writeFileSync(key, "damaged", { mode: 0o600 });
  expect(await sentenceOf(environment)).toContain("does not hold 64 hex characters");
  rmSync(key);
  writeFileSync(key, own, { mode: 0o644 });
  expect(await sentenceOf(environment)).toContain("run: chmod 600");
});

test("a signer process that has been in use trusts a courier only by its operator's command", async () => {
  const state = newDirectory();
  let signer = await startSigner(state);
  const environment = {
    KEYHEARTH_DATA_DIR: newDirectory(),
    KEYHEARTH_SIGNER: `unix:${signer.socket}`,
  };
  await (await startService(environment)).stop();
  await signer.stop();
  const trusted = join(state, "courier");
  const publicKey = readFileSync(trusted, "utf8").trim();

  rmSync(trusted);
  signer = await startSigner(state);
  try {
    expect(await sentenceOf(environment)).toContain(
      `the signer trusts no courier yet; to have it trust this one, stop the signer, run \`npm run signer -- trust-courier ${publicKey}\``,
    );
    expect(existsSync(trusted)).toBe(false);
  } finally {
    await signer.stop();
  }
});
