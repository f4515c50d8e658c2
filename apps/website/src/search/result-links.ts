import { useHistory } from "@docusaurus/router";
import { isRegexpStringMatch } from "@docusaurus/theme-common";
import { useAlgoliaThemeConfig } from "@docusaurus/theme-search-algolia/client";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { useState } from "react";
import { isOwnPath, useSearchSite } from "./search-site.ts";

/** Where a result leads, and whether the pages that are loaded can show it. */
export type ResultLink = { href: string; isOwn: boolean };

/**
 * The address of a result for this site. The theme's function takes every address for one in the reader's language, also
 * that of an earlier version or of an original without translation.
 */
export function useResultLinks(): (url: string) => ResultLink {
  const { algolia } = useAlgoliaThemeConfig();
  const { baseUrl } = useDocusaurusContext().siteConfig;
  const site = useSearchSite();
  const [linkOf] = useState(() => (url: string): ResultLink => {
    const { externalUrlRegex, replaceSearchResultPathname: replaced } = algolia;
    const { pathname, search, hash, href } = new URL(url, window.location.origin);
    if (isRegexpStringMatch(externalUrlRegex, href)) return { href, isOwn: false };
    const path = replaced
      ? pathname.replaceAll(new RegExp(replaced.from, "g"), replaced.to)
      : pathname;
    return { href: `${path}${search}${hash}`, isOwn: isOwnPath(path, baseUrl, site) };
  });
  return linkOf;
}

/** Goes where a result leads. */
export function useFollowResult(): (url: string) => void {
  const history = useHistory();
  const linkOf = useResultLinks();
  return (url) => {
    const { href, isOwn } = linkOf(url);
    if (isOwn) history.push(href);
    else window.location.assign(href);
  };
}
