import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { follow, type Started } from "../start/started.ts";

/** Why no Debian root can be made here, or null. */
export function debianRootMissing(): string | null {
  if (process.getuid?.() !== 0) return "only root can make a Debian root: run this test as root";
  const status = spawnSync("mmdebstrap", ["--version"]).status;
  return status === 0 ? null : "mmdebstrap was not found: run apt-get install mmdebstrap";
}

/** A minimal Debian in a new folder, with what the packages depend on. */
export function makeDebianRoot(folder: string) {
  const include = "--include=libstdc++6,systemd-standalone-sysusers";
  execFileSync("mmdebstrap", ["--variant=minbase", include, "bookworm", folder], { stdio: "pipe" });
}

/** Runs a command in the root, with `/proc` mounted for it alone, and returns what it wrote. */
export function runIn(root: string, command: string[]): string {
  const [program = "", ...args] = inRoot(root, ["chroot", root, ...command]);
  return execFileSync(program, args, { encoding: "utf8", stdio: "pipe", env: ENVIRONMENT });
}

const ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };

function inRoot(root: string, command: string[]): string[] {
  const script = 'mount -t proc proc "$0/proc" && exec "$@"';
  return ["unshare", "--mount", "sh", "-c", script, root, ...command];
}

/** Starts what an installed unit starts, as its user, in directories that systemd would make. */
export function startUnit(
  root: string,
  name: string,
  { args = [], changed = {} }: { args?: string[]; changed?: Record<string, string> } = {},
): Started {
  const settings = readUnit(root, name);
  const one = (key: string) => settings[key] ?? "";
  const uid = idOf(root, "passwd", one("User"));
  const gid = idOf(root, "group", one("Group"));
  const groups = one("SupplementaryGroups").split(" ").filter(Boolean);
  const numbers = [gid, ...groups.map((group) => idOf(root, "group", group))];
  if (one("RuntimeDirectory")) {
    const path = join(root, "run", one("RuntimeDirectory"));
    mkdirSync(path, { recursive: true });
    execFileSync("chmod", [one("RuntimeDirectoryMode"), path]);
    chownSync(path, uid, gid);
  }
  const user = [`--userspec=${uid}:${gid}`, `--groups=${numbers.join(",")}`];
  const command = ["chroot", ...user, root, ...one("ExecStart").split(" "), ...args];
  const [program = "", ...rest] = inRoot(root, command);
  const child = spawn(program, rest, {
    env: { ...ENVIRONMENT, ...readEnvironment(join(root, one("EnvironmentFile"))), ...changed },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return follow(name, child);
}

function readUnit(root: string, name: string): Record<string, string> {
  const path = join(root, "usr/lib/systemd/system", `${basename(name)}.service`);
  const lines = readFileSync(path, "utf8").matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, key, value]) => [key, value]));
}

function readEnvironment(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").matchAll(/^(\w+)="?([^"\n]*)"?$/gm);
  return Object.fromEntries([...lines].map(([, key, value]) => [key, value]));
}

/** As the root's own files have it, whatever the ids are here. */
export function idOf(root: string, file: "group" | "passwd", name: string): number {
  const text = readFileSync(join(root, "etc", file), "utf8");
  const id = text
    .split("\n")
    .find((line) => line.startsWith(`${name}:`))
    ?.split(":")[2];
  if (id === undefined) throw new Error(`/etc/${file} of the root does not have ${name}`);
  return Number(id);
}
