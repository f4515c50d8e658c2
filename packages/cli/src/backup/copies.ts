import { execFile } from "node:child_process";
import { copyFile, open, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Surroundings } from "../command.ts";
import type { Profile } from "../connection/profiles.ts";
import { InputError } from "../errors.ts";
import type { Finding } from "../findings.ts";
import { plain } from "../output.ts";
import { makePlace } from "./place.ts";
import { findServiceProgram } from "./programs.ts";

// What can be said of the copies of a service before they are restored.

const run = promisify(execFile);

/** What opens the database, and is never written again. */
export const REQUIRED = ["root-key", "keyring"];

export async function complete(keys: string): Promise<[true, string]> {
  for (const name of REQUIRED) {
    const stats = await stat(join(keys, name)).catch(() => undefined);
    if (!stats?.isFile() || stats.size === 0) {
      throw new InputError(
        `${plain(keys)} has no ${name}: run back-up-keys.sh of /self-hosting/backup again, as the signer's user`,
      );
    }
    if ((stats.mode & 0o077) !== 0 && process.platform !== "win32") {
      throw new InputError(
        `others may read ${plain(join(keys, name))}: run \`chmod 600\` on it, and think of the key as known to them`,
      );
    }
  }
  return [true, `${plain(keys)} has ${REQUIRED.join(" and ")}`];
}

/** Files without which a restore works, but not all of the service. */
export async function besideKeys(keys: string): Promise<Finding[]> {
  const wanted = [
    ["courier", "the signer seals no message until trust-courier is run"],
    ["courier-key", "messages that wait in the database cannot be read"],
  ] as const;
  const missing = await Promise.all(
    wanted.map(async ([name, loss]): Promise<Finding[]> => {
      const found = await stat(join(keys, name)).catch(() => undefined);
      if (found?.isFile()) return [];
      return [{ check: name, status: "warning", message: `it is not there: ${loss}` }];
    }),
  );
  return missing.flat();
}

export type PublicKeys = { readonly signerPublicKey: string; readonly quorumPublicKey: string };

/** Lets the signer open copies of the files. It shows the public keys only if the root key is that of the keyring. */
export async function opened(
  keys: string,
  { env }: Pick<Surroundings, "env">,
  base = tmpdir(),
): Promise<[PublicKeys, string]> {
  const { folder, remove } = await makePlace(base);
  try {
    for (const name of REQUIRED) await copyFile(join(keys, name), join(folder, name));
    const { signerPublicKey, quorumPublicKey } = JSON.parse(
      await askSigner(["describe", "--state", folder], env),
    );
    return [{ signerPublicKey, quorumPublicKey }, `opens the keyring of signer ${signerPublicKey}`];
  } finally {
    await remove();
  }
}

/** Runs a command of the signer, and returns what it prints. */
export async function askSigner(
  args: readonly string[],
  env: Surroundings["env"],
): Promise<string> {
  const [program, ...before] = findServiceProgram("signer", env);
  try {
    const options = { env: { ...env }, timeout: 60_000 };
    return (await run(program, [...before, ...args], options)).stdout;
  } catch (cause) {
    const { stderr }: { stderr?: unknown } = Object(cause);
    const said = typeof stderr === "string" ? plain(stderr.trim().split("\n").at(-1) ?? "") : "";
    throw new InputError(
      `the signer does not open the copy: ${said || "it did not answer"}`,
      {},
      { cause },
    );
  }
}

export function hasPinned(profile: Profile, found: PublicKeys): boolean {
  const { signerPublicKey, quorumPublicKey } = profile;
  return signerPublicKey === found.signerPublicKey && quorumPublicKey === found.quorumPublicKey;
}

export function pinned(found: PublicKeys, profile: Profile | undefined): Finding {
  const check = "pinned keys";
  if (profile?.signerPublicKey === undefined || profile.quorumPublicKey === undefined) {
    const message = "no profile has pinned the keys of the service: name one with --profile";
    return { check, status: "warning", message };
  }
  return hasPinned(profile, found)
    ? { check, status: "ok", message: `they are those of the profile ${profile.name}` }
    : {
        check,
        status: "error",
        message: `the copy is of another signer than that of the profile ${profile.name}: it opens nothing of it`,
      };
}

export type DatabaseCopy = { readonly kind: "postgres" | "embedded"; readonly file: string };

/**
 * A dump of PostgreSQL, or an archive of the embedded database, as the scripts write them. A small archive can unpack to
 * terabytes, which the list of it takes as long to pass.
 */
export async function readable(
  file: string,
  {
    findProgram = (name: string) => name,
    signal,
  }: { findProgram?: (name: string) => string; signal?: AbortSignal } = {},
): Promise<[DatabaseCopy, string]> {
  const start = await firstBytes(file);
  const isDump = start === "PGDMP";
  const [program, args] = isDump
    ? ["pg_restore", ["--list", resolve(file)]]
    : ["tar", ["-tf", resolve(file)]];
  const { stdout } = await run(findProgram(program), args, {
    maxBuffer: 256 * 1024 * 1024,
    ...(signal && { signal }),
  }).catch((cause) => {
    const why = isMissing(cause) ? `${program} is not installed here` : `${program} cannot read it`;
    throw new InputError(`${plain(file)}: ${why}`, {}, { cause });
  });
  if (isDump) {
    if (/ TABLE public organizations? /.test(stdout) || / TABLE DATA /.test(stdout)) {
      return [{ kind: "postgres", file }, `${plain(file)} is a dump of PostgreSQL with data`];
    }
    throw new InputError(`${plain(file)} is a dump without data: make it with back-up-postgres.sh`);
  }
  const names = stdout.split("\n");
  const missing = ["pglite/PG_VERSION", "pglite/global/pg_control", "keyhearth.json"].filter(
    (name) => !names.some((each) => each.replace(/^\.\//, "") === name),
  );
  if (missing.length === 0) {
    return [{ kind: "embedded", file }, `${plain(file)} is an embedded database`];
  }
  throw new InputError(
    `${plain(file)} lacks ${missing.join(", ")}: make it with back-up-embedded.sh while the service is stopped`,
  );
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT";
}

async function firstBytes(file: string): Promise<string> {
  const stats = await stat(file).catch(() => undefined);
  // A pipe would wait for a writer, and is read only once.
  if (stats && !stats.isFile()) throw new InputError(`${plain(file)} is not a file`);
  const handle = await open(file, "r").catch((cause) => {
    const code = isMissing(cause) ? "there is no such file" : String(Object(cause).code);
    throw new InputError(`cannot read ${plain(file)}: ${code}`, {}, { cause });
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(5), 0, 5, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  } catch (cause) {
    throw new InputError(`cannot read ${plain(file)}: ${Object(cause).code}`, {}, { cause });
  } finally {
    await handle.close();
  }
}
