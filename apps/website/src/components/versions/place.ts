import { useLocation } from "@docusaurus/router";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { MouseEvent } from "react";
import { readVersions } from "./read-versions.ts";

/** The address of this page within its version, in the original language. For an unknown address, that of the home page. */
export function usePlace(): string {
  const { pathname } = useLocation();
  const { siteConfig } = useDocusaurusContext();
  if (/\/404(\.html)?$/.test(pathname)) return "/";
  return `/${pathname.slice(siteConfig.baseUrl.length)}`.replace(/(?<=.)\/$/, "");
}

/** The version of these pages if it is an earlier one, which is kept as it was. */
export function useKeptVersion(): string | null {
  const { kept } = useDocusaurusContext().siteConfig.customFields ?? {};
  return typeof kept === "string" ? kept : null;
}

/**
 * The properties of a link from this page to another version, which is a site of its own: to the same page, or to that
 * version's home if it has no such page, which is known only by asking. Without scripts it leads to the same page.
 */
export function linkTo(base: string, place: string) {
  const same = `${base}${place.slice(1)}`;
  return {
    href: `pathname://${same}`,
    autoAddBaseUrl: false,
    target: "_self",
    async onClick(event: MouseEvent) {
      const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
      if (opensElsewhere) return;
      event.preventDefault();
      const version = (await readVersions()).find((each) => each.base === base);
      const isMissing = version !== undefined && !version.pages.includes(place);
      window.location.assign(isMissing ? base : same);
    },
  };
}
