import { createHash } from "node:crypto";
import { constants, createReadStream, rmSync } from "node:fs";
import { type FileHandle, open, statfs } from "node:fs/promises";
import { platform } from "node:os";
import { dirname } from "node:path";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { codeOf, exists, linked, onEndBySignal } from "./own-folder.ts";

/**
 * A file that only its owner may read, and that grows as FILE.part until it is whole and gets its name. What was written
 * before the process ended is there for the next one.
 */
export type PartFile = {
  readonly path: string;
  /** How much is there already. */
  readonly size: number;
  /** Leaves out what follows. */
  cutAt(size: number): Promise<void>;
  append(text: string): Promise<void>;
  /** From here on it stays if a signal ends the process. */
  keep(): void;
  isKept(): boolean;
  /** Gives it its name, if it has these bytes. False if there is a file of that name. */
  finish(sha256: string): Promise<boolean>;
  /** Closes it, and removes it unless it is kept. */
  close(): Promise<void>;
  /** Closing removes it. */
  drop(): void;
};

/** Without so much of its disk a machine's programs fail. A file that is smaller than a step needs no such room. */
const RESERVE_BYTES = 512 * 1024 * 1024;
const CHECK_EVERY_BYTES = 16 * 1024 * 1024;

/** Null if there is a file of that name. Throws `InputError` if FILE.part cannot be used. */
export async function openPartFile(
  name: string,
  { reserve = RESERVE_BYTES }: { reserve?: number } = {},
): Promise<PartFile | null> {
  if (await exists(name)) return null;
  const path = `${name}.part`;
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const written = <Result>(result: Promise<Result>) =>
    result.catch((cause) => {
      if (cause instanceof InputError) throw cause;
      throw new InputError(`cannot write ${plain(name)} (${codeOf(cause)})`, {}, { cause });
    });
  const file = await written(open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
  let size: number;
  try {
    size = await sizeOfOwn(file, path);
  } catch (error) {
    await file.close();
    throw error;
  }
  let isKept = size > 0;
  const remove = () => rmSync(path, { force: true });
  const stop = onEndBySignal(() => {
    if (!isKept) remove();
  });
  let end = size;
  let unchecked = 0;

  return {
    path,
    size,
    async cutAt(at) {
      await written(file.truncate(at));
      end = at;
    },
    async append(text) {
      unchecked += text.length;
      if (unchecked > CHECK_EVERY_BYTES) {
        unchecked = 0;
        await assertRoom(name, reserve).catch((error: unknown) => {
          isKept = false;
          throw error;
        });
      }
      if ((await file.stat()).size !== end) throw inUse(path);
      const bytes = Buffer.from(text);
      await written(file.write(bytes, 0, bytes.length, end));
      end += bytes.length;
    },
    keep() {
      isKept = true;
    },
    isKept: () => isKept,
    async finish(sha256) {
      await written(file.sync());
      if ((await digestOf(path)) !== sha256) throw inUse(path);
      // Unlike a rename, a link replaces nothing.
      const isDone = await written(linked(path, name));
      if (isDone) isKept = false;
      return isDone;
    },
    async close() {
      stop();
      await file.close();
      if (!isKept) remove();
    },
    drop() {
      isKept = false;
    },
  };
}

/** Another user could have put something there that the file would have. */
async function sizeOfOwn(file: FileHandle, path: string): Promise<number> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new InputError(`${plain(path)} is not a file: remove it`);
  const isOwn = platform() === "win32" || (stats.uid === process.getuid?.() && stats.nlink === 1);
  if (!isOwn || (platform() !== "win32" && (stats.mode & 0o077) !== 0)) {
    throw new InputError(
      `${plain(path)} is not a file that only this user can write: remove it, and the export begins again`,
    );
  }
  return stats.size;
}

async function assertRoom(path: string, reserve: number): Promise<void> {
  // Where the system does not say it, a write fails once the disk is full.
  const found = await statfs(dirname(path)).catch(() => undefined);
  if (!found || found.bavail * found.bsize >= reserve) return;
  throw new InputError(
    `the disk of ${plain(path)} has less than ${Math.ceil(reserve / 1024 / 1024)} MB left, so nothing was written: free some space, or name a file on another disk`,
  );
}

function inUse(path: string): InputError {
  return new InputError(
    `${plain(path)} was changed meanwhile, perhaps by another run of this command: let only one run, and remove the file to begin again`,
  );
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
