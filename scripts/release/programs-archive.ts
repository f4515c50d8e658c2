import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { needsOwnApp } from "../../apps/website/plugins/program-folder/needs-own-app.mts";
import { readManifest } from "./manifest.ts";

/** The folder in the archive. */
const FOLDER = "keyhearth-programs";

/** Where the archive has the SDK that the programs are for. */
const SDK = "keyhearth-sdk.tgz";

/** The trees whose programs the pages run. They keep their paths, so a command is the same in a clone. */
const trees = ["apps/website/snippets", "examples"];

/** What a program consists of. Anything else in these folders is made by running them, and can be a key. */
const kinds =
  "cjs css dart go html js json jsx lock md mjs mod py rb rs sh svg swift toml ts tsx yaml".split(
    " ",
  );
const named = ["Caddyfile", "Rakefile", "requirements.txt"];

/** Folders of tests and of what is installed, built or written, wherever they are. */
const skipped = /(^|\/)(\.|(node_modules|build|data|dist|target|test|tests|Tests|__pycache__)\/)/;
const tests = /(\.test\.tsx?|_test\.(go|dart|rb|py)|\.(testing|d)\.ts)$/;

const README = `# The programs of Keyhearth's pages

Each command of the pages that names \`apps/website/snippets/\` or \`examples/\` runs in this folder:

    npm install
    npx node apps/website/snippets/connection.ts

The programs call the service at \`KEYHEARTH_URL\`, or at http://localhost:3000. They read the key of its root user from
the file that \`KEYHEARTH_ROOT_KEY\` names, or from \`data/root-api-key.json\`. \`keyhearth-sdk.tgz\` is the SDK that fits the
service. Apache-2.0.
`;

/** The programs that the pages show, as one compressed folder with the SDK in it. The same sources give the same bytes. */
export async function packPrograms(root: string, sdk: Uint8Array): Promise<Uint8Array> {
  const paths = programPaths(root);
  const files = await Promise.all(
    [...paths, ...templatePaths(root)].map(
      async (path) => [path, await readFile(join(root, path))] as const,
    ),
  );
  const manifest = `${JSON.stringify(programsManifest(root, paths), null, 2)}\n`;
  const all: (readonly [string, Uint8Array])[] = [
    ["README.md", Buffer.from(README)],
    ["LICENSE", await readFile(join(root, "LICENSE"))],
    ["package.json", Buffer.from(manifest)],
    [SDK, sdk],
    ...files,
  ];
  const archive = await packTar(
    all.map(([path, body]) => ({
      header: {
        name: `${FOLDER}/${path}`,
        size: body.length,
        mode: path.endsWith(".sh") ? 0o755 : 0o644,
        mtime: new Date(0),
        type: "file" as const,
      },
      body: new Uint8Array(body),
    })),
  );
  return gzipSync(archive, { level: 9 });
}

/** The files of the programs, sorted. */
export function programPaths(root: string): string[] {
  return filesBelow(root, trees).filter((path) => !needsOwnApp(path));
}

/**
 * Apps that have packages of their own, of which the programs' manifest has nothing: the app of Next.js, which `keyhearth
 * init --template next` makes from the archive, and the one of React Native, which readers copy.
 */
function templatePaths(root: string): string[] {
  return filesBelow(root, ["apps/website/snippets/next-wallet", "examples/react-native"]);
}

function filesBelow(root: string, folders: readonly string[]): string[] {
  return (
    folders
      .flatMap((folder) => globSync(`${folder}/**/*`, { cwd: root, withFileTypes: true }))
      // A file that two programs share is a link in one of them.
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join("/"))
      .filter(
        (path) => kinds.includes(path.split(".").at(-1) ?? "") || named.includes(basename(path)),
      )
      .filter((path) => !skipped.test(path) && !tests.test(path))
      .toSorted()
  );
}

/** The manifest of the folder: what its programs import, in the versions that are tested here. */
export function programsManifest(root: string, paths: string[]) {
  const { version, license, optionalDependencies } = readManifest(root);
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const names = new Set<string>();
  for (const path of paths) {
    const text = readFileSync(join(root, path), "utf8");
    if (/\.(c|m)?[jt]sx?$/.test(path)) for (const each of importsOf(text)) names.add(each);
    if (basename(path) === "package.json") {
      const { dependencies, devDependencies } = JSON.parse(text);
      for (const each of Object.keys({ ...dependencies, ...devDependencies })) names.add(each);
    }
  }
  names.delete("@keyhearth/sdk");
  const versions = [...names].map((name) => {
    const locked = lock[`node_modules/${name}`];
    if (!locked) {
      throw new Error(
        `a program of the pages imports \`${name}\`, which package-lock.json does not have; add it to the website's devDependencies`,
      );
    }
    return [name, String(locked.version)] as const;
  });
  const dependencies = [["@keyhearth/sdk", `file:${SDK}`] as const, ...versions];
  return {
    name: FOLDER,
    version,
    private: true,
    description: "The programs of Keyhearth's pages",
    license,
    type: "module",
    dependencies: Object.fromEntries(dependencies.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    // So `npx node` is a Node.js that runs TypeScript, whichever one the reader has.
    optionalDependencies,
  };
}

/** The packages that a program imports. */
export function importsOf(text: string): string[] {
  const IMPORT =
    /^(?:import|export)\s+(?:[\w*\s{},$]+\sfrom\s+)?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']/gm;
  return [...text.matchAll(IMPORT)]
    .map(([, still, later]) => still ?? later ?? "")
    .filter((each) => !each.startsWith(".") && !isBuiltin(each))
    .map((each) => /^(@[^/]+\/)?[^/]+/.exec(each)?.[0] ?? each);
}
