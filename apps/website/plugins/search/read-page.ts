import { flowing, type Section } from "@keyhearth/search/records";
import type { Element, Parents, Root } from "hast";
import rehypeParse from "rehype-parse";
import { unified } from "unified";
import { attribute, findElement, hasClass } from "../markdown-pages/tree.ts";

/** What the search needs to know of a built page. */
export type FoundPage = {
  tag: string;
  category: string;
  isTranslated: boolean;
  /** From search engines. */
  isHidden: boolean;
  sections: Section[];
};

const parser = unified().use(rehypeParse);

/** Controls, samples and drawings, which nobody looks for by their words. */
const skipped = new Set(
  "button input label nav noscript output pre script select style svg textarea".split(" "),
);

/** Elements within which a word goes on. */
const inline = new Set("a abbr b code del em i kbd mark s small strong sub sup wbr".split(" "));

/**
 * A built page in sections. A heading begins one, and so does an element with an anchor that a heading or a link to
 * itself names: an operation, an error, a question.
 *
 * @param language of the site. A page in another one is not translated.
 * @returns null for a page without a title, such as one that only leads to another.
 */
export function readPage(html: string, language: string): FoundPage | null {
  const root = parser.parse(html);
  const content =
    findElement(root, (each) => hasClass(each, "theme-doc-markdown")) ??
    findElement(root, ({ tagName }) => tagName === "main");
  const title = content && findElement(content, ({ tagName }) => tagName === "h1");
  if (!content || !title) return null;
  const isTranslated = !isInAnotherLanguage(root, title, language);
  const isHidden = metaOf(root, "robots").includes("noindex");
  const sections: Section[] = [["", 1, wordsOf(title), ""]];
  readSections(content, { sections, titles: new Set([title]), level: 1 });
  for (const section of sections) section[3] = tidy(section[3]);
  const tag = metaOf(root, "docusaurus_tag") || "default";
  return { tag, category: categoryOf(root), isTranslated, isHidden, sections };
}

type Reading = {
  sections: Section[];
  /** Elements whose words are a title, and so not read again. */
  titles: Set<Element>;
  /** Of the last heading. */
  level: number;
};

/** Adds the words of an element to the last section, and the sections that it begins. */
function readSections(parent: Parents, reading: Reading) {
  for (const child of parent.children) {
    if (child.type === "text") addWords(reading, child.value.replace(/\s+/g, " "));
    if (child.type !== "element" || reading.titles.has(child) || isSkipped(child, reading))
      continue;
    const title = titleOf(child);
    if (title) beginSection(reading, attribute(child, "id") ?? "", title);
    if (title === child) continue;
    const around = boundaryOf(child);
    addWords(reading, around);
    readSections(child, reading);
    addWords(reading, around);
  }
}

/** What ends where an element begins or ends: nothing, a cell, or a line. */
function boundaryOf({ tagName }: Element): string {
  if (inline.has(tagName)) return "";
  return tagName === "td" || tagName === "th" ? "\t" : "\n";
}

function addWords({ sections }: Reading, words: string) {
  const last = sections.at(-1);
  if (last) last[3] += words;
}

/** A link that names an element stands one level below the heading before it. */
function beginSection(reading: Reading, anchor: string, title: Element) {
  if (isHeading(title)) reading.level = Number(title.tagName.slice(1));
  const level = isHeading(title) ? reading.level : reading.level + 1;
  reading.titles.add(title);
  reading.sections.push([anchor, level, wordsOf(title), ""]);
}

/** The element that names this one, if it has an anchor: a heading, which may be this one itself, or a link to it. */
function titleOf(each: Element): Element | undefined {
  const id = attribute(each, "id");
  if (id === undefined) return undefined;
  if (isHeading(each)) return each;
  const label = attribute(each, "ariaLabelledBy") ?? listed(each.properties.ariaLabelledBy);
  const isNamed = each.tagName === "details" || label !== undefined;
  const heading = isNamed
    ? findElement(each, (one) => isHeading(one) && (!label || attribute(one, "id") === label))
    : undefined;
  return heading ?? findElement(each, (one) => isLinkTo(one, id) && wordsOf(one) !== "");
}

function isLinkTo(each: Element, id: string): boolean {
  return attribute(each, "href") === `#${id}` && !hasClass(each, "hash-link");
}

function listed(value: unknown): string | undefined {
  return Array.isArray(value) ? String(value[0]) : undefined;
}

function isHeading({ tagName }: Element): boolean {
  return /^h[1-6]$/.test(tagName);
}

function isSkipped(each: Element, { sections }: Reading): boolean {
  const isNotice = hasClass(each, "alert") && !hasClass(each, "theme-admonition");
  const anchor = sections.at(-1)?.[0];
  return (
    skipped.has(each.tagName) ||
    isNotice ||
    (anchor !== undefined && isLinkTo(each, anchor)) ||
    attribute(each, "ariaHidden") === "true" ||
    ["hash-link", "theme-doc-footer", "theme-doc-toc-mobile"].some((name) => hasClass(each, name))
  );
}

function wordsOf(each: Element): string {
  return flowing(tidy(joined(each)));
}

function joined(parent: Parents): string {
  return parent.children
    .map((child) => {
      if (child.type === "text") return child.value;
      if (child.type !== "element" || isBesideTitle(child)) return "";
      return inline.has(child.tagName) ? joined(child) : ` ${joined(child)} `;
    })
    .join("");
}

/** The link of a heading to itself, and how many calls a group of the reference has. */
function isBesideTitle(each: Element): boolean {
  return hasClass(each, "hash-link") || hasClass(each, "holds");
}

/** Without invisible characters, and with a single sign between words, cells and lines. */
function tidy(words: string): string {
  return words
    .replace(/[\u200b\u00ad]/g, "")
    .replace(/\s+/g, (space) => (/\n/.test(space) ? "\n" : /\t/.test(space) ? "\t" : " "))
    .trim();
}

/** The outermost category of a page in its sidebar. */
function categoryOf(root: Root): string {
  const crumb = findElement(root, (each) => hasClass(each, "breadcrumbs__link") && isWords(each));
  return crumb ? wordsOf(crumb) : "";
}

/** The first crumb is a picture of a house. */
function isWords(each: Element): boolean {
  return wordsOf(each) !== "";
}

function isInAnotherLanguage(root: Root, title: Element, language: string): boolean {
  const other = findElement(root, (each) => {
    const lang = each.tagName === "div" ? attribute(each, "lang") : undefined;
    return lang !== undefined && lang !== language && isAround(each, title);
  });
  return other !== undefined;
}

function isAround(each: Element, inner: Element): boolean {
  return findElement(each, (one) => one === inner) !== undefined;
}

function metaOf(root: Root, name: string): string {
  const meta = findElement(
    root,
    (each) => each.tagName === "meta" && attribute(each, "name") === name,
  );
  return (meta && attribute(meta, "content")) ?? "";
}
