const WIDTH = 76;

/** JSON in lines, where each object and list that fits into a line is in one. */
export function neat(value: unknown, indent = ""): string {
  const compact = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, " ") ?? "null";
  const isCompound = typeof value === "object" && value !== null;
  if (!isCompound || (indent !== "" && indent.length + compact.length <= WIDTH)) return compact;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + neat(item, inner)).join(",\n")}\n${indent}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const lines = members.map(([name, member]) => {
    return `${inner}${JSON.stringify(name)}: ${neat(member, inner)}`;
  });
  return `{\n${lines.join(",\n")}\n${indent}}`;
}
