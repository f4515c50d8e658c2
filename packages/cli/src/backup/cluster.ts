import { execFile, execFileSync } from "node:child_process";
import { readdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as rest } from "node:timers/promises";
import { promisify } from "node:util";
import type { Surroundings } from "../command.ts";
import { codeOf } from "../connection/own-folder.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { endWatcher, makePlace, type Owner, watcher } from "./place.ts";
import { findOnPath, isProgram } from "./programs.ts";

const run = promisify(execFile);

type Env = Surroundings["env"];

/** What the service promises to work with. */
const LEAST_VERSION = 15;

/** The folder of initdb, postgres and pg_restore. The newest one reads the dumps of all before it. */
export async function findPostgres(env: Env): Promise<string | undefined> {
  const debian = "/usr/lib/postgresql";
  const packaged = (await readdir(debian).catch(() => []))
    .filter((version) => Number(version) >= LEAST_VERSION)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, "bin"));
  const onPath = findOnPath("initdb", env);
  // A folder of links may have initdb alone.
  const linked = onPath === undefined ? [] : [dirname(await realpath(onPath))];
  return [...packaged, ...linked].find((folder) =>
    ["initdb", "postgres", "pg_restore"].every((name) => isProgram(join(folder, name))),
  );
}

export function postgresMissing(): InputError {
  return new InputError(
    `a dump is restored into a PostgreSQL of its own, and no initdb of version ${LEAST_VERSION} or newer is in PATH or /usr/lib/postgresql: install the PostgreSQL server on this machine (\`apt-get install postgresql\`), or run the drill where it is`,
  );
}

/** Stops the server when the input ends, however this process ends. */
const SCRIPT = `"$@" & server=$!
  read -r order
  kill -QUIT $server; wait $server`;

type Setting = {
  readonly bin: string;
  readonly base: string;
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Called in reverse order, whatever happens. */
  readonly closers: (() => Promise<void>)[];
};

/**
 * Restores a dump into a cluster in a place of its own. If this user is root, which PostgreSQL refuses, it runs as one
 * without rights. It listens at no address. Returns the URL of the database.
 *
 * A dump is SQL that somebody wrote. A superuser's runs programs and reaches other servers, so it is restored, and used,
 * by a role that may do neither, and nobody can log in as another one.
 */
export async function restoreDump(
  file: string,
  { bin, base, env, signal, closers }: Setting,
): Promise<string> {
  const owner = unprivilegedUser();
  const { folder, remove } = await makePlace(base, owner);
  closers.push(remove);
  // Kernels reserve 104 or 108 bytes for the path of a socket.
  if (Buffer.byteLength(join(folder, ".s.PGSQL.5432.lock")) > 103) {
    throw new InputError(
      `the path ${plain(base)} is too long for a socket of PostgreSQL: name a shorter one with --directory`,
    );
  }
  const cluster = join(folder, "cluster");
  const bare = { PATH: env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };
  const asOwner = { ...owner, cwd: folder, env: bare };
  const isNew = ["-U", "keyhearth", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await run(join(bin, "initdb"), ["-D", cluster, ...isNew], { ...asOwner, signal }).catch(
    (cause) => {
      throw refusalOf("initdb", cause);
    },
  );
  await makeRole(bin, cluster, { ...asOwner, signal });
  const settings = Object.entries({
    listen_addresses: "",
    unix_socket_directories: folder,
    port: "5432",
    // Nobody needs it after a crash.
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const postgres = [join(bin, "postgres"), "-D", cluster, ...settings];
  const server = watcher(SCRIPT, postgres, asOwner);
  closers.push(async () => void (await endWatcher(server)));
  let said = "";
  server.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4000);
  });
  const url = `postgres://${ROLE}@/${ROLE}?host=${encodeURIComponent(folder)}`;
  await untilReady(bin, { url, env: bare, signal, said: () => said });
  const restore = (args: string[]) =>
    run(join(bin, "pg_restore"), args, { env: bare, signal, maxBuffer: LONGEST_LIST }).catch(
      (cause) => {
        throw refusalOf("pg_restore", cause);
      },
    );
  const { stdout } = await restore(["--list", file]);
  const list = join(folder, "list");
  await writeFile(list, stdout.replace(/^\d+; \d+ \d+ EXTENSION .*$/gm, ""), { flag: "wx" });
  await restore([...WHOLE, ...OWN, `--use-list=${list}`, `--dbname=${url}`, file]);
  return url;
}

const ROLE = "copy";
const LONGEST_LIST = 256 * 1024 * 1024;

const WHOLE = ["--exit-on-error", "--single-transaction"];

/** What belongs to the server that was dumped and not to the service, and what only a superuser makes, as extensions. */
const OWN = [
  "--no-owner",
  "--no-privileges",
  "--no-publications",
  "--no-subscriptions",
  "--no-comments",
  "--no-security-labels",
  "--no-tablespaces",
];

/** Makes the role and its database before the server listens. */
async function makeRole(bin: string, cluster: string, options: object): Promise<void> {
  const running = run(join(bin, "postgres"), ["--single", "-D", cluster, "postgres"], options);
  running.child.stdin?.end(
    `CREATE ROLE ${ROLE} LOGIN;\nCREATE DATABASE ${ROLE} OWNER ${ROLE};\nALTER ROLE keyhearth NOLOGIN;\n`,
  );
  await running.catch((cause) => {
    throw refusalOf("postgres", cause);
  });
}

async function untilReady(
  bin: string,
  {
    url,
    env,
    signal,
    said,
  }: { url: string; env: Record<string, string>; signal: AbortSignal; said: () => string },
): Promise<void> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    try {
      await run(join(bin, "pg_isready"), ["--quiet", `--dbname=${url}`], { env, timeout: 5000 });
      return;
    } catch (cause) {
      if (Date.now() > giveUpAt) {
        const last = said().trim().split("\n").at(-1) ?? "";
        throw new InputError(`PostgreSQL did not start: ${plain(last)}`, {}, { cause });
      }
    }
    await rest(100, undefined, { signal });
  }
}

function refusalOf(program: string, cause: unknown): InputError {
  const { stderr }: { stderr?: unknown } = Object(cause);
  const lines = typeof stderr === "string" ? stderr.trim().split("\n").filter(Boolean) : [];
  const says = (form: RegExp) => lines.some((line) => form.test(line));
  const remedy = says(/no space left|disk full/i)
    ? "the disk is full: free some space, or name a folder on another disk with --directory"
    : says(/permission denied/i) && process.getuid?.() === 0
      ? "PostgreSQL runs as a user without rights here, who cannot enter the folder: name one that all users can enter with --directory"
      : plain(lines.at(0) ?? codeOf(cause));
  return new InputError(`${program} does not restore the dump: ${remedy}`, {}, { cause });
}

function unprivilegedUser(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const idOf = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: idOf("-u"), gid: idOf("-g") };
    } catch {
      // Not on this machine: try the next one.
    }
  }
  throw new InputError(
    "PostgreSQL does not run as root, and there is no user postgres or nobody: run the drill as another user",
  );
}
