import {
  type ElementaryType,
  hintForType,
  parseElementaryType,
  splitArrayType,
} from "./abi-types.ts";
import { addressOf, bytesOf, integerOf } from "./ethereum-json.ts";
import {
  anyObject,
  arrayOf,
  type JsonObject,
  objectWith,
  parseJson,
  textOf,
} from "./json-members.ts";
import { MalformedError, quoted } from "./malformed.ts";

// Typed structured data (EIP-712). Everything in the JSON text is hashed, or the text is refused.
// So a policy that reads a member can rely on it being signed.

/** `types` includes `EIP712Domain`, and may include structs that nothing uses. */
export type TypedData = {
  readonly types: ReadonlyMap<string, readonly TypedMember[]>;
  readonly primaryType: string;
  readonly domain: TypedDomain;
  readonly message: TypedStruct;
};

export type TypedMember = { readonly name: string; readonly type: TypedType };

/** `name` is the type as it is written and hashed. */
export type TypedType = { readonly name: string } & (
  | { readonly kind: "elementary"; readonly elementary: ElementaryType }
  | { readonly kind: "array"; readonly element: TypedType; readonly length: number | null }
  | { readonly kind: "struct" }
);

/** The members of the domain, null if absent, and the struct that they are hashed as. */
export type TypedDomain = {
  readonly name: string | null;
  readonly version: string | null;
  readonly chainId: bigint | null;
  readonly verifyingContract: Uint8Array | null;
  readonly salt: Uint8Array | null;
  readonly struct: TypedStruct;
};

export type TypedStruct = {
  readonly kind: "struct";
  readonly type: string;
  readonly members: ReadonlyMap<string, TypedValue>;
};

/**
 * A value with its declared type. `text` is what the client wrote. It is null if the client wrote
 * an integer as a JSON number.
 */
export type TypedValue =
  | TypedStruct
  | { readonly kind: "array"; readonly type: string; readonly items: readonly TypedValue[] }
  | {
      readonly kind: "address" | "bytes";
      readonly type: string;
      readonly text: string;
      readonly bytes: Uint8Array;
    }
  | {
      readonly kind: "uint" | "int";
      readonly type: string;
      readonly text: string | null;
      readonly value: bigint;
    }
  | { readonly kind: "bool"; readonly type: string; readonly value: boolean }
  | { readonly kind: "string"; readonly type: string; readonly text: string };

export const MAX_TYPED_DATA_LENGTH = 256 * 1024;

/**
 * Parses JSON text with exactly the members `types`, `primaryType`, `domain` and `message`. Throws
 * a `MalformedError` that names the place.
 *
 * A struct must have exactly the members of its type. Libraries ignore further ones and hash only
 * those declared, so a policy could read what nobody signs. If `types` has no `EIP712Domain`, the
 * type is made from the members of the domain in the order of EIP-712, as libraries do. A domain
 * without members is refused: the signature would be valid for every contract and chain, and some
 * libraries leave out the members of a domain whose type is not declared.
 */
export function parseTypedData(json: string): TypedData {
  const subject = "typed data";
  const parsed = parseJson(json, { subject, maxLength: MAX_TYPED_DATA_LENGTH, maxDepth: 64 });
  const parts = objectWith(parsed, ["types", "primaryType", "domain", "message"], subject);
  const domainJson = anyObject(parts.domain, "domain");
  const types = parseTypes(anyObject(parts.types, "types"), domainJson);
  const primaryType = textOf(parts.primaryType, "primaryType");
  if (primaryType === DOMAIN)
    throw refused("primaryType", `\`${DOMAIN}\` cannot be the type of the message`);
  if (!types.has(primaryType))
    throw refused("primaryType", `${quoted(primaryType)} is not among the types`);

  const reader: Reader = { types, valuesLeft: MAX_VALUES };
  const domain = readStruct(reader, DOMAIN, domainJson, "domain");
  if (domain.members.size === 0) {
    throw refused(
      "domain",
      `has no members: expected at least one of ${DOMAIN_MEMBERS.map(({ name }) => name).join(", ")}, each declared in the type \`${DOMAIN}\` among \`types\``,
    );
  }
  const message = readStruct(reader, primaryType, parts.message, "message");
  return { types, primaryType, domain: domainOf(domain), message };
}

