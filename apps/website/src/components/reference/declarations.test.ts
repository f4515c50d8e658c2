import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { declarationsOf } from "./declarations.ts";

const source = `import { x } from "./x.ts";

/** A pair. */
export type Pair = { a: string; b: string };

export type Long = {
  /** In seconds. */
  a: { b: number };
  c: string;
};

/** Either. */
export type Either =
  | { type: "one" }
  | { type: "two"; reason: string };

/** Adds. Throws if there is nothing to add. */
export async function add(
  pair: Pair,
  { by }: { by: number },
): Promise<number> {
  return x(pair, by);
}

export function short(a: string): void {
  x(a);
}
`;

test("a type is shown whole, with its comment", () => {
  expect(declarationsOf(source, ["Pair"])).toBe(
    "/** A pair. */\nexport type Pair = { a: string; b: string };",
  );
  expect(declarationsOf(source, ["Long"])).toBe(
    "export type Long = {\n  /** In seconds. */\n  a: { b: number };\n  c: string;\n};",
  );
  expect(declarationsOf(source, ["Either"])).toBe(
    '/** Either. */\nexport type Either =\n  | { type: "one" }\n  | { type: "two"; reason: string };',
  );
});

test("a function is shown without its body", () => {
  expect(declarationsOf(source, ["add", "short"])).toBe(
    [
      "/** Adds. Throws if there is nothing to add. */",
      "export function add(\n  pair: Pair,\n  { by }: { by: number },\n): Promise<number>;",
      "",
      "export function short(a: string): void;",
    ].join("\n"),
  );
});

test("a name that the source doesn't export is an error", () => {
  expect(() => declarationsOf(source, ["x"])).toThrow("the source has no export `x`");
});

test("the page about the browser shows everything that the SDK exports for pages", () => {
  const page = readFileSync(
    new URL("../../../docs/sdks/javascript-browser.mdx", import.meta.url),
    "utf8",
  );
  const files = new Map(
    [...page.matchAll(/^import (\w+) from "@site\/\.\.\/\.\.\/(packages\/[^?]+)\?raw";$/gm)].map(
      ([, name = "", path = ""]) => [name, path] as const,
    ),
  );
  const uses = [...page.matchAll(/<Declarations source=\{(\w+)\} names=\{(\[[^\]]*\])\} \/>/g)];
  const shown = uses.flatMap(([, name = "", list = "[]"]) => {
    const path = new URL(`../../../../../${files.get(name)}`, import.meta.url);
    const names: string[] = JSON.parse(list);
    const text = declarationsOf(readFileSync(path, "utf8"), names);
    for (const each of names)
      expect(text).toMatch(new RegExp(`^export (type|function) ${each}\\b`, "m"));
    return names;
  });
  const entry = readFileSync(
    new URL("../../../../../packages/sdk/src/browser.ts", import.meta.url),
    "utf8",
  );
  const code = entry.replace(/^\/\*\*.*\*\/$/gm, "");
  const exported = [...code.matchAll(/(?:type )?(\w+)(?=,| \})/g)].map(([, name = ""]) => name);
  // The table of the keeper's members is beside its options, and the proxy, invitations and stores have their own pages.
  const elsewhere = [
    "SessionKeeper",
    "LoginProxy",
    "prepareAcceptance",
    "Invitation",
    "indexedDbStorage",
    "KeyEntry",
    "KeyStorage",
    "memoryStorage",
  ];
  expect(exported.filter((name) => !shown.includes(name) && !elsewhere.includes(name))).toEqual([]);
});
