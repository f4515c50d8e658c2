import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bin } from "./keyhearth.testing.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const directory = mkdtempSync(join(tmpdir(), "keyhearth-readme-"));

for (const [, name = "", content = ""] of readme.matchAll(
  /^`([\w-]+\.json)`:\n\n```json\n(.*?)^```$/gms,
)) {
  writeFileSync(join(directory, name), content);
}

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const runs = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = ""]) => {
  return block.split(/^(?=\$ )/m).map((run) => {
    const [command = "", ...output] = run.split("\n");
    return { command, output: output.join("\n") };
  });
});

test("the README runs every policy command", () => {
  expect(new Set(runs.map(({ command }) => command.split(" ")[3]))).toEqual(
    new Set(["test", "explain", "check", "compare"]),
  );
});

test.each(runs)("$command answers what the README says", ({ command, output }) => {
  const args = command.replace("$ keyhearth ", "").match(/"[^"]*"|\S+/g) ?? [];
  const { stdout } = spawnSync(
    process.execPath,
    [bin, ...args.map((arg) => arg.replaceAll('"', ""))],
    { cwd: directory, encoding: "utf8" },
  );
  expect(stdout).toBe(output);
});
