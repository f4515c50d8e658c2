/** How the programs of an installation are called: in a clone by npm, from its package by `keyhearth`, or as Debian has them. */
export type Naming = "clone" | "package" | "debian";

/** Help and errors name commands as a clone calls them, so that the sources need to know nothing of installations. */
const COMMAND =
  /\bnpm (?:run (?:-s )?(signer|courier|feedback|distribute)|start)\b(?: --(?= |`))?/g;

/** A text of the sources, with the commands of an installation. */
export function nameCommands(text: string, naming: Naming): string {
  if (naming === "clone") return text;
  return text.replace(COMMAND, (_, program: string | undefined) => commandOf(program, naming));
}

function commandOf(program: string | undefined, naming: "package" | "debian"): string {
  if (naming === "package") return `keyhearth ${program ?? "start"}`;
  return `keyhearth-${program ?? "api"}`;
}
