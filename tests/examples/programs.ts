import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { asBundled } from "../start/bundled-imports.ts";
import { compiled, type RootKey } from "../start/process.ts";
import { sharedProduct } from "../start/shared.ts";

// Runs the programs in `examples/` as their readers do, against the started product.

export type Playground = {
  service: { url: string };
  root: RootKey;
  /** A directory for what the examples write; removed by `stop`. */
  directory: string;
  /** What the examples read from their environment. */
  environment: Record<string, string>;
  stop(): void;
};

export async function startPlayground(): Promise<Playground> {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-examples-"));
  const { url, root, environment } = await sharedProduct();
  return {
    service: { url },
    root,
    directory,
    environment,
    stop: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export type Ran = { code: number | null; output: string };

export type Program = {
  child: ChildProcess;
  output(): string;
  /** Resolves with the first match of the pattern in its output, or rejects if it ends before. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<Ran>;
  stop(): Promise<Ran>;
};

/** Starts `examples/FILE` with its own folder as working directory. */
export function start(
  file: string,
  args: string[],
  environment: Record<string, string>,
  input?: string,
): Program {
  const path = fileURLToPath(new URL(`../../examples/${file}`, import.meta.url));
  const child = spawn(process.execPath, [...asBundled, path, ...args], {
    cwd: join(path, ".."),
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled, ...environment },
    stdio: "pipe",
  });
  let output = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  }
  child.stdin.end(input ?? "");
  const ended = new Promise<Ran>((resolve) =>
    child.once("close", (code) => {
      resolve({ code, output });
      for (const listener of listeners) listener();
    }),
  );
  return {
    child,
    output: () => output,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output);
          if (!found && child.exitCode === null) return;
          listeners.delete(look);
          if (found) resolve(found);
          else reject(new Error(`${file} ended without ${pattern}:\n${output}`));
        };
        listeners.add(look);
        look();
      }),
    ended,
    async stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** Runs `examples/FILE` to its end. */
export async function run(
  file: string,
  args: string[],
  environment: Record<string, string>,
  input?: string,
): Promise<Ran> {
  return start(file, args, environment, input).ended;
}
