/** A route as the builder generates it. Its key leads to its chunks. */
export type Route = { path: string; key: string; routes?: readonly Route[] };

/** The chunks of a route, in the shape of its props. */
type ChunkNames = string | readonly ChunkNames[] | { [prop: string]: ChunkNames };

/**
 * Reads the generated module of all routes, whose list has nothing but literals and calls of `ComponentCreator`.
 *
 * @throws if there is no list as Docusaurus 3.10 writes it.
 */
export function readRoutes(module: string): Route[] {
  const [, list] = /^export default (\[.*\]);\s*$/ms.exec(module) ?? [];
  if (!list) throw new Error("the routes have another shape than in Docusaurus 3.10");
  type Generated = { path: string; component: string; routes?: Generated[] };
  const keyOf = (path: string, hash: string) => `${path}-${hash}`;
  // The build itself runs this module to render the pages.
  const generated: Generated[] = new Function("ComponentCreator", `return ${list}`)(keyOf);
  const named = ({ path, component, routes }: Generated): Route => ({
    ...{ path, key: component },
    ...(routes && { routes: routes.map(named) }),
  });
  return generated.map(named);
}

/**
 * The names of the chunks of everything that is shown at a path: those of the layouts around a page, and those of the page.
 *
 * @throws if a route has no chunks.
 */
export function chunkNamesAt(
  path: string,
  routes: readonly Route[],
  chunksOf: Readonly<Record<string, ChunkNames>>,
): string[] {
  const names = (routesAt(path, routes) ?? []).flatMap(({ key }) => {
    const chunks = chunksOf[key];
    if (!chunks) throw new Error(`the route ${key} is not in the list of chunks`);
    return flat(chunks);
  });
  return [...new Set(names)];
}

/** The routes from the outermost layout to a page, or undefined if there is no page. */
function routesAt(path: string, routes: readonly Route[]): Route[] | undefined {
  for (const route of routes) {
    if (!route.routes) {
      if (route.path === path) return [route];
      continue;
    }
    const below = routesAt(path, route.routes);
    if (below) return [route, ...below];
  }
  return undefined;
}

const flat = (chunks: ChunkNames): string[] =>
  typeof chunks === "string" ? [chunks] : Object.values(chunks).flatMap(flat);

/** The first script of a page, which starts the others. */
const first = /<script [^>]*\bsrc="?[^" >]*\/runtime~main\./;

/**
 * A page with its own scripts before the one that would load them: they come at the same time as it, and nobody searches
 * the document for them.
 *
 * @throws if there is no first script.
 */
export function withPageScripts(html: string, urls: readonly string[]): string {
  const at = html.search(first);
  if (at === -1) throw new Error("a page has no script that loads the others");
  const tags = urls.map((url) => `<script src=${url} defer></script>`).join("");
  return html.slice(0, at) + tags + html.slice(at);
}
