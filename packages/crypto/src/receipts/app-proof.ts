import { decodeHex, encodeUtf8, isWellFormed } from "../encoding/bytes.ts";
import { exactly, type Guard, literal, matching, parseCanonical } from "../encoding/shape.ts";
import { signingKeyOfQuorum } from "../keys/quorum-key.ts";
import { verifyP256Raw } from "../keys/verify.ts";

/** A statement about an address or an outcome, signed by the quorum key of the service. */
export type SignedProof = {
  scheme: "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";
  /** The quorum public key: hex of 130 bytes. */
  publicKey: string;
  /** The exact text that was signed. */
  proofPayload: string;
  /** Hex of r and s, 64 bytes. */
  signature: string;
};

/**
 * Checks that the holder of the pinned quorum key made this statement. It does not check that the
 * statement is the one you need: compare the organization, wallet and address in `proofPayload`
 * with what you expect.
 */
export function verifyAppProof(proof: unknown, quorumPublicKey: string): boolean {
  if (!isSignedProof(proof) || proof.publicKey !== quorumPublicKey) return false;
  const signingKey = signingKeyOfQuorum(quorumPublicKey);
  if (!signingKey || !isWellFormed(proof.proofPayload)) return false;
  const message = encodeUtf8(proof.proofPayload);
  if (!verifyP256Raw(signingKey, message, decodeHex(proof.signature))) return false;
  // The quorum key also signs certificates of other keys, which are not proofs.
  return statements.some((is) => parseCanonical(proof.proofPayload, is) !== undefined);
}

const isSignedProof = exactly<SignedProof>({
  scheme: literal("SIGNATURE_SCHEME_EPHEMERAL_KEY_P256"),
  publicKey: matching(/^[0-9a-f]{260}$/),
  proofPayload: (value): value is string => typeof value === "string",
  signature: matching(/^[0-9a-f]{128}$/),
});

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const timestampMs = matching(/^(0|[1-9]\d{0,15})$/);

/** Each type of statement has its own member for the content. */
function statementOf(type: string, member: string): Guard<object> {
  return exactly<Record<string, unknown>>({
    type: literal(type),
    timestampMs,
    [member]: isObject,
  });
}

const statements = [
  statementOf("APP_PROOF_TYPE_ADDRESS_DERIVATION", "addressDerivationProof"),
  statementOf("APP_PROOF_TYPE_POLICY_OUTCOME", "policyOutcomeProof"),
];
