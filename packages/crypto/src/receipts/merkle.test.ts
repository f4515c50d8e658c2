import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeHex, encodeHex } from "../encoding/bytes.ts";
import { leafHash, merkleRoot } from "./merkle.ts";
import { inclusionProof, inclusionProofs, verifyInclusion } from "./merkle-proofs.ts";

// The test data of the Certificate Transparency reference implementation (RFC 6962 hashing).
const LEAVES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((data) => leafHash(decodeHex(data)));

const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

describe("published vectors", () => {
  test("roots of the first eight trees", () => {
    const roots = ROOTS.map((_, size) => encodeHex(merkleRoot(LEAVES.slice(0, size))));
    expect(roots).toEqual(ROOTS);
  });

  test.each([
    [0, 1, []],
    [
      0,
      8,
      [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
      ],
    ],
    [
      5,
      8,
      [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      ],
    ],
    [2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]],
  ])("the proof of leaf %i of %i", (index, size, expected) => {
    expect(inclusionProof(LEAVES.slice(0, size), index).map(encodeHex)).toEqual(expected);
  });
});

const tree = () =>
  fc
    .array(fc.uint8Array({ maxLength: 4 }), { minLength: 1, maxLength: 40 })
    .map((data) => data.map(leafHash))
    .chain((leaves) => fc.tuple(fc.constant(leaves), fc.nat(leaves.length - 1)));

test("every leaf is proven, at its own index and size only", () => {
  fc.assert(
    fc.property(tree(), fc.nat(45), fc.nat(45), ([leaves, index], otherIndex, otherSize) => {
      const inclusion = inclusionOf(leaves, index);
      expect(verifyInclusion(inclusion)).toBe(true);
      // A different index or size may have the same path only if the two trees are equal.
      if (otherIndex !== index) {
        expect(verifyInclusion({ ...inclusion, index: otherIndex })).toBe(
          otherIndex < leaves.length && isSameLeaf(leaves, index, otherIndex),
        );
      }
      if (
        otherSize > leaves.length &&
        otherSize.toString(2).length > leaves.length.toString(2).length
      ) {
        expect(verifyInclusion({ ...inclusion, size: otherSize * 2 })).toBe(false);
      }
    }),
  );
});

test("the proofs of all leaves are the proofs of each", () => {
  fc.assert(
    fc.property(tree(), ([leaves]) => {
      expect(inclusionProofs(leaves)).toEqual(leaves.map((_, i) => inclusionProof(leaves, i)));
    }),
  );
  expect(inclusionProofs([])).toEqual([]);
});

test("a flipped bit of leaf, proof or root never verifies", () => {
  fc.assert(
    fc.property(tree(), fc.nat(), fc.nat(255), ([leaves, index], which, bit) => {
      const inclusion = inclusionOf(leaves, index);
      const parts = [inclusion.leafHash, inclusion.root, ...inclusion.proof];
      const part = parts[which % parts.length] as Uint8Array;
      const flipped = part.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      const swap = (hash: Uint8Array) => (hash === part ? flipped : hash);
      expect(
        verifyInclusion({
          ...inclusion,
          leafHash: swap(inclusion.leafHash),
          root: swap(inclusion.root),
          proof: inclusion.proof.map(swap),
        }),
      ).toBe(leaves.length === 1 && inclusion.leafHash === inclusion.root);
    }),
  );
});

test("a proof that is too short, too long or made of other hashes is refused", () => {
  const inclusion = inclusionOf(LEAVES, 3);
  const { proof } = inclusion;
  for (const wrong of [
    proof.slice(1),
    [...proof, proof[0] as Uint8Array],
    [],
    proof.map((hash) => hash.subarray(1)),
  ]) {
    expect(verifyInclusion({ ...inclusion, proof: wrong })).toBe(false);
  }
  for (const index of [-1, 8, 0.5, Number.NaN, 2 ** 33 + 3]) {
    expect(verifyInclusion({ ...inclusion, index })).toBe(false);
  }
  expect(verifyInclusion({ ...inclusion, size: 2 ** 32 + 8 })).toBe(false);
});

test("malformed leaf hashes and indexes are refused", () => {
  expect(() => merkleRoot([new Uint8Array(31)])).toThrow(/^malformed leaf hash$/);
  expect(() => inclusionProof(LEAVES, 8)).toThrow(/^leaf index out of range$/);
  expect(() => inclusionProof([], 0)).toThrow(/^leaf index out of range$/);
});

function inclusionOf(leaves: Uint8Array[], index: number) {
  return {
    leafHash: leaves[index] as Uint8Array,
    index,
    size: leaves.length,
    proof: inclusionProof(leaves, index),
    root: merkleRoot(leaves),
  };
}

/** Two indexes have the same proof if the leaves and siblings are equal. */
function isSameLeaf(leaves: Uint8Array[], index: number, other: number): boolean {
  const path = (i: number) =>
    [leaves[i] as Uint8Array, ...inclusionProof(leaves, i)].map(encodeHex);
  return JSON.stringify(path(index)) === JSON.stringify(path(other));
}
