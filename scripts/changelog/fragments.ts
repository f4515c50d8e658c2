import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a change is, as a fragment names it and as the changelog's heading says it. */
const headings = {
  added: "Added",
  changed: "Changed",
  fixed: "Fixed",
  security: "Security",
} as const;

export type Fragment = { kind: keyof typeof headings; text: string };

/** The files of `changelog/` that say what changed, sorted by name. */
export function fragmentFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md");
  return names.sort().map((name) => join(folder, name));
}

export function readFragments(folder: string): Fragment[] {
  return fragmentFiles(folder).map((file) => parseFragment(file, readFileSync(file, "utf8")));
}

/** Refuses a form that would get lost in the changelog. */
export function parseFragment(file: string, source: string): Fragment {
  const [, kind = "", text = ""] = /^---\nkind: (\S+)\n---\n(.*)$/s.exec(source) ?? [];
  if (!isKind(kind)) {
    throw new Error(
      `${file}: must begin with \`kind: \` and one of ${Object.keys(headings).join(", ")}`,
    );
  }
  const paragraph = text.trim();
  if (paragraph === "" || /\n\s*\n|^\s*[-#]/m.test(paragraph)) {
    throw new Error(`${file}: must be one paragraph`);
  }
  return { kind, text: paragraph };
}

/** The changelog with all fragments as its newest version, which `heading` names. */
export function withVersion(changelog: string, fragments: Fragment[], heading: string): string {
  const [intro = "", ...versions] = changelog.split(/^(?=## )/m);
  return paragraphs([intro, `## ${heading}\n\n${listOf(fragments)}`, ...versions]);
}

/** Makes a version of the fragments. What is missing stays with the newest version. */
export function release(
  changelog: string,
  fragments: Fragment[],
  { version, date }: { version: string; date: string },
): string {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`\`${version}\` must be like \`0.2.0\``);
  if (changelog.includes(`\n## ${version} - `)) {
    throw new Error(`CHANGELOG.md has ${version} already`);
  }
  if (fragments.length === 0) throw new Error("nothing has changed since the newest version");
  const [intro = "", newest = "", ...older] = changelog.split(/^(?=## )/m);
  const [changes = "", missing = ""] = newest.split(/^(?=### Not yet$)/m);
  const released = `## ${version} - ${date}\n\n${listOf(fragments)}`;
  return paragraphs([intro, released, missing, changes, ...older]);
}

export function listOf(fragments: Fragment[]): string {
  const groups = Object.entries(headings).map(([kind, title]) => {
    const entries = fragments.filter((each) => each.kind === kind).map(({ text }) => entryOf(text));
    return entries.length === 0 ? "" : `### ${title}\n\n${entries.join("")}`;
  });
  return groups.filter(Boolean).join("\n");
}

function entryOf(text: string): string {
  return `- ${text.replaceAll("\n", "\n  ")}\n`;
}

function paragraphs(parts: string[]): string {
  return `${parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n\n")}\n`;
}

function isKind(kind: string): kind is Fragment["kind"] {
  return Object.hasOwn(headings, kind);
}
