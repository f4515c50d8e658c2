import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Image, images } from "../../scripts/release/container/images.ts";
import { flags } from "../../scripts/setup/allocation.mjs";
import { findPostgres } from "../postgres/start.ts";
import { mainOf } from "../start/process.ts";
import { follow, type Started } from "../start/started.ts";

// Starts what a file for containers says, without an image: our own programs see the paths, the users and the variables of
// the file, in namespaces of the kernel.

export type Confined = {
  image: Image;
  /** The arguments of `keyhearth`. Without any, those of the image. */
  args: string[];
  user: number;
  group: number;
  groups: number[];
  /** Files and folders of this machine by their path in the container. Nothing else can be written to. */
  mounts: Record<string, string>;
  environment: Record<string, string>;
  hasNetwork: boolean;
};

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Only root can start processes as other users, and these must be able to read the repository. */
export function confinementMissing(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "run this test as root on Linux";
  if (findPostgres() === null) return "no PostgreSQL was found: run apt-get install postgresql";
  return isReadableByAll(root) ? null : "other users may not read the repository";
}

function isReadableByAll(directory: string): boolean {
  const isOpen = (statSync(directory).mode & 0o005) === 0o005;
  return isOpen && (dirname(directory) === directory || isReadableByAll(dirname(directory)));
}

const programs = { signer: "signer", courier: "courier", start: "api" } as const;

export function startConfined(confined: Confined): Started {
  const { image, user, group, groups, mounts, environment, hasNetwork } = confined;
  const [name = image.initial, ...args] = confined.args;
  if (!Object.hasOwn(image.commands, name)) throw new Error(`${image.name} has no command ${name}`);
  const program = programs[name as keyof typeof programs];
  const places = Object.entries(mounts).map(([path, source]) => `${source}:${path}`);
  const others = [group, ...groups].join(",");
  const command = [
    ...["--mount", ...(hasNetwork ? [] : ["--net"]), "sh", "-c", MOUNT, places.join(" ")],
    ...["setpriv", `--reuid=${user}`, `--regid=${group}`, `--groups=${others}`, "--no-new-privs"],
    ...[
      "--bounding-set=-all",
      "--inh-caps=-all",
      process.execPath,
      ...flags,
      mainOf(program),
      ...args,
    ],
  ];
  const child = spawn("unshare", command, {
    cwd: root,
    env: { PATH: process.env.PATH, ...image.environment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return follow(name, child);
}

/** A system without state, in which nothing can be written to but what is mounted. */
const MOUNT = `set -e
mounts=$0
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib
for each in $mounts; do
  source=\${each%%:*} target=\${each#*:}
  if [ -d "$source" ]; then mkdir -p "$target"; else mkdir -p "\${target%/*}"; : > "$target"; fi
  mount --bind "$source" "$target"
done
for each in / /run /var/lib; do mount -o remount,bind,ro "$each"; done
exec "$@"`;

export function imageOf(reference: string): Image {
  const [, name] = /^localhost\/([a-z-]+)(:|$)/.exec(reference) ?? [];
  const found = images.find((each) => each.name === name);
  if (!found) throw new Error(`there is no image ${reference}`);
  return found;
}
