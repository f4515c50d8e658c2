/** What the checker knows of a value. */
export type Type =
  | { readonly kind: "bool" | "int" | "uint" | "timestamp" }
  /**
   * `anyCase`: the environment marks these texts to compare without regard to case. `addresses`: it
   * marks only those that have the form of an Ethereum address.
   */
  | { readonly kind: "string"; readonly anyCase?: boolean; readonly addresses?: boolean }
  | { readonly kind: "list"; readonly element: Type }
  | { readonly kind: "map"; readonly value: Type }
  | StructType
  /** Known only at run time. `objects` says how an object inside is read. */
  | {
      readonly kind: "dynamic";
      readonly objects: "maps" | "structs";
      readonly addresses?: boolean;
    };

/** A parameter of activities of one kind. */
export type Param = {
  readonly type: Type;
  /** Whether an activity of the kind may leave it out. */
  readonly isOptional?: boolean;
};

export type StructType = {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: Readonly<Record<string, Type>>;
  /** Its fields and all inside of them. What several share counts each time that it occurs. */
  readonly size: number;
  /** A field that is not given reads as '', 0 or [] instead of as missing. */
  readonly filled?: boolean;
};

export const bool: Type = { kind: "bool" };
export const int: Type = { kind: "int" };
export const uint: Type = { kind: "uint" };
export const string: Type = { kind: "string" };
export const anyCase: Type = { kind: "string", anyCase: true };
export const timestamp: Type = { kind: "timestamp" };
export const dynamic: Type = { kind: "dynamic", objects: "maps" };

/** Text of a parameter. It may name a key by its address, in any case. */
export const paramText: Type = { kind: "string", addresses: true };
/** A parameter that is, or holds, an object. */
export const paramObject: Type = { kind: "dynamic", objects: "structs", addresses: true };

export function list(element: Type): Type {
  return { kind: "list", element };
}

export function map(value: Type): Type {
  return { kind: "map", value };
}

export function struct(name: string, fields: Record<string, Type>): StructType {
  let size = 0;
  for (const type of Object.values(fields)) size += 1 + sizeOf(type);
  return { kind: "struct", name, fields, size };
}

function sizeOf(type: Type): number {
  if (type.kind === "list") return sizeOf(type.element);
  if (type.kind === "map") return sizeOf(type.value);
  return type.kind === "struct" ? type.size : 0;
}

/** The type as a policy's author would write it. */
export function nameOf(type: Type): string {
  switch (type.kind) {
    case "list":
      return `list<${nameOf(type.element)}>`;
    case "map":
      return `map<string, ${nameOf(type.value)}>`;
    case "struct":
      return type.name;
    default:
      return type.kind;
  }
}

export function isNumber(type: Type) {
  return type.kind === "int" || type.kind === "uint" || type.kind === "dynamic";
}

/** Whether `==` can compare the two. */
export function areComparable(a: Type, b: Type): boolean {
  if (isCompound(a) || isCompound(b)) return false;
  if (a.kind === "dynamic" || b.kind === "dynamic") return true;
  return a.kind === b.kind || (isNumber(a) && isNumber(b));
}

/** How many fields may still be compared. */
export type Effort = { fields: number };

/**
 * The element type of a list that holds both, if a list may hold both and the effort is enough to find
 * out.
 */
export function join(a: Type, b: Type, effort: Effort): Type | undefined {
  if (a === b) return a;
  if (a.kind === "dynamic") return b;
  if (b.kind === "dynamic") return a;
  if (isNumber(a) && isNumber(b)) return a.kind === "uint" ? a : b;
  if (a.kind === "list" && b.kind === "list") {
    const element = join(a.element, b.element, effort);
    return element === a.element ? a : element && list(element);
  }
  if (a.kind === "map" && b.kind === "map") {
    const value = join(a.value, b.value, effort);
    return value === a.value ? a : value && map(value);
  }
  if (a.kind === "struct" && b.kind === "struct") return joinStructs(a, b, effort);
  return a.kind === b.kind ? a : undefined;
}

function joinStructs(a: StructType, b: StructType, effort: Effort): Type | undefined {
  const names = Object.keys(a.fields);
  if (a.name !== b.name || names.length !== Object.keys(b.fields).length) return undefined;
  const fields: Record<string, Type> = {};
  let isSame = true;
  for (const name of names) {
    effort.fields--;
    if (effort.fields < 0) return undefined;
    const [left, right] = [a.fields[name], Object.hasOwn(b.fields, name) && b.fields[name]];
    const joined = left && right && join(left, right, effort);
    if (!joined) return undefined;
    fields[name] = joined;
    isSame &&= joined === left;
  }
  return isSame ? a : struct(a.name, fields);
}

function isCompound({ kind }: Type) {
  return kind === "list" || kind === "map" || kind === "struct";
}
