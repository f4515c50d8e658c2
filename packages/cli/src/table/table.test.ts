import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { run } from "../program.ts";
import { groups } from "./index.ts";

const entries = groups.flatMap((group) => group.entries);

/** What the program writes, run in this process: a hundred processes would take a minute. */
async function written(args: readonly string[]) {
  const chunks = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") =>
    Object.assign(new PassThrough(), {
      write: (text: string) => {
        chunks[name] += text;
        return true;
      },
    });
  // Only these members are used, and none of them for a usage.
  const streams = { stdin: {}, stdout: stream("stdout"), stderr: stream("stderr"), env: {} };
  const status = await run(args, streams as unknown as NodeJS.Process, []);
  return { status, ...chunks };
}

test("no two commands have a name", () => {
  const names = entries.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const words = groups.flatMap((group) => Object.keys(group.words));
  expect(new Set(words).size).toBe(words.length);
});

describe.each(entries)("$name", (entry) => {
  const { name, summary, options = [], connects, examples } = entry;

  test("shows its usage, with every option and with examples", async () => {
    const { status, stdout, stderr } = await written([...name.split(" "), "--help"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const flat = stdout.replace(/\s+/g, " ");
    expect(flat).toContain(`Usage: keyhearth ${name}`);
    expect(flat).toContain(summary);
    for (const [form] of options) expect(flat).toContain(form.replace("...", "").split(" ")[0]);
    if (connects) expect(flat).toContain("--profile <name>");
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(stdout).toContain(`  ${example}\n`);
  });

  test("has examples that the parser takes", () => {
    const known = [...options.map(([form]) => form), "--profile ", "--organization-id ", "--json"];
    for (const example of examples) {
      const own = example
        .split(" && ")
        .findLast((command) => command.startsWith(`keyhearth ${name}`));
      expect(own).toBeDefined();
      for (const [flag] of own?.matchAll(/(?<= )--[\w-]+/g) ?? []) {
        expect(known.some((form) => form.replace("...", "").split(" ")[0] === flag)).toBe(true);
      }
    }
  });

  test("names the nearest option", async () => {
    const [first] = options;
    if (!first) return;
    const flag = first[0].replace("...", "").split(" ")[0] ?? "";
    const { status, stderr } = await written([...name.split(" "), `${flag}x`]);
    expect(status).toBe(2);
    expect(stderr).toContain(`unknown option '${flag}x'; did you mean`);
  });
});
