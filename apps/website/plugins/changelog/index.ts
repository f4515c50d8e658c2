import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { readFragments, withVersion } from "../../../../scripts/changelog/fragments.ts";
import { rssOf } from "./feed.ts";
import { type Changelog, parseChangelog } from "./parse.ts";
import { shownOf } from "./shown.ts";

type Options = {
  /** Path of the changelog, relative to the site. */
  file: string;
  /** Folder of what is not released yet, a file for each change, relative to the site. Null if it is not shown. */
  fragments: string | null;
  /** The page that shows it, as a path below the site. */
  page: string;
};

/** Reads the changelog for its page, and writes the feed beside the page in the default language. */
export default function changelog(
  { siteDir, siteConfig, baseUrl, i18n }: LoadContext,
  { file, fragments, page }: Options,
): Plugin<Changelog> {
  const source = path.resolve(siteDir, file);
  const folder = fragments === null ? null : path.resolve(siteDir, fragments);
  const feed = `${page}/rss.xml`;
  // It is in the original language only.
  const root = i18n.currentLocale === i18n.defaultLocale ? baseUrl : "/";
  const title = `${siteConfig.title} changelog`;
  return {
    name: "changelog",
    getPathsToWatch: () => [source, folder ?? []].flat(),
    async loadContent() {
      const repository = String(siteConfig.customFields?.repository);
      const released = await readFile(source, "utf8");
      const newer = folder === null ? [] : readFragments(folder);
      return parseChangelog(
        newer.length === 0 ? released : withVersion(released, newer, "Unreleased"),
        (target) => `${repository}/blob/main/${target}`,
      );
    },
    async contentLoaded({ content, actions }) {
      await actions.createData("changelog.json", shownOf(content));
    },
    injectHtmlTags: () => ({
      headTags: [
        {
          tagName: "link",
          attributes: {
            rel: "alternate",
            type: "application/rss+xml",
            title,
            href: `${root}${feed}`,
          },
        },
      ],
    }),
    async postBuild({ content, outDir }) {
      if (i18n.currentLocale !== i18n.defaultLocale) return;
      const home = new URL(baseUrl, siteConfig.url).href;
      await mkdir(path.dirname(path.join(outDir, feed)), { recursive: true });
      const rss = rssOf(content, {
        title,
        description: `What changes in ${siteConfig.title}.`,
        pageUrl: home + page,
        feedUrl: home + feed,
      });
      await writeFile(path.join(outDir, feed), rss);
    },
  };
}
