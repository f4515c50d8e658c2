import {
  chmodSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { maintenanceOf } from "../manifest.ts";
import { writeProgramTree } from "../program-tree.ts";
import { controlOf, maintainerScriptsOf } from "./control.ts";
import type { DebianPackage } from "./packages.ts";

export type Assembly = { root: string; version: string; epoch: number };

/** Writes what a package installs, and `DEBIAN/`, into an empty folder. */
export async function assemblePackage(definition: DebianPackage, tree: string, release: Assembly) {
  await assembleFiles(definition, tree, release);
  const control = join(tree, "DEBIAN");
  mkdirSync(control);
  const bytes = bytesBelow(tree);
  writeFileSync(
    join(control, "control"),
    controlOf(definition, {
      version: release.version,
      installedKilobytes: Math.ceil(bytes / 1024),
      ...maintenanceOf(release.root),
    }),
  );
  const settings = Object.keys(definition.settings).map((name) => `/etc/keyhearth/${name}\n`);
  writeFileSync(join(control, "conffiles"), settings.join(""));
  for (const [name, text] of Object.entries(maintainerScriptsOf(definition))) {
    writeFileSync(join(control, name), text);
  }
  normalize(tree, release.epoch);
}

async function assembleFiles(definition: DebianPackage, tree: string, { root, version }: Assembly) {
  const { name, commands, units, settings } = definition;
  await writeProgramTree(definition, tree, root);
  for (const [command, main] of Object.entries(commands)) {
    write(join(tree, "usr/bin", command), launcherOf(name, main, version));
  }
  const files = join(root, "scripts/release/debian/files");
  for (const unit of units) {
    copy(join(files, `${unit}.service`), join(tree, "usr/lib/systemd/system", `${unit}.service`));
  }
  copy(join(files, `${name}.conf`), join(tree, "usr/lib/sysusers.d", `${name}.conf`));
  for (const [file, source] of Object.entries(settings)) {
    copy(join(root, source), join(tree, "etc/keyhearth", file));
  }
}

/** Written for Node.js, so that the version needs none of the program. */
function launcherOf(name: string, main: string, version: string): string {
  return `#!/usr/lib/${name}/bin/node
if (process.argv[2] === "--version") console.log(${JSON.stringify(version)});
else import("/usr/lib/${name}/${main}");
`;
}

function copy(source: string, target: string) {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target);
}

function write(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function bytesBelow(tree: string): number {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
}

/** Modes and times do not depend on the umask, or on when npm unpacked a file. */
function normalize(tree: string, epoch: number) {
  const entries = readdirSync(tree, { recursive: true, withFileTypes: true });
  for (const entry of entries.toReversed()) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink())
      chmodSync(path, modeOf(path.slice(tree.length), entry.isDirectory()));
    lutimesSync(path, epoch, epoch);
  }
  chmodSync(tree, 0o755);
  lutimesSync(tree, epoch, epoch);
}

function modeOf(path: string, isDirectory: boolean): number {
  // systemd reads the settings before it changes the user, and they have passwords in them.
  if (path.startsWith("/etc/keyhearth")) return isDirectory ? 0o700 : 0o600;
  const isProgram = /^\/usr\/bin\/|\/bin\/node$|^\/DEBIAN\/(post|pre)/.test(path);
  return isDirectory || isProgram ? 0o755 : 0o644;
}
