import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { run } from "./program.ts";

export const bin = fileURLToPath(new URL("../bin/keyhearth.mjs", import.meta.url));

export const vectors = fileURLToPath(
  new URL("../../policy/src/vectors/policy-cases.json", import.meta.url),
);

type Options = { stdin?: string | Uint8Array; env?: Record<string, string>; node?: string };

export type Ended = { status: number | null; stdout: string; stderr: string };

/**
 * Runs a command line in this process, as the real binary does it without a terminal. It cannot show what needs a process
 * of its own: standard input, signals, colours that the environment asks for, and that the process ends.
 */
export async function runHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const written = Promise.all([text(stdout), text(stderr)]);
  // What a process has that writes to pipes.
  const streams = { stdin, stdout, stderr, env } as unknown as NodeJS.Process;
  const status = await run(args, streams, []);
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { status, stdout: out, stderr: err };
}

/** The commands of which the real binary has ended well. */
const seen = new Set<string>();

/**
 * Runs the real binary until the command has ended well once, and the same function in this process after that, which
 * saves the start of another one.
 */
export async function keyhearth(args: readonly string[], options: Options = {}): Promise<Ended> {
  const command = args.slice(0, 2).join(" ");
  const isPlain = Object.keys(options).length === 0 && !args.includes("-");
  if (isPlain && seen.has(command)) return runHere(args, process.env);
  const ended = runBinary(args, options);
  if (ended.status === 0) seen.add(command);
  return ended;
}

/** Runs the real binary and waits for it. */
export function runBinary(args: readonly string[], options: Options = {}) {
  const { FORCE_COLOR: _, NO_COLOR: __, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(options.node ?? process.execPath, [bin, ...args], {
    encoding: "utf8",
    input: options.stdin ?? "",
    env: { ...inherited, ...options.env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/** A directory for the files of a test. The function writes one and returns its path. */
export function temporaryFiles(): (name: string, content: unknown) => string {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "keyhearth-cli-"));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return (name, content) => {
    const path = join(directory, name);
    const isRaw = typeof content === "string" || content instanceof Uint8Array;
    writeFileSync(path, isRaw ? content : JSON.stringify(content, undefined, 2));
    return path;
  };
}
