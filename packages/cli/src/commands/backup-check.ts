import { execFile } from "node:child_process";
import { copyFile, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Given, Surroundings } from "../command.ts";
import { listProfiles, readProfile } from "../connection/profiles.ts";
import { InputError } from "../errors.ts";
import { type Finding, findingsReport, tried } from "../findings.ts";
import { plain, type Report } from "../output.ts";

/**
 * Whether copies of a service are complete and would open: the root key opens the keyring, its public keys are those that
 * a profile has pinned, and the copy of the database can be read. Nothing is restored and nothing is sent.
 */
export async function backupCheck(given: Given, surroundings: Surroundings): Promise<Report> {
  const [keys, database] = [given.word(0), given.word(1)];
  const findings: Finding[] = [];
  const isComplete = await tried(findings, "keys", surroundings, () => complete(keys));
  findings.push(...(await besideKeys(keys)));
  if (isComplete) {
    const found = await tried(findings, "root key", surroundings, () => opened(keys, surroundings));
    if (found) findings.push(await pinned(found, given, surroundings));
  }
  await tried(findings, "database", surroundings, () => readable(database));
  return findingsReport(findings);
}

const run = promisify(execFile);

/** What opens the database, and is never written again. */
const REQUIRED = ["root-key", "keyring"];

async function complete(keys: string): Promise<[true, string]> {
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
async function besideKeys(keys: string): Promise<Finding[]> {
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

type PublicKeys = { readonly signerPublicKey: string; readonly quorumPublicKey: string };

/** Lets the signer open copies of the files. It shows the public keys only if the root key is that of the keyring. */
async function opened(keys: string, { env }: Surroundings): Promise<[PublicKeys, string]> {
  const draft = await mkdtemp(join(tmpdir(), "keyhearth-check-"));
  try {
    for (const name of REQUIRED) await copyFile(join(keys, name), join(draft, name));
    const { signerPublicKey, quorumPublicKey } = JSON.parse(await describe(draft, env));
    return [{ signerPublicKey, quorumPublicKey }, `opens the keyring of signer ${signerPublicKey}`];
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The command of the Debian package, or else that of the package `keyhearth`, which this one is a part of. */
async function describe(state: string, env: Surroundings["env"]): Promise<string> {
  const args = ["describe", "--state", state];
  const options = { env: { ...env }, timeout: 60_000 };
  try {
    return (await run("keyhearth-signer", args, options)).stdout;
  } catch (cause) {
    if (!isMissing(cause)) throw notOpened(cause);
  }
  try {
    const [, program = ""] = process.argv;
    return (await run(process.execPath, [program, "signer", ...args], options)).stdout;
  } catch (cause) {
    throw notOpened(cause);
  }
}

function notOpened(cause: unknown): InputError {
  const { stderr }: { stderr?: unknown } = Object(cause);
  const said = typeof stderr === "string" ? plain(stderr.trim().split("\n").at(-1) ?? "") : "";
  return new InputError(
    `the signer does not open the copy: ${said || "it did not answer"}`,
    {},
    { cause },
  );
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT";
}

async function pinned(found: PublicKeys, given: Given, { env }: Surroundings): Promise<Finding> {
  const check = "pinned keys";
  const named = given.option("profile") ?? (env.KEYHEARTH_PROFILE || undefined);
  const name = named ?? (await listProfiles(env)).current;
  const profile = name === null ? undefined : await readProfile(name, env);
  if (profile?.signerPublicKey === undefined || profile.quorumPublicKey === undefined) {
    const message = "no profile has pinned the keys of the service: name one with --profile";
    return { check, status: "warning", message };
  }
  const { signerPublicKey, quorumPublicKey } = profile;
  return signerPublicKey === found.signerPublicKey && quorumPublicKey === found.quorumPublicKey
    ? { check, status: "ok", message: `they are those of the profile ${profile.name}` }
    : {
        check,
        status: "error",
        message: `the copy is of another signer than that of the profile ${profile.name}: it opens nothing of it`,
      };
}

/** A dump of PostgreSQL, or an archive of the embedded database, as the scripts write them. */
async function readable(file: string): Promise<[true, string]> {
  const start = await firstBytes(file);
  const isDump = start === "PGDMP";
  const [program, args] = isDump ? ["pg_restore", ["--list", file]] : ["tar", ["-tf", file]];
  const { stdout } = await run(program, args, { maxBuffer: 256 * 1024 * 1024 }).catch((cause) => {
    const why = isMissing(cause) ? `${program} is not installed here` : `${program} cannot read it`;
    throw new InputError(`${plain(file)}: ${why}`, {}, { cause });
  });
  if (isDump) {
    if (/ TABLE public organizations? /.test(stdout) || / TABLE DATA /.test(stdout)) {
      return [true, `${plain(file)} is a dump of PostgreSQL with data`];
    }
    throw new InputError(`${plain(file)} is a dump without data: make it with back-up-postgres.sh`);
  }
  const names = stdout.split("\n");
  const missing = ["pglite/PG_VERSION", "pglite/global/pg_control", "keyhearth.json"].filter(
    (name) => !names.some((each) => each.replace(/^\.\//, "") === name),
  );
  if (missing.length === 0) return [true, `${plain(file)} is an embedded database`];
  throw new InputError(
    `${plain(file)} lacks ${missing.join(", ")}: make it with back-up-embedded.sh while the service is stopped`,
  );
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file, "r").catch((cause) => {
    const code = isMissing(cause) ? "there is no such file" : String(Object(cause).code);
    throw new InputError(`cannot read ${plain(file)}: ${code}`, {}, { cause });
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(5), 0, 5, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  } finally {
    await handle.close();
  }
}
