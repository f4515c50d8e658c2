import path from "node:path";
import type { LoadedContent } from "@docusaurus/plugin-content-docs";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { editPage } from "../edit-page.ts";
import { cardOf } from "../social-cards/address.ts";
import { articleData, type Data, faqData, homeData, insertData, type Site } from "./data.ts";

type Options = {
  /** What the site is about, in one paragraph. */
  summary: string;
  /** The page of questions, as a path below the site. */
  faq: string;
};

/**
 * Describes pages to search engines. Only the built files have the descriptions, so that readers load no
 * script for them. The theme adds the breadcrumbs itself.
 */
export default function structuredData(
  { siteConfig, baseUrl, i18n }: LoadContext,
  { summary, faq }: Options,
): Plugin {
  let docs: LoadedContent = { loadedVersions: [] };
  return {
    name: "structured-data",
    async allContentLoaded({ allContent }) {
      // The plugin for documentation keeps what its own types describe.
      docs = allContent["docusaurus-plugin-content-docs"]?.default as LoadedContent;
    },
    async postBuild({ outDir }) {
      const site: Site = {
        title: siteConfig.title,
        summary,
        url: new URL(baseUrl, siteConfig.url).href,
        repository: String(siteConfig.customFields?.repository),
      };
      const isDefault = i18n.currentLocale === i18n.defaultLocale;
      await describe(path.join(outDir, "index.html"), () => homeData(site));
      for (const { docs: pages, isLast } of docs.loadedVersions) {
        for (const { permalink, title, description, lastUpdatedAt } of pages) {
          const below = permalink.slice(baseUrl.length);
          const card = isDefault && isLast ? cardOf(permalink, baseUrl) : "img/social-card.png";
          const article = articleData(
            {
              title,
              description,
              url: new URL(permalink, siteConfig.url).href,
              image: new URL(card.replace(/^\//, ""), new URL("/", siteConfig.url)).href,
              language: i18n.currentLocale,
              changedAt: lastUpdatedAt ?? undefined,
            },
            site,
          );
          await describe(path.join(outDir, below, "index.html"), (html) =>
            `/${below}` === faq ? [article, faqData(html)] : [article],
          );
        }
      }
    },
  };
}

function describe(file: string, dataOf: (html: string) => Data[]): Promise<void> {
  return editPage(file, (html) => insertData(html, dataOf(html)));
}
