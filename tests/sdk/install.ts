import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import manifest from "../../packages/sdk/package.json" with { type: "json" };
import { writePackage } from "./built-package.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The libraries that an application brings itself. */
export const peers: string[] = Object.keys(
  "peerDependencies" in manifest ? Object(manifest.peerDependencies) : {},
);

/**
 * Packs the package and installs the tarball in an empty directory, as an integrator does. The packages
 * that it depends on come from our own `node_modules`, so no network is needed.
 */
export async function installPackage(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "keyhearth-install-"));
  const built = join(directory, "built");
  await writePackage(built);
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", directory], built);
  const [{ filename }] = JSON.parse(stdout);
  const { dependencies } = JSON.parse(await readFile(join(built, "package.json"), "utf8"));
  const project = join(directory, "project");
  await mkdir(project);
  const ours = Object.keys(dependencies).map((name) => [
    name,
    `file:${join(root, "node_modules", name)}`,
  ]);
  const sdk = `file:${join(directory, filename)}`;
  const installed = { "@keyhearth/sdk": sdk, ...Object.fromEntries(ours) };
  const own = { private: true, type: "module", dependencies: installed };
  await writeFile(join(project, "package.json"), JSON.stringify(own));
  await run("npm", ["install", "--offline", "--install-links", "--ignore-scripts"], project);
  return project;
}

/** Adds libraries to a project that we have installed ourselves. */
export async function linkPackages(project: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const target = join(project, "node_modules", name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(join(root, "node_modules", name), target);
  }
}

/** Runs a command. If it fails, the error has everything that it wrote. */
export async function run(
  command: string,
  args: readonly string[],
  directory: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string }> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, ...environment };
  return promisify(execFile)(command, [...args], { cwd: directory, env, timeout: 240_000 }).catch(
    (error) => {
      throw new Error(`${command} ${args.join(" ")} failed:\n${error.stdout}${error.stderr}`);
    },
  );
}
