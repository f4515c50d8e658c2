type Doc = { id: string; path: string; sidebar?: string };
type GlobalData = Record<string, Record<string, { versions?: { docs: Doc[] }[] }>>;

const DOCS = "docusaurus-plugin-content-docs";

/**
 * The module of the data that plugins share, with one text for the pages of each sidebar. The theme looks there for
 * the sidebar of the address, and never for the id of a page.
 *
 * @param source JSON, as Docusaurus 3.10 writes it.
 */
export function withListedDocs(source: string): string {
  const data: GlobalData = JSON.parse(source);
  const versions = Object.values(data[DOCS] ?? {}).flatMap(({ versions = [] }) => versions);
  const lists = versions.map(({ docs }) => {
    const bySidebar = Map.groupBy(docs, ({ sidebar }) => sidebar ?? "");
    return [...bySidebar].map(([sidebar, pages]) => [
      sidebar,
      pages.map(({ path }) => path).join(" "),
    ]);
  });
  for (const version of versions) version.docs = [];
  return `const data = ${JSON.stringify(data)};
const lists = ${JSON.stringify(lists)};
const versions = Object.values(data[${JSON.stringify(DOCS)}] ?? {}).flatMap((each) => each.versions);
versions.forEach((version, at) => {
  version.docs = lists[at].flatMap(([sidebar, pages]) =>
    pages.split(" ").map((path) => (sidebar ? { path, sidebar } : { path })),
  );
});
export default data;
`;
}

export { withListedDocs as default };
