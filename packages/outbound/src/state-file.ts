import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";

/**
 * How a start reads a file that it keeps or is given: a regular file, opened once, so that what is checked is what is
 * read, and never more than its kind can have. Opening a FIFO would never return, and a sparse file costs its maker
 * nothing and the reader its whole size.
 */

/** A file is not read. The message is one sentence that names it and says what to do. */
export class RefusedFileError extends Error {
  readonly path: string;
  /** The sentence after the name of the file. */
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.path = path;
    this.problem = problem;
  }
}

/** Of keys, numbers and other files of a line or a few. */
const SMALL_FILE_BYTES = 64 * 1024;

/** Also throws what the file system says, such as ENOENT. */
export function readStateFile(path: string, maxBytes = SMALL_FILE_BYTES): Buffer {
  return readChecked(path, maxBytes, () => null);
}

/** A secret of this process: of its user or root, and nobody else may write it. */
export function readSecretFile(path: string, maxBytes = SMALL_FILE_BYTES): Buffer {
  return readChecked(path, maxBytes, (file) => refusalOfOwner(file, path, FOR_OWNER));
}

/** A secret that others provide, such as a container's. Its group may be the one that keeps it. */
export function readGivenSecret(path: string): Buffer {
  return readChecked(path, SMALL_FILE_BYTES, (file) => refusalOfOwner(file, path, FOR_GROUP));
}

/** A secret that is in one place only: another name of the same file may be where others read it. */
export function readOnlyCopy(path: string, maxBytes = SMALL_FILE_BYTES): Buffer {
  return readChecked(
    path,
    maxBytes,
    (file) => refusalOfOwner(file, path, FOR_OWNER) ?? refusalOfNames(file, path),
  );
}

function readChecked(
  path: string,
  maxBytes: number,
  refusalOf: (file: Stats) => RefusedFileError | null,
): Buffer {
  const file = open(path);
  try {
    const found = fstatSync(file);
    // Reading a directory throws EISDIR, of which callers say more.
    const isFile = !found.isDirectory();
    const refusal = isFile ? (refusalOfKind(found, path, maxBytes) ?? refusalOf(found)) : null;
    if (refusal) throw refusal;
    return readWhole(file, path, { size: found.size, maxBytes });
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  // Windows has neither flag, and no FIFOs in folders.
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const flags = O_RDONLY | O_NONBLOCK;
  try {
    return openSync(path, flags | O_NOFOLLOW);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // A socket, or a device without a driver.
    if (code === "ENXIO" || code === "ENODEV") throw notAFile(path);
    const link = lstatSync(path, { throwIfNoEntry: false });
    if (!link?.isSymbolicLink()) throw error;
    // Kubernetes mounts secrets as links, which are root's.
    if (!isTrusted(link)) {
      throw new RefusedFileError(
        path,
        `is a link of user ${link.uid}, who could lead it elsewhere; put the file itself there`,
      );
    }
    return openSync(path, flags);
  }
}

/** The file may grow while it is read. */
function readWhole(
  file: number,
  path: string,
  { size, maxBytes }: { size: number; maxBytes: number },
): Buffer {
  const parts: Buffer[] = [];
  let total = 0;
  for (;;) {
    const part = Buffer.alloc(Math.max(size - total, 0) + 1024);
    const read = readSync(file, part);
    if (read === 0) return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    total += read;
    if (total > maxBytes) throw beyondSize(path, maxBytes);
    parts.push(part.subarray(0, read));
  }
}

function refusalOfKind(file: Stats, path: string, maxBytes: number): RefusedFileError | null {
  if (!file.isFile()) return notAFile(path);
  return file.size > maxBytes ? beyondSize(path, maxBytes) : null;
}

function notAFile(path: string): RefusedFileError {
  return new RefusedFileError(path, "is not a file; restore the file from a backup");
}

function beyondSize(path: string, maxBytes: number): RefusedFileError {
  return new RefusedFileError(
    path,
    `has more than ${maxBytes} bytes, which no such file has; restore the file from a backup`,
  );
}

/** Bits of a mode that let others write, without and with the group. */
const FOR_OWNER = 0o022;
const FOR_GROUP = 0o002;

function refusalOfOwner(file: Stats, path: string, writable: number): RefusedFileError | null {
  if (process.geteuid === undefined) return null;
  const own = process.geteuid();
  // Root may ask for public keys. A start has refused a directory of another user before.
  const isOfItsDirectory = writable === FOR_OWNER && file.uid === statSync(dirname(path)).uid;
  if (!isTrusted(file) && !isOfItsDirectory) {
    return new RefusedFileError(
      path,
      `belongs to user ${file.uid}, who could change it, but this runs as user ${own}; change its owner (chown ${own} ${path})`,
    );
  }
  if ((file.mode & writable) === 0) return null;
  const mode = (file.mode & 0o777).toString(8);
  return new RefusedFileError(
    path,
    `has mode ${mode}, so others could change it; run: chmod go-w ${path}`,
  );
}

function refusalOfNames({ nlink }: Stats, path: string): RefusedFileError | null {
  if (nlink <= 1) return null;
  return new RefusedFileError(
    path,
    `has ${nlink} names (hard links), so it may be where others read it; replace it by a copy of its own, and remove the others`,
  );
}

function isTrusted({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === 0 || uid === process.geteuid();
}
