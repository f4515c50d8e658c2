import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { editPage } from "../edit-page.ts";
import { chunkNamesAt, readRoutes, withPageScripts } from "./page-scripts.ts";
import { searchingHead, withListedHashes } from "./runtime.ts";

const here = (path: string) => new URL(path, import.meta.url).pathname;

/** The generated module that gives the configuration to the pages. */
const configModule = /[\\/]\.docusaurus[\\/]docusaurus\.config\.mjs$/;

/** The generated module that has all messages of a language. */
const messagesModule = /[\\/]\.docusaurus[\\/]codeTranslations\.json$/;

/** The generated module that knows the files of each page. */
const registryModule = /[\\/]\.docusaurus[\\/]registry\.js$/;

/** The generated module of all routes. */
const routesModule = /[\\/]\.docusaurus[\\/]routes\.js$/;

/** The generated module of the files that each route loads. */
const chunkNamesModule = /[\\/]\.docusaurus[\\/]routesChunkNames\.json$/;

/** The generated module of what pages know of the builder. */
const siteMetadataModule = /[\\/]\.docusaurus[\\/]site-metadata\.json$/;

/** The generated module of what plugins share with all pages. */
const globalDataModule = /[\\/]\.docusaurus[\\/]globalData\.json$/;

/** The props that the builder's docs plugin gives to the pages of a version, and to some single pages. */
const docsProps = /[\\/]docusaurus-plugin-content-docs[\\/][^\\/]+[\\/]p[\\/][^\\/]+\.json$/;

/** The module of the highlighter that readers' browsers get. */
const highlighter = /[\\/]prism-react-renderer[\\/]dist[\\/]index\.mjs$/;

/** The builder's helpers for addresses. */
const utilities = /[\\/]@docusaurus[\\/]utils-common[\\/]lib[\\/]index\.js$/;

/** The module that loads the pages of visible links beforehand. */
const prefetching = /[\\/]@docusaurus[\\/]core[\\/]lib[\\/]client[\\/]docusaurus\.js$/;

/** The module that starts a page. */
const clientEntry = /[\\/]@docusaurus[\\/]core[\\/]lib[\\/]client[\\/]clientEntry\.js$/;

/**
 * Takes out of each page's script what the page does not use: languages and themes of the highlighter,
 * descriptions and messages of other pages, and the part of the configuration that only the builder
 * reads, such as folders of the machine. The remark plugin in `languages.ts` adds the languages that a
 * page does use (decision 22).
 */
export default function leanScripts({ baseUrl, generatedFilesDir }: LoadContext): Plugin {
  /** The files of each chunk, by its name. */
  const scriptsOf = new Map<string, string[]>();
  return {
    name: "lean-scripts",
    configureWebpack(config, isServer, { currentBundler }) {
      const isProduction = config.mode === "production";
      const messages = join(generatedFilesDir, "codeTranslations.json");
      return {
        module: {
          rules: [
            { test: highlighter, use: [here("./highlighter.mts")] },
            { test: utilities, use: [here("./helpers.mts")] },
            { test: configModule, use: [here("./config.mts")] },
            { test: routesModule, use: [here("./routes.mts")] },
            { test: chunkNamesModule, type: "javascript/auto", use: [here("./chunk-names.mts")] },
            { test: siteMetadataModule, use: [here("./site-metadata.mts")] },
            { test: globalDataModule, type: "javascript/auto", use: [here("./global-data.mts")] },
            { test: docsProps, type: "javascript/auto", use: [here("./sidebars.mts")] },
            { test: clientEntry, use: [here("./client-entry.mts")] },
            { test: prefetching, use: [here("./prefetch.mts")] },
            ...(isProduction ? rulesOfMessages(messages) : []),
            ...(isServer || !isProduction
              ? []
              : [{ test: registryModule, use: [here("./registry.mts")] }]),
          ],
        },
        ...cacheWith(config, globSync(here("./*.mts")), messages),
        plugins: [
          // The languages of Prism add themselves to a global variable. Here it is the highlighter's.
          new currentBundler.instance.ProvidePlugin({ Prism: ["prism-react-renderer", "Prism"] }),
          ...(isServer || !isProduction
            ? []
            : [runtimePlugin(currentBundler.instance), chunksPlugin(scriptsOf)]),
        ],
        // Every page carries the names of all files. The hash alone is enough to name a file, and seven digits tell
        // hundreds of files of one build apart. Two with one name would be an error of the build.
        ...(!isServer &&
          isProduction && {
            output: { chunkFilename: "assets/js/part.[contenthash:7].js" },
            optimization: {
              // Counted, and not numbers of four digits that gzip cannot guess.
              chunkIds: "natural",
              // What half of the pages use is in a file of all pages. A page of another language would have it too.
              splitChunks: { cacheGroups: { common: { test: isNoLanguage } } },
            },
          }),
      };
    },
    async postBuild({ outDir, routesPaths }) {
      const generated = (name: string) => readFileSync(join(generatedFilesDir, name), "utf8");
      const routes = readRoutes(generated("routes.js"));
      const chunksOf = JSON.parse(generated("routesChunkNames.json"));
      for (const path of routesPaths) {
        const files = chunkNamesAt(path, routes, chunksOf).flatMap(
          (name) => scriptsOf.get(name) ?? [],
        );
        const urls = [...new Set(files)].map((file) => baseUrl + file);
        const below = path.slice(baseUrl.length);
        const file = join(outDir, below.endsWith(".html") ? below : join(below, "index.html"));
        await editPage(file, (html) => withPageScripts(html, urls));
      }
    },
  };
}

