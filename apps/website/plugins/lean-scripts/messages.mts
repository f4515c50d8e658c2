import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "@babel/parser";
import type { Expression, JSXAttribute, JSXElement, Node, ObjectExpression } from "@babel/types";

type Messages = Record<string, string>;
type Edit = { start: number; end: number; text: string };

const importsMessages = /["']@docusaurus\/Translate["']/;

/**
 * The source of a module with its messages in the language of the site, and without their ids and the notes for
 * translators. Docusaurus keeps all messages of a language in the script of every page.
 *
 * @param messages by their ids. A message that has no translation stays as it is.
 * @throws if a message has no fixed id. Docusaurus could not find it either.
 */
export function withMessages(source: string, messages: Messages): string {
  if (!importsMessages.test(source)) return source;
  const { program } = parse(source, { sourceType: "module", plugins: ["jsx", "typescript"] });
  const edits = [...nodesOf(program)].flatMap((node) => editsOf(node, source, messages));
  // The last comes first, so that the positions of the others stay right.
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (text, { start, end, text: its }) => text.slice(0, start) + its + text.slice(end),
      source,
    );
}

/** A node and all nodes in it. */
function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string" && typeof child.start === "number") yield* nodesOf(child);
    }
  }
}

function editsOf(node: Node, source: string, messages: Messages): Edit[] {
  if (node.type === "CallExpression" && isNamed(node.callee, "translate")) {
    const [declaration] = node.arguments;
    if (declaration?.type !== "ObjectExpression") throw notFixed(node, source);
    return [editOfDeclaration(declaration, source, messages)];
  }
  if (node.type === "JSXElement" && isNamed(node.openingElement.name, "Translate")) {
    return editsOfElement(node, source, messages);
  }
  return [];
}

/** Of `{ id, message, description }`. */
function editOfDeclaration(node: ObjectExpression, source: string, messages: Messages): Edit {
  const id = fieldOf(node, "id");
  const message = fieldOf(node, "message");
  if (id?.type !== "StringLiteral" || !message) throw notFixed(node, source);
  const translated = messages[id.value];
  const text = translated === undefined ? textOf(message, source) : JSON.stringify(translated);
  return { ...placeOf(node), text: `{ message: ${text} }` };
}

/** Of `<Translate id="" description="">message</Translate>`. */
function editsOfElement(node: JSXElement, source: string, messages: Messages): Edit[] {
  const { openingElement, closingElement } = node;
  const named = (key: string) =>
    openingElement.attributes.filter(
      (each) => each.type === "JSXAttribute" && isNamed(each.name, key),
    ) as JSXAttribute[];
  const id = named("id").at(0)?.value;
  if (id?.type !== "StringLiteral" || !closingElement) throw notFixed(node, source);
  const translated = messages[id.value];
  const removed = [...named("id"), ...named("description")].map((each) => ({
    ...placeOf(each),
    text: "",
  }));
  if (translated === undefined) return removed;
  const start = placeOf(openingElement).end;
  const { start: end } = placeOf(closingElement);
  return [...removed, { start, end, text: `{${JSON.stringify(translated)}}` }];
}

function fieldOf(object: ObjectExpression, key: string): Expression | undefined {
  for (const property of object.properties) {
    if (property.type !== "ObjectProperty" || !isNamed(property.key, key)) continue;
    return property.value as Expression;
  }
  return undefined;
}

function isNamed(node: Node, name: string): boolean {
  return (node.type === "Identifier" || node.type === "JSXIdentifier") && node.name === name;
}

function placeOf({ start, end }: Node): { start: number; end: number } {
  if (typeof start !== "number" || typeof end !== "number") throw new Error("a node has no place");
  return { start, end };
}

function textOf(node: Node, source: string): string {
  const { start, end } = placeOf(node);
  return source.slice(start, end);
}

function notFixed(node: Node, source: string): Error {
  return new Error(`a message needs a fixed id and a text of its own: ${textOf(node, source)}`);
}

/** The path from here. In the names of modules, a path of the machine would give its files other names elsewhere. */
type Loader = { getOptions(): { file: string } };

export default function loader(this: Loader, source: string): string {
  // Most of the hundreds of modules have none, and need not wait until all messages are read.
  if (!importsMessages.test(source)) return source;
  const file = join(import.meta.dirname, this.getOptions().file);
  return withMessages(source, JSON.parse(readFileSync(file, "utf8")));
}
