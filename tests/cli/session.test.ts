import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Hex, recoverMessageAddress } from "viem";
import { expect, test } from "vitest";
import { freePort } from "../postgres/start.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { testInLongForm } from "../start/long-form.ts";
import { run as runProcess, startService, until } from "../start/process.ts";
import { bin } from "./cli.ts";
import { pathWithPrograms, scriptOf } from "./programs.ts";

// The whole sessions of pages, each against a service of its own: they show what an organization has that nobody else
// uses. `…` is what differs from run to run. In a command, it is the rest of an id or an address that was printed before.

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What the pages call the address of the service, and that of the emulator. */
const SERVICE = "http://localhost:3000";
const EMULATOR = "http://localhost:3100";

test("the session of the command's page prints what the page shows", async () => {
  const printed = await follow("cli-live", "live.session.txt");
  // One wallet is made, transacts, signs in the restored copy, and signs afterwards.
  const [, made] = /^account +(0x\w{40}) /m.exec(printed) ?? [];
  expect(printed).toContain(`${made} signed, and the signature verifies`);
  const [, signature = ""] = /^signature +(0x\w+)\nscheme/m.exec(printed) ?? [];
  expect(await recoverMessageAddress({ message: "hello", signature: signature as Hex })).toBe(made);
}, 300_000);

testInLongForm(
  "the session of the page about agents prints what the page shows",
  async () => {
    await follow("agent-wallet", "agent.session.txt");
  },
  300_000,
);

/** Follows a session with the files of its folder, and returns what was printed. */
async function follow(from: string, file: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-session-"));
  const source = join(root, "apps/website/snippets", from);
  cpSync(source, folder, { recursive: true });
  for (const name of ["back-up-keys.sh", "back-up-embedded.sh"]) {
    cpSync(scriptOf(name), join(folder, name));
  }
  const [data, port, ofEmulator] = [
    await newDataDirectory("session"),
    await freePort(),
    await freePort(),
  ];
  const start = () => startService({ KEYHEARTH_DATA_DIR: data, PORT: String(port) });
  let service = await start();
  const closers: (() => Promise<unknown>)[] = [async () => service.stop()];
  try {
    symlinkSync(data, join(folder, "data"));
    // Programs of a page import what a reader installs.
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const command = join(folder, "bin/keyhearth");
    mkdirSync(dirname(command));
    symlinkSync(bin, command);
    const env = {
      PATH: `${dirname(command)}:${pathWithPrograms(folder)}`,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, ".config"),
    };
    const asOnPage = (text: string) =>
      text
        .replaceAll(service.url, SERVICE)
        .replaceAll(`http://localhost:${ofEmulator}`, EMULATOR)
        .replaceAll(folder, "/home/ada");
    const run = (text: string) => {
      const options = { cwd: folder, encoding: "utf8", env } as const;
      const { stdout, stderr } = spawnSync("sh", ["-c", `${text} 2>&1`], options);
      return stdout + stderr;
    };
    let printed = "";
    for (const part of readFileSync(join(source, file), "utf8").split(/^(?=[$#] )/m)) {
      if (part.startsWith("# Stop the service")) await service.stop();
      if (part.startsWith("# Start the service")) service = await start();
      if (part.startsWith("#")) continue;
      const [, line = "", expected = ""] = /^\$ ([^\n]*)\n(.*)$/s.exec(part) ?? [];
      const filled = line
        .replaceAll(SERVICE, service.url)
        .replaceAll(EMULATOR, `http://localhost:${ofEmulator}`)
        .replace(/(?<= )([\w:]*)…/g, (_, start) => lastWith(printed, start));
      // The signer states what happened within seconds.
      if (line.startsWith("keyhearth receipts export")) {
        await expect
          .poll(() => run(`keyhearth receipts export early-${Date.now()}.json`))
          .toMatch(/^wrote [1-9]/);
      }
      let output: string;
      if (line.startsWith("keyhearth dev")) {
        const args = [bin, ...filled.split(" ").slice(1), "--port", String(ofEmulator)];
        const emulator = runProcess(args, env, { folder });
        closers.push(emulator.stop);
        await until(emulator, () => emulator.stdout().includes("Stop it with"));
        output = asOnPage(emulator.stdout());
      } else {
        output = asOnPage(run(filled));
      }
      printed += output;
      expect(`$ ${line}\n${output}`).toMatch(patternOf(`$ ${line}\n${expected}`));
    }
    return printed;
  } finally {
    for (const close of closers.reverse()) await close();
    for (const each of [data, folder]) rmSync(each, { recursive: true, force: true });
  }
}

/** The last address, fingerprint or id that began so. */
function lastWith(printed: string, start: string): string {
  if (start === "sha256:") return printed.match(/sha256:[0-9a-f]{64}/g)?.at(-1) ?? "";
  const form = start.startsWith("0x") ? /0x\w{38,}/g : /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  return printed.match(form)?.findLast((word) => word.startsWith(start)) ?? "";
}

function patternOf(text: string): RegExp {
  const parts = text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]*")}$`);
}
