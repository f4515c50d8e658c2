import { sha256 } from "#primitives";
import { encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { anyObject, arrayOf, type JsonObject, parseJson, textOf } from "./json-members.ts";
import { MalformedError, quoted } from "./malformed.ts";

// The interfaces of Solana programs in the JSON that Anchor writes: in the old spelling (`isMut`,
// `isSigner`, `publicKey`) or that of Anchor 0.30 (`writable`, `signer`, `pubkey`).

/** The instructions of a program, and the types in them. */
export type AnchorIdl = {
  readonly instructions: readonly AnchorInstruction[];
  /** The types that arguments refer to, by name. A type may refer to itself. */
  readonly types: ReadonlyMap<string, AnchorDefinition>;
  /** How long it takes to parse: by its parts, and by its instructions, each of which takes as long as five. */
  readonly weight: number;
};

export type AnchorInstruction = {
  readonly name: string;
  /** The beginning of its data. It never begins the discriminator of another instruction. */
  readonly discriminator: Uint8Array;
  /** In order. An account in a group is named `group.account`. */
  readonly accounts: readonly AnchorAccount[];
  readonly arguments: readonly AnchorField[];
};

export type AnchorAccount = {
  readonly name: string;
  readonly isWritable: boolean;
  readonly isSigner: boolean;
  readonly isOptional: boolean;
};

export type AnchorField = { readonly name: string; readonly type: AnchorType };

export type AnchorType =
  | { readonly kind: "bool" | "bytes" | "string" | "publicKey" }
  | { readonly kind: "uint" | "int" | "float"; readonly width: number }
  | { readonly kind: "vec" | "option" | "coption"; readonly element: AnchorType }
  | { readonly kind: "array"; readonly element: AnchorType; readonly length: number }
  | { readonly kind: "defined"; readonly name: string };

export type AnchorDefinition =
  | { readonly kind: "struct"; readonly fields: AnchorFields }
  | { readonly kind: "enum"; readonly variants: readonly AnchorVariant[] }
  | { readonly kind: "alias"; readonly type: AnchorType };

export type AnchorVariant = { readonly name: string; readonly fields: AnchorFields };

/** Fields with names, or without as in `struct Price(u64)`. */
export type AnchorFields =
  | { readonly kind: "unit" }
  | { readonly kind: "named"; readonly fields: readonly AnchorField[] }
  | { readonly kind: "tuple"; readonly types: readonly AnchorType[] };

/** In UTF-16 units of the JSON text. */
export const MAX_ANCHOR_IDL_LENGTH = 400_000;
/** Each is hashed for its discriminator: 10,000 took 100 ms. */
export const MAX_INSTRUCTIONS = 1000;
/** Accounts, fields, variants and types, with each `vec` around one and each 64 characters of an account's path. */
export const MAX_IDL_PARTS = 5000;

/**
 * Parses an IDL. Throws a MalformedError that names the place, also if a type is unknown, generic
 * or not laid out by Borsh, if one discriminator begins another, or if there is so much in it that
 * parsing would take long. Ignores members that are not needed, such as `docs`, and types that no argument refers to.
 */
export function parseAnchorIdl(json: string): AnchorIdl {
  const subject = `${INVALID}: the text`;
  const root = anyObject(
    parseJson(json, { subject, maxLength: MAX_ANCHOR_IDL_LENGTH, maxDepth: 64 }),
    INVALID,
  );
  const types = typesOf(root);
  const written = listOf(root, "instructions", INVALID);
  assertNotMore(written.length, MAX_INSTRUCTIONS, "instructions");
  const instructions = written.map((item, i) =>
    parseInstruction(item, `${INVALID}: instructions[${i}]`, types),
  );
  assertDistinct(instructions, `${INVALID}: instructions`);
  assertDistinctBeginnings(instructions);
  const referred = parseReferredTypes(types);
  return { instructions, types: referred, weight: 5 * instructions.length + types.parts };
}

/** The unparsed types by name, and the names that something has referred to so far. */
type Types = {
  readonly written: ReadonlyMap<string, { readonly place: string; readonly item: JsonObject }>;
  readonly referred: Set<string>;
  /** How many accounts, fields, variants and types there are so far. */
  parts: number;
};

function count(types: Types, more: number): void {
  types.parts += more;
  assertNotMore(types.parts, MAX_IDL_PARTS, "accounts, fields, variants and types");
}

function assertNotMore(given: number, most: number, noun: string): void {
  if (given <= most) return;
  throw refused(INVALID, `more than ${most} ${noun}: leave out instructions that no policy reads`);
}

function typesOf(root: JsonObject): Types {
  const written = new Map<string, { place: string; item: JsonObject }>();
  const listed = listOf(root, "types", INVALID);
  assertNotMore(listed.length, MAX_IDL_PARTS, "types");
  for (const [i, value] of listed.entries()) {
    const place = `${INVALID}: types[${i}]`;
    const item = anyObject(value, place);
    const name = nameOf(item, place);
    if (written.has(name)) throw refused(place, `there is already a type ${quoted(name)}`);
    written.set(name, { place: `${place} (${name})`, item });
  }
  return { written, referred: new Set(), parts: 0 };
}

/** Parses the types that are referred to, and those that they refer to. */
function parseReferredTypes(types: Types): Map<string, AnchorDefinition> {
  const parsed = new Map<string, AnchorDefinition>();
  // The loop also visits names that parsing adds to the set.
  for (const name of types.referred) {
    const { place, item } = types.written.get(name) as { place: string; item: JsonObject }; // checked by `referTo`
    parsed.set(name, parseDefinition(item, place, types));
  }
  return parsed;
}

function parseInstruction(value: unknown, at: string, types: Types): AnchorInstruction {
  const item = anyObject(value, at);
  const name = nameOf(item, at);
  const place = `${at} (${name})`;
  const accounts = parseAccounts(item, place, "", types);
  assertDistinct(accounts, `${place}.accounts`);
  return {
    name,
    discriminator:
      item.discriminator === undefined
        ? derivedDiscriminator(name, place)
        : parseDiscriminator(item.discriminator, `${place}.discriminator`),
    accounts,
    arguments: parseFields(listOf(item, "args", place), `${place}.args`, types),
  };
}

function parseDiscriminator(value: unknown, place: string): Uint8Array {
  const bytes = arrayOf(value, place);
  if (bytes.length === 0) throw refused(place, "must not be empty: all data begins with it");
  const isByte = (each: unknown) =>
    Number.isInteger(each) && Number(each) >= 0 && Number(each) < 256;
  if (!bytes.every(isByte)) throw refused(place, "expected a list of numbers from 0 to 255");
  return Uint8Array.from(bytes.map(Number));
}

/** Anchor's rule: the first 8 bytes of the SHA-256 of `global:` and the name in snake case. */
function derivedDiscriminator(name: string, place: string): Uint8Array {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw refused(
      place,
      "only an identifier determines a discriminator: write the discriminator out",
    );
  }
  return sha256(encodeUtf8(`global:${snakeCase(name)}`)).slice(0, 8);
}

