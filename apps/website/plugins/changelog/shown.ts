import type { ElementContent } from "hast";
import type { Changelog } from "./parse.ts";

/** A part of an entry as the page's script has it: text, or a tag, where it leads if it is a link, and what is in it. */
export type Shown = string | [tag: string, href: string | null, parts: Shown[]];

export type ShownEntry = { id: string; content: Shown[] };

/** The changelog in few characters: its page loads all of it. */
export function shownOf(changelog: Changelog) {
  return changelog.map(({ groups, ...version }) => ({
    ...version,
    groups: groups.map(({ entries, ...group }) => ({
      ...group,
      entries: entries.map(({ id, content }) => ({ id, content: content.flatMap(partOf) })),
    })),
  }));
}

/** Text, code, emphasis, links and lists. Nothing else is in an entry. */
function partOf(node: ElementContent): Shown[] {
  if (node.type === "text") return [node.value];
  if (node.type !== "element") return [];
  const { href } = node.properties;
  const target = typeof href === "string" ? href : null;
  return [[node.tagName, target, node.children.flatMap(partOf)]];
}
