import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { verifyAppProof } from "@keyhearth/sdk/crypto";

// Loaded when somebody founds an organization, because it needs a curve.

/**
 * Whether the signer stated that exactly this request founded this organization. Anybody may found another one that also registers
 * the founder's passkey, and the service could name that one: then its author would share all that is put into it.
 */
export function isFoundedBy(
  body: string,
  { organizationId, proofs }: { organizationId: string; proofs: readonly unknown[] },
  quorumPublicKey: string,
): boolean {
  const facts = Object.entries({
    organizationId,
    fingerprint: fingerprint(encodeUtf8(body)),
    outcome: "ACTIVITY_STATUS_COMPLETED",
  });
  return proofs.some((proof) => {
    const stated = outcomeIn(proof);
    return (
      facts.every(([name, value]) => stated[name] === value) &&
      verifyAppProof(proof, quorumPublicKey)
    );
  });
}

function outcomeIn(proof: unknown): Record<string, unknown> {
  try {
    const said: unknown = JSON.parse(String(Reflect.get(Object(proof), "proofPayload")));
    return { ...Reflect.get(Object(said), "policyOutcomeProof") };
  } catch {
    return {};
  }
}
