// Where the tests of a run keep their temporary files. They start hundreds of databases and unpack packages of 240 MB, and
// with a disk below them they wait for it: a new data directory takes 0.9 s of processor time on a disk and 0.05 s in memory.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const GIB = 2 ** 30;

/** What the tests of a run have at once at most is 2.5 GB, and as much is for the programs that they start. */
const LEAST = { free: 5 * GIB, memory: 10 * GIB };

export type Found = { free: number; memory: number };

export function hasRoom({ free, memory }: Found): boolean {
  return free >= LEAST.free && memory >= LEAST.memory;
}

/**
 * A new folder in memory, or none where that has no room or runs no programs, as in most containers. Other users reach what
 * is below, as in every folder for temporary files.
 */
export function makeFolderInMemory(base = "/dev/shm"): string | undefined {
  let folder: string | undefined;
  try {
    removeLeft(base);
    const { bavail, bsize } = statfsSync(base);
    if (!hasRoom({ free: bavail * bsize, memory: process.availableMemory() })) return undefined;
    // The sockets of the tests are below, and their paths must not be longer than 107 bytes.
    folder = mkdtempSync(join(base, `kh-${process.pid}-`));
    chmodSync(folder, 0o711);
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program, { stdio: "ignore" });
    rmSync(program);
    return folder;
  } catch {
    if (folder) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** A run that was killed could remove nothing, and what it left takes memory. */
function removeLeft(base: string) {
  for (const name of readdirSync(base)) {
    const [, processId] = /^kh-(\d+)-\w{6}$/.exec(name) ?? [];
    if (processId === undefined || isAlive(Number(processId))) continue;
    rmSync(join(base, name), { recursive: true, force: true });
  }
}

/** A process of another user is alive too. */
function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
