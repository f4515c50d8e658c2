import { parse } from "@babel/parser";
import { type Node, traverse } from "@babel/types";

/**
 * The titles of the tests in a file, each after those of its groups, as Vitest joins them. What differs from
 * case to case is an ellipsis.
 */
export function titlesOfTests(source: string): Set<string> {
  const titles = new Set<string>();
  traverse(parse(source, { sourceType: "module", plugins: ["typescript"] }), (node, ancestors) => {
    const title = titleOf(node, "test");
    if (title === undefined) return;
    const groups = ancestors.flatMap((each) => titleOf(each.node, "describe") ?? []);
    titles.add([...groups, title].join(" "));
  });
  return titles;
}

/** Of `test("…", …)`, `test.each(…)("…", …)` and the like. */
function titleOf(node: Node, name: "test" | "describe"): string | undefined {
  if (node.type !== "CallExpression" || node.arguments.length < 2) return;
  if (calledName(node.callee) !== name) return;
  const [title] = node.arguments;
  if (title?.type === "StringLiteral") return withoutValues(title.value);
  if (title?.type !== "TemplateLiteral") return;
  return title.quasis.map(({ value }) => withoutValues(value.cooked ?? "")).join("…");
}

function calledName(callee: Node): string | undefined {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return calledName(callee.object);
  return callee.type === "CallExpression" ? calledName(callee.callee) : undefined;
}

function withoutValues(title: string): string {
  return title.replace(/%[sdifjoO#]|\$[\w.]+/g, "…");
}
