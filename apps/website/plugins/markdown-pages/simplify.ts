// Turns what the theme and our components render into the plain elements that Markdown has a form for.

import type { Element, ElementContent, Parents } from "hast";
import {
  attribute,
  element,
  findElement,
  findElements,
  hasClass,
  label,
  replaceElements,
  text,
  textOf,
} from "./tree.ts";

/** Where a link leads in the Markdown pages, given its address in the site. */
export type ToAddress = (href: string) => string;

const controls = new Set([
  "button",
  "input",
  "nav",
  "noscript",
  "script",
  "select",
  "style",
  "wbr",
]);
const inline = new Set(["a", "code", "em", "span", "strong"]);

const steps = [
  describeDrawing,
  removeControls,
  flattenCode,
  labelTabs,
  quoteAdmonition,
  openDetails,
  listTerms,
  captionTable,
  joinCell,
  unlinkHeading,
];

export function simplify(content: Parents, toAddress: ToAddress): void {
  removeComments(content);
  listTasks(content);
  replaceElements(content, whatOpens);
  replaceElements(content, (each) => {
    const href = attribute(each, "href");
    if (each.tagName === "a" && href) each.properties.href = toAddress(href);
    for (const step of steps) {
      const replacement = step(each);
      if (replacement) return replacement;
    }
    return undefined;
  });
  separateInline(content);
}

function removeComments(parent: Parents): void {
  parent.children = parent.children.filter(({ type }) => type !== "comment") as ElementContent[];
  for (const child of parent.children) if (child.type === "element") removeComments(child);
}

/** A heading that opens what is below it is a heading, and what is filled in when a reader opens it is not there yet. */
function whatOpens(each: Element): ElementContent[] | undefined {
  if (/^h[1-6]$/.test(each.tagName)) {
    // A count beside its words is not part of it.
    replaceElements(each, (part) =>
      part.tagName === "button" ? part.children.filter(({ type }) => type === "text") : undefined,
    );
  }
  if (each.tagName !== "details") return undefined;
  const summary = findElement(each, ({ tagName }) => tagName === "summary");
  return summary && textOf(each).trim() === textOf(summary).trim() ? [] : undefined;
}

/** A box to tick and its label are an item of a list of tasks. */
function listTasks(parent: Parents): void {
  const children: ElementContent[] = [];
  let tasks: Element | undefined;
  for (const child of parent.children as ElementContent[]) {
    if (child.type === "element") listTasks(child);
    const task = child.type === "element" ? taskOf(child) : undefined;
    if (!task) {
      tasks = undefined;
      children.push(child);
    } else if (tasks) tasks.children.push(task);
    else {
      tasks = element("ul", [task]);
      children.push(tasks);
    }
  }
  parent.children = children;
}

function taskOf({ children }: Element): Element | undefined {
  const [box, words] = children;
  if (box?.type !== "element" || words?.type !== "element") return undefined;
  if (attribute(box, "type") !== "checkbox" || words.tagName !== "label") return undefined;
  // Like a box in Markdown, it can no longer be changed.
  const input = element("input", [], { type: "checkbox", disabled: true });
  return element("li", [input, text(" "), ...words.children]);
}

/** A drawing is its text alternative. A drawing without one is an ornament. */
function describeDrawing(each: Element): ElementContent[] | undefined {
  const isDrawing = each.tagName === "svg" || attribute(each, "role") === "img";
  if (!isDrawing) return undefined;
  const parts = findElements(each, ({ tagName }) => tagName === "title" || tagName === "desc");
  const words = attribute(each, "ariaLabel") ?? parts.map(textOf).join(" ");
  const isHidden = attribute(each, "ariaHidden") === "true";
  if (isHidden || words.trim() === "") return [];
  return [element("p", [element("em", [text("Diagram:")]), text(` ${words.trim()}`)])];
}

function removeControls(each: Element): ElementContent[] | undefined {
  const isTask = attribute(each, "type") === "checkbox" && each.properties.disabled === true;
  const isControl = (controls.has(each.tagName) && !isTask) || hasClass(each, "hash-link");
  // The label of a control that is gone says nothing.
  const isLabel = each.tagName === "label";
  // Readers of the Markdown see which language it is in without the notice of a page that is not translated.
  // The theme gives details to open the same class.
  const isNotice = hasClass(each, "alert") && each.tagName !== "details";
  const isFooter = hasClass(each, "theme-doc-footer") || hasClass(each, "theme-doc-toc-mobile");
  if (each.tagName === "textarea") return [codeBlock(textOf(each).trim(), "text")];
  return isControl || isLabel || isNotice || isFooter ? [] : undefined;
}

