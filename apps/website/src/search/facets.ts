import { useDocsContextualSearchTags } from "@docusaurus/plugin-content-docs/client";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { useKeptVersion } from "@site/src/components/versions/place.ts";
import { tagOf } from "./search-site.ts";

/** All of these have to be true, and of a list one. */
export type Facets = (string | string[])[];

/** Of pages without a version. */
const UNVERSIONED = "default";

/** The version that the reader is in, and what has none. */
export function useContextualTags(): string[] {
  const tags = [UNVERSIONED, ...useDocsContextualSearchTags()];
  const kept = useKeptVersion();
  return kept === null ? tags : [tagOf(kept)];
}

/** The reader's language, and pages with one of the tags. */
export function useFacets(tags: string[]): Facets {
  const { currentLocale } = useDocusaurusContext().i18n;
  return [`language:${currentLocale}`, tags.map((tag) => `docusaurus_tag:${tag}`)];
}
