import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Surroundings } from "../command.ts";

type Env = Surroundings["env"];

/** A program and the words before its own arguments. */
export type ProgramLine = readonly [program: string, ...before: string[]];

/** Their commands in the Debian packages, where each is a program of its own. */
const OF_DEBIAN = { signer: "keyhearth-signer", start: "keyhearth-api" } as const;

/** A program of the service: that of the Debian package, or else that of the package `keyhearth`, which this is a part of. */
export function findServiceProgram(name: keyof typeof OF_DEBIAN, env: Env): ProgramLine {
  const found = findOnPath(OF_DEBIAN[name], env);
  if (found !== undefined) return [found];
  const [, self = ""] = process.argv;
  return [process.execPath, self, name];
}

export function findOnPath(program: string, { PATH = "" }: Env): string | undefined {
  return PATH.split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, program))
    .find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What a program of a copy gets of the environment. The settings of the real installation stay behind. */
export function bareEnvironment(env: Env): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "NODE_COMPILE_CACHE"];
  return Object.fromEntries(
    kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}
