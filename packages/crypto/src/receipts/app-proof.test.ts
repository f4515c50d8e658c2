import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../encoding/canonical.ts";
import vectors from "../vectors/receipts.json" with { type: "json" };
import { verifyAppProof } from "./app-proof.ts";
import { certificate, quorumPublicKey, quorumSecret, signText } from "./receipts.testing.ts";

const statement = {
  type: "APP_PROOF_TYPE_ADDRESS_DERIVATION",
  timestampMs: "1767225600000",
  addressDerivationProof: { address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" },
};

function proofOf(text: string, secret = quorumSecret) {
  const { payload, signature } = signText(text, secret);
  return {
    scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256",
    publicKey: quorumPublicKey,
    proofPayload: payload,
    signature,
  };
}

const proof = proofOf(canonicalJson(statement));

test("the frozen proof verifies", () => {
  expect(verifyAppProof(vectors.proof, vectors.quorumPublicKey)).toBe(true);
});

test("a proof of the pinned quorum key verifies", () => {
  expect(verifyAppProof(proof, quorumPublicKey)).toBe(true);
  const { addressDerivationProof, ...rest } = statement;
  const outcome = {
    ...rest,
    type: "APP_PROOF_TYPE_POLICY_OUTCOME",
    policyOutcomeProof: addressDerivationProof,
  };
  expect(verifyAppProof(proofOf(canonicalJson(outcome)), quorumPublicKey)).toBe(true);
});

test("a changed character never verifies", () => {
  const members = ["scheme", "publicKey", "proofPayload", "signature"] as const;
  fc.assert(
    fc.property(fc.constantFrom(...members), fc.nat(), fc.nat(7), (member, at, bit) => {
      const text = proof[member];
      const index = at % text.length;
      const code = text.charCodeAt(index) ^ (1 << bit);
      const changed = text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1);
      expect(verifyAppProof({ ...proof, [member]: changed }, quorumPublicKey)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test("the key that the proof itself names is not enough", () => {
  const swapped = quorumPublicKey.slice(130) + quorumPublicKey.slice(0, 130);
  expect(verifyAppProof({ ...proof, publicKey: swapped }, quorumPublicKey)).toBe(false);
  expect(verifyAppProof({ ...proof, publicKey: swapped }, swapped)).toBe(false);
  expect(verifyAppProof(proof, swapped)).toBe(false);
  const text = canonicalJson(statement);
  expect(verifyAppProof(proofOf(text, new Uint8Array(32).fill(9)), quorumPublicKey)).toBe(false);
});

test("a text that the quorum key signed for another purpose is not a proof", () => {
  for (const text of [
    certificate().payload,
    canonicalJson({ ...statement, type: "APP_PROOF_TYPE_POLICY_OUTCOME" }),
    canonicalJson({ ...statement, more: {} }),
    JSON.stringify(statement),
    "{}",
  ]) {
    expect(verifyAppProof(proofOf(text), quorumPublicKey)).toBe(false);
  }
});

test("nothing throws, whatever the proof is", () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(verifyAppProof(value, quorumPublicKey)).toBe(false);
      expect(verifyAppProof({ ...proof, proofPayload: value }, quorumPublicKey)).toBe(false);
    }),
  );
});
