import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildCommandLine } from "../../packages/cli/src/build.ts";
import { writeEmulator } from "../bundle/emulator.ts";
import { noticesOf } from "../bundle/notices.ts";
import { describeProject, readManifest, writeJson } from "./manifest.ts";
import type { NpmPackage } from "./npm-package.ts";

/**
 * `@keyhearth/cli`: the command line without the service. It has the digest of the release's archive of programs, which it
 * makes apps from.
 */
export const commandLinePackage = (
  programsDigest: (root: string) => Promise<string>,
): NpmPackage => ({
  name: "@keyhearth/cli",
  async assemble(directory, { root }) {
    const source = join(root, "packages/cli");
    const { scripts, devDependencies, ...published } = readManifest(source);
    const external = Object.keys(Object(published.dependencies));
    const { inputs } = await buildCommandLine(join(directory, "dist"), {
      external,
      programs: await programsDigest(root),
    });
    await writeFile(join(directory, "NOTICES.txt"), noticesOf(root, Object.keys(inputs)));
    await writeEmulator(root, join(directory, "dist/emulator"));
    for (const file of ["LICENSE", "README.md", "bin"]) {
      await cp(join(source, file), join(directory, file), { recursive: true });
    }
    // Evals are for those who change a skill.
    await cp(join(source, "skills"), join(directory, "skills"), {
      recursive: true,
      filter: (path) => !/[\\/](evals|baseline\.json)$/.test(path),
    });
    const files = [published.files, "NOTICES.txt"].flat();
    await writeJson(join(directory, "package.json"), {
      ...published,
      files,
      exports: {
        "./emulator": { types: "./dist/emulator/index.d.ts", default: "./dist/emulator/index.js" },
        "./package.json": "./package.json",
      },
      ...describeProject(root),
    });
  },
});
