import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { LoadedContent } from "@docusaurus/plugin-content-docs";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { markdownAddress } from "./address.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { isOtherVersion, type Outline, outlineOf } from "./outline.ts";
import { type BuiltPage, readPage } from "./page.ts";
import type { ToAddress } from "./simplify.ts";

type Options = {
  /** What the site is about, in one paragraph. */
  summary: string;
  /** Titles for the pages of a sidebar that are in none of its categories. */
  sidebarTitles: Record<string, string>;
};

/**
 * Writes every page as Markdown beside its HTML, and for the default language the index `/llms.txt`
 * and all pages in one file, `/llms-full.txt`.
 */
export default function markdownPages(
  { i18n, baseUrl, siteConfig }: LoadContext,
  { summary, sidebarTitles }: Options,
): Plugin {
  let docs: LoadedContent = { loadedVersions: [] };
  return {
    name: "markdown-pages",
    async allContentLoaded({ allContent }) {
      // The plugin for documentation keeps what its own types describe.
      docs = allContent["docusaurus-plugin-content-docs"]?.default as LoadedContent;
    },
    async postBuild({ outDir, routesPaths }) {
      const pages = await writePages({ outDir, baseUrl, routesPaths });
      if (i18n.currentLocale !== i18n.defaultLocale) return;
      const site = { title: siteConfig.title, summary };
      const outline = complete(outlineOf(docs, sidebarTitles), pages, (route) =>
        isOtherVersion(docs, route),
      );
      const addressOf = (pathname: string) => markdownAddress(pathname, baseUrl);
      const texts = outline
        .flatMap((section) => section.pages)
        .map((page) => ({
          address: addressOf(page.path),
          markdown: pages.get(bare(page.path))?.markdown ?? "",
        }));
      await writeFile(path.join(outDir, "llms.txt"), llmsText(site, outline, addressOf));
      await writeFile(path.join(outDir, "llms-full.txt"), llmsFullText(site, texts));
    },
  };
}

type Build = { outDir: string; baseUrl: string; routesPaths: string[] };

/** Writes the Markdown of all pages, and returns the pages by path. */
async function writePages(build: Build): Promise<Map<string, BuiltPage>> {
  const { outDir, baseUrl } = build;
  const routes = build.routesPaths.filter((route) => !route.endsWith("/404.html"));
  const addresses = new Map(routes.map((route) => [bare(route), markdownAddress(route, baseUrl)]));
  const toAddress = (href: string) => {
    const [, pathname = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
    const address = pathname.startsWith("/") ? addresses.get(bare(pathname)) : undefined;
    return address === undefined ? href : `${address}${rest}`;
  };
  const pages = new Map<string, BuiltPage>();
  for (const route of routes) {
    const html = await readFile(
      path.join(outDir, route.slice(baseUrl.length), "index.html"),
      "utf8",
    );
    const page = readBuilt(route, html, toAddress);
    const file = markdownAddress(route, baseUrl).slice(baseUrl.length);
    await writeFile(path.join(outDir, file), page.markdown);
    pages.set(bare(route), page);
  }
  return pages;
}

function readBuilt(route: string, html: string, toAddress: ToAddress): BuiltPage {
  try {
    return readPage(html, toAddress);
  } catch (error) {
    throw new Error(`${route} has no Markdown`, { cause: error });
  }
}

/** Adds what search engines may show and no sidebar has, such as the home page. */
function complete(
  outline: Outline,
  pages: Map<string, BuiltPage>,
  isLeftOut: (route: string) => boolean,
): Outline {
  const listed = new Set(
    outline.flatMap((section) => section.pages.map((page) => bare(page.path))),
  );
  const others = [...pages]
    .filter(([route, { isIndexed }]) => isIndexed && !listed.has(route) && !isLeftOut(`${route}/`))
    .map(([route, { title, description }]) => ({ title, description, path: route || "/" }));
  return others.length === 0 ? outline : [...outline, { title: "More", pages: others }];
}

/** A path without the slash at its end, which does not matter. */
function bare(pathname: string): string {
  return pathname.replace(/\/$/, "");
}
