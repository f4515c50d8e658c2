import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdtemp, statfs } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";

/** A folder for a restored copy, which only its user can open. */
export type Place = { readonly folder: string; readonly remove: () => Promise<void> };

/** A user other than this one. */
export type Owner = { readonly uid: number; readonly gid: number };

/**
 * Makes the folder, and starts a small shell that removes it when told, and also when this process dies in any way: a
 * copy of the keys must not stay behind. What runs in the folder ends at the same moment, so it may take several tries.
 */
export async function makePlace(base: string, owner?: Owner): Promise<Place> {
  const folder = await mkdtemp(join(base, "keyhearth-copy-")).catch((cause) => {
    throw new InputError(
      `cannot make a folder in ${plain(base)} (${codeOf(cause)}): name one that you may write to, with TMPDIR or, for a drill, with --directory`,
      {},
      { cause },
    );
  });
  const script = `read -r order
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      rm -rf -- "$1" && [ ! -e "$1" ] && exit 0
      sleep 1
    done
    exit 1`;
  if (owner) await chown(folder, owner.uid, owner.gid);
  const remover = watcher(script, [folder]);
  return {
    folder,
    async remove() {
      if ((await endWatcher(remover)) === 0) return;
      throw new InputError(
        `${plain(folder)} cannot be removed, and has a copy of the keys: remove it yourself`,
      );
    },
  };
}

/** A shell in a process group of its own, which a Ctrl-C of the terminal does not reach. It goes on when its input ends. */
export function watcher(
  script: string,
  args: readonly string[],
  options: Partial<Owner> & { cwd?: string; env?: Record<string, string> } = {},
): ChildProcess {
  return spawn("/bin/sh", ["-c", script, "sh", ...args], {
    ...options,
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
}

export function endWatcher(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve(child.exitCode);
    child.once("exit", resolve);
    child.stdin?.end();
  });
}

/** What the database writes while it works. */
const BESIDE_BYTES = 128 * 1024 * 1024;

/** Whether a copy of so many bytes has room in a folder. A dump is compressed, so it may need more than this. */
export async function assertRoom(base: string, bytes: number): Promise<void> {
  const found = await statfs(base).catch((cause) => {
    throw new InputError(
      `cannot look at ${plain(base)} (${codeOf(cause)}): name a folder that is there with --directory`,
      {},
      { cause },
    );
  });
  const [free, needed] = [found.bavail * found.bsize, bytes + BESIDE_BYTES];
  if (free >= needed) return;
  throw new InputError(
    `${plain(base)} has ${inMb(free)} free, and the restored copy needs at least ${inMb(needed)}: free some space, or name a folder on another disk with --directory`,
  );
}

export function inMb(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}
