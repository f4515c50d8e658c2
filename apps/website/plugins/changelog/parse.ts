import type { ElementContent } from "hast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { textOf } from "../markdown-pages/tree.ts";

export type Changelog = Version[];

export type Version = {
  /** Anchor: the number, or `unreleased`. */
  id: string;
  title: string;
  /** The day of the release, as in `2026-01-31`. */
  date: string | null;
  groups: Group[];
};

/** Changes of one kind, such as `Added`. */
export type Group = { id: string; title: string; entries: Entry[] };

export type Entry = {
  /** Anchor: the first words, so that it stays the same when the entry is released. */
  id: string;
  content: ElementContent[];
};

const reader = unified().use(remarkParse).use(remarkGfm);
const toHtml = unified().use(remarkRehype);

/** Reads a file in the form of Keep a Changelog. `linkTo` is where relative links lead. */
export function parseChangelog(markdown: string, linkTo: (path: string) => string): Changelog {
  const versions: Changelog = [];
  const ids = new Set<string>();
  for (const node of reader.parse(markdown).children) {
    const words = markdown.slice(node.position?.start.offset, node.position?.end.offset);
    const version = versions.at(-1);
    if (node.type === "heading" && node.depth === 2) {
      versions.push(readVersion(words.replace(/^##\s*/, "")));
    } else if (node.type === "heading" && node.depth === 3 && version) {
      const title = words.replace(/^###\s*/, "");
      version.groups.push({ id: `${version.id}-${slug(title)}`, title, entries: [] });
    } else if (node.type === "list" && version) {
      const group = version.groups.at(-1);
      if (!group) throw new Error(`CHANGELOG.md: entries of ${version.title} have no heading`);
      for (const item of node.children) {
        const { children } = toHtml.runSync({ type: "root", children: item.children });
        const content = unwrap(children as ElementContent[]);
        for (const each of content) tidy(each, linkTo);
        group.entries.push({ id: unique(slug(wordsOf(content)), ids), content });
      }
    } else if (version) {
      throw new Error(`CHANGELOG.md: \`${words.slice(0, 40)}\` is neither a heading nor a list`);
    }
  }
  return versions;
}

function readVersion(heading: string): Version {
  const [, number = "", date = null] =
    /^\[?([^\]\s]+)\]?(?:\s+-\s+(\d{4}-\d\d-\d\d))?$/.exec(heading) ?? [];
  const isReleased = /^\d+\.\d+\.\d+/.test(number);
  if (isReleased ? date === null : number !== "Unreleased") {
    throw new Error(
      `CHANGELOG.md: \`## ${heading}\` must be \`## Unreleased\` or like \`## 1.2.0 - 2026-01-31\``,
    );
  }
  return { id: number.toLowerCase(), title: number, date, groups: [] };
}

/** An entry of a single paragraph is a line. */
function unwrap(children: ElementContent[]): ElementContent[] {
  const parts = children.filter((each) => each.type === "element");
  const [only] = parts;
  return parts.length === 1 && only?.tagName === "p" ? only.children : parts;
}

/** What an entry says, without its markup. */
export function wordsOf(content: ElementContent[]): string {
  return content.map(textOf).join("").replace(/\s+/g, " ").trim();
}

/** Makes relative links absolute, and drops the places in the file, of which no reader needs to know. */
function tidy(node: ElementContent, linkTo: (path: string) => string): void {
  delete node.position;
  if (node.type !== "element") return;
  const { href } = node.properties;
  if (typeof href === "string" && !/^([a-z]+:|\/|#)/.test(href))
    node.properties.href = linkTo(href);
  for (const child of node.children) tidy(child, linkTo);
}

/** At most eight words, in lower case, joined by hyphens. */
function slug(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.slice(0, 8).join("-");
}

function unique(id: string, ids: Set<string>): string {
  let candidate = id;
  for (let count = 2; ids.has(candidate); count++) candidate = `${id}-${count}`;
  ids.add(candidate);
  return candidate;
}
