import { chains } from "@keyhearth/policy/chains/index";
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
const CONTAINERS: ReadonlySet<string> = new Set(
  chains.flatMap(({ name, signed }) => (Object.keys(signed).length === 1 ? name : [])),
);

export function shownStructs(clause: keyof typeof ROOTS): StructType[] {
  return structsOf(ROOTS[clause]).filter(({ name }) => !CONTAINERS.has(name));
}

/** Structs of what can be signed for a chain. */
export function structsOfChain(name: string): StructType[] {
  const chain = chains.find((each) => each.name === name);
  if (!chain) throw new Error(`a page shows the chain \`${name}\`, which does not exist`);
  const types = Object.entries(chain.signed).map(([field, { type }]) => [field, type]);
  return structsOf(Object.fromEntries(types));
}
