import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { LoadedContent } from "@docusaurus/plugin-content-docs";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { outlineOf } from "../markdown-pages/outline.ts";
import { cardOf } from "./address.ts";
import { type Card, type Draw, loadDraw } from "./card.ts";

type Options = {
  /** Where drawn cards are kept between builds, relative to the site. */
  cache: string;
  /** Sections of pages that are in a sidebar but in none of its categories. */
  sidebarTitles: Record<string, string>;
};

type PageCard = Card & { file: string };

/** Draws an image for each page of the latest version in the default language, with its title and section. */
export default function socialCards(
  { siteDir, baseUrl, i18n }: LoadContext,
  { cache, sidebarTitles }: Options,
): Plugin {
  let cards: PageCard[] = [];
  return {
    name: "social-cards",
    async allContentLoaded({ allContent }) {
      // The plugin for documentation keeps what its own types describe.
      const docs = allContent["docusaurus-plugin-content-docs"]?.default as LoadedContent;
      const version = docs.loadedVersions.find(({ isLast }) => isLast);
      const sections = new Map(
        outlineOf(docs, sidebarTitles).flatMap(({ title, pages }) =>
          pages.map((page) => [page.path, title] as const),
        ),
      );
      cards = (version?.docs ?? []).map(({ permalink, title }) => ({
        title,
        section: sections.get(permalink) ?? "",
        file: cardOf(permalink, baseUrl).slice(baseUrl.length),
      }));
    },
    async postBuild({ outDir }) {
      if (i18n.currentLocale !== i18n.defaultLocale) return;
      await drawAll(cards, outDir, {
        siteDir,
        directory: path.resolve(siteDir, cache),
        logo: path.join(siteDir, "static/img/logo.svg"),
      });
    },
  };
}

type Sources = { siteDir: string; directory: string; logo: string };

/** A card is drawn again only if its words, the drawing or the logo changed. */
async function drawAll(cards: PageCard[], outDir: string, { siteDir, directory, logo }: Sources) {
  await mkdir(directory, { recursive: true });
  await mkdir(path.join(outDir, "img/cards"), { recursive: true });
  const look = [
    await readFile(path.join(siteDir, "plugins/social-cards/card.ts")),
    await readFile(logo),
  ];
  let draw: Promise<Draw> | undefined;
  for (const card of cards) {
    const kept = path.join(directory, `${digestOf(look, card)}.png`);
    const target = path.join(outDir, card.file);
    try {
      await copyFile(kept, target);
    } catch {
      draw ??= loadDraw(
        siteDir,
        logo,
        `Keyhearth${cards.map((each) => each.title + each.section).join("")}`,
      );
      const png = await (await draw)(card);
      await writeFile(target, png);
      await writeFile(kept, png);
    }
  }
}

function digestOf(look: Uint8Array[], { title, section }: Card): string {
  const hash = createHash("sha256");
  for (const each of look) hash.update(each);
  return hash
    .update(JSON.stringify([title, section]))
    .digest("hex")
    .slice(0, 32);
}
