import type { BuiltPage } from "./built-pages.ts";

export type Links = { broken: string[]; external: string[] };

const attribute = (name: string) => new RegExp(`\\s${name}=("([^"]*)"|'([^']*)'|[^\\s>"']+)`, "gi");
const entities: Record<string, string> = { amp: "&", quot: '"', "#x27": "'", "#39": "'" };

/** Checks that every link of the pages leads to a page or a file, and to an anchor that is on that page. */
export function checkLinks(pages: BuiltPage[], isThere: (path: string) => boolean): Links {
  const anchors = new Map(pages.map(({ path, html }) => [path, new Set(valuesOf(html, "id"))]));
  const broken: string[] = [];
  const external = new Set<string>();
  for (const { path, html } of pages) {
    for (const href of new Set(valuesOf(markupOf(html), "href"))) {
      const target = new URL(href, `http://site.invalid${path}`);
      if (target.origin !== "http://site.invalid") {
        if (/^https?:$/.test(target.protocol)) external.add(target.href);
        continue;
      }
      const fault = faultOf(target, anchors, isThere);
      if (fault) broken.push(`${path}: ${href} ${fault}`);
    }
  }
  return { broken, external: [...external].toSorted() };
}

function faultOf(
  { pathname, hash }: URL,
  anchors: Map<string, Set<string>>,
  isThere: (path: string) => boolean,
): string | null {
  const path = decodeURIComponent(pathname);
  const ids = anchors.get(path.replace(/(.)\/$/, "$1"));
  if (!ids) return isThere(path) ? null : "leads nowhere";
  const id = decodeURIComponent(hash.slice(1));
  return id === "" || id === "top" || ids.has(id) ? null : "names an anchor that is not there";
}

/** Markup inside a script is not a link. */
function markupOf(html: string): string {
  return html.replace(/<script\b[\s\S]*?<\/script>/gi, "");
}

function valuesOf(html: string, name: string): string[] {
  return [...html.matchAll(attribute(name))].map(([, whole = "", double, single]) =>
    (double ?? single ?? whole).replace(/&(#?\w+);/g, (all, entity) => entities[entity] ?? all),
  );
}
