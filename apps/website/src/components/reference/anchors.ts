import useBrokenLinks from "@docusaurus/useBrokenLinks";

/** Registers an anchor with the build, which then checks the links from other pages to it. */
export function useBrokenLinksAnchor(id: string) {
  useBrokenLinks().collectAnchor(id);
}
