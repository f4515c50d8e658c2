import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { usePluginData } from "@docusaurus/useGlobalData";
import type { Versions } from "@site/plugins/kept-versions/index.ts";
import { useKeptVersion } from "@site/src/components/versions/place.ts";

/** The parts of the site: its languages, and the earlier versions that are kept below their names. */
export type SearchSite = {
  languages: { language: string; base: string; isOriginal: boolean }[];
  kept: { name: string; base: string; tag: string }[];
  /** The number of this version, if versions have numbers. */
  version: string | null;
};

export function useSearchSite(): SearchSite {
  const { i18n, siteConfig } = useDocusaurusContext();
  const { currentLocale, defaultLocale, locales } = i18n;
  const data = usePluginData("kept-versions", undefined) as Versions | undefined; // What our plugin sets.
  const own = useKeptVersion();
  const root =
    currentLocale === defaultLocale
      ? siteConfig.baseUrl
      : siteConfig.baseUrl.slice(0, -`${currentLocale}/`.length);
  const languages = locales.map((language) => {
    const isOriginal = language === defaultLocale;
    return { language, base: isOriginal ? root : `${root}${language}/`, isOriginal };
  });
  const kept = (own === null ? (data?.kept ?? []) : []).map((name) => ({
    name,
    base: `${root}${name}/`,
    tag: tagOf(name),
  }));
  return { languages, kept, version: own ?? data?.version ?? null };
}

/** What the pages of a version are tagged with. */
export function tagOf(version: string): string {
  return `docs-default-${version}`;
}

/** Whether an address is one of the pages of this build, which are shown without loading the whole site. */
export function isOwnPath(path: string, base: string, { languages, kept }: SearchSite): boolean {
  const others = [...languages, ...kept].map((each) => each.base);
  return (
    path.startsWith(base) &&
    !others.some((other) => other.length > base.length && path.startsWith(other))
  );
}
