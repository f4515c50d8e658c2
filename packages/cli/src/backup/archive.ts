import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, rename } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";

const run = promisify(execFile);

/**
 * Restores an archive of the embedded database into a data directory. Its maker may have put anything into it: a link would
 * lead to another database, such as the one in use, and a pipe would hold up its reader forever.
 */
export async function restoreArchive(
  file: string,
  data: string,
  signal: AbortSignal,
): Promise<void> {
  const draft = join(data, "..", "draft");
  await mkdir(draft, { mode: 0o700 });
  const refusal = (why: string, options?: ErrorOptions) =>
    new InputError(`${plain(file)} is not restored: ${why}`, {}, options);
  // The copy may name users that this machine does not have. A path with a colon would be that of another machine.
  const args = ["-xf", resolve(file), "--no-same-owner", "--no-same-permissions", "-C", draft];
  await run("tar", args, { signal }).catch((cause) => {
    const { stderr }: { stderr?: unknown } = Object(cause);
    const isFull = /no space left/i.test(String(stderr));
    throw refusal(
      isFull
        ? "the disk is full: free some space, or name a folder on another disk with --directory"
        : "tar cannot read it to its end: make the copy again",
      { cause },
    );
  });
  const other = await findOther(draft);
  if (other !== undefined) {
    throw refusal(
      `it has ${plain(relative(draft, other))}, which is neither a file nor a folder, and back-up-embedded.sh writes only those: make the copy again`,
    );
  }
  for (const name of ["pglite", "keyhearth.json"]) {
    await rename(join(draft, name), join(data, name)).catch((cause) => {
      throw refusal(`${name} is not in it (${codeOf(cause)}): make the copy again`, { cause });
    });
  }
}

/** The first entry that is neither a file nor a folder. Folders become those of this user, so that all can be removed. */
async function findOther(folder: string): Promise<string | undefined> {
  await chmod(folder, 0o700);
  let other: string | undefined;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const found = entry.isDirectory() ? await findOther(path) : entry.isFile() ? undefined : path;
    other ??= found;
  }
  return other;
}
