import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { mentionsPrivatePart } from "@site/src/components/inspect/private-parts.ts";

/** Where readers report that a search should find something. */
export function useMissingResultsUrl(): (query: string) => string {
  const { repository } = useDocusaurusContext().siteConfig.customFields ?? {};
  return (query) => {
    const found = mentionsPrivatePart(query) ? "" : ` for "${query}"`;
    const title = new URLSearchParams({ title: `Search: nothing found${found}` });
    return `${repository}/issues/new?${title}`;
  };
}
