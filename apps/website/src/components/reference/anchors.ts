import useBrokenLinks from "@docusaurus/useBrokenLinks";

/** Tells the build that an anchor exists, so that links from other pages to it are checked. */
export function useBrokenLinksAnchor(id: string) {
  useBrokenLinks().collectAnchor(id);
}
