import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { canonicalJson } from "@keyhearth/crypto/encoding/canonical";
import {
  generatePrivateKey,
  publicKeyOf,
  signP256Raw,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { expect, test } from "vitest";
import { isFoundedBy } from "./founded.ts";

const body = '{"type":"ACTIVITY_TYPE_CREATE_ORGANIZATION_V2"}';
const organizationId = "2a1f0c3e-0000-4000-8000-00000000abcd";

function quorum() {
  const key = generatePrivateKey("CURVE_P256");
  const point = encodeHex(uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", key)));
  const quorumPublicKey = point + point;
  const prove = (facts: object = {}) => {
    const proofPayload = canonicalJson({
      type: "APP_PROOF_TYPE_POLICY_OUTCOME",
      timestampMs: "1",
      policyOutcomeProof: {
        ...{ organizationId, activityId: "a1", outcome: "ACTIVITY_STATUS_COMPLETED" },
        fingerprint: fingerprint(encodeUtf8(body)),
        ...facts,
      },
    });
    const signature = encodeHex(signP256Raw(encodeUtf8(proofPayload), key));
    const scheme = "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";
    return { scheme, publicKey: quorumPublicKey, proofPayload, signature };
  };
  return { quorumPublicKey, prove };
}

test("an organization is the founder's only if the signer stated so about their request", () => {
  const { quorumPublicKey, prove } = quorum();
  const isFounded = (...proofs: unknown[]) =>
    isFoundedBy(body, { organizationId, proofs }, quorumPublicKey);
  expect(isFounded(prove())).toBe(true);
  expect(isFounded()).toBe(false);
  // What somebody else has founded, and what did not happen.
  expect(isFounded(prove({ fingerprint: `sha256:${"0".repeat(64)}` }))).toBe(false);
  expect(isFounded(prove({ organizationId: "another" }))).toBe(false);
  expect(isFounded(prove({ outcome: "ACTIVITY_STATUS_FAILED" }))).toBe(false);
  expect(isFounded(quorum().prove(), null, { proofPayload: "{" })).toBe(false);
});
