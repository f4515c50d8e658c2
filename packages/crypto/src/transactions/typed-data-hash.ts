import { keccak256 } from "#primitives";
import { concatBytes, encodeUtf8 } from "../encoding/bytes.ts";
import { encodeInteger } from "./rlp.ts";
import {
  membersOf,
  type TypedData,
  type TypedStruct,
  type TypedType,
  type TypedValue,
} from "./typed-data.ts";

// Hashes typed data (EIP-712, sections on encodeType, encodeData and hashStruct).

/** The digest to sign: keccak256 of 0x19 0x01, the hash of the domain and the hash of the message. */
export function hashTypedData({ types, domain, message }: TypedData): Uint8Array {
  const hasher: Hasher = { types, typeHashes: new Map() };
  return keccak256(
    concatBytes(PREFIX, hashStruct(hasher, domain.struct), hashStruct(hasher, message)),
  );
}

/** The text that the type of a struct is hashed as: its members, then the structs it uses, by name. */
export function encodeType(types: TypedData["types"], name: string): string {
  const used = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (used.has(next)) continue;
    used.add(next);
    for (const { type } of membersOf(types, next)) {
      const innermost = innermostOf(type);
      if (innermost.kind === "struct") open.push(innermost.name);
    }
  }
  used.delete(name);
  return [name, ...Array.from(used).sort()].map((type) => signatureOf(types, type)).join("");
}

type Hasher = { readonly types: TypedData["types"]; readonly typeHashes: Map<string, Uint8Array> };

function hashStruct(hasher: Hasher, { type, members }: TypedStruct): Uint8Array {
  const words = Array.from(members.values(), (value) => encodeValue(hasher, value));
  return keccak256(concatBytes(hashType(hasher, type), ...words));
}

function hashType({ types, typeHashes }: Hasher, name: string): Uint8Array {
  const known = typeHashes.get(name);
  if (known !== undefined) return known;
  const hash = keccak256(encodeUtf8(encodeType(types, name)));
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

function signatureOf(types: TypedData["types"], name: string): string {
  const members = membersOf(types, name).map((member) => `${member.type.name} ${member.name}`);
  return `${name}(${members.join(",")})`;
}

function innermostOf(type: TypedType): TypedType {
  return type.kind === "array" ? innermostOf(type.element) : type;
}

const PREFIX = Uint8Array.of(0x19, 0x01);
