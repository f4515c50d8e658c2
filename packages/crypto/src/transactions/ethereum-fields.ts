import { MalformedError } from "./malformed.ts";
import { decodeInteger, type RlpItem } from "./rlp.ts";

// Reads the fields of a transaction by name. Each error gives the number of the field, from 0.

/** The fields of a transaction, or of a list inside it, by name. `where` starts every message. */
export type Fields = {
  readonly where: string;
  readonly names: readonly string[];
  readonly items: readonly RlpItem[];
};

export function nested(item: RlpItem, names: readonly string[], where: string): Fields {
  if (item instanceof Uint8Array) throw new MalformedError(`${where}: expected a list`);
  if (item.length !== names.length) {
    throw new MalformedError(`${where} has ${item.length} fields, expected ${names.length}`);
  }
  return { where, names, items: item };
}

export function integer(fields: Fields, name: string, bits = 256): bigint {
  const bytes = byteString(fields, name);
  if (bytes[0] === 0) throw refusedField(fields, name, "leading zero");
  if (8 * bytes.length > bits) {
    throw refusedField(fields, name, `${bytes.length} bytes are more than ${bits} bits`);
  }
  return decodeInteger(bytes);
}

export function fixed(fields: Fields, name: string, length: number): Uint8Array {
  return fixedItem(itemOf(fields, name), length, () => placeOf(fields, name));
}

export function fixedItem(item: RlpItem, length: number, place: () => string): Uint8Array {
  if (!(item instanceof Uint8Array)) {
    throw new MalformedError(`${place()}: expected ${length} bytes, got a list`);
  }
  if (item.length !== length) {
    throw new MalformedError(`${place()}: expected ${length} bytes, got ${item.length}`);
  }
  return item;
}

export function byteString(fields: Fields, name: string): Uint8Array {
  const item = itemOf(fields, name);
  if (item instanceof Uint8Array) return item;
  throw refusedField(fields, name, "expected bytes, got a list");
}

export function list(fields: Fields, name: string): readonly RlpItem[] {
  const item = itemOf(fields, name);
  if (!(item instanceof Uint8Array)) return item;
  throw refusedField(fields, name, `expected a list, got ${item.length} bytes`);
}

function itemOf({ names, items }: Fields, name: string): RlpItem {
  return items[names.indexOf(name)] as RlpItem; // as many items as names
}

export function placeOf({ where, names }: Fields, name: string): string {
  return `${where} field ${names.indexOf(name)} (${name})`;
}

export function refusedField(fields: Fields, name: string, reason: string): MalformedError {
  return new MalformedError(`${placeOf(fields, name)}: ${reason}`);
}