function parseTypes(json: JsonObject, domain: JsonObject): Map<string, readonly TypedMember[]> {
  const names = Object.keys(json);
  if (names.length > MAX_TYPES) {
    throw refused("types", `${names.length} types; at most ${MAX_TYPES} are allowed`);
  }
  const types = new Map<string, readonly TypedMember[]>();
  let members = 0;
  for (const name of names) {
    const place = `types, ${quoted(name)}`;
    if (!TYPE_NAME.test(name))
      throw refused(place, "is not an identifier of at most 64 characters");
    if (isReserved(name)) throw refused(place, "is the name of a Solidity type");
    const struct = parseMembers(json[name], json, place);
    members += struct.length;
    if (members > MAX_MEMBERS) throw refused("types", `more than ${MAX_MEMBERS} members`);
    types.set(name, struct);
  }
  if (!types.has(DOMAIN)) types.set(DOMAIN, domainMembers(domain));
  assertDomainType(membersOf(types, DOMAIN));
  return types;
}

function parseMembers(json: unknown, structs: JsonObject, place: string): TypedMember[] {
  const members = new Map<string, TypedMember>();
  for (const [i, item] of arrayOf(json, place).entries()) {
    const memberPlace = `${place}, member ${i}`;
    const member = objectWith(item, ["name", "type"], memberPlace);
    const name = textOf(member.name, `${memberPlace}, name`);
    if (!IDENTIFIER.test(name)) {
      throw refused(memberPlace, `${quoted(name)} is not an identifier of at most 64 characters`);
    }
    if (members.has(name)) throw refused(memberPlace, `\`${name}\` appears twice`);
    const type = parseType(textOf(member.type, `${memberPlace}, type`), structs, memberPlace);
    members.set(name, { name, type });
  }
  return Array.from(members.values());
}

function parseType(name: string, structs: JsonObject, place: string): TypedType {
  const split = name.length > MAX_TYPE_LENGTH ? undefined : splitArrayType(name);
  if (split === undefined) throw unknownType(name, place);
  let type = parseElement(split.element, structs, place);
  for (const length of split.lengths) {
    type = { kind: "array", element: type, length, name: `${type.name}[${length ?? ""}]` };
  }
  return type;
}

function parseElement(name: string, structs: JsonObject, place: string): TypedType {
  const elementary = parseElementaryType(name);
  if (elementary !== undefined) return { kind: "elementary", elementary, name };
  // The domain is hashed by itself, and is never part of a message.
  if (!Object.hasOwn(structs, name) || name === DOMAIN) throw unknownType(name, place);
  return { kind: "struct", name };
}

function domainMembers(domain: JsonObject): TypedMember[] {
  return DOMAIN_MEMBERS.filter(({ name }) => Object.hasOwn(domain, name));
}

/** EIP-712 defines five members. Any may be left out, and they may be in any order. */
function assertDomainType(members: readonly TypedMember[]): void {
  for (const { name, type } of members) {
    const expected = DOMAIN_MEMBERS.find((member) => member.name === name);
    if (expected === undefined) {
      throw refused(
        `types, \`${DOMAIN}\``,
        `${quoted(name)} is not a member of a domain in EIP-712`,
      );
    }
    if (type.name !== expected.type.name) {
      throw refused(
        `types, \`${DOMAIN}\``,
        `\`${name}\` must have the type ${expected.type.name}, got ${quoted(type.name)}`,
      );
    }
  }
}

function domainOf(struct: TypedStruct): TypedDomain {
  const { members } = struct;
  const name = members.get("name");
  const version = members.get("version");
  const chainId = members.get("chainId");
  const verifyingContract = members.get("verifyingContract");
  const salt = members.get("salt");
  return {
    name: name?.kind === "string" ? name.text : null,
    version: version?.kind === "string" ? version.text : null,
    chainId: chainId?.kind === "uint" ? chainId.value : null,
    verifyingContract: verifyingContract?.kind === "address" ? verifyingContract.bytes : null,
    salt: salt?.kind === "bytes" ? salt.bytes : null,
    struct,
  };
}

type Reader = { readonly types: TypedData["types"]; valuesLeft: number };

