import { sha256 } from "#primitives";
import { concatBytes, equalBytes } from "./encoding.ts";

// Merkle trees as RFC 9162, section 2.1, has them. All functions but the first work on leaf hashes.

/** RFC 9162, 2.1.1: the prefix tells leaves from nodes. */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF, data));
}

/** The Merkle tree hash of the leaves in order. */
export function merkleRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
  if (leafHashes.length === 0) return sha256(new Uint8Array(0));
  let level = checkedHashes(leafHashes);
  while (level.length > 1) level = parents(level);
  return level[0] as Uint8Array; // the loop ends with one
}

/** RFC 9162, 2.1.3.1: the siblings on the way from a leaf to the root, lowest first. */
export function inclusionProof(leafHashes: readonly Uint8Array[], index: number): Uint8Array[] {
  if (!Number.isSafeInteger(index) || index < 0 || index >= leafHashes.length) {
    throw new Error("leaf index out of range");
  }
  const proof: Uint8Array[] = [];
  let level = checkedHashes(leafHashes);
  for (let position = index; level.length > 1; position >>>= 1) {
    const sibling = level[position ^ 1];
    // The last node of an odd level has no sibling and moves up as it is.
    if (sibling !== undefined) proof.push(sibling);
    level = parents(level);
  }
  return proof;
}

/** The proofs of all leaves, by index: the tree is hashed once. */
export function inclusionProofs(leafHashes: readonly Uint8Array[]): Uint8Array[][] {
  const proofs: Uint8Array[][] = leafHashes.map(() => []);
  let level = checkedHashes(leafHashes);
  for (let height = 0; level.length > 1; height++) {
    for (const [index, proof] of proofs.entries()) {
      const sibling = level[(index >>> height) ^ 1];
      if (sibling !== undefined) proof.push(sibling);
    }
    level = parents(level);
  }
  return proofs;
}

/** RFC 9162, 2.1.3.2: whether the leaf stands at that index of the tree with this size and root. */
export function verifyInclusion({
  leafHash,
  index,
  size,
  proof,
  root,
}: {
  leafHash: Uint8Array;
  index: number;
  size: number;
  proof: readonly Uint8Array[];
  root: Uint8Array;
}): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) return false;
  if (index < 0 || index >= size || size > MAX_LEAVES) return false;
  if (leafHash.length !== 32 || proof.some((hash) => hash.length !== 32)) return false;
  let position = index;
  let last = size - 1;
  let hash = leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (position % 2 === 1 || position === last) {
      hash = nodeHash(sibling, hash);
      while (position % 2 === 0 && position !== 0) {
        position >>>= 1;
        last >>>= 1;
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    position >>>= 1;
    last >>>= 1;
  }
  return last === 0 && equalBytes(hash, root);
}

function parents(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i] as Uint8Array; // i is below the length
    const right = level[i + 1];
    above.push(right === undefined ? left : nodeHash(left, right));
  }
  return above;
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right));
}

function checkedHashes(leafHashes: readonly Uint8Array[]): readonly Uint8Array[] {
  if (leafHashes.length > MAX_LEAVES) throw new Error("too many leaves");
  if (leafHashes.some((hash) => hash.length !== 32)) throw new Error("malformed leaf hash");
  return leafHashes;
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
// Positions are handled as 32-bit integers.
const MAX_LEAVES = 2 ** 31;
