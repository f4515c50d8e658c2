import { readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { type Page, RECORDS_FILE, type Records } from "@keyhearth/search/records";
import { readSite, SUFFIX } from "../../../../scripts/release/site-archive.ts";
import { isHosted } from "../../src/search/hosted.ts";
import { type FoundPage, readPage } from "./read-page.ts";

type Options = {
  /** Where the archives of earlier versions are. Null if there are none. */
  archives: string | null;
  /** A module that knows more words for the sections of pages, by addresses with anchors. */
  words: string | null;
};

type Words = Readonly<Record<string, string>>;

/**
 * Writes what the search of the site finds, made from the built pages: a file for each language, and one for each earlier
 * version. The search loads it when a reader begins to type (decision 22).
 */
export default function search(
  { siteDir, i18n, baseUrl, siteConfig }: LoadContext,
  { archives, words }: Options,
): Plugin {
  // The configuration of the theme is checked by the theme.
  const { appId } = siteConfig.themeConfig.algolia as { appId: string };
  return {
    name: "search",
    // The service that serves the pages reads the host there, and allows it in their policy.
    injectHtmlTags: () => (isHosted({ appId }) ? { headTags: [connectionTo(appId)] } : {}),
    async postBuild({ outDir, routesPaths }) {
      // The build of a later version makes them from the archive of this one.
      if (siteConfig.customFields?.kept) return;
      const language = i18n.currentLocale;
      const isMain = language === i18n.defaultLocale;
      const known: Words = words === null ? {} : (await import(join(siteDir, words))).searchWords;
      const read = async (route: string) => ({
        place: placeOf(route.slice(baseUrl.length)),
        html: await readFile(join(outDir, route.slice(baseUrl.length), "index.html"), "utf8"),
      });
      const routes = routesPaths.filter((route) => !route.endsWith("/404.html")).toSorted();
      await write(outDir, recordsOf(await Promise.all(routes.map(read)), language, known, isShown));
      if (archives === null || !isMain) return;
      for (const name of readdirSync(join(siteDir, archives))) {
        if (!name.endsWith(SUFFIX)) continue;
        const version = name.slice(0, -SUFFIX.length);
        // All pages of an earlier version are hidden from search engines, which are to take the current one.
        const pages = pagesIn(join(siteDir, archives, name));
        const records = recordsOf(pages, language, {}, () => true);
        await write(join(outDir, version), withTag(records, `docs-default-${version}`));
      }
    },
  };
}

function connectionTo(appId: string) {
  const href = `https://${appId}-dsn.algolia.net`;
  return { tagName: "link", attributes: { rel: "preconnect", href, crossorigin: "anonymous" } };
}

type BuiltPage = { place: string; html: string };

/** The search page and the like are hidden from search engines, and so from ours. */
function isShown({ isHidden }: FoundPage): boolean {
  return !isHidden;
}

function recordsOf(
  built: BuiltPage[],
  language: string,
  words: Words,
  accepts: (page: FoundPage) => boolean,
): Records {
  const pages: Page[] = [];
  const untranslated: string[] = [];
  for (const { place, html } of built) {
    const page = readPage(html, language);
    if (!page) continue;
    if (!page.isTranslated) {
      untranslated.push(place);
      continue;
    }
    if (!accepts(page)) continue;
    for (const section of page.sections) {
      const more = words[`${place}#${section[0]}`];
      if (more !== undefined) section[4] = more;
    }
    pages.push([place, page.tag, page.category, page.sections]);
  }
  return { language, pages, untranslated };
}

/** The pages of an archived site. */
function pagesIn(archive: string): BuiltPage[] {
  return Object.entries(readSite(archive)).flatMap(([file, html]) =>
    typeof html === "string" && /(^|\/)index\.html$/.test(file)
      ? [{ place: placeOf(file.replace(/index\.html$/, "")), html }]
      : [],
  );
}

function withTag(records: Records, tag: string): Records {
  const pages = records.pages.map(([place, , ...rest]): Page => [place, tag, ...rest]);
  return { ...records, pages };
}

function placeOf(path: string): string {
  return `/${path}`.replace(/(?<=.)\/$/, "");
}

async function write(folder: string, records: Records) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, RECORDS_FILE), JSON.stringify(records));
}
