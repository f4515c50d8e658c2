type Item = { type: string; href?: string; docId?: string; items?: Item[] };
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
  return JSON.stringify({ ...props, version: { ...props.version, docs: kept } });
}

/** Ids of the pages in indexes of categories. */
function listedIn({ type, href, items = [] }: Item): string[] {
  if (type !== "category") return [];
  const isIndex = href?.includes("/category/");
  const here = isIndex ? items.flatMap(({ docId }) => docId ?? []) : [];
  return [...here, ...items.flatMap(listedIn)];
}

export { withoutDescriptions as default };
