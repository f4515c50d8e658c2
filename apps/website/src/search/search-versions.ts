import { useAllDocsData } from "@docusaurus/plugin-content-docs/client";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { type Facets, useContextualTags, useFacets } from "./facets.ts";
import { tagOf, useSearchSite } from "./search-site.ts";

/** A version that readers can search, with the filters that find it. */
export type SearchVersion = { label: string; facets: Facets };

/** All versions, with the one that the reader is in. An earlier version has no translations. */
export function useSearchVersions(): { versions: SearchVersion[]; own: number } {
  const { defaultLocale } = useDocusaurusContext().i18n;
  const contextual = useContextualTags();
  const { kept, version } = useSearchSite();
  const facets = useFacets([]);
  const language = facets.filter((one) => typeof one === "string");
  const facetsOf = (tags: string[]) => tags.map((tag) => `docusaurus_tag:${tag}`);
  const docs = Object.values(useAllDocsData()).flatMap(({ versions }) => versions);
  const versions = docs.map(({ name, label }) => ({
    label: name === "current" ? (version ?? label) : label,
    tag: tagOf(name),
    facets: [...language, facetsOf(["default", tagOf(name)])],
  }));
  const earlier = kept.map(({ name, tag }) => ({
    label: name,
    tag,
    facets: [`language:${defaultLocale}`, facetsOf([tag])],
  }));
  const all = [...versions, ...earlier];
  return {
    versions: all,
    own: Math.max(
      0,
      all.findIndex(({ tag }) => contextual.includes(tag)),
    ),
  };
}