/** `sharedAccountsRoute` becomes `shared_accounts_route`, `setURIs2` becomes `set_ur_is2`. */
function snakeCase(name: string): string {
  return name
    .replace(/([a-z][0-9]*)([A-Z])/g, "$1_$2")
    .replace(/([A-Z][0-9]*)([A-Z][a-z])/g, "$1_$2")
    .split("_")
    .filter((word) => word !== "")
    .join("_")
    .toLowerCase();
}

function parseAccounts(item: JsonObject, at: string, group: string, types: Types): AnchorAccount[] {
  return listOf(item, "accounts", at).flatMap((value, i) => {
    const place = `${at}.accounts[${i}]`;
    const account = anyObject(value, place);
    const name = `${group}${nameOf(account, place)}`;
    assertNotLonger(name, MAX_PATH_LENGTH, `${place}.name`, "with its groups ");
    count(types, 1 + Math.floor(name.length / 64));
    if (account.accounts !== undefined) return parseAccounts(account, place, `${name}.`, types);
    return {
      name,
      isWritable: flagOf(account, ["writable", "isMut"], place),
      isSigner: flagOf(account, ["signer", "isSigner"], place),
      isOptional: flagOf(account, ["optional", "isOptional"], place),
    };
  });
}

/** A flag in its newer or older spelling. False if it is missing. */
function flagOf(item: JsonObject, [newer, older]: [string, string], place: string): boolean {
  if (item[newer] !== undefined && item[older] !== undefined) {
    throw refused(place, `both \`${newer}\` and \`${older}\`: keep one`);
  }
  const value = item[newer] ?? item[older] ?? false;
  if (typeof value !== "boolean") {
    throw refused(place, `\`${item[newer] === undefined ? older : newer}\` is not true or false`);
  }
  return value;
}

