/** A style sheet of what only some pages show. */
export type PageStyles = {
  /** Its address, by which the script of a page would load it. */
  address: string;
  css: string;
  /** The classes that it is for. */
  classes: Set<string>;
};

export function readPageStyles(address: string, css: string): PageStyles {
  const selectors = css.replace(/\{[^{}]*\}/g, " ").matchAll(/\.([\w-]+)/g);
  return { address, css, classes: new Set([...selectors].map(([, name = ""]) => name)) };
}

/**
 * The page with those style sheets in its head of which it has a class. The scripts of the page find them by
 * their addresses, and do not load them again. Sheets with the same rules are there by all of their
 * addresses, but only once as text.
 */
export function withStyles(html: string, all: PageStyles[]): string {
  if (html.includes("<style data-href=")) return html;
  const used = classesOf(html);
  const written = new Set<string>();
  const elements = all
    .filter(({ classes }) => [...classes].some((name) => used.has(name)))
    .map(({ address, css }) => {
      const text = written.has(css) ? "" : css;
      written.add(css);
      return `<style data-href="${address}">${text}</style>`;
    });
  return html.replace("</head>", () => `${elements.join("")}</head>`);
}

function classesOf(html: string): Set<string> {
  const attributes = html.matchAll(/\sclass=(?:"([^"]*)"|([^\s>]+))/g);
  return new Set(
    [...attributes].flatMap(([, quoted, bare]) => (quoted ?? bare ?? "").split(/\s+/)),
  );
}
