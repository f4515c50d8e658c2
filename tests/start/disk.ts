import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Real file systems of a few megabytes. Only root may make them, and not in every container.

const mounted: string[] = [];

export function makeDisk(megabytes: number): string {
  const path = mkdtempSync(join(tmpdir(), "keyhearth-disk-"));
  try {
    mount(["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]);
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  // As a new disk is, so that other users reach what is below.
  chmodSync(path, 0o755);
  mounted.push(path);
  return path;
}

/** What a disk has stays as it is. */
export function enlargeDisk(path: string, megabytes: number) {
  mount(["-o", `remount,size=${megabytes}m`, path]);
}

function mount(options: string[]) {
  execFileSync("mount", options, { stdio: "ignore" });
}

export function unmountDisks() {
  for (const path of mounted.splice(0)) {
    execFileSync("umount", ["-l", path], { stdio: "ignore" });
    rmdirSync(path);
  }
}

export const canMakeDisks = process.platform === "linux" && canMount();

function canMount(): boolean {
  try {
    makeDisk(1);
    unmountDisks();
    return true;
  } catch {
    return false;
  }
}

/** Takes all but the last bytes of a disk. */
export function fillDisk(disk: string, leave = 0): { free(): void } {
  const { bavail, bsize } = statfsSync(disk);
  const path = join(disk, "filler");
  const bytes = Buffer.alloc(1024 * 1024);
  let left = Math.max(0, bavail * bsize - leave);
  for (; left > 0; left -= bytes.length) {
    writeFileSync(path, bytes.subarray(0, Math.min(left, bytes.length)), { flag: "a" });
  }
  return { free: () => rmSync(path) };
}
