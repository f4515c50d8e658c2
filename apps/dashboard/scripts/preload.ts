import type { HtmlTagDescriptor, Plugin, Rolldown } from "vite";

type Bundle = Rolldown.OutputBundle;

/**
 * Lets the browser fetch at once what the page surely needs, and would find later: the scripts that start it, which are run after
 * the first paint, and the typeface of its texts. `public/first.js` does the same with what only some need.
 */
export function preload({
  font,
  start,
  login,
  inside,
  overview,
}: {
  font: RegExp;
  start: string;
  login: string;
  inside: string;
  overview: string;
}): Plugin {
  let base = "/";
  return {
    name: "keyhearth:preload",
    apply: "build",
    configResolved(config) {
      base = config.base;
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const started = scriptsOf(bundle, start);
        const typeface = Object.keys(bundle).find((name) => font.test(name));
        if (typeface === undefined) throw new Error(`no file is like ${font}`);
        const tagOf = (attrs: Record<string, string>): HtmlTagDescriptor => ({
          tag: "link",
          // The style sheet comes first, without which nothing is painted.
          attrs: { ...attrs, crossorigin: "", fetchpriority: "low" },
          injectTo: "head",
        });
        const later = (path: string, before: readonly string[]) =>
          scriptsOf(bundle, path).filter((name) => !before.includes(name));
        const insides = later(inside, started);
        const overviews = later(overview, [...started, ...insides]);
        return {
          html: html.replace(
            'data-login="" data-inside="" data-overview=""',
            `data-login="${later(login, started).join(" ")}" data-inside="${insides.join(" ")}" data-overview="${overviews.join(" ")}"`,
          ),
          tags: [
            tagOf({ rel: "preload", as: "font", type: "font/woff2", href: base + typeface }),
            ...started.map((name) => tagOf({ rel: "modulepreload", href: base + name })),
          ],
        };
      },
    },
  };
}

/** The files of a module and of what it imports, without those of the page's own script. */
function scriptsOf(bundle: Bundle, module: string): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const first = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)));
  if (!first) throw new Error(`${module} is in no chunk`);
  const withImports = (name: string, known = new Set<string>()): Set<string> => {
    if (known.has(name)) return known;
    known.add(name);
    const chunk = chunks.find(({ fileName }) => fileName === name);
    for (const each of chunk?.imports ?? []) withImports(each, known);
    return known;
  };
  const own = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => withImports(fileName));
  return [...withImports(first.fileName)].filter((name) => !own.some((names) => names.has(name)));
}
