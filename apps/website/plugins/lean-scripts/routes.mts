import { ONLY, sharedPaths } from "./chunk-names.mts";

const creator = /ComponentCreator\('([^']+)', '([^']+)'\)/g;
const page =
  /\{\s*path: '([^']+)',\s*component: ComponentCreator\('[^']+', '([^']+)'\),\s*exact: true,\s*sidebar: "([^"]+)"\s*\}/g;
const pages =
  /(?:\{\s*path: '[^']+',\s*component: ComponentCreator\('[^']+', '[^']+'\),\s*exact: true,\s*sidebar: "[^"]+"\s*\},?\s*)+/g;

const HELPER = `const pagesOf = (sidebar, list) => list.split(" ").map((each) => {
  const [path, hash = "${ONLY}"] = each.split(":");
  return { path, component: ComponentCreator(path, hash), exact: true, sidebar };
});
`;

/**
 * The routes with one text for all pages of a sidebar that follow each other. Every page carries the list, and grows with
 * each new one.
 *
 * @throws if there is no entry in the shape that Docusaurus 3.10 writes.
 */
export function withListedPages(source: string): string {
  const shared = sharedPaths([...source.matchAll(creator)].map(([, path = ""]) => path));
  const bare = source.replaceAll(creator, (all, path) =>
    shared.has(path) ? all : `ComponentCreator('${path}', '${ONLY}')`,
  );
  const short = bare.replaceAll(pages, listed);
  if (short === bare) {
    throw new Error(
      "the routes have another shape than in Docusaurus 3.10: fix plugins/lean-scripts",
    );
  }
  return short.replace("export default [", `${HELPER}\nexport default [`);
}

function listed(run: string): string {
  const lists: { sidebar: string; pages: string[] }[] = [];
  for (const [, path, hash, sidebar = ""] of run.matchAll(page)) {
    if (lists.at(-1)?.sidebar !== sidebar) lists.push({ sidebar, pages: [] });
    lists.at(-1)?.pages.push(hash === ONLY ? `${path}` : `${path}:${hash}`);
  }
  const comma = run.trimEnd().endsWith(",") ? "," : "";
  return `${lists.map(({ sidebar, pages }) => `...pagesOf("${sidebar}", "${pages.join(" ")}")`).join(",\n")}${comma}\n`;
}

export { withListedPages as default };
