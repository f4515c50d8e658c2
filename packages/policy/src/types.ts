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
  return { kind: "struct", name, fields };
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

/** The element type of a list that holds both, if a list may hold both. */
export function join(a: Type, b: Type): Type | undefined {
  if (a.kind === "dynamic") return b;
  if (b.kind === "dynamic") return a;
  if (isNumber(a) && isNumber(b)) return a.kind === "uint" ? a : b;
  if (a.kind === "list" && b.kind === "list") {
    const element = join(a.element, b.element);
    return element && list(element);
  }
  if (a.kind === "map" && b.kind === "map") {
    const value = join(a.value, b.value);
    return value && map(value);
  }
  if (a.kind === "struct" && b.kind === "struct") return joinStructs(a, b);
  return a.kind === b.kind ? a : undefined;
}

function joinStructs(a: StructType, b: StructType): Type | undefined {
  if (a === b) return a;
  const names = Object.keys(a.fields);
  if (a.name !== b.name || names.length !== Object.keys(b.fields).length) return undefined;
  const fields: Record<string, Type> = {};
  for (const name of names) {
    const [left, right] = [a.fields[name], Object.hasOwn(b.fields, name) && b.fields[name]];
    const joined = left && right && join(left, right);
    if (!joined) return undefined;
    fields[name] = joined;
  }
  return struct(a.name, fields);
}

function isCompound({ kind }: Type) {
  return kind === "list" || kind === "map" || kind === "struct";
}
