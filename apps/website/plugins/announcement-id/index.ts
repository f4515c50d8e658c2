import type { LoadContext, Plugin } from "@docusaurus/types";

/**
 * Forgets before the page is drawn that the reader closed an announcement with another id. The theme
 * forgets it too, but only after it has hidden the bar, which then shows on the next visit.
 */
export default function announcementId(_context: LoadContext, { id }: { id: string }): Plugin {
  // A closing tag in the id would end the script.
  const wanted = JSON.stringify(id).replaceAll("<", "\\u003c");
  return {
    name: "announcement-id",
    injectHtmlTags: () => ({
      headTags: [
        {
          tagName: "script",
          innerHTML: `try {
  if (localStorage.getItem("docusaurus.announcement.id") !== ${wanted}) localStorage.removeItem("docusaurus.announcement.dismiss");
} catch {}`,
        },
      ],
    }),
  };
}
