import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { allocation, flags } from "../../scripts/setup/allocation.mjs";
import { findPostgres } from "../postgres/start.ts";
import { mainOf } from "../start/process.ts";

const scripts = fileURLToPath(
  new URL("../../apps/website/snippets/self-hosting/", import.meta.url),
);

/** A script of the page on backups. */
export function scriptOf(name: string): string {
  return join(scripts, name);
}

/** A PATH with the programs that the Debian packages install, for those that are checked out, and with PostgreSQL. */
export function pathWithPrograms(folder: string): string {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  for (const [name, program] of [
    ["keyhearth-signer", "signer"],
    ["keyhearth-api", "api"],
  ] as const) {
    const settings = Object.entries(allocation).map(([key, value]) => `export ${key}=${value}`);
    const words = [process.execPath, ...flags, "--liftoff-only", mainOf(program)];
    const line = `exec ${words.map((word) => `"${word}"`).join(" ")} "$@"`;
    const text = ["#!/bin/sh", ...settings, line, ""].join("\n");
    writeFileSync(join(programs, name), text, { mode: 0o755 });
  }
  const places = [programs, findPostgres() ?? "", dirname(process.execPath), process.env.PATH];
  return places.filter(Boolean).join(delimiter);
}
