import { equalBytes } from "../encoding/bytes.ts";
import { checkedHashes, MAX_LEAVES, nodeHash, parents } from "./merkle.ts";

// Inclusion proofs (RFC 9162, section 2.1.3). All functions take leaf hashes.

/** RFC 9162, 2.1.3.1. The siblings on the path from a leaf to the root, lowest first. */
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

/** The proofs of all leaves, by index. Hashes the tree only once. */
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

/** RFC 9162, 2.1.3.2. Checks that the tree of this size and root has the leaf at this index. */
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
