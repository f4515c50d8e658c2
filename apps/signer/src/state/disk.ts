import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CoreEvent, Marks } from "@keyhearth/engine/core/core";
import { ApiError } from "@keyhearth/engine/errors";
import type { NewInstallation } from "./new-installation.ts";
import { codeOf } from "./state-files.ts";

/** Writes to the signer's state, and remembers whether the last one failed. */
export type Disk = {
  /** Throws DISK_FULL if the disk takes nothing more. Nothing relies on what was not written. */
  write<Result>(work: () => Result): Result;
  hasFailed(): boolean;
};

export function createDisk(log: (event: CoreEvent) => void): Disk {
  let failed = false;
  return {
    write(work) {
      try {
        const result = work();
        failed = false;
        return result;
      } catch (cause) {
        if (!isDiskError(cause)) throw cause;
        if (!failed) log({ event: "state not written", reason: "DISK_FULL", cause });
        failed = true;
        throw new ApiError(
          "UNAVAILABLE",
          "DISK_FULL",
          "the disk of the signer's state is full, so nothing can be changed; send the same bytes again once its operator has freed some space",
          { cause },
        );
      }
    },
    hasFailed: () => failed,
  };
}

/** The marks, on that disk. From its first mark on, an installation is no longer new. */
export function writeMarks(marks: Marks, disk: Disk, installation: NewInstallation): Marks {
  const then = (work: () => void) =>
    disk.write(() => {
      work();
      installation.use();
    });
  return {
    ...marks,
    move: (documents) => then(() => marks.move(documents)),
    extend: (...segment) => then(() => marks.extend(...segment)),
  };
}

/** Throws if the disk has no room for a few changes. A file that has room inside hides that. */
export function assertRoom(directory: string) {
  const path = join(directory, "marks.probe");
  try {
    writeFileSync(path, new Uint8Array(PROBE_BYTES), { mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}

const PROBE_BYTES = 64 * 1024;

/** The error of work that must not end the signer when it fails. */
export function attempt(work: () => void): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}

/** Full, quota used up, file size limit, read-only, or failing. */
const diskErrors = ["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EIO"];
/** SQLite's numbers for read-only, a failed read or write, and full. */
const sqliteErrors = [8, 10, 13];

function isDiskError(error: unknown): boolean {
  if (error instanceof ApiError) return isDiskError(error.cause);
  if (error instanceof Error && "errcode" in error) {
    return sqliteErrors.includes(Number(error.errcode) & 0xff);
  }
  return diskErrors.includes(codeOf(error) ?? "");
}
