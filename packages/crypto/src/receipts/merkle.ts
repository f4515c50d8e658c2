import { sha256, sha256Hex } from "#primitives";
import { concatBytes } from "../encoding/bytes.ts";

// Merkle trees of RFC 9162, section 2.1. All functions except `leafHash` take leaf hashes.

/** RFC 9162, 2.1.1. The prefix distinguishes leaves from nodes. */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF, data));
}

/** The same of a text, in hex: the prefix is a character too. */
export function leafHashHex(text: string): string {
  return sha256Hex(`\0${text}`);
}

/** The root of the tree with these leaves, in this order. */
export function merkleRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
  if (leafHashes.length === 0) return sha256(new Uint8Array(0));
  let level = checkedHashes(leafHashes);
  while (level.length > 1) level = parents(level);
  return level[0] as Uint8Array; // the loop leaves one
}

/** The hashes one level up. */
export function parents(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i] as Uint8Array; // i is below the length
    const right = level[i + 1];
    above.push(right === undefined ? left : nodeHash(left, right));
  }
  return above;
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right));
}

export function checkedHashes(leafHashes: readonly Uint8Array[]): readonly Uint8Array[] {
  if (leafHashes.length > MAX_LEAVES) throw new Error("too many leaves");
  if (leafHashes.some((hash) => hash.length !== 32)) throw new Error("malformed leaf hash");
  return leafHashes;
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
// Positions are handled as 32-bit integers.
export const MAX_LEAVES = 2 ** 31;