function isNoLanguage(module: { nameForCondition(): string | null }): boolean {
  return !/[\\/]prismjs[\\/]components[\\/]/.test(module.nameForCondition() ?? "");
}

type Bundler = Parameters<NonNullable<Plugin["configureWebpack"]>>[2]["currentBundler"]["instance"];

/** Changes the script that loads the others, before its name gets the hash of its content. */
function runtimePlugin({ Compilation, sources }: Bundler) {
  const name = "lean-runtime";
  return {
    apply(compiler: InstanceType<Bundler["Compiler"]>) {
      compiler.hooks.thisCompilation.tap(name, (compilation) => {
        // After the bundler has made everything smaller.
        const stage = Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE + 1;
        compilation.hooks.processAssets.tap({ name, stage }, (assets) => {
          for (const file of Object.keys(assets).filter((each) => /[/]runtime~main\./.test(each))) {
            const source = searchingHead(withListedHashes(String(assets[file]?.source())));
            compilation.updateAsset(file, new sources.RawSource(source));
          }
        });
      });
    },
  };
}

/** Fills in which scripts each chunk has, other than those of all pages. */
function chunksPlugin(scriptsOf: Map<string, string[]>) {
  return {
    apply(compiler: InstanceType<Bundler["Compiler"]>) {
      compiler.hooks.afterEmit.tap("lean-chunks", ({ entrypoints, namedChunkGroups }) => {
        const ofAllPages = new Set([...entrypoints.values()].flatMap((each) => each.getFiles()));
        for (const [name, group] of namedChunkGroups) {
          const files = group.getFiles().filter((file) => file.endsWith(".js"));
          scriptsOf.set(
            name,
            files.filter((file) => !ofAllPages.has(file)),
          );
        }
      });
    },
  };
}

/**
 * The bundler keeps what loaders made from one build to the next, and does not know that another loader, or another
 * translation, would make something else: pages would have parts of two versions, or the same module twice.
 */
function cacheWith(config: object, files: string[], messages: string): object {
  type Cache = { version?: string };
  const { cache } = ("experiments" in config ? config.experiments : {}) as { cache?: Cache };
  if (!cache) return {};
  const hash = createHash("sha256").update(readFileSync(messages)).digest("hex");
  const version = `${cache.version}-${hash}`;
  return { experiments: { cache: { version, buildDependencies: files } } };
}

function rulesOfMessages(file: string) {
  const options = new URLSearchParams({ file: relative(here("."), file) });
  return [
    {
      test: /\.[jt]sx?$/,
      // Of the installed packages, only the builder's have messages.
      exclude: /[\\/]node_modules[\\/](?!@docusaurus[\\/])/,
      use: [`${here("./messages.mts")}?${options}`],
    },
    { test: messagesModule, use: [here("./no-messages.mts")] },
  ];
}
