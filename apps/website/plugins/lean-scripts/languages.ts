/** A node of a page, with only the members that are read here. */
type Node = {
  type: string;
  lang?: string | null;
  name?: string | null;
  attributes?: { type: string; name?: string; value?: unknown }[];
  children?: Node[];
};

/** The languages that every page has. Prism builds some of them on others, so the order counts. */
export const everywhere = "clike javascript typescript json".split(" ");

const markup = ["markup"];
const bash = ["bash"];
const python = ["python"];
const ruby = ["ruby"];
const yaml = ["yaml"];
const jsx = [...markup, "jsx"];

/** Prism's files for each name that pages use for a language, in the order of loading, without those on every page. */
const files: Record<string, string[]> = {
  bash,
  dart: ["dart"],
  go: ["go"],
  html: markup,
  ini: ["ini"],
  jsx,
  kotlin: ["kotlin"],
  py: python,
  python,
  rb: ruby,
  ruby,
  rust: ["rust"],
  sh: bash,
  shell: bash,
  swift: ["swift"],
  toml: ["toml"],
  tsx: [...jsx, "tsx"],
  xml: markup,
  yaml,
  yml: yaml,
};

const known = new Set([...everywhere, "js", "ts", "text"]);

/** Makes each page import those languages of its samples that are not on every page. */
export function sampleLanguages() {
  return (tree: { children: Node[] }, file: { path?: string }) => {
    const used = new Set<string>();
    for (const node of tree.children) collect(node, used);
    const unknown = [...used].filter((name) => !known.has(name) && !Object.hasOwn(files, name));
    if (unknown.length > 0) {
      throw new Error(
        `${file.path}: samples in ${unknown.join(", ")} would have no colours; add the language to plugins/lean-scripts/languages.ts`,
      );
    }
    const wanted = new Set([...used].sort().flatMap((name) => files[name] ?? []));
    tree.children.unshift(...[...wanted].map(importOf));
  };
}

function collect(node: Node, used: Set<string>) {
  if (node.type === "code" && node.lang) used.add(node.lang);
  if (node.name === "CodeBlock") {
    const language = node.attributes?.find(({ name }) => name === "language")?.value;
    if (typeof language === "string") used.add(language);
  }
  for (const child of node.children ?? []) collect(child, used);
}

function importOf(name: string) {
  const source = `prismjs/components/prism-${name}`;
  const estree = {
    type: "Program",
    sourceType: "module",
    body: [
      {
        type: "ImportDeclaration",
        specifiers: [],
        attributes: [],
        source: { type: "Literal", value: source, raw: JSON.stringify(source) },
      },
    ],
  };
  return { type: "mdxjsEsm", value: `import ${JSON.stringify(source)};`, data: { estree } };
}
