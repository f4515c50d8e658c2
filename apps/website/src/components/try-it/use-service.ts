import useDocusaurusContext from "@docusaurus/useDocusaurusContext";

/** The address of the API: of the service that serves these pages, unless they were built for another one. */
export function useService(): string {
  const { api } = useDocusaurusContext().siteConfig.customFields ?? {};
  return typeof api === "string" ? api : window.location.origin;
}
