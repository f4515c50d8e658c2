import { relative } from "node:path";
import type { ParseFrontMatter } from "@docusaurus/types";
import spanish from "./i18n/es/sidebar-labels.json" with { type: "json" };

const docs = new URL("./docs", import.meta.url).pathname;
const labels = new Map(Object.entries(spanish));

/**
 * Gives the pages that are not translated a Spanish label, so that sidebar and breadcrumbs have one
 * language. A translated page has its label in its own front matter.
 */
export const withSpanishLabels: ParseFrontMatter = async (file) => {
  const { defaultParseFrontMatter, filePath } = file;
  const parsed = await defaultParseFrontMatter(file);
  const id = relative(docs, filePath)
    .replaceAll("\\", "/")
    .replace(/\.mdx?$/, "");
  const label = labels.get(id);
  if (label === undefined) return parsed;
  return { ...parsed, frontMatter: { ...parsed.frontMatter, sidebar_label: label } };
};
