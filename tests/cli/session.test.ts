import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { startService } from "../start/process.ts";

// The whole sessions of pages, each against a service of its own: they show what an organization has that nobody else
// uses. `…` is what differs from run to run. In a command, it is the rest of an id or
// an address that was printed before.

const root = fileURLToPath(new URL("../../", import.meta.url));
const snippets = join(root, "apps/website/snippets");

// Programs of a page import what a reader installs.
const sessions = [
  ["cli-live", "live.session.txt"],
  ["agent-wallet", "agent.session.txt"],
] as const;

test.each(sessions)(
  "the session of the page prints what the page shows: %s",
  async (from, file) => {
    const folder = mkdtempSync(join(tmpdir(), "keyhearth-session-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(snippets, from), folder, { recursive: true });
    const data = await newDataDirectory("session");
    const service = await startService({ KEYHEARTH_DATA_DIR: data });
    try {
      symlinkSync(data, join(folder, "data"));
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
      const command = join(folder, "bin/keyhearth");
      mkdirSync(dirname(command));
      symlinkSync(join(root, "packages/cli/bin/keyhearth.mjs"), command);
      const session = readFileSync(join(snippets, from, file), "utf8");
      const run = (text: string) => {
        const { stdout, stderr } = spawnSync("sh", ["-c", `${text} 2>&1`], {
          cwd: folder,
          encoding: "utf8",
          env: {
            PATH: `${dirname(command)}:${dirname(process.execPath)}:/usr/bin:/bin`,
            HOME: folder,
            XDG_CONFIG_HOME: join(folder, ".config"),
          },
        });
        return stdout + stderr;
      };
      let printed = "";
      for (const part of session.split(/^(?=\$ )/m)) {
        const [, line = "", expected = ""] = /^\$ ([^\n]*)\n(.*)$/s.exec(part) ?? [];
        const filled = line
          .replaceAll("http://localhost:3000", service.url)
          .replace(/(?<= )(\w*)…/g, (_, start) => lastWith(printed, start));
        // The signer states what happened within seconds.
        if (line.startsWith("keyhearth receipts export")) {
          await expect
            .poll(() => run(`keyhearth receipts export early-${Date.now()}.json`))
            .toMatch(/^wrote [1-9]/);
        }
        const output = run(filled)
          .replaceAll(service.url, "http://localhost:3000")
          .replaceAll(folder, "/home/ada");
        printed += output;
        expect(`$ ${line}\n${output}`).toMatch(patternOf(`$ ${line}\n${expected}`));
      }
    } finally {
      await service.stop();
      rmSync(data, { recursive: true, force: true });
    }
  },
);

/** The last address or id that began so. */
function lastWith(printed: string, start: string): string {
  const form = start.startsWith("0x") ? /0x\w{38,}/g : /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  return printed.match(form)?.findLast((word) => word.startsWith(start)) ?? "";
}

function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]*")}$`);
}
