import { ROOTS } from "@keyhearth/policy/schema";
import type { StructType, Type } from "@keyhearth/policy/types";

/** Structs that expressions can reach, by their name, in the order of the roots. */
export function structsOf(roots: Readonly<Record<string, Type>>): StructType[] {
  const found = new Map<string, StructType>();
  const visit = (type: Type) => {
    if (type.kind === "list") visit(type.element);
    if (type.kind === "map") visit(type.value);
    if (type.kind !== "struct" || found.has(type.name)) return;
    found.set(type.name, type);
    for (const field of Object.values(type.fields)) visit(field);
  };
  for (const type of Object.values(roots)) visit(type);
  return [...found.values()];
}

/** These structs only contain a transaction, which the table of roots already shows. */
const CONTAINERS = new Set(["solana", "tron", "bitcoin", "tempo"]);

export function shownStructs(clause: keyof typeof ROOTS): StructType[] {
  return structsOf(ROOTS[clause]).filter(({ name }) => !CONTAINERS.has(name));
}
