import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { withListedNames } from "./chunk-names.mts";
import { inOwnTask } from "./client-entry.mts";
import { forReaders } from "./config.mts";
import { withListedDocs } from "./global-data.mts";
import { withOwnHelper } from "./helpers.mts";
import { withoutLanguages } from "./highlighter.mts";
import { sampleLanguages } from "./languages.ts";
import { withMessages } from "./messages.mts";
import { prefetchingWhenIdle } from "./prefetch.mts";
import { withoutNames } from "./registry.mts";
import { withListedPages } from "./routes.mts";
import { searchingHead, withListedHashes } from "./runtime.ts";
import { withoutDescriptions } from "./sidebars.mts";
import { withoutPluginVersions } from "./site-metadata.mts";

const exportOf = async (module: string) =>
  (await import(`data:text/javascript,${encodeURIComponent(module)}`)).default;

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve("prism-react-renderer"));
const highlighter = readFileSync(join(folder, "index.mjs"), "utf8");

test("the highlighter keeps its parts and loses its languages and themes", () => {
  const lean = withoutLanguages(highlighter);
  expect(lean).toContain("var require_prism = ");
  expect(lean).toContain("Highlight2 as Highlight");
  expect(lean).not.toContain("languages.graphql");
  expect(lean).not.toContain("dracula");
  expect(lean.length).toBeLessThan(highlighter.length / 3);
  expect(() => withoutLanguages(highlighter.replace("// src/themes/index.ts", ""))).toThrow(
    "has other parts than 2.4",
  );
});

test("the script that loads the others finds each of them by its number", () => {
  const names = (source: string): ((chunk: number) => string) => new Function(`return ${source}`)();
  const built =
    'e=>"part."+({1:"2e0fba44",10:"327d5bbf",2:"bc817213",3:"799d42f9",4:"95154992",5:"c33c6797"})[e]+".js"';
  const lean = withListedHashes(built);
  expect(lean).not.toContain("10:");
  for (const chunk of [1, 2, 3, 4, 5, 10]) expect(names(lean)(chunk)).toBe(names(built)(chunk));
  const spacious = 'e => "part." + {"1": "2e0fba44","2": "bc817213",}[e] + ".js"';
  expect(names(withListedHashes(spacious))(2)).toBe("part.bc817213.js");
  // Few of many numbers stay an object, and a script without one is another than we know.
  const few = 'e=>({8:"2e0fba44",90:"327d5bbf"})[e]';
  expect(withListedHashes(`[${built},${few}]`)).toContain(few);
  expect(() => withListedHashes(few)).toThrow("has no object of their hashes");
});

test("the script that loads the others searches the head alone", () => {
  const built = 'for(var n=document.getElementsByTagName("script"),o=0;o<n.length;o++){}';
  expect(searchingHead(built)).toBe(built.replace("document.", "document.head."));
  expect(() => searchingHead("document.head")).toThrow("searches nowhere");
});

test("the configuration for readers names no folder of the builder", () => {
  const future = { experimental_router: "browser", faster: { rspackBundler: true } };
  const config = { title: "Site", plugins: ["/home/me/plugin.ts"], markdown: {}, future };
  const lean = forReaders(`/* generated */\nexport default ${JSON.stringify(config)};\n`);
  expect(lean).toContain('"title":"Site"');
  expect(lean).not.toMatch(/\/home\/me|markdown|rspack/);
  expect(lean).toContain('"experimental_router":"browser"');
  expect(() => forReaders("module.exports = {};")).toThrow("is not `export default`");
});

test("the registry keeps how each file is loaded", () => {
  const load = '[() => import(/* webpackChunkName: "c0" */ "@site/docs/a.mdx")';
  const entry = `  "c0": ${load}, "@site/docs/a.mdx", require.resolveWeak("@site/docs/a.mdx")],`;
  expect(withoutNames(`export default {\n${entry}\n${entry}};\n`)).toBe(
    `export default {\n  "c0": ${load}],\n  "c0": ${load}],};\n`,
  );
  expect(() => withoutNames('x = [require.resolveWeak("a")];')).toThrow("has another shape");
});

