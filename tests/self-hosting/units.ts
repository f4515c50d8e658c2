import { chmodSync, chownSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a unit file of the site runs, with its paths below another root. */
export type Unit = {
  command: string[];
  environment: Record<string, string>;
  /** The names in `User=` and `Group=`, as ids of this test. */
  uid: number;
  gid: number;
  /** The names in `SupplementaryGroups=`. */
  groups: number[];
};

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "apps/website/snippets/self-hosting");

// Nobody has these ids, and an id needs no account.
const ids: Record<string, number> = {
  keyhearth: 64_001,
  "keyhearth-signer": 64_002,
  "keyhearth-courier": 64_003,
};

export function idOf(name: string): number {
  const id = ids[name];
  if (id === undefined) throw new Error(`the units name an unknown user or group: ${name}`);
  return id;
}

/** The command, as root starts it for another user. Node.js cannot give a process more than one group. */
export function asUser({ uid, gid, groups }: Omit<Unit, "command" | "environment">): string[] {
  const others = groups.length > 0 ? `--groups=${groups.join(",")}` : "--clear-groups";
  return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, others, "--"];
}

/** Reads a unit and makes its directories as systemd does. `below` stands for `/` of its machine. */
export function prepareUnit(name: string, below: string, changed: Record<string, string>): Unit {
  const settings = readSettings(name);
  const one = (key: string) => settings.get(key)?.[0] ?? "";
  const moved = (text: string) =>
    inClone(text)
      .replace("/opt/keyhearth/", root)
      .replaceAll(/\/(var\/lib|run)\//g, `${below}/$1/`);
  const [uid, gid] = [idOf(one("User")), idOf(one("Group"))];
  for (const [kind, parent] of [
    ["StateDirectory", "var/lib"],
    ["RuntimeDirectory", "run"],
  ] as const) {
    if (one(kind) === "") continue;
    const path = join(below, parent, one(kind));
    mkdirSync(path, { recursive: true });
    chownSync(path, uid, gid);
    // Not by the mode of mkdir, which the umask of this process changes.
    chmod(path, one(`${kind}Mode`));
  }
  const file = one("EnvironmentFile");
  const environment = file === "" ? {} : readEnvironment(join(folder, basename(file)));
  return {
    command: moved(one("ExecStart")).split(" "),
    environment: {
      ...Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, moved(value)])),
      ...changed,
    },
    uid,
    gid,
    groups: one("SupplementaryGroups").split(" ").filter(Boolean).map(idOf),
  };
}

/** What the installed command runs, in the clone. The tests of releases run the command itself. */
function inClone(text: string): string {
  const launched = text.replace("node_modules/keyhearth/bin/keyhearth.mjs", "scripts/launch.mjs");
  return launched.replace("launch.mjs start", "launch.mjs service");
}

function chmod(path: string, mode: string) {
  if (!/^0[0-7]{3}$/.test(mode)) throw new Error(`a directory of a unit has no mode: ${path}`);
  chmodSync(path, Number.parseInt(mode, 8));
}

export function readSettings(name: string): Map<string, string[]> {
  const path = join(folder, `${name}.service`);
  const settings = new Map<string, string[]>();
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

function readEnvironment(path: string): Record<string, string> {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", value = ""] = /^(\w+)="?([^"]*)"?$/.exec(line) ?? [];
      return [name, value];
    }),
  );
}
