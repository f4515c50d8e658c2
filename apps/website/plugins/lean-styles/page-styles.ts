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
  const place = placeOf(html);
  return html.slice(0, place) + elements.join("") + html.slice(place);
}

/**
 * After the sheet of all pages, or at the end of the head. Other edits of a page, which come before or after this one,
 * add to the end.
 */
function placeOf(html: string): number {
  const end = html.indexOf("</head>");
  const [sheet] = html.slice(0, end).match(/<link [^>]*\bstylesheet\b[^>]*>/) ?? [];
  return sheet === undefined ? end : html.indexOf(sheet) + sheet.length;
}

function classesOf(html: string): Set<string> {
  const attributes = html.matchAll(/\sclass=(?:"([^"]*)"|([^\s>]+))/g);
  return new Set(
    [...attributes].flatMap(([, quoted, bare]) => (quoted ?? bare ?? "").split(/\s+/)),
  );
}
