import { verifyAppProof } from "@keyhearth/crypto/receipts/app-proof";
import { expect, test } from "vitest";
import vector from "../../packages/crypto/src/vectors/receipts.json" with { type: "json" };
import { makeVector } from "./vector.ts";

test("the core still makes the same receipts", () => {
  const made = makeVector();
  // A proof is signed with a new nonce. Everything else must be equal to the byte.
  const { signature } = vector.proof;
  expect({ ...made, proof: { ...made.proof, signature } }).toEqual(vector);
  expect(verifyAppProof(made.proof, made.quorumPublicKey)).toBe(true);
});
