import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findServiceProgram } from "../backup/programs.ts";
import type { Surroundings } from "../command.ts";
import { membersOf } from "../connection/members.ts";
import { InputError } from "../errors.ts";
import type { Finding } from "../findings.ts";
import { plain } from "../output.ts";

type Env = Surroundings["env"];

/** Longer than a signer and a database that are away are waited for. */
const PATIENCE_MS = 60_000;

/**
 * What the service finds on its own machine, with its settings. The service reads them itself, so that no other
 * program has another opinion of what they mean.
 */
export async function lookFromInside(env: Env, settings: Env): Promise<Finding[]> {
  const [program, ...args] = findServiceProgram("start", env);
  const text = await output(program, [...args, "--check"], { ...env, ...settings });
  const found = membersOf(text.trim().split("\n").at(-1) ?? "")?.findings;
  if (!Array.isArray(found)) throw noService(program);
  return found.map(toFinding);
}

function output(program: string, args: readonly string[], env: Env): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { env, timeout: PATIENCE_MS, maxBuffer: 1024 * 1024 },
      (error, text) => {
        if (error && text === "") reject(noService(program));
        else resolve(text);
      },
    );
  });
}

function noService(program: string): InputError {
  return new InputError(
    `${plain(program)} is no service of this release that could look at itself: run this where the package keyhearth, or the Debian package, is installed`,
  );
}

function toFinding(value: unknown): Finding {
  const { check, status, message } = Object(value);
  const known = status === "ok" || status === "warning" ? status : "error";
  return { check: plain(String(check)), status: known, message: plain(String(message)) };
}

/** The file of a unit's `EnvironmentFile`: names and values, of which quotes are taken away. */
export function readEnvironmentFile(path: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [index, line] of readText(path).split("\n").entries()) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const [, name, value = ""] = /^\s*(\w+)=(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) {
      throw new InputError(`line ${index + 1} of ${plain(path)} must be NAME=value`);
    }
    settings[name] = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
  }
  return settings;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new InputError(
      `${plain(path)} cannot be read: name the file of settings of the service, and run this as somebody who may read it`,
      {},
      { cause },
    );
  }
}

const HOUR_MS = 60 * 60 * 1000;

/** A day, and two hours for a copy that takes long. */
const OLDEST_HOURS = 26;

/** How old the newest file is, of a folder or of a single copy. */
export function backupAge(path: string, nowMs: number): Finding {
  const check = "backup";
  let newestMs: number | undefined;
  try {
    newestMs = newest(path);
  } catch {
    const message = `${path} cannot be read: name the folder that your backups are in`;
    return { check, status: "error", message };
  }
  if (newestMs === undefined) {
    return { check, status: "error", message: `there is no copy in ${path}: make one` };
  }
  const hours = Math.max(0, Math.floor((nowMs - newestMs) / HOUR_MS));
  return hours > OLDEST_HOURS
    ? {
        check,
        status: "error",
        message: `the newest copy in ${path} is ${hours} hours old: look at the job that makes them`,
      }
    : { check, status: "ok", message: `the newest copy is ${hours} hours old` };
}

function newest(path: string): number | undefined {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  const times = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => statSync(join(path, name)).mtimeMs);
  return times.length === 0 ? undefined : Math.max(...times);
}
