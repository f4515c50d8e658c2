import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { follow, type Started } from "../start/started.ts";

/** A container without capabilities and with a root that nobody can write to. `/tmp` is in memory. */
export type Container = {
  /** What `load` returned. */
  image: string;
  args?: string[];
  /** A program that is not that of the image. */
  entrypoint?: string;
  /** The numbers of user and group, if not those of the image. */
  user?: string;
  groups?: number[];
  /** Folders by their path in the container. */
  volumes?: Record<string, string>;
  environment?: Record<string, string>;
  /** Without it, there is no network at all. */
  hasNetwork?: boolean;
};

export type Runtime = {
  name: string;
  /** Loads an archive, whose image has a name. */
  load(archive: string, reference: string): string;
  start(container: Container): Started;
};

/** Why no container can be started here, or null. */
export function runtimeMissing(): string | null {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return "the images are for Linux on x64: run this test there";
  }
  return process.getuid?.() === 0 ? null : "only root can start them: run this test as root";
}

/** Podman if it works here, and else namespaces of the kernel and `chroot`. */
export function runtimeIn(folder: string): Runtime {
  return podmanIn(folder) ?? chrootIn(folder);
}

/** Unpacks archives into folders, and starts what their configuration says. */
export function chrootIn(folder: string): Runtime {
  return {
    name: "chroot",
    load(archive) {
      const image = mkdtempSync(join(folder, "image-"));
      const unpack = (file: string, target: string) =>
        execFileSync("tar", ["-xpf", file, "--numeric-owner", "-C", target]);
      unpack(archive, image);
      const { layers } = configurationIn(image);
      const root = join(image, "root");
      mkdirSync(root);
      for (const layer of layers) unpack(layer, root);
      return image;
    },
    start({ image, args, entrypoint, user, groups = [], volumes = {}, environment, hasNetwork }) {
      const { config } = configurationIn(image);
      const root = join(image, "root");
      const mounts = Object.entries(volumes).map(([path, source]) => `${source}:${path}`);
      const [uid = "", gid = ""] = (user ?? config.User).split(":");
      const command = [
        ...["unshare", "--mount", ...(hasNetwork ? [] : ["--net"]), "sh", "-c", MOUNT, root],
        mounts.join(" "),
        ...["setpriv", "--no-new-privs", "chroot"],
        ...[`--userspec=${uid}:${gid}`, `--groups=${[gid, ...groups].join(",")}`, root],
        ...(entrypoint ? [entrypoint] : config.Entrypoint),
        ...(args ?? config.Cmd),
      ];
      const given = config.Env.map((pair) => pair.split("="));
      const env = { ...Object.fromEntries(given), ...environment };
      return spawnFollowed(command, { ...env, PATH: `${env.PATH}:/usr/sbin:/sbin:/bin` });
    },
  };
}

/** The root is mounted again, so that it can be made read-only for this process alone. */
const MOUNT = `set -e
root=$0; mounts=$1; shift
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
for each in $mounts; do mount --bind "\${each%%:*}" "$root\${each#*:}"; done
exec "$@"`;

type Configuration = { User: string; Env: string[]; Entrypoint: string[]; Cmd: string[] };

function configurationIn(image: string): { config: Configuration; layers: string[] } {
  const read = (path: string) => JSON.parse(readFileSync(join(image, path), "utf8"));
  const place = ({ digest }: { digest: string }) => `blobs/${digest.replace(":", "/")}`;
  const [described] = read("index.json").manifests;
  const manifest = read(place(described));
  const layers = manifest.layers.map((layer: { digest: string }) => join(image, place(layer)));
  return { config: read(place(manifest.config)).config, layers };
}

/** Null if it cannot run anything, as on a machine that has only some of the kernel's control groups. */
function podmanIn(folder: string): Runtime | null {
  const runtime = spawnSync("runc", ["--version"]).status === 0 ? ["--runtime", "runc"] : [];
  const places = ["--root", join(folder, "podman"), "--runroot", join(folder, "podman-run")];
  const podman = ["podman", ...places, ...runtime, "--cgroup-manager", "cgroupfs"];
  const [program = "", ...before] = podman;
  if (spawnSync(program, [...before, "info"]).status !== 0) return null;
  return {
    name: "podman",
    load(archive, reference) {
      execFileSync(program, [...before, "load", "--input", archive], { stdio: "pipe" });
      return reference;
    },
    start({
      image,
      args = [],
      entrypoint,
      user,
      groups = [],
      volumes = {},
      environment = {},
      hasNetwork,
    }) {
      const options = [
        // A machine may allow less than podman asks for.
        ...["--rm", "--ulimit", "nofile=1024:20000", "--ulimit", "nproc=1000:1000"],
        ...["--read-only", "--cap-drop", "all", "--security-opt", "no-new-privileges"],
        ...["--network", hasNetwork ? "host" : "none"],
        ...(user ? ["--user", user] : []),
        ...(entrypoint ? ["--entrypoint", entrypoint] : []),
        ...groups.flatMap((group) => ["--group-add", String(group)]),
        ...Object.entries(volumes).flatMap(([path, source]) => ["--volume", `${source}:${path}`]),
        ...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
      ];
      return spawnFollowed([...podman, "run", ...options, image, ...args]);
    },
  };
}

function spawnFollowed(command: string[], env: NodeJS.ProcessEnv = process.env): Started {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  return follow(command.slice(-3).join(" "), child);
}
