// The names of types in contract interfaces (Solidity's ABI specification) and in typed data
// (EIP-712). They are written in full, without the aliases `uint`, `int` and `byte`.

/** A type without parts. `length` is null for `bytes`, because its length is part of the value. */
export type ElementaryType =
  | { readonly kind: "uint" | "int"; readonly name: string; readonly bits: number }
  | { readonly kind: "bytes"; readonly name: string; readonly length: number | null }
  | { readonly kind: "address" | "bool" | "string"; readonly name: string };

export function parseElementaryType(name: string): ElementaryType | undefined {
  if (name === "address" || name === "bool" || name === "string") return { kind: name, name };
  if (name === "bytes") return { kind: "bytes", name, length: null };
  const [, kind, digits = ""] = /^(uint|int|bytes)([1-9][0-9]{0,2})$/.exec(name) ?? [];
  const size = Number(digits);
  if (kind === "bytes") return size <= 32 ? { kind, name, length: size } : undefined;
  if (kind !== "uint" && kind !== "int") return undefined;
  return size % 8 === 0 && size <= 256 ? { kind, name, bits: size } : undefined;
}

/**
 * Splits a name such as `uint8[2][]` into the element type and the lengths of the arrays, innermost
 * first. A length is null if it is part of the value. Undefined if brackets are misplaced, or if a
 * length is 0 or has more than 9 digits.
 */
export function splitArrayType(
  name: string,
): { element: string; lengths: (number | null)[] } | undefined {
  const [, element, brackets] = /^([^[\]]+)((?:\[(?:[1-9][0-9]{0,8})?\])*)$/.exec(name) ?? [];
  if (element === undefined || brackets === undefined) return undefined;
  const lengths = Array.from(brackets.matchAll(/\[([0-9]*)\]/g), ([, digits]) =>
    digits ? Number(digits) : null,
  );
  return { element, lengths };
}

/** The end of a message about an unknown type: what was probably meant. */
export function hintForType(name: string): string {
  if (name === "byte") return ": write `bytes1`";
  return name === "uint" || name === "int" ? `: write \`${name}256\`` : "";
}