/** A block of code has a language and its lines, without the elements that colour it. */
function flattenCode(each: Element): ElementContent[] | undefined {
  if (hasClass(each, "codeBlockTitle")) return [label(textOf(each))];
  if (each.tagName === "code") return [{ ...each, children: [text(textOf(each))] }];
  if (each.tagName !== "pre") return undefined;
  const code = findElement(each, ({ tagName }) => tagName === "code");
  return [codeBlock(linesOf(each), languageOf(each) ?? (code && languageOf(code)))];
}

function linesOf(pre: Element): string {
  return textOf(pre).replace(/\n+$/, "");
}

function languageOf({ properties }: Element): string | undefined {
  const names = Array.isArray(properties.className) ? properties.className.map(String) : [];
  return names.find((name) => name.startsWith("language-"))?.slice("language-".length);
}

function codeBlock(lines: string, language: string | undefined): Element {
  const name = language ?? (/^[[{]/.test(lines) ? "json" : "text");
  return element("pre", [element("code", [text(lines)], { className: [`language-${name}`] })]);
}

/** Every variant of a choice, each below the name of its tab. */
function labelTabs(each: Element): ElementContent[] | undefined {
  if (!hasClass(each, "tabs-container")) return undefined;
  const names = findElements(each, (one) => attribute(one, "role") === "tab").map(textOf);
  const panels = findElements(each, (one) => attribute(one, "role") === "tabpanel");
  return panels.flatMap((panel, position) => [label(names[position] ?? ""), ...panel.children]);
}

function quoteAdmonition(each: Element): ElementContent[] | undefined {
  if (!hasClass(each, "theme-admonition")) return undefined;
  const heading = findElement(each, (one) => hasClass(one, "admonitionHeading"));
  const content = findElement(each, (one) => hasClass(one, "admonitionContent"));
  const title = (heading ? textOf(heading) : "note").trim();
  const name = title.charAt(0).toUpperCase() + title.slice(1);
  return [element("blockquote", [label(name), ...(content?.children ?? [])])];
}

function openDetails(each: Element): ElementContent[] | undefined {
  if (each.tagName === "summary") return [label(textOf(each))];
  return each.tagName === "details" ? each.children : undefined;
}

/** Terms and what they mean, one pair on a line. */
function listTerms(each: Element): ElementContent[] | undefined {
  if (each.tagName !== "dl") return undefined;
  const items: Element[] = [];
  for (const part of findElements(each, ({ tagName }) => tagName === "dt" || tagName === "dd")) {
    const last = items.at(-1);
    if (part.tagName === "dt" || !last) items.push(element("li", part.children));
    else last.children.push(text(": "), ...part.children);
  }
  return [element("ul", items)];
}

/** Tables of Markdown have no caption. */
function captionTable(each: Element): ElementContent[] | undefined {
  if (each.tagName !== "table") return undefined;
  const caption = findElement(each, ({ tagName }) => tagName === "caption");
  if (!caption) return undefined;
  const children = each.children.filter((child) => child !== caption);
  return [label(textOf(caption)), { ...each, children }];
}

/** A cell of Markdown is one line, so its blocks and list items follow each other on it. */
function joinCell(each: Element): ElementContent[] | undefined {
  if (each.tagName !== "td" && each.tagName !== "th") return undefined;
  replaceElements(each, (part) => {
    if (part.tagName === "br") return [text(" ")];
    if (["ul", "ol"].includes(part.tagName)) return joined(part.children, "; ");
    if (["li", "p", "div", "figure"].includes(part.tagName)) return [text(" "), ...part.children];
    return undefined;
  });
  return undefined;
}

function joined(parts: ElementContent[], separator: string): ElementContent[] {
  const items = parts.filter((part) => textOf(part).trim() !== "");
  return items.flatMap((item, position) => (position > 0 ? [text(separator), item] : [item]));
}

/** A heading that links to itself is a heading. */
function unlinkHeading(each: Element): ElementContent[] | undefined {
  if (!/^h[1-6]$/.test(each.tagName)) return undefined;
  replaceElements(each, (part) =>
    attribute(part, "href")?.startsWith("#") ? part.children : undefined,
  );
  return undefined;
}

/** Styles keep some inline elements apart. In text they need a space, and names in code a comma. */
function separateInline(parent: Parents): void {
  const children = parent.children as ElementContent[];
  parent.children = children.flatMap((child, position) => {
    const before = children[position - 1];
    if (child.type !== "element" || !inline.has(child.tagName)) return [child];
    if (before?.type === "text" && /[.!?]$/.test(before.value)) return [text(" "), child];
    if (before?.type !== "element" || !inline.has(before.tagName)) return [child];
    const areNames = child.tagName === "code" && before.tagName === "code";
    return [text(areNames ? ", " : " "), child];
  });
  for (const child of parent.children) {
    if (child.type === "element" && child.tagName !== "pre") separateInline(child);
  }
}