function parseDefinition(item: JsonObject, place: string, types: Types): AnchorDefinition {
  assertNotGeneric(item, place);
  const { serialization = "borsh" } = item;
  if (serialization !== "borsh") throw refused(`${place}.serialization`, "only borsh is supported");
  const type = anyObject(item.type, `${place}.type`);
  switch (type.kind) {
    case "struct":
      return { kind: "struct", fields: parseStructFields(type, `${place}.type`, types) };
    case "enum":
      return { kind: "enum", variants: parseVariants(type, `${place}.type`, types) };
    case "type":
      return { kind: "alias", type: parseType(type.alias, `${place}.type.alias`, types) };
    case "alias":
      return { kind: "alias", type: parseType(type.value, `${place}.type.value`, types) };
    default:
      throw refused(`${place}.type.kind`, "expected struct, enum, type or alias");
  }
}

function parseVariants(type: JsonObject, place: string, types: Types): AnchorVariant[] {
  const variants = listOf(type, "variants", place).map((value, i) => {
    count(types, 1);
    const at = `${place}.variants[${i}]`;
    const variant = anyObject(value, at);
    return { name: nameOf(variant, at), fields: parseStructFields(variant, at, types) };
  });
  // Borsh encodes the variant in one byte.
  if (variants.length > 256) throw refused(`${place}.variants`, "more than 256 variants");
  assertDistinct(variants, `${place}.variants`);
  return variants;
}

function parseStructFields(item: JsonObject, at: string, types: Types): AnchorFields {
  if (item.fields === undefined || item.fields === null) return { kind: "unit" };
  const place = `${at}.fields`;
  const fields = arrayOf(item.fields, place);
  const areNamed = fields.map((field) => isObject(field) && field.name !== undefined);
  if (areNamed.every(Boolean)) return { kind: "named", fields: parseFields(fields, place, types) };
  if (areNamed.some(Boolean)) throw refused(place, "some fields have names and some do not");
  return {
    kind: "tuple",
    types: fields.map((field, i) => parseType(field, `${place}[${i}]`, types)),
  };
}

function parseFields(fields: readonly unknown[], place: string, types: Types): AnchorField[] {
  const parsed = fields.map((value, i) => {
    const at = `${place}[${i}]`;
    const field = anyObject(value, at);
    return { name: nameOf(field, at), type: parseType(field.type, `${at}.type`, types) };
  });
  assertDistinct(parsed, place);
  return parsed;
}

function parseType(value: unknown, place: string, types: Types): AnchorType {
  count(types, 1);
  if (typeof value === "string") {
    const type = PLAIN_TYPES.get(value);
    if (type === undefined) throw refused(place, `unknown type ${quoted(value)}`);
    return type;
  }
  const [[form, inner] = [], ...more] = Object.entries(anyObject(value, place));
  if (form === undefined || more.length > 0) {
    throw refused(place, "expected a name or an object of one member, such as `vec`");
  }
  switch (form) {
    case "vec":
    case "option":
    case "coption":
      return { kind: form, element: parseType(inner, `${place}.${form}`, types) };
    case "array":
      return parseArray(inner, `${place}.array`, types);
    case "defined":
      return referTo(inner, `${place}.defined`, types);
    case "generic":
      throw refused(place, "generic types are not supported: write the type out");
    default:
      throw refused(place, `unknown type ${quoted(form)}`);
  }
}

