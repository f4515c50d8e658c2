import { execFileSync, spawn } from "node:child_process";
import { createHash, randomInt, randomUUID } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { createServer, Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

export type Postgres = {
  url: string;
  /** Where its files are. */
  cluster: string;
  /** Ends the server as `systemctl stop` does: it cuts connections in use. Its files stay. */
  halt(): Promise<void>;
  /** Starts it again, and waits until it answers. */
  resume(): Promise<void>;
  /** Stops all of its processes where they are, so that its connections stay open and say nothing. */
  freeze(): void;
  /** Ends it for good and removes its files. */
  stop(): Promise<void>;
};

const LEAST_VERSION = 15;

export const postgresMissing = `no PostgreSQL ${LEAST_VERSION} or newer was found in PATH or /usr/lib/postgresql; run apt-get install postgresql, or put its bin directory into PATH`;

/** By PATH. To ask a program for its version costs a large process a tenth of a second. */
const foundPostgres = new Map<string, string | null>();

/** The directory of initdb, postgres and its clients, version 15 or newer. */
export function findPostgres(): string | null {
  const { PATH = "" } = process.env;
  const known = foundPostgres.get(PATH);
  if (known !== undefined) return known;
  const found = searchPostgres(PATH);
  foundPostgres.set(PATH, found);
  return found;
}

function searchPostgres(searchPath: string): string | null {
  const debian = "/usr/lib/postgresql";
  const packaged = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, "bin"))
    : [];
  const searched = searchPath.split(delimiter).filter(Boolean);
  const found = [...searched, ...packaged].find(isUsable);
  // A directory of links may have the server without its clients.
  return found === undefined ? null : dirname(realpathSync(join(found, "postgres")));
}

function isUsable(directory: string): boolean {
  if (!existsSync(join(directory, "initdb")) || !existsSync(join(directory, "postgres"))) {
    return false;
  }
  const text = execFileSync(join(directory, "postgres"), ["--version"], { encoding: "utf8" });
  return Number(/\b(\d+)[.\s]/.exec(text)?.[1]) >= LEAST_VERSION;
}

type Maker = (cluster: string) => void;

/**
 * A separate PostgreSQL in a temporary directory, on a free loopback port. It ends with `stop`, and
 * also when this process dies in any way: a small shell watches for that. All of them share a system identifier, unless
 * one is to be unrelated to the others.
 */
export async function startPostgres({
  fsync = true,
  isUnrelated = false,
  settings = {},
}: {
  fsync?: boolean;
  isUnrelated?: boolean;
  settings?: Record<string, string>;
} = {}): Promise<Postgres> {
  return startCluster(isUnrelated ? initialize : unpackCluster, fsync, settings);
}

