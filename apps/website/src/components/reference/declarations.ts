/**
 * The exported types and functions of a source file with these names, each with its comment, as a reader of the types
 * sees them: a function without its body.
 */
export function declarationsOf(source: string, names: readonly string[]): string {
  const lines = source.split("\n");
  return names.map((name) => declarationOf(lines, name)).join("\n\n");
}

function declarationOf(lines: readonly string[], name: string): string {
  const begins = new RegExp(`^export (?:async )?(?:type|function) ${name}\\b`);
  const at = lines.findIndex((line) => begins.test(line));
  const first = lines[at];
  if (first === undefined) throw new Error(`the source has no export \`${name}\``);
  const isType = /^export type /.test(first);
  // The formatter ends a type with a line that ends in `;` at its outermost level, and opens a body with ` {`.
  const isLast = (line: string, index: number) =>
    isType
      ? index >= at && /^\S.*;$|^ {2}\| .*;$/.test(line)
      : index >= at && / \{$/.test(line) && !/^ /.test(line);
  const end = lines.findIndex(isLast);
  const text = lines.slice(at, end + 1).join("\n");
  const comment = commentBefore(lines, at);
  return (
    comment + (isType ? text : `${text.replace(/ \{$/, ";").replace(/^export async /, "export ")}`)
  );
}

function commentBefore(lines: readonly string[], at: number): string {
  if (!lines[at - 1]?.endsWith("*/")) return "";
  const begin = lines.findLastIndex((line, index) => index < at && line.startsWith("/**"));
  return `${lines.slice(begin, at).join("\n")}\n`;
}
