/** The class for a colour of the theme of code: `var(--kh-code-string)` is the colour of `.code-string`. */
export function classOf(color: string): string {
  const [, name] = /^var\(--kh-(code-[a-z]+)\)$/.exec(color) ?? [];
  if (!name) throw new Error(`no class has the colour ${color}`);
  return name;
}
