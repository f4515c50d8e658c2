/** A style sheet of what only some pages show. */
export type PageStyles = {
  /** Its address, by which the script of a page would load it. */
  address: string;
  css: string;
  /** The classes that it is for. */
  classes: Set<string>;
  /** Its rules, and those of a media query as one. */
  rules: Set<string>;
};

export function readPageStyles(address: string, css: string): PageStyles {
  const selectors = css.replace(/\{[^{}]*\}/g, " ").matchAll(/\.([\w-]+)/g);
  const rules = css.match(/[^{}]*\{(?:[^{}]|\{[^{}]*\})*\}/g);
  return {
    address,
    css,
    classes: new Set([...selectors].map(([, name = ""]) => name)),
    rules: new Set(rules),
  };
}

/**
 * The page with those style sheets in its head of which it has a class. The scripts of the page find them by
 * their addresses, and do not load them again. A sheet whose rules are all in larger ones, as those of pages with the same
 * parts are, is there by its address alone.
 */
export function withStyles(html: string, all: PageStyles[]): string {
  if (html.includes("<style data-href=")) return html;
  const used = classesOf(html);
  const sheets = all.filter(({ classes }) => [...classes].some((name) => used.has(name)));
  const repeated = repeatedSheets(sheets);
  const elements = sheets.map(
    (sheet) =>
      `<style data-href="${sheet.address}">${repeated.has(sheet) ? "" : sheet.css}</style>`,
  );
  const place = placeOf(html);
  return html.slice(0, place) + elements.join("") + html.slice(place);
}

function repeatedSheets(sheets: readonly PageStyles[]): Set<PageStyles> {
  const written = new Set<string>();
  const repeated = new Set<PageStyles>();
  for (const sheet of sheets.toSorted((a, b) => b.rules.size - a.rules.size)) {
    if (sheet.rules.size > 0 && [...sheet.rules].every((rule) => written.has(rule)))
      repeated.add(sheet);
    for (const rule of sheet.rules) written.add(rule);
  }
  return repeated;
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
