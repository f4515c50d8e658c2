import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { startOpenBao } from "./openbao.ts";

const directory = mkdtempSync(join(tmpdir(), "keyhearth-bench-openbao-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A program that ends without being what was expected. */
function programOf(name: string, text: string, mode = 0o755): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe("--against", () => {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const rivals = new URL("rivals.ts", import.meta.url).href;
  const script = `
    import { readRival } from ${JSON.stringify(rivals)};
    readRival("the help", process.argv[1]);`;
  const expected = "expected openbao=/path/to/bao";

  function refusalOf(flags: string[]) {
    const options = { encoding: "utf8", timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, options);
    expect([status, stdout]).toEqual([2, ""]);
    return stderr.split("\n\n")[0];
  }
  // The reader alone, because the whole benchmark takes five times as long to load.
  const refusedBy = (value: string) =>
    refusalOf(["--input-type=module", "--eval", script, "--", value]);

  test("is an option of the benchmark", () => {
    expect(refusalOf([main, "--against=openbao"])).toBe(`--against is \`openbao\`; ${expected}`);
  });

  test("is refused in one sentence if it is not of the expected form", () => {
    expect(refusedBy("vault=/bin/sh")).toBe(`--against is \`vault=/bin/sh\`; ${expected}`);
    expect(refusedBy("openbao=")).toBe(`--against is \`openbao=\`; ${expected}`);
  });

  test("is refused in one sentence if it names no program that can be started", () => {
    const missing = join(directory, "missing");
    const plain = programOf("plain", "text", 0o644);
    const names = (path: string) => `--against names \`${path}\`, which`;
    expect(refusedBy(`openbao=${missing}`)).toBe(`${names(missing)} does not exist`);
    expect(refusedBy(`openbao=${directory}`)).toBe(`${names(directory)} is not a file`);
    expect(refusedBy(`openbao=${plain}`)).toBe(`${names(plain)} may not be executed`);
  });
});

describe("a program that is not OpenBao", () => {
  test("is named with how it ended and what it printed", async () => {
    const noisy = programOf("noisy", "#!/bin/sh\necho unknown option $1\necho twice >&2\nexit 3\n");
    await expect(startOpenBao(noisy, join(directory, "noisy-files"))).rejects.toThrow(
      `${noisy} ended with 3 before it was ready: unknown option server; twice`,
    );
    const silent = programOf("silent", "#!/bin/sh\nkill -KILL $$\n");
    await expect(startOpenBao(silent, join(directory, "silent-files"))).rejects.toThrow(
      `${silent} ended by SIGKILL before it was ready: it printed nothing`,
    );
  });

  test("is named if the system cannot run it", async () => {
    const text = programOf("text", "#!/missing/interpreter\n");
    await expect(startOpenBao(text, join(directory, "text-files"))).rejects.toThrow(
      new RegExp(`^${text} did not start \\(.*ENOENT.*\\): it printed nothing$`),
    );
  });
});
