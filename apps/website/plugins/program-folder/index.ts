import { needsOwnApp } from "./needs-own-app.mts";

/** A node of a page, with only the members that are read or made here. */
type Node = {
  type: string;
  value?: string;
  url?: string;
  lang?: string | null;
  name?: string | null;
  attributes?: { type: string; name?: string; value?: unknown }[];
  children?: Node[];
};

/** A path that the archive of the programs and a clone have, as a word of a command. */
const PROGRAM = /(^|[\s=])(apps\/website\/snippets|examples)\/\S/m;

const address = "/getting-started/examples#programs";

/** The text before the link, the link, and the text after it. */
type Sentence = [string, string, string];

const sentences: Record<"en" | "es", { command: Sentence; file: Sentence }> = {
  en: {
    command: [
      "Run it in ",
      "the folder of the programs",
      ", which your service has, or in a clone.",
    ],
    file: ["The file is in ", "the folder of the programs", ", with all that it imports."],
  },
  es: {
    command: [
      "Ejecútalo en ",
      "la carpeta de los programas",
      ", que tu servicio tiene, o en un clon.",
    ],
    file: ["El archivo está en ", "la carpeta de los programas", ", con todo lo que importa."],
  },
};

/**
 * Says where a page's programs are: below its first command that runs one or, if it has none, below the first program that
 * it shows. The text is part of the page, so the Markdown version has it too.
 */
export function programFolder() {
  return (tree: Node, { path = "" }: { path?: string }) => {
    const { command, file } = sentences[/[\\/]i18n[\\/]es[\\/]/.test(path) ? "es" : "en"];
    if (addBelowFirst(tree, runsProgram, command) || /[\\/]_partials[\\/]/.test(path)) return;
    const shown = importsOfPrograms(tree);
    addBelowFirst(tree, (node) => showsProgram(node, shown), file);
  };
}

function addBelowFirst(
  parent: Node,
  isWanted: (node: Node) => boolean,
  sentence: Sentence,
): boolean {
  const children = parent.children ?? [];
  for (const [index, child] of children.entries()) {
    if (isWanted(child)) {
      children.splice(index + 1, 0, paragraph(sentence));
      return true;
    }
    if (addBelowFirst(child, isWanted, sentence)) return true;
  }
  return false;
}

/** The names by which a page has the texts of programs. */
function importsOfPrograms({ children = [] }: Node): string[] {
  const IMPORT =
    /^import (\w+) from "(@site\/(?:snippets|\.\.\/\.\.\/examples)\/[^"]+\.tsx?)\?raw"/gm;
  return children
    .filter(({ type }) => type === "mdxjsEsm")
    .flatMap(({ value = "" }) => [...value.matchAll(IMPORT)])
    .filter(([, , file = ""]) => !needsOwnApp(file))
    .map(([, name = ""]) => name);
}

function showsProgram(node: Node, shown: string[]): boolean {
  return node.name === "CodeBlock" && shown.includes(textOf(node).trim());
}

function runsProgram(node: Node): boolean {
  if (node.type === "code") return isShell(node.lang) && PROGRAM.test(node.value ?? "");
  if (node.name !== "CodeBlock") return false;
  const attribute = (wanted: string) => node.attributes?.find(({ name }) => name === wanted)?.value;
  // The output of a program has its command as the title.
  const title = attribute("title");
  if (typeof title === "string" && /^(npx|sh) /.test(title)) return PROGRAM.test(title);
  return isShell(attribute("language")) && PROGRAM.test(textOf(node));
}

function isShell(language: unknown): boolean {
  return language === "bash" || language === "sh" || language === "shell";
}

function textOf({ value, children }: Node): string {
  return value ?? (children ?? []).map(textOf).join("");
}

function paragraph([before, label, after]: Sentence): Node {
  const text = (value: string): Node => ({ type: "text", value });
  const link = { type: "link", url: address, children: [text(label)] };
  return { type: "paragraph", children: [text(before), link, text(after)] };
}
