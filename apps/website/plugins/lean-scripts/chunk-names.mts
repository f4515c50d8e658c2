type Names = { content?: string; [part: string]: unknown };

/** In place of the hash of a path that only one route has. Something has to be there, because the builder takes it away. */
export const ONLY = "x";

/** The paths that several routes have, such as a layout and the page in it. Their hashes tell them apart. */
export function sharedPaths(paths: string[]): Set<string> {
  return new Set(paths.filter((path, at) => paths.indexOf(path) !== at));
}

/**
 * The module of the files that each route loads, with one text for all routes that differ in their content only, and
 * without the hashes that nothing needs. Every page carries it.
 *
 * @param source JSON, as Docusaurus 3.10 writes it.
 */
export function withListedNames(source: string): string {
  const all = Object.entries(JSON.parse(source) as Record<string, Names>).map(([key, names]) => {
    const [, path = "", hash = ""] = /^(.*)-([^-]+)$/.exec(key) ?? [];
    return { path, hash, names };
  });
  const shared = sharedPaths(all.map(({ path }) => path));
  const lists = Map.groupBy(all, ({ names: { content, ...others } }) => JSON.stringify(others));
  const listed = [...lists].map(([others, routes]) => [
    JSON.parse(others),
    routes
      .map(({ path, hash, names: { content = "" } }) =>
        [path, content, ...(shared.has(path) ? [hash] : [])].join(":"),
      )
      .join(" "),
  ]);
  return `const names = {};
for (const [others, list] of ${JSON.stringify(listed)}) for (const each of list.split(" ")) {
  const [path, content, hash = "${ONLY}"] = each.split(":");
  names[path + "-" + hash] = content ? { ...others, content } : others;
}
export default names;
`;
}

export { withListedNames as default };
