import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";

const module = new URL("options.ts", import.meta.url).href;

/** What a script does with its options. */
const script = `
  import { readNames, readNumber, readOptions } from ${JSON.stringify(module)};
  const help = "Usage: script [options]\\n";
  const options = { minutes: { type: "string", default: "2" }, kinds: { type: "string", default: "a" } };
  const { minutes, kinds } = readOptions(help, options);
  const number = readNumber(help, "--minutes", minutes, { least: 1 });
  console.log(number, readNames(help, "--kinds", kinds, ["a", "b"]));`;

describe("the options of a script", () => {
  test("are read", () => {
    expect(run("--minutes=3", "--kinds=b,a")).toEqual([0, "3 [ 'b', 'a' ]\n", ""]);
    expect(run()).toEqual([0, "2 [ 'a' ]\n", ""]);
  });

  test("--help prints them and starts nothing", () => {
    expect(run("--help")).toEqual([0, "Usage: script [options]\n", ""]);
  });

  test.each([
    ["--nix", "Unknown option '--nix'"],
    ["--minutes=soon", "--minutes is `soon`; expected a whole number from 1"],
    ["--minutes=1.5", "--minutes is `1.5`; expected a whole number from 1"],
    ["--minutes=", "--minutes is ``; expected a whole number from 1"],
    ["--kinds=a,c", "--kinds has no `c`; there are a, b"],
  ])("%s is refused in one sentence, with the help", (option, sentence) => {
    expect(run(option)).toEqual([2, "", `${sentence}\n\nUsage: script [options]\n`]);
  });
});

function run(...options: string[]) {
  const flags = ["--input-type=module", "--eval", script, "--", ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, {
    encoding: "utf8",
    timeout: 30_000,
  });
  return [status, stdout, stderr];
}
