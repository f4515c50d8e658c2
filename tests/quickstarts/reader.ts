import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { type Service, startService } from "../start/process.ts";
import type { Step } from "./page.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** Where the pages say that the reader's own apps are. Keyhearth is at 3000. */
const [APP_PORT, VITE_PORT] = ["4100", "5173"];

export type Reader = {
  /** Follows the steps of a page, and fails where it does not lead on. */
  follow(steps: readonly Step[]): Promise<void>;
  /** An address of the page as it is on this machine. */
  at(address: string): string;
  close(): Promise<void>;
};

/**
 * Somebody who starts each page in an empty folder in which Keyhearth was started, with the variables of that start.
 * Nothing else is put there. Where the port of the app is another program's, another one takes its place everywhere.
 */
export async function startReader(variables: Record<string, string> = {}): Promise<Reader> {
  const home = mkdtempSync(join(tmpdir(), "keyhearth-reader-"));
  // npm keeps packages by their address, and mixes up what two services had at one. So each has an address of its own.
  const [servicePort, appPort, vitePort] = await Promise.all(
    ["0", APP_PORT, VITE_PORT].map(freePort),
  );
  const service: Service = await startService({
    ...variables,
    PORT: servicePort ?? "0",
    KEYHEARTH_DATA_DIR: join(home, "data"),
  });
  await forgetPackages(service);
  const local = (text: string) =>
    text
      .replaceAll(/\blocalhost:3000\b/g, `localhost:${servicePort}`)
      .replaceAll(/(localhost:|--port )4100\b/g, `$1${appPort}`)
      .replaceAll(/(localhost:|--port )5173\b/g, `$1${vitePort}`);
  const moved = {
    KEYHEARTH_URL: `http://localhost:${servicePort}`,
    ...(appPort !== APP_PORT && { PORT: appPort ?? APP_PORT }),
  };
  const terminals: Terminal[] = [];
  const open = (folder: string) => {
    const terminal = openTerminal(folder, home, moved);
    terminals.push(terminal);
    return terminal;
  };

  async function follow(steps: readonly Step[]) {
    const folder = mkdtempSync(join(home, "page-"));
    // One service for all pages: a start takes seconds.
    symlinkSync(join(home, "data"), join(folder, "data"));
    let terminal = open(folder);
    let place = folder;
    let printed = "";
    for (const [at, step] of steps.entries()) {
      if (step.kind === "file") save(join(place, step.name), step.content, local);
      else if (step.kind === "output") expect(printed).toMatch(patternOf(local(step.text)));
      else if (step.kind === "session") await repeat(terminal, step.text);
      else {
        const commands = withoutStart(local(step.text));
        const next = steps[at + 1];
        const last = next?.kind === "output" ? commands.splice(-1) : [];
        if (commands.length > 0) await terminal.run(commands.join("\n"));
        place = await terminal.folder();
        if (next?.kind !== "output") continue;
        const pattern = patternOf(local(next.text));
        const { output, isRunning } = await terminal.runUntil(last.join(), pattern);
        printed = output;
        // A server has this terminal now.
        if (isRunning) terminal = open(folder);
        else place = await terminal.folder();
      }
    }
    await terminal.close();
  }

  return {
    follow,
    at: local,
    async close() {
      await Promise.all(terminals.map((terminal) => terminal.close()));
      await service.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** npm here prefers what it has, and would take what an earlier service had at the same address. */
async function forgetPackages({ url }: Service): Promise<void> {
  const { packages }: { packages: { path: string }[] } = await (
    await fetch(`${url}/packages/`)
  ).json();
  const { port } = new URL(url);
  for (const { path } of packages) {
    const key = `make-fetch-happen:request-cache:http://localhost:${port}${path}`;
    await promisify(execFile)("npm", ["cache", "clean", key]);
  }
}

/** Keyhearth runs already: from these sources, and not from a registry that may have another version. */
function withoutStart(commands: string): string[] {
  const start = /^(npm install \.\/keyhearth-[\d.]+\.tgz|(\w+=\S+ )*npx --no keyhearth start)$/;
  return commands
    .trim()
    .split("\n")
    .filter((line) => !start.test(line));
}

function save(path: string, shown: string, local: (text: string) => string) {
  const content = local(shown);
  // What a page shows of files that the reader has already is what they have. Next.js makes some that are replaced.
  if (existsSync(path) && !/\/my-wallet\/app\/[a-z]+\.tsx$/.test(path)) {
    return expect(local(readFileSync(path, "utf8")).trim()).toMatch(wholePattern(content));
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** A session prints what the page shows. */
async function repeat(terminal: Terminal, session: string) {
  let code = 0;
  for (const each of session.split(/^\$ /m).slice(1)) {
    const [, command = "", expected = ""] = /^([^\n]*)\n(.*)$/s.exec(each) ?? [];
    if (command === "echo $?") expect(`${code}\n`).toBe(expected);
    else {
      const outcome = await terminal.outcomeOf(command);
      expect(`$ ${command}\n${outcome.output}`).toBe(`$ ${command}\n${expected}`);
      code = outcome.code;
    }
  }
}

function wholePattern(text: string): RegExp {
  return new RegExp(patternOf(text).source);
}

/** An output in which `…` stands for what differs from run to run. */
function patternOf(text: string): RegExp {
  const parts = text
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^\\n]*")}$`, "m");
}

/** The port, or any other if another program has it. */
export function freePort(port: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    const listen = (number: number) => server.listen(number, "127.0.0.1");
    server.once("error", () => {
      server.once("error", reject);
      listen(0);
    });
    server.on("listening", () => {
      const address = server.address();
      const found = typeof address === "object" ? String(address?.port) : port;
      server.close(() => resolve(found));
    });
    listen(Number(port));
  });
}
