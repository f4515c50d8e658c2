import type { LoadedContent } from "@docusaurus/plugin-content-docs";

/** What the sidebars say about one version of the documentation. */
export type Outline = Section[];
type Section = { title: string; pages: Page[] };
type Page = { title: string; description: string; path: string };

type Version = LoadedContent["loadedVersions"][number];
type Item = Version["sidebars"][string][number];

/**
 * The sections of the latest version, in the order of its sidebars, each page once. Pages that are in
 * no category have the title of their sidebar.
 */
export function outlineOf(
  { loadedVersions }: LoadedContent,
  sidebarTitles: Record<string, string>,
): Outline {
  const version = loadedVersions.find(({ isLast }) => isLast);
  if (!version) throw new Error("the documentation has no latest version");
  const seen = new Set<string>();
  const sections = new Map<string, Page[]>();
  for (const [sidebar, items] of Object.entries(version.sidebars)) {
    for (const item of items) {
      const title = item.type === "category" ? item.label : (sidebarTitles[sidebar] ?? sidebar);
      const pages = pagesOf(item, version).filter(({ path }) => !seen.has(path));
      for (const { path } of pages) seen.add(path);
      if (pages.length > 0) sections.set(title, [...(sections.get(title) ?? []), ...pages]);
    }
  }
  return [...sections].map(([title, pages]) => ({ title, pages }));
}

/** Whether the path belongs to an earlier or coming version of the documentation. */
export function isOtherVersion({ loadedVersions }: LoadedContent, path: string): boolean {
  return loadedVersions.some((version) => !version.isLast && path.startsWith(`${version.path}/`));
}

function pagesOf(item: Item, version: Version): Page[] {
  if (item.type === "doc") return [pageOf(item.id, version)];
  if (item.type !== "category") return [];
  const own = item.link ? [ownPage(item.link, item.label, version)] : [];
  return [...own, ...item.items.flatMap((each) => pagesOf(each, version))];
}

type Link = NonNullable<Extract<Item, { type: "category" }>["link"]>;

function ownPage(link: Link, label: string, version: Version): Page {
  if (link.type === "doc") return pageOf(link.id, version);
  const { permalink, title = label, description = "" } = link;
  return { title, description, path: permalink };
}

function pageOf(id: string, { docs }: Version): Page {
  const doc = docs.find((each) => each.id === id);
  if (!doc) throw new Error(`a sidebar names the page \`${id}\`, which does not exist`);
  return { title: doc.title, description: doc.description, path: doc.permalink };
}
