const entry =
  /^( {2}"[^"]+": \[\(\) => import\(.*?\)), "[^"]*", require\.resolveWeak\("[^"]*"\)\],/gm;

/**
 * The list of the files of all pages, with nothing but how to load each. The names beside that are only for
 * rendering pages at build time, and every page would carry them.
 *
 * @throws if there is no entry in the shape that Docusaurus 3.10 writes.
 */
export function withoutNames(source: string): string {
  const short = source.replace(entry, "$1],");
  if (short.includes("resolveWeak")) {
    throw new Error(
      "the registry has another shape than in Docusaurus 3.10: fix plugins/lean-scripts",
    );
  }
  return short;
}

export { withoutNames as default };
