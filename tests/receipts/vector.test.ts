import { verifyAppProof } from "@keyhearth/crypto/app-proof";
import { expect, test } from "vitest";
import vector from "../../packages/crypto/src/vectors/receipts.json" with { type: "json" };
import { makeVector } from "./vector.ts";

test("the core still makes the receipts that it once made", () => {
  const made = makeVector();
  // A proof is signed with a fresh nonce; everything else is the same to the byte.
  const { signature } = vector.proof;
  expect({ ...made, proof: { ...made.proof, signature } }).toEqual(vector);
  expect(verifyAppProof(made.proof, made.quorumPublicKey)).toBe(true);
});
