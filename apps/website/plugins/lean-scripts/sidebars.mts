type Item = {
  type: string;
  label?: string;
  href?: string;
  docId?: string;
  unlisted?: boolean;
  items?: Item[];
};
type Version = { docsSidebars: Record<string, Item[]>; docs: Record<string, unknown> };

/**
 * The module of the props of a version of the docs, without the titles and descriptions that no page shows. They are a
 * third of what every page would load, and only the index of a category lists pages by them. The breadcrumbs need that
 * each page in a sidebar has an id, whichever it is, so a page that is not listed has its address for one.
 *
 * @param source JSON, of a version or of anything else, which stays as it is.
 */
export function withoutDescriptions(source: string): string {
  const props: { version?: Version } = JSON.parse(source);
  if (!props.version?.docs) return `export default ${source};\n`;
  const { docs, docsSidebars } = props.version;
  const listed = new Set(Object.values(docsSidebars).flat().flatMap(listedIn));
  const kept = Object.fromEntries([...listed].map((id) => [id, docs[id]]));
  const rest = JSON.stringify({
    ...props,
    version: { ...props.version, docs: kept, docsSidebars: {} },
  });
  const sidebars = Object.entries(docsSidebars).map(
    ([name, items]) => `${JSON.stringify(name)}: ${asCode(items, listed)}`,
  );
  return `const page = (label, href, docId = href, unlisted = false) => ({ type: "link", label, href, docId, unlisted });
const props = ${rest};
props.version.docsSidebars = { ${sidebars.join(",\n")} };
export default props;
`;
}

/** Items as an expression: pages, which are most of them, in the shortest form. */
function asCode(items: Item[], listed: Set<string>): string {
  return `[${items.map((item) => (isPage(item) ? asPage(item, listed) : asItem(item, listed)))}]`;
}

function isPage(item: Item): boolean {
  return Object.keys(item).every((key) => PAGE_KEYS.has(key)) && item.docId !== undefined;
}

const PAGE_KEYS = new Set(["type", "label", "href", "docId", "unlisted"]);

function asPage({ label, href, docId = "", unlisted }: Item, listed: Set<string>): string {
  const given = [
    label,
    href,
    ...(listed.has(docId) || unlisted ? [docId] : []),
    ...(unlisted ? [true] : []),
  ];
  return `page(${given.map((each) => JSON.stringify(each))})`;
}

function asItem({ items, ...item }: Item, listed: Set<string>): string {
  const own = JSON.stringify(item);
  return items ? `{ ...${own}, items: ${asCode(items, listed)} }` : own;
}

/** Ids of the pages in indexes of categories. */
function listedIn({ type, href, items = [] }: Item): string[] {
  if (type !== "category") return [];
  const isIndex = href?.includes("/category/");
  const here = isIndex ? items.flatMap(({ docId }) => docId ?? []) : [];
  return [...here, ...items.flatMap(listedIn)];
}

export { withoutDescriptions as default };
