import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { readSite, SUFFIX, writeSite } from "../../../../scripts/release/site-archive.ts";
import { linkHome } from "./links-home.ts";

type Options = {
  /** The version of these pages. */
  version: string;
  /** Where the archives of earlier versions are. Null if this version is about to be kept. */
  folder: string | null;
};

/** What the switcher knows before it has asked. */
export type Versions = { version: string; kept: string[] };

/** What `/versions.json` says: the pages of each version, by their addresses in it. */
export type VersionPages = { version: string; base: string; pages: string[] };

/**
 * Puts the sites of earlier versions beside this one, each below its own name, and lists the pages of all. An archive
 * is a built site, so it stays as it was whatever changes here (decision 22).
 */
export default function keptVersions(
  { siteDir, siteConfig, i18n }: LoadContext,
  { version, folder }: Options,
): Plugin {
  const archives = join(siteDir, folder ?? "");
  const kept = (folder === null ? [] : readdirSync(archives))
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }));
  return {
    name: "kept-versions",
    getPathsToWatch: () => (folder === null ? [] : [archives]),
    async contentLoaded({ actions }) {
      actions.setGlobalData({ version, kept } satisfies Versions);
    },
    async postBuild({ outDir, routesPaths }) {
      if (folder === null) return;
      const isMain = i18n.currentLocale === i18n.defaultLocale;
      const { baseUrl } = siteConfig;
      const pages = routesPaths.map((route) => bare(`/${route.slice(baseUrl.length)}`));
      const all: VersionPages[] = [{ version, base: "/", pages: pages.filter(isPage).toSorted() }];
      for (const name of kept) {
        const archive = readSite(join(archives, `${name}${SUFFIX}`));
        const built = Object.keys(archive).filter((file) => /(^|\/)index\.html$/.test(file));
        const addresses = built.map((file) => bare(`/${file.replace(/index\.html$/, "")}`));
        all.push({ version: name, base: `/${name}/`, pages: addresses.toSorted() });
        await linkHome(outDir, name, new Set(addresses));
        if (isMain) writeSite(archive, join(outDir, name));
      }
      if (isMain) await writeFile(join(outDir, "versions.json"), JSON.stringify(all));
    },
  };
}

function isPage(address: string): boolean {
  return !address.endsWith("/404.html");
}

function bare(address: string): string {
  return address.replace(/(?<=.)\/$/, "");
}
