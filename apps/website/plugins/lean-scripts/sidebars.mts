type Item = { type: string; href?: string; docId?: string; unlisted?: boolean; items?: Item[] };
type Version = { docsSidebars: Record<string, Item[]>; docs: Record<string, unknown> };

/**
 * The props of a version of the docs without the titles and descriptions that no page shows. They are a
 * third of what every page would load, and only the index of a category lists pages by them.
 *
 * @param source JSON, of a version or of anything else, which stays as it is.
 */
export function withoutDescriptions(source: string): string {
  const props: { version?: Version } = JSON.parse(source);
  if (!props.version?.docs) return source;
  const { docs, docsSidebars } = props.version;
  const listed = Object.values(docsSidebars).flat().flatMap(listedIn);
  const kept = Object.fromEntries(listed.map((id) => [id, docs[id]]));
  const short = Object.entries(docsSidebars).map(([name, items]) => [
    name,
    items.map((item) => withoutIds(item, new Set(listed))),
  ]);
  const version = { ...props.version, docs: kept, docsSidebars: Object.fromEntries(short) };
  return JSON.stringify({ ...props, version });
}

/** An item without what only finds descriptions, and without what is the same as nothing. */
function withoutIds({ docId, unlisted, items, ...item }: Item, listed: Set<string>): Item {
  return {
    ...item,
    ...(unlisted && { unlisted }),
    ...(docId !== undefined && listed.has(docId) && { docId }),
    ...(items && { items: items.map((each) => withoutIds(each, listed)) }),
  };
}

/** Ids of the pages in indexes of categories. */
function listedIn({ type, href, items = [] }: Item): string[] {
  if (type !== "category") return [];
  const isIndex = href?.includes("/category/");
  const here = isIndex ? items.flatMap(({ docId }) => docId ?? []) : [];
  return [...here, ...items.flatMap(listedIn)];
}

export { withoutDescriptions as default };