test("a version describes only the pages that an index of a category lists", async () => {
  const link = (docId: string, unlisted = false) => ({
    type: "link",
    label: docId,
    href: `/${docId}`,
    docId,
    unlisted,
  });
  const index = { type: "category", href: "/es/category/some", items: [link("b")] };
  const chapter = { type: "category", href: "/a", items: [link("c"), index, link("d", true)] };
  const elsewhere = { type: "link", label: "Home", href: "/" };
  const docs = Object.fromEntries(["a", "b", "c"].map((id) => [id, { id, description: id }]));
  const version = { label: "1.0", docsSidebars: { all: [link("a"), elsewhere, chapter] }, docs };
  expect(await exportOf(withoutDescriptions(JSON.stringify({ version })))).toEqual({
    version: {
      ...version,
      docsSidebars: {
        all: [
          { ...link("a"), docId: "/a" },
          elsewhere,
          { ...chapter, items: [{ ...link("c"), docId: "/c" }, index, link("d", true)] },
        ],
      },
      docs: { b: { id: "b", description: "b" } },
    },
  });
  expect(await exportOf(withoutDescriptions('{"title": "Some"}'))).toEqual({ title: "Some" });
});

test("routes of pages become one text for each sidebar, and the same routes again", async () => {
  const route = (path: string, sidebar: string) =>
    `{\n path: '${path}',\n component: ComponentCreator('${path}', 'a1b'),\n exact: true,\n sidebar: "${sidebar}"\n }`;
  const source = `import ComponentCreator from "x";\n\nexport default [\n{ path: '/', component: ComponentCreator('/', 'fff'), routes: [
    ${[route("/a", "one"), route("/b", "one"), route("/c", "two")].join(",\n")} ] },\n ${route("/d", "two")}, ${route("/b", "two")}, { path: '*' }];\n`;
  const evaluate = async (text: string) => {
    const module = text.replace(
      /import .*\n/,
      "const ComponentCreator = (...all) => all.join();\n",
    );
    return await exportOf(module);
  };
  const lean = withListedPages(source);
  expect(lean).toContain('...pagesOf("one", "/a /b:a1b"),\n...pagesOf("two", "/c")');
  const only = /(?<='\/(a|c|d|)', ')\w+/g;
  expect(await evaluate(lean)).toEqual(await evaluate(source.replace(only, "x")));
  expect(() => withListedPages("export default [];")).toThrow("another shape");
});

test("a route finds the files that it loads, by its hash only where another has the same path", async () => {
  const names = {
    "/-e5f": { __comp: "c1", __context: { plugin: "p" } },
    "/-7da": { __comp: "c2" },
    "/a-b/c-123": { __comp: "doc", content: "one" },
    "/d-456": { __comp: "doc", content: "two" },
    "/e-789": { __comp: "doc" },
  };
  const lean = withListedNames(JSON.stringify(names));
  expect(lean).toContain('"/a-b/c:one /d:two /e:"');
  expect(await exportOf(lean)).toEqual({
    "/-e5f": names["/-e5f"],
    "/-7da": names["/-7da"],
    "/a-b/c-x": names["/a-b/c-123"],
    "/d-x": names["/d-456"],
    "/e-x": names["/e-789"],
  });
});

test("the versions of plugins are left out", () => {
  const metadata = { docusaurusVersion: "3.10.2", pluginVersions: { a: { version: "1" } } };
  expect(JSON.parse(withoutPluginVersions(JSON.stringify(metadata)))).toEqual({
    docusaurusVersion: "3.10.2",
    pluginVersions: {},
  });
});

test("the sidebar of each address is still known", async () => {
  const docs = [
    { id: "a", path: "/a", sidebar: "one" },
    { id: "b", path: "/b" },
    { id: "c", path: "/c", sidebar: "one" },
  ];
  const data = {
    "docusaurus-plugin-content-docs": {
      default: { path: "/", versions: [{ name: "current", docs }] },
    },
    other: { default: { kept: ["0.1"] } },
  };
  const module = withListedDocs(JSON.stringify(data));
  const lean = await exportOf(module);
  const [version] = lean["docusaurus-plugin-content-docs"].default.versions;
  expect(version.docs).toEqual([
    { path: "/a", sidebar: "one" },
    { path: "/c", sidebar: "one" },
    { path: "/b" },
  ]);
  expect(lean.other).toEqual(data.other);
});

test("one helper takes the place of all", () => {
  const source = 'const tslib_1 = require("tslib");\ntslib_1.__importDefault(a).default;';
  expect(withOwnHelper(source)).not.toContain("require");
  expect(() => withOwnHelper(`${source}\ntslib_1.__exportStar(b);`)).toThrow("otherwise");
});

describe("messages", () => {
  const from = 'import Translate, { translate } from "@docusaurus/Translate";\n';
  const translated = (source: string) => withMessages(from + source, spanish).slice(from.length);
  const spanish = { "a.close": 'Cerrar "esto"', "a.pages": "Una página|{count} páginas" };

  test("are in the modules that show them, in the language of the site", () => {
    const source = `const label = translate({ id: "a.close", message: "Close", description: "A button" });
      const pages = translate({ id: "a.pages", message: "One page|{count} pages" }, { count });`;
    expect(translated(source)).toBe(
      `const label = translate({ message: "Cerrar \\"esto\\"" });
      const pages = translate({ message: "Una página|{count} páginas" }, { count });`,
    );
  });

  test("keep their values, and other messages within", () => {
    const source = `<Translate id="a.pages" values={{ count: <b><Translate id="a.close">Close</Translate></b> }}
      description="Below a list">One page|{"{count}"} pages</Translate>`;
    expect(translated(source).replace(/\s+/g, " ")).toBe(
      `<Translate values={{ count: <b><Translate >{"Cerrar \\"esto\\""}</Translate></b> }} >{"Una página|{count} páginas"}</Translate>`,
    );
  });

  test("stay as they are without a translation", () => {
    const source = `translate({ id: "a.new", message: "New" }); <Translate id="a.newer">It's new</Translate>;`;
    expect(translated(source)).toBe(
      `translate({ message: "New" }); <Translate >It's new</Translate>;`,
    );
    const other = "export const translate = (text) => text; translate(text);";
    expect(withMessages(other, spanish)).toBe(other);
  });

  test("need a fixed id", () => {
    for (const source of [
      "translate({ id: name, message: 'Close' })",
      'translate({ id: "a.close" })',
      "translate(message)",
      "<Translate id={name}>Close</Translate>",
      "<Translate>Close</Translate>",
    ]) {
      expect(() => translated(source), source).toThrow("a message needs a fixed id");
    }
  });
});

test("pages are loaded beforehand while the browser is idle, and their files once", () => {
  const builder = dirname(require.resolve("@docusaurus/core/package.json"));
  const source = readFileSync(join(builder, "lib/client/docusaurus.js"), "utf8");
  const edited = prefetchingWhenIdle(source);
  expect(edited).toContain("prefetch: whenIdle(prefetch),");
  expect(edited).toContain("const prefetchHelper = remembering(prefetchFile);");
  expect(() => prefetchingWhenIdle(edited)).toThrow("has another shape than in Docusaurus 3.10");
});

test("a page's own modules run in a task of their own", () => {
  const entry = require.resolve("@docusaurus/core/lib/client/clientEntry.js");
  const edited = inOwnTask(readFileSync(entry, "utf8"));
  expect(edited).toContain(
    "setTimeout(resolve)).then(() => preload(window.location.pathname)).then(() => {",
  );
  expect(() => inOwnTask(edited)).toThrow("has another shape than in Docusaurus 3.10");
});

test("a page imports the languages of its samples", () => {
  const tree = pageOf("rust", "ts", "rust");
  sampleLanguages()(tree, {});
  const [first, second] = tree.children;
  expect(first).toMatchObject({
    type: "mdxjsEsm",
    value: 'import "prismjs/components/prism-rust";',
  });
  expect(second?.type).toBe("code");
});

test("the languages that another one is written in come before it", () => {
  const tree = pageOf("tsx", "html", "text");
  sampleLanguages()(tree, {});
  const imports = tree.children.filter(({ type }) => type === "mdxjsEsm");
  expect(imports).toMatchObject(
    ["markup", "jsx", "tsx"].map((name) => ({
      value: `import "prismjs/components/prism-${name}";`,
    })),
  );
});

test("a language that would have no colours fails the build", () => {
  expect(() => sampleLanguages()(pageOf("cobol"), { path: "a.mdx" })).toThrow(
    "a.mdx: samples in cobol would have no colours",
  );
});

function pageOf(...languages: string[]): { children: { type: string; lang?: string }[] } {
  return { children: languages.map((lang) => ({ type: "code", lang })) };
}
