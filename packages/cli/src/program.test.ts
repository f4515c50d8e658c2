import { spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { organizationId, waitingActivity } from "../../sdk/src/peer.testing.ts";
import manifest from "../package.json" with { type: "json" };
import { bin, runBinary, temporaryFiles, vectors } from "./keyhearth.testing.ts";

const write = temporaryFiles();
const hint = "add --help to see the usage\n";
const color = "\u001b[";

const failing = {
  cases: [
    { name: "a", kind: "condition", expression: "false", context: {}, expected: true },
    { name: "b", kind: "condition", expression: "true", context: {}, expected: true },
  ],
};

describe("keyhearth", () => {
  test("shows its version", () => {
    const { version } = manifest;
    expect(runBinary(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  });

  test.each([
    [["--help"], ["policy", "--version", "--json", "--no-color"]],
    [
      ["policy", "--help"],
      ["test", "check", "explain", "compare"],
    ],
    [
      ["policy", "test", "--help"],
      ["<file...>", "--filter", "decision_cases", "Exit code: 0 "],
    ],
    [
      ["policy", "check", "--help"],
      ["[file...]", "--strict", "--condition", "--policies", "policyName", "Exit code: 0 "],
    ],
    [
      ["policy", "explain", "--help"],
      ["--case", "--policies", "--request", "Exit code: 0 "],
    ],
    [
      ["policy", "compare", "--help"],
      ["<before>", "<after>", "--organization", "Exit code: 0 ", "3 "],
    ],
    [
      ["help", "policy"],
      ["test", "check", "explain", "compare"],
    ],
  ])("%j shows the usage", (args, words) => {
    const { status, stdout, stderr } = runBinary(args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: keyhearth /);
    for (const word of words) expect(stdout).toContain(word);
  });

  test.each(["start", "signer", "courier", "feedback", "distribute"])(
    "%s names its package",
    (name) => {
      for (const args of [[name], [name, "--help"], [name, "describe", "--state", "x"]]) {
        const { status, stdout, stderr } = runBinary(args);
        expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
        expect(stderr).toBe(
          `keyhearth: \`${name}\` is in the package keyhearth, and this is @keyhearth/cli, which runs no service: install the file of the release, \`npm install ./keyhearth-${manifest.version}.tgz\`\n`,
        );
      }
    },
  );

  test.each([
    [["polcy", "test"], "unknown command 'polcy'; did you mean policy?"],
    [["approve"], "unknown command 'approve'; did you mean activities approve?"],
    [["policy", "tset", vectors], "unknown command 'tset'; did you mean test?"],
    [["policy", "test"], "missing required argument 'file'"],
    [
      ["policy", "test", vectors, "--filer", "x"],
      "unknown option '--filer'; did you mean --filter?",
    ],
    [["policy", "test", vectors, "--filter"], "option '--filter <text>' argument missing"],
  ])("%j is a mistake: %s", (args, message) => {
    expect(runBinary(args)).toEqual({
      status: 2,
      stdout: "",
      stderr: `keyhearth: ${message}\n${hint}`,
    });
  });

  test.each([[[]], [["policy"]]])("%j alone is a mistake that shows the commands", (args) => {
    const { status, stdout, stderr } = runBinary(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Commands:");
  });

  test("uses no colours unless asked to, and none with NO_COLOR or --no-color", () => {
    const args = ["policy", "test", write("failing.json", failing)];
    const plain = runBinary(args).stdout;
    expect(plain).not.toContain(color);
    const colored = runBinary(args, { env: { FORCE_COLOR: "1" } }).stdout;
    expect(colored).toContain(color);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours start with one.
    expect(colored.replace(/\u001b\[\d+m/g, "")).toBe(plain);
    expect(colored.split("\n").at(-2)).toBe("1 passed, 1 failed");
    const env = { FORCE_COLOR: "1" };
    expect(runBinary([...args, "--no-color"], { env }).stdout).toBe(plain);
    expect(runBinary(["--no-color", ...args], { env }).stdout).toBe(plain);
    expect(runBinary(args, { env: { NO_COLOR: "1" } }).stdout).toBe(plain);
    expect(runBinary(["policy", "test", "/none"], { env }).stderr).toContain(color);
    expect(runBinary(["policy", "test", "/none", "--no-color"], { env }).stderr).not.toContain(
      color,
    );
  });

  test("accepts --json before and after the command", () => {
    const file = write("failing.json", failing);
    const after = runBinary(["policy", "test", file, "--json"]);
    expect(JSON.parse(after.stdout)).toMatchObject({ passed: 1, failed: 1 });
    expect(runBinary(["--json", "policy", "test", file])).toEqual(after);
  });

  test("ends quietly, with its own exit code, when nobody reads its output", async () => {
    const file = JSON.parse(await readFile(vectors, "utf8"));
    for (const one of file.cases) one.expected = one.expected === false;
    const child = spawn(process.execPath, [bin, "policy", "test", write("all.json", file)]);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdout.destroy();
    const status = await new Promise((resolve) => child.on("close", resolve));
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  });

  test("runs on a Node.js that cannot strip types, with the same exit codes", () => {
    const old = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--no-experimental-strip-types", bin, ...args],
        { encoding: "utf8", input: JSON.stringify(failing) },
      );
      return { status, stdout, stderr };
    };
    expect(old("policy", "test", vectors)).toEqual(runBinary(["policy", "test", vectors]));
    expect(old("policy", "test", "-").status).toBe(1);
    expect(old("policy", "test", "/none").status).toBe(2);
  });

  test("starts in under 300 ms", () => {
    const file = write("one.json", { cases: failing.cases.slice(1) });
    // Processor time, because other work on the machine says nothing about the command.
    const measure = `process.on("exit", () => console.error(process.cpuUsage()))`;
    const times = [1, 2, 3].map(() => {
      const { status, stderr } = spawnSync(
        process.execPath,
        ["--import", `data:text/javascript,${measure}`, bin, "policy", "test", file],
        { encoding: "utf8" },
      );
      expect(status).toBe(0);
      const microseconds = stderr.match(/\d+/g) ?? [];
      expect(microseconds).toHaveLength(2);
      return microseconds.reduce((sum, digits) => sum + Number(digits), 0) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(300);
  });
});

describe("the published package", () => {
  test("is bundled, imports only its dependencies, and passes the published cases", async () => {
    const directory = new URL("..", import.meta.url);
    const build = spawnSync(process.execPath, ["src/build.ts"], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(build).toMatchObject({ status: 0, stderr: "" });
    const dist = new URL("dist/main.js", directory);
    const listed = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: directory,
      encoding: "utf8",
    });
    const [{ files }] = JSON.parse(listed.stdout);
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    const allowed =
      /^(LICENSE|README\.md|package\.json|bin\/keyhearth\.mjs|dist\/[\w.-]+\.js|skills\/[\w-]+\/SKILL\.md)$/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
    for (const path of paths.filter((one) => one.endsWith(".js"))) {
      const source = await readFile(new URL(path, directory), "utf8");
      const imports = [...source.matchAll(/^(?:import|export) .*from "([^"]+)";$/gm)];
      for (const [, name = ""] of imports) {
        expect(name).toMatch(/^(node:|\.\/|commander$|jsonc-parser$)/);
      }
    }
    const { status, stdout } = spawnSync(
      process.execPath,
      [dist.pathname, "policy", "test", vectors],
      { encoding: "utf8" },
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: "295 passed, 0 failed\n" });

    // The bundle can verify stamps without any other file.
    const envelope = {
      type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
      timestampMs: "1700000000000",
      organizationId,
      parameters: { policyName: "p", effect: "EFFECT_DENY", condition: "wallet.id == 'w1'" },
    };
    const activity = write("activity.json", await waitingActivity(JSON.stringify(envelope)));
    const check = ["policy", "check", activity];
    const checked = spawnSync(process.execPath, [dist.pathname, ...check], { encoding: "utf8" });
    expect(checked).toMatchObject({ status: 0, stdout: runBinary(check).stdout, stderr: "" });
  });
});