function parseArray(value: unknown, place: string, types: Types): AnchorType {
  const [element, length, ...more] = arrayOf(value, place);
  if (isObject(length) && length.generic !== undefined) {
    throw refused(place, "generic lengths are not supported: write the length out");
  }
  if (!Number.isSafeInteger(length) || Number(length) < 0 || more.length > 0) {
    throw refused(place, "expected a type and a length");
  }
  return {
    kind: "array",
    element: parseType(element, `${place}[0]`, types),
    length: Number(length),
  };
}

/** Older IDLs give the name of the type. Newer ones put the name in an object. */
function referTo(value: unknown, place: string, types: Types): AnchorType {
  if (isObject(value)) assertNotGeneric(value, place);
  const name = isObject(value) ? nameOf(value, place) : textOf(value, place);
  if (!types.written.has(name))
    throw refused(place, `there is no type ${quoted(name)} among the types`);
  types.referred.add(name);
  return { kind: "defined", name };
}

function assertNotGeneric({ generics = [] }: JsonObject, place: string): void {
  if (arrayOf(generics, `${place}.generics`).length > 0) {
    throw refused(place, "generic types are not supported: write the type out");
  }
}

/**
 * The data alone must determine the instruction, whatever the order in the IDL. In sorted order, a
 * discriminator that begins with another comes right after one that it begins with.
 */
function assertDistinctBeginnings(instructions: readonly AnchorInstruction[]): void {
  const sorted = instructions
    .map(({ name, discriminator }, index) => ({ name, index, hex: encodeHex(discriminator) }))
    .sort((a, b) => (a.hex < b.hex ? -1 : 1));
  for (const [i, { hex, ...next }] of sorted.entries()) {
    const before = sorted[i - 1];
    if (!before || !hex.startsWith(before.hex)) continue;
    const [first, second] = before.index < next.index ? [before, next] : [next, before];
    throw refused(
      `${INVALID}: instructions[${second.index}]`,
      `the discriminators of ${quoted(second.name)} and ${quoted(first.name)} overlap: one begins with the other`,
    );
  }
}

function assertDistinct(items: readonly { readonly name: string }[], place: string): void {
  const names = new Set<string>();
  for (const { name } of items) {
    if (names.has(name)) throw refused(place, `two are named ${quoted(name)}`);
    names.add(name);
  }
}

function listOf(item: JsonObject, name: string, place: string): readonly unknown[] {
  if (item[name] === undefined) throw refused(place, `\`${name}\` is missing (it may be empty)`);
  return arrayOf(item[name], `${place}.${name}`);
}

function nameOf(item: JsonObject, place: string): string {
  const name = textOf(item.name, `${place}.name`);
  if (name === "") throw refused(`${place}.name`, "the name is empty");
  assertNotLonger(name, MAX_NAME_LENGTH, `${place}.name`);
  return name;
}

function assertNotLonger(name: string, max: number, place: string, how = ""): void {
  if (name.length <= max) return;
  throw refused(place, `${how}has ${name.length} characters; at most ${max} are allowed`);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(place: string, reason: string): MalformedError {
  return new MalformedError(`${place}: ${reason}`);
}

const INVALID = "provided IDL is invalid";
const MAX_NAME_LENGTH = 256;
/**
 * Of an account with its groups, which have a name for all that is in them. V8 hashes longer strings than 16,383
 * characters by their length alone, so comparing thousands of those would take minutes.
 */
const MAX_PATH_LENGTH = 1024;

const PLAIN_TYPES: ReadonlyMap<string, AnchorType> = new Map<string, AnchorType>([
  ["bool", { kind: "bool" }],
  ["bytes", { kind: "bytes" }],
  ["string", { kind: "string" }],
  ["pubkey", { kind: "publicKey" }],
  ["publicKey", { kind: "publicKey" }],
  ["f32", { kind: "float", width: 4 }],
  ["f64", { kind: "float", width: 8 }],
  ...[1, 2, 4, 8, 16, 32].flatMap((width): [string, AnchorType][] => [
    [`u${8 * width}`, { kind: "uint", width }],
    [`i${8 * width}`, { kind: "int", width }],
  ]),
]);
