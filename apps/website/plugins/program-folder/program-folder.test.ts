import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  importsOf,
  programPaths,
  programsManifest,
} from "../../../../scripts/release/programs-archive.ts";
import { programFolder } from "./index.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const snippets = "apps/website/snippets/";
const paths = programPaths(root);
const { dependencies } = programsManifest(root, paths);

const pages = globSync("apps/website/{docs,i18n/es/**/current}/**/*.mdx", { cwd: root }).map(
  (page) => ({ page, text: readFileSync(`${root}${page}`, "utf8") }),
);

/** Files of a reader's own app keep its paths, and those of an operator have a place on the host. */
const ownPlaces =
  /^(agent-wallet|embedded-wallets|emulator|next-wallet|react-native|vite-wallet|self-hosting|ci|policy-cli|cli)\/|^browser\/(react-|kit)|^server\/login-options/;

/** The programs that a page shows, with their titles. */
function programsOf(text: string) {
  const imports = text.matchAll(
    /^import (\w+) from "@site\/snippets\/([^"]+\.(?:tsx?|sh))\?raw";/gm,
  );
  const blocks = [...text.matchAll(/<CodeBlock language="\w+" title="([^"]+)">\{(\w+)\}/g)];
  return [...imports].flatMap(([, name, path = ""]) =>
    blocks.filter(([, , shown]) => shown === name).map(([, title = ""]) => ({ path, title })),
  );
}

/** The file that a title names. One program is saved as JavaScript, which every Node.js runs. */
function nameIn(title: string): string {
  return title.replace(/^(In the browser|On your server): /, "").replace(/\.mjs$/, ".ts");
}

function texts(tree: object): string {
  return JSON.stringify(tree);
}

test("each command of a page runs a file that the archive has", () => {
  const commands = pages.flatMap(({ page, text }) =>
    [
      ...text.matchAll(
        /(?:npx node|sh|--prefix|^cd) ((?:apps\/website\/snippets|examples)\/[\w./-]+)/gm,
      ),
    ].map(([, path = ""]) => ({ page, path })),
  );
  expect(commands.length).toBeGreaterThan(40);
  const missing = commands.filter(
    ({ path }) => !paths.some((each) => each === path || each.startsWith(`${path}/`)),
  );
  expect(missing).toEqual([]);
});

test("the title of a program is the path that its command and its importers use", () => {
  const shown = pages.flatMap(({ page, text }) =>
    programsOf(text).map((program) => ({ page, ...program })),
  );
  expect(shown.length).toBeGreaterThan(60);
  const different = shown.filter(
    ({ path, title }) =>
      !ownPlaces.test(path) && nameIn(title) !== path && nameIn(title) !== `${snippets}${path}`,
  );
  // Some are saved by themselves, under the name that their command has.
  const commands = new Map(pages.map(({ page, text }) => [page, text]));
  const unnamed = different.filter(
    ({ page, title }) =>
      !new RegExp(`^((npx )?node|sh|bash) ${title}$`, "m").test(commands.get(page) ?? ""),
  );
  expect(unnamed).toEqual([]);
});

test("what a program of the archive imports is in the archive", () => {
  const missing = paths
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => {
      const text = readFileSync(`${root}${path}`, "utf8");
      const relative = [...text.matchAll(/^(?:import|export)\s[^;]*?from "(\.[^"]+)"/gm)]
        .map(([, each = ""]) => posix.join(posix.dirname(path), each))
        .filter((each) => !paths.includes(each));
      const packages = importsOf(text).filter((each) => !Object.hasOwn(dependencies, each));
      return [...relative, ...packages].map((each) => `${path}: ${each}`);
    });
  expect(missing).toEqual([]);
});

test("the way to the programs is below the first command, once", () => {
  const command = { type: "code", lang: "bash", value: "npx node apps/website/snippets/a.ts" };
  const tab = { type: "mdxJsxFlowElement", name: "TabItem", children: [command, command] };
  const tree = { type: "root", children: [{ type: "paragraph", children: [] }, tab, command] };
  programFolder()(tree, { path: "/docs/a.mdx" });
  expect(tab.children).toHaveLength(3);
  expect(tree.children).toHaveLength(3);
  expect(texts(tab.children[1] ?? {})).toContain("/getting-started/examples#programs");
  expect(texts(tab.children[1] ?? {})).toContain("Run it in");
});

test("a page that shows a program and no command has it below the program, in its language", () => {
  const block = {
    type: "mdxJsxFlowElement",
    name: "CodeBlock",
    attributes: [{ type: "mdxJsxAttribute", name: "language", value: "ts" }],
    children: [{ type: "mdxFlowExpression", value: "program" }],
  };
  const from = (file: string) => ({
    type: "root",
    children: [{ type: "mdxjsEsm", value: `import program from "@site/${file}?raw";` }, block],
  });
  const tree = from("snippets/sign-with-viem.ts");
  programFolder()(tree, { path: "/i18n/es/a.mdx" });
  expect(texts(tree.children[2] ?? {})).toContain("El archivo está en");
  const app = from("snippets/next-wallet/app/page.tsx");
  programFolder()(app, { path: "/docs/a.mdx" });
  expect(app.children).toHaveLength(2);
});

test("output and other commands have no way to the programs", () => {
  const other = { type: "code", lang: "bash", value: "npm install keyhearth" };
  const output = { type: "code", lang: "text", value: "apps/website/snippets/a.ts" };
  const tree = { type: "root", children: [other, output] };
  programFolder()(tree, { path: "/docs/a.mdx" });
  expect(tree.children).toEqual([other, output]);
});