// Recursive types end because the depth of the JSON is bounded, and nothing may be missing or null.
function readValue(reader: Reader, type: TypedType, json: unknown, place: string): TypedValue {
  if (--reader.valuesLeft < 0) throw refused(place, `more than ${MAX_VALUES} values`);
  switch (type.kind) {
    case "struct":
      return readStruct(reader, type.name, json, place);
    case "array": {
      const items = arrayOf(json, place);
      if (type.length !== null && items.length !== type.length) {
        throw refused(place, `expected ${type.length} elements, got ${items.length}`);
      }
      return {
        kind: "array",
        type: type.name,
        items: items.map((item, i) => readValue(reader, type.element, item, `${place}[${i}]`)),
      };
    }
    case "elementary":
      return readElementary(type.elementary, json, place);
  }
}

function readStruct(reader: Reader, type: string, json: unknown, place: string): TypedStruct {
  const declared = membersOf(reader.types, type);
  const object = objectWith(
    json,
    declared.map(({ name }) => name),
    `${place} (\`${type}\`)`,
  );
  const members = new Map<string, TypedValue>();
  for (const { name, type: memberType } of declared) {
    members.set(name, readValue(reader, memberType, object[name], `${place}.${name}`));
  }
  return { kind: "struct", type, members };
}

function readElementary(elementary: ElementaryType, json: unknown, place: string): TypedValue {
  const { kind, name: type } = elementary;
  switch (kind) {
    case "uint":
    case "int": {
      const isSigned = kind === "int";
      const value = integerOf(json, { bits: elementary.bits, isSigned }, place);
      return { kind, type, text: typeof json === "string" ? json : null, value };
    }
    case "address":
      return { kind, type, text: textOf(json, place), bytes: addressOf(json, place) };
    case "bytes": {
      const bytes = bytesOf(json, place);
      if (elementary.length !== null && bytes.length !== elementary.length) {
        throw refused(place, `expected ${elementary.length} bytes, got ${bytes.length}`);
      }
      return { kind, type, text: textOf(json, place), bytes };
    }
    case "bool":
      if (typeof json !== "boolean") throw refused(place, "expected true or false");
      return { kind, type, value: json };
    case "string":
      return { kind, type, text: textOf(json, place) };
  }
}

/** The members of a struct, which must be in `types`. */
function membersOf(types: TypedData["types"], name: string): readonly TypedMember[] {
  return types.get(name) as readonly TypedMember[]; // `parseElement` refused other names
}

/** Names that have a meaning in Solidity, including those without one in EIP-712. */
function isReserved(name: string): boolean {
  return (
    parseElementaryType(name) !== undefined ||
    /^(?:u?int[0-9]*|bytes?[0-9]*|u?fixed(?:[0-9]+x[0-9]+)?|function|tuple)$/.test(name)
  );
}

function unknownType(name: string, place: string): MalformedError {
  return refused(place, `unknown type ${quoted(name)}${hintForType(name)}`);
}

function refused(place: string, reason: string): MalformedError {
  return new MalformedError(`${place}: ${reason}`);
}

const DOMAIN = "EIP712Domain";
const DOMAIN_MEMBERS: readonly TypedMember[] = [
  { name: "name", type: elementaryType({ kind: "string", name: "string" }) },
  { name: "version", type: elementaryType({ kind: "string", name: "string" }) },
  { name: "chainId", type: elementaryType({ kind: "uint", name: "uint256", bits: 256 }) },
  { name: "verifyingContract", type: elementaryType({ kind: "address", name: "address" }) },
  { name: "salt", type: elementaryType({ kind: "bytes", name: "bytes32", length: 32 }) },
];

function elementaryType(elementary: ElementaryType): TypedType {
  return { kind: "elementary", elementary, name: elementary.name };
}

const MAX_VALUES = 10_000;
const MAX_TYPES = 64;
const MAX_MEMBERS = 512;
const MAX_TYPE_LENGTH = 256;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/;
// Some protocols use a colon in the names of structs, as in `HyperliquidTransaction:UsdSend`.
// Unlike the signs that are not allowed here, it has no meaning in the text that is hashed.
const TYPE_NAME = /^[A-Za-z_$][A-Za-z0-9_$:]{0,63}$/;
