import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { editPage } from "../edit-page.ts";
import { readPageStyles, withStyles } from "./page-styles.ts";
import { purge } from "./purge.ts";

/** Styles of what only some pages show. */
const ofSomePages = new RegExp(
  [
    /[\\/]src[\\/]pages/,
    /[\\/]src[\\/]components[\\/](?!(feedback[\\/]PageFeedback|CopyButton|CopyPage|ScrollingTable))/,
    /[\\/]theme[\\/](SearchPage|SearchBar[\\/]window|NotFound|Tag|TagsListInline)/,
    /[\\/]@docsearch[\\/]/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** The style sheet of all pages. */
const sheet = /^assets\/css\/styles\..*css$/;

/**
 * The builder puts the styles of everything into one sheet, and each page waits for it before it shows
 * anything. Here the sheet has only what many pages use: no rules of the framework that nothing uses, and
 * not the styles of single pages, which are in the HTML of those pages.
 */
export default function leanStyles({ baseUrl }: LoadContext): Plugin {
  return {
    name: "lean-styles",
    configureWebpack(config, isServer, { currentBundler }) {
      if (isServer || config.mode !== "production") return {};
      nameByContent(config.plugins ?? []);
      return {
        optimization: {
          splitChunks: {
            cacheGroups: {
              styles: {
                name: "styles",
                type: "css/mini-extract",
                test: (module: { nameForCondition(): string | null }) =>
                  !ofSomePages.test(module.nameForCondition() ?? ""),
                chunks: "all",
                enforce: true,
                priority: 50,
              },
            },
          },
        },
        plugins: [purgePlugin(currentBundler.instance)],
      };
    },
    async postBuild({ outDir }) {
      const names = (await readdir(join(outDir, "assets/css"))).map((name) => `assets/css/${name}`);
      const styles = await Promise.all(
        names
          .filter((name) => !sheet.test(name))
          .sort()
          .map(async (name) =>
            readPageStyles(baseUrl + name, await readFile(join(outDir, name), "utf8")),
          ),
      );
      for (const name of await readdir(outDir, { recursive: true })) {
        if (!name.endsWith(".html")) continue;
        await editPage(join(outDir, name), (html) => withStyles(html, styles));
      }
    },
  };
}

/**
 * The script of every page lists the name of each other sheet. Named by their content alone, the names are half as long,
 * and one name for sheets that are alike.
 */
function nameByContent(plugins: readonly unknown[]): void {
  const extract = plugins.find((plugin) => plugin?.constructor.name === "CssExtractRspackPlugin");
  if (!extract) throw new Error("the builder has no plugin that writes style sheets");
  (extract as { options: { chunkFilename: string } }).options.chunkFilename =
    "assets/css/[contenthash:8].css";
}

type Bundler = Parameters<NonNullable<Plugin["configureWebpack"]>>[2]["currentBundler"]["instance"];

/** Purges the sheet before its name gets the hash of its content. */
function purgePlugin({ Compilation, sources }: Bundler) {
  const name = "lean-styles";
  return {
    apply(compiler: InstanceType<Bundler["Compiler"]>) {
      compiler.hooks.thisCompilation.tap(name, (compilation) => {
        const stage = Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE;
        compilation.hooks.processAssets.tapPromise({ name, stage }, async (assets) => {
          const textOf = (file: string) => String(assets[file]?.source());
          const files = Object.keys(assets);
          const scripts = files.filter((file) => file.endsWith(".js")).map(textOf);
          const others = files
            .filter((file) => /\.css$/.test(file) && !sheet.test(file))
            .map(textOf);
          for (const file of files.filter((each) => sheet.test(each))) {
            const css = await purge(textOf(file), scripts, others);
            compilation.updateAsset(file, new sources.RawSource(css));
          }
        });
      });
    },
  };
}
