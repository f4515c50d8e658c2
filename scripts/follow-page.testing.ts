import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// Follows a section of CONTRIBUTING.md in a copy of the tree, and adds exactly what the page shows.

export const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const workspaces = [
  "packages/crypto",
  "packages/policy",
  "packages/engine",
  "packages/outbound",
  "packages/search",
  "packages/sdk",
  "apps/courier",
  "apps/dashboard",
  "apps/frames",
  "apps/signer",
  "apps/api",
];

/** The sources, and a node_modules whose workspaces are those of the copy. `others` are more files. */
export async function copyTree(name: string, others: readonly string[] = []): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), `keyhearth-${name}-`));
  const isSource = (path: string) => !/\.test\.tsx?$|\/node_modules$|\/vectors$/.test(path);
  for (const path of [...workspaces, "package.json", ...others]) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await cp(join(root, path), join(copy, path), { recursive: true, filter: isSource });
  }
  const config = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8"));
  const include = workspaces.map((path) => `${path}/src`);
  await writeFile(join(copy, "tsconfig.json"), JSON.stringify({ ...config, include }));

  const modules = join(copy, "node_modules");
  await mkdir(join(modules, "@keyhearth"), { recursive: true });
  for (const entry of await readdir(join(root, "node_modules"))) {
    if (entry === "@keyhearth" || entry.startsWith(".")) continue;
    await symlink(join(root, "node_modules", entry), join(modules, entry));
  }
  for (const path of workspaces) {
    await symlink(join(copy, path), join(modules, "@keyhearth", basename(path)));
  }
  return copy;
}

/**
 * Adds the blocks of a section, each to the last file named before it, and returns how many they are.
 * `named` gives a file its real name.
 */
export async function followSection(
  copy: string,
  title: string,
  named: (file: string) => string | Promise<string> = (file) => file,
): Promise<number> {
  const page = await readFile(join(root, "CONTRIBUTING.md"), "utf8");
  const section = page.split("\n## ").find((each) => each.startsWith(`${title}\n`)) ?? "";
  let file = "";
  let blocks = 0;
  for (const [, path, kind, block = ""] of section.matchAll(
    /^\*\*\d\. [^*]+\*\*, `([^`]+)`|^```(\w+)\n(.*?)^```$/gms,
  )) {
    if (path) file = path;
    else if (kind === "diff") await patch(copy, file, block.trimEnd().split("\n"));
    else await writeFile(join(copy, await named(file)), block);
    if (!path) blocks += 1;
  }
  return blocks;
}

/** After the first line, removes lines that begin with a minus, and adds those that begin with a plus. */
export async function patch(copy: string, file: string, [before = "", ...changes]: string[]) {
  const path = join(copy, file);
  const lines = (await readFile(path, "utf8")).split("\n");
  const removed = textsOf("-", changes);
  const at = lines.indexOf(before.replace(/^ /, ""));
  if (at < 0) throw new Error(`${file} has no line \`${before}\``);
  const found = lines.splice(at + 1, removed.length, ...textsOf("+", changes));
  if (found.join() !== removed.join()) throw new Error(`${file} has no lines ${removed.join()}`);
  await writeFile(path, lines.join("\n"));
}

function textsOf(sign: "+" | "-", changes: readonly string[]): string[] {
  return changes.flatMap((line) => (line.startsWith(sign) ? line.slice(1) : []));
}

/** What a program of the copy prints. */
export async function outputOf(copy: string, program: string): Promise<string> {
  const { stdout } = await run(process.execPath, [program], { cwd: copy });
  return stdout;
}

/** What the compiler says about the copy. */
export async function typeErrorsOf(copy: string): Promise<string> {
  const tsc = join(root, "node_modules/.bin/tsc");
  // Several checkers would each check what the others need too, and programs run at the same time.
  return run(tsc, ["-p", "tsconfig.json", "--checkers", "1"], { cwd: copy }).then(
    () => "no errors",
    (failure: { message: string; stdout: string }) => failure.stdout || failure.message,
  );
}
