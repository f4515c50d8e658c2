import useDocusaurusContext from "@docusaurus/useDocusaurusContext";

/** Where readers report that a search should find something. */
export function useMissingResultsUrl(): (query: string) => string {
  const { repository } = useDocusaurusContext().siteConfig.customFields ?? {};
  return (query) => {
    const title = new URLSearchParams({ title: `Search: nothing found for "${query}"` });
    return `${repository}/issues/new?${title}`;
  };
}
