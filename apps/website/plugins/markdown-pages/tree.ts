import type { Element, ElementContent, Nodes, Parents, Text } from "hast";

/** What a step puts in place of an element: nothing removes it, and nodes replace it. */
export type Replace = (element: Element) => ElementContent[] | undefined;

/** Replaces elements from the inside out, so that a step sees children that are done. */
export function replaceElements(parent: Parents, replace: Replace): void {
  // A document type stands only beside the root element, and no step moves that.
  parent.children = (parent.children as ElementContent[]).flatMap((child) => {
    if (child.type !== "element") return [child];
    replaceElements(child, replace);
    return replace(child) ?? [child];
  });
}

/** The first element that the test accepts, in the order of the document. */
export function findElement(
  parent: Parents,
  accepts: (element: Element) => boolean,
): Element | undefined {
  for (const child of parent.children) {
    if (child.type !== "element") continue;
    const found = accepts(child) ? child : findElement(child, accepts);
    if (found) return found;
  }
  return undefined;
}

export function findElements(parent: Parents, accepts: (element: Element) => boolean): Element[] {
  return parent.children.flatMap((child) => {
    if (child.type !== "element") return [];
    return accepts(child) ? [child] : findElements(child, accepts);
  });
}

export function textOf(node: Nodes): string {
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

/** Class names end in a hash where a module declares them, so the start of a name decides. */
export function hasClass({ properties }: Element, start: string): boolean {
  const names = properties.className;
  return Array.isArray(names) && names.some((name) => String(name).startsWith(start));
}

/** An attribute's text, or none. */
export function attribute({ properties }: Element, name: string): string | undefined {
  const value = properties[name];
  return typeof value === "string" ? value : undefined;
}

export function text(value: string): Text {
  return { type: "text", value };
}

export function element(
  tagName: string,
  children: ElementContent[],
  properties: Element["properties"] = {},
): Element {
  return { type: "element", tagName, properties, children };
}

/** A paragraph in bold: what a label, a title or a summary becomes. */
export function label(value: string): Element {
  return element("p", [element("strong", [text(value)])]);
}