/** Another server with a copy of all that the first one has, which follows it and can only be read. */
export function startStandby({ url }: Postgres): Promise<Postgres> {
  const copy = ["-d", url, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"];
  return startCluster((cluster) => runMaker("pg_basebackup", copy, cluster), false);
}

const INITDB = ["-U", "keyhearth", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];

function initialize(cluster: string) {
  runMaker("initdb", INITDB, cluster);
}

/** Runs a program that makes the files of a server, and takes their place in `-D`. */
function runMaker(maker: string, args: string[], cluster: string) {
  execFileSync(realpathSync(join(binaries(), maker)), ["-D", cluster, ...args], {
    ...unprivilegedUser(),
    cwd: dirname(cluster),
    env: environment(),
    stdio: ["ignore", "ignore", "pipe"],
  });
}

let packed: string | undefined;

/** What `initdb` makes, of which this folder keeps a copy: tests start dozens of servers. */
function unpackCluster(cluster: string) {
  packed ??= packCluster();
  const archive = openSync(packed, "r");
  try {
    // Its name is in a folder of ours, which the other user may not read.
    const args = ["-xpf", "-", "-C", cluster];
    execFileSync("tar", args, { ...unprivilegedUser(), stdio: [archive, "ignore", "pipe"] });
  } finally {
    closeSync(archive);
  }
}

const cache = fileURLToPath(new URL("../../node_modules/.cache/keyhearth/", import.meta.url));

/** Makes the copy, unless it is there. */
function packCluster(): string {
  const version = execFileSync(join(binaries(), "postgres"), ["--version"], { encoding: "utf8" });
  const digest = createHash("sha256")
    .update(JSON.stringify([version, INITDB]))
    .digest("hex");
  const file = join(cache, `postgres-${digest.slice(0, 16)}.tar`);
  if (existsSync(file)) return file;
  const directory = makeDirectory(unprivilegedUser());
  try {
    const cluster = makeCluster(directory);
    initialize(cluster);
    mkdirSync(cache, { recursive: true });
    const unfinished = `${file}.${randomUUID()}`;
    execFileSync("tar", ["-cf", unfinished, "-C", cluster, "."], { stdio: "pipe" });
    // Another process may have done the same. Who reads its file goes on reading it.
    renameSync(unfinished, file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return file;
}

function binaries(): string {
  const bin = findPostgres();
  if (bin === null) throw new Error(postgresMissing);
  return bin;
}

const environment = () => ({ PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" });

/** An empty folder for the files of a server. */
function makeCluster(directory: string): string {
  const owner = unprivilegedUser();
  const cluster = join(directory, "cluster");
  mkdirSync(cluster, { mode: 0o700 });
  if (owner) chownSync(cluster, owner.uid, owner.gid);
  return cluster;
}

async function startCluster(
  make: Maker,
  fsync: boolean,
  given: Record<string, string> = {},
): Promise<Postgres> {
  const bin = binaries();
  const owner = unprivilegedUser();
  const directory = makeDirectory(owner);
  const cluster = makeCluster(directory);
  const port = await freePort();
  make(cluster);

  const settings = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
    fsync: fsync ? "on" : "off",
    synchronous_commit: fsync ? "on" : "off",
    ...given,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // The pipe to `read` closes when this process ends. Then the shell stops and removes the server.
  const script = `"$@" & server=$!
    while read -r order; do
      if [ "$order" = halt ]; then kill -INT $server; wait $server; fi
      if [ "$order" = resume ]; then "$@" & server=$!; fi
    done
    kill -QUIT $server; kill -CONT $server; wait $server; rm -rf "$DIRECTORY"`;
  const program = realpathSync(join(bin, "postgres"));
  const watcher = spawn("/bin/sh", ["-c", script, "sh", program, "-D", cluster, ...options], {
    ...owner,
    cwd: directory,
    env: { ...environment(), DIRECTORY: directory },
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
  const output: string[] = [];
  watcher.stderr?.on("data", (chunk: Buffer) => void output.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => watcher.once("exit", () => resolve()));
  const stop = async () => {
    watcher.ref();
    watcher.stdin?.end();
    await ended;
  };

  const url = `postgres://keyhearth@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(url);
  } catch (cause) {
    await stop();
    throw new Error(`PostgreSQL did not start:\n${output.join("")}`, { cause });
  }
  // Waiting for the shell must not keep this process alive.
  watcher.unref();
  for (const pipe of [watcher.stdin, watcher.stderr]) if (pipe instanceof Socket) pipe.unref();
  return {
    url,
    cluster,
    async halt() {
      watcher.stdin?.write("halt\n");
      await until(() => !existsSync(join(cluster, "postmaster.pid")));
    },
    freeze() {
      const [pid] = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
      const all = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
      for (const each of [String(pid), ...all.split("\n")]) {
        if (each.trim() !== "") process.kill(Number(each), "SIGSTOP");
      }
    },
    async resume() {
      watcher.stdin?.write("resume\n");
      await untilReady(url);
    },
    stop,
  };
}

async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error("PostgreSQL did not stop");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Creates a new database on the server of `url` and returns its URL. */
export async function createDatabase(url: string, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const own = new URL(url);
  own.pathname = `/${name}`;
  return own.href;
}

type User = { uid: number; gid: number };

let unprivileged: User | undefined;

/** PostgreSQL, pgbouncer and Patroni refuse to run as root. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  unprivileged ??= findUnprivileged();
  return unprivileged;
}

function findUnprivileged(): User {
  for (const name of ["postgres", "nobody"]) {
    try {
      const idOf = (flag: string) =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: idOf("-u"), gid: idOf("-g") };
    } catch {
      // Not on this machine: try the next one.
    }
  }
  throw new Error("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`");
}

/** A new directory that this user can reach. */
export function makeDirectory(owner: User | undefined): string {
  // The other user may not have access to a temporary directory of root.
  const base = owner && !isReachable(tmpdir(), owner) ? "/tmp" : tmpdir();
  const directory = mkdtempSync(join(base, "keyhearth-postgres-"));
  if (owner) chownSync(directory, owner.uid, owner.gid);
  return directory;
}

function isReachable(directory: string, user: User): boolean {
  try {
    execFileSync("test", ["-x", directory], { ...user, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function untilReady(url: string): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("SELECT 1");
      await client.end();
      return;
    } catch (cause) {
      await client.end().catch(() => {});
      if (Date.now() > giveUpAt) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/**
 * Free at this moment. Not of those that the system gives to connections, which may take one before its server has it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
