import { keccak256 } from "#primitives";
import { concatBytes, encodeUtf8 } from "../encoding/bytes.ts";
import { MalformedError } from "./malformed.ts";
import { encodeInteger } from "./rlp.ts";
import type { TypedData, TypedStruct, TypedType, TypedValue } from "./typed-data.ts";

// Hashes typed data (EIP-712, sections on encodeType, encodeData and hashStruct).

/** The digest to sign: keccak256 of 0x19 0x01, the hash of the domain and the hash of the message. */
export function hashTypedData({ types, domain, message }: TypedData): Uint8Array {
  const hasher: Hasher = { texts: textsOf(types), typeHashes: new Map() };
  return keccak256(
    concatBytes(PREFIX, hashStruct(hasher, domain.struct), hashStruct(hasher, message)),
  );
}

/** Refuses types that hashing takes long: each struct is hashed with the texts of all that it uses. */
export function assertTypesNotLong({ types, primaryType }: TypedData): void {
  const texts = textsOf(types);
  const covered = Array.from(usedBy(texts, primaryType), (struct) => [...usedBy(texts, struct)]);
  const length = covered.flat().reduce((sum, used) => sum + (texts.get(used)?.text.length ?? 0), 0);
  if (length <= MAX_TYPE_TEXTS) return;
  const reason = `their hashes cover ${length} characters, because each covers the structs that it uses`;
  throw new MalformedError(
    `types: the types are too long together: ${reason}; at most ${MAX_TYPE_TEXTS} are allowed`,
  );
}

/** The text of each struct alone, and the structs that its members have. */
type Texts = ReadonlyMap<string, { readonly text: string; readonly structs: readonly string[] }>;

export function textsOf(types: TypedData["types"]): Texts {
  const all = Array.from(types, ([name, members]) => {
    const text = members.map((member) => `${member.type.name} ${member.name}`).join(",");
    const innermost = members.map(({ type }) => innermostOf(type));
    const structs = innermost.flatMap((type) => (type.kind === "struct" ? [type.name] : []));
    return [name, { text: `${name}(${text})`, structs }] as const;
  });
  return new Map(all);
}

function usedBy(texts: Texts, name: string): Set<string> {
  const used = new Set([name]);
  // The loop also visits names that are added to the set.
  for (const each of used) for (const struct of texts.get(each)?.structs ?? []) used.add(struct);
  return used;
}

/** The text that the type of a struct is hashed as: its members, then the structs it uses, by name. */
export function encodeType(texts: Texts, name: string): string {
  const used = usedBy(texts, name);
  used.delete(name);
  return [name, ...Array.from(used).sort()].map((type) => texts.get(type)?.text ?? "").join("");
}

type Hasher = { readonly texts: Texts; readonly typeHashes: Map<string, Uint8Array> };

function hashStruct(hasher: Hasher, { type, members }: TypedStruct): Uint8Array {
  const words = Array.from(members.values(), (value) => encodeValue(hasher, value));
  return keccak256(concatBytes(hashType(hasher, type), ...words));
}

function hashType({ texts, typeHashes }: Hasher, name: string): Uint8Array {
  const known = typeHashes.get(name);
  if (known !== undefined) return known;
  const hash = keccak256(encodeUtf8(encodeType(texts, name)));
  typeHashes.set(name, hash);
  return hash;
}

/** The 32 bytes that stand for a value in the struct or array around it. */
function encodeValue(hasher: Hasher, value: TypedValue): Uint8Array {
  switch (value.kind) {
    case "struct":
      return hashStruct(hasher, value);
    case "array":
      return keccak256(concatBytes(...value.items.map((item) => encodeValue(hasher, item))));
    case "string":
      return keccak256(encodeUtf8(value.text));
    case "bytes":
      return value.type === "bytes" ? keccak256(value.bytes) : word(value.bytes, 0);
    case "address":
      return word(value.bytes, 12);
    case "bool":
      return encodeWord(value.value ? 1n : 0n);
    case "uint":
    case "int":
      return encodeWord(value.value);
  }
}

function encodeWord(value: bigint): Uint8Array {
  const bytes = encodeInteger(BigInt.asUintN(256, value));
  return word(bytes, 32 - bytes.length);
}

function word(bytes: Uint8Array, start: number): Uint8Array {
  const padded = new Uint8Array(32);
  padded.set(bytes, start);
  return padded;
}

function innermostOf(type: TypedType): TypedType {
  return type.kind === "array" ? innermostOf(type.element) : type;
}

export const MAX_TYPE_TEXTS = 512 * 1024;
const PREFIX = Uint8Array.of(0x19, 0x01);
