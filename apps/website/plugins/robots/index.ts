import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { LoadContext, Plugin } from "@docusaurus/types";
import { robotsText } from "./text.ts";

/** Writes `/robots.txt`, so that crawlers find the sitemap of every language. */
export default function robots({ i18n, siteConfig }: LoadContext): Plugin {
  return {
    name: "robots",
    async postBuild({ outDir }) {
      if (i18n.currentLocale !== i18n.defaultLocale) return;
      await writeFile(path.join(outDir, "robots.txt"), robotsText(siteConfig.url, i18n));
    },
  };
}
