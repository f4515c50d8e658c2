import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compiled } from "../start/process.ts";

// The sessions on the page of the command line: each command prints what the page shows, and ends with
// the exit code that it shows.

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = join(root, "apps/website/snippets/cli");
const page = readFileSync(join(root, "apps/website/docs/sdks/cli.mdx"), "utf8");
const sessions = readdirSync(directory).filter((file) => file.endsWith(".session.txt"));

test("the page shows every session, and every command has one", () => {
  for (const file of sessions) expect(page).toContain(`@site/snippets/cli/${file}?raw`);
  const shown = sessions.map((file) => readFileSync(join(directory, file), "utf8")).join("");
  for (const command of ["test", "check", "explain", "compare"]) {
    expect(shown).toContain(`$ keyhearth policy ${command} --help\n`);
  }
});

test.each(sessions)("%s is what the command prints", (file) => {
  const session = readFileSync(join(directory, file), "utf8");
  const runs = session.split(/^(?=\$ keyhearth )/m);
  expect(runs.length).toBeGreaterThan(0);
  for (const run of runs) {
    const [, line = "", output = "", code = ""] =
      /^\$ keyhearth ([^\n]*)\n(.*)^\$ echo \$\?\n(\d+)\n$/ms.exec(run) ?? [];
    const args = (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
      word.replace(/^(["'])(.*)\1$/, "$2"),
    );
    const ended = spawnSync(process.execPath, [join(root, "packages/cli/src/main.ts"), ...args], {
      cwd: directory,
      encoding: "utf8",
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled },
    });
    expect(ended.stdout + ended.stderr).toBe(output);
    expect(ended.status).toBe(Number(code));
  }
});
