import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";

export const bin = fileURLToPath(new URL("../bin/keyhearth.mjs", import.meta.url));

export const vectors = fileURLToPath(
  new URL("../../policy/src/vectors/policy-cases.json", import.meta.url),
);

type Options = { stdin?: string | Uint8Array; env?: Record<string, string>; node?: string };

/** Runs the real binary and waits for it. */
export function keyhearth(args: readonly string[], options: Options = {}) {
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
