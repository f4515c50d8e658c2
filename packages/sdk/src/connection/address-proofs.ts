import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { Curve } from "@keyhearth/crypto/keys/keys";
import { sha256 } from "@keyhearth/crypto/primitives";
import { verifyAppProof } from "@keyhearth/crypto/receipts/app-proof";
import { parseObject } from "./answers.ts";

// What the holder of a pinned quorum key has stated, about addresses and about the outcomes of activities.

/** Where an address must come from. What is undefined may be anything. */
export type AddressPlace = {
  organizationId: string;
  walletId?: unknown;
  privateKeyId?: unknown;
  derivationPath?: unknown;
};

/** Whether a proof states exactly these facts of an address, and no others. */
export function provesExactly(
  proof: unknown,
  quorumPublicKey: string,
  facts: Record<string, unknown>,
): boolean {
  const names = Object.keys(facts);
  return isStated(proof, quorumPublicKey, ({ addressDerivationProof: stated }) => {
    const isWhole = Object.keys({ ...stated }).length === names.length;
    return isWhole && names.every((name) => stated?.[name] === facts[name]);
  });
}

/** Whether a proof states that the address belongs to a key at this place. */
export function provesAddress(
  proof: unknown,
  quorumPublicKey: string,
  { address, ...place }: AddressPlace & { address: unknown },
): boolean {
  return isStated(
    proof,
    quorumPublicKey,
    ({ addressDerivationProof: stated }) =>
      stated?.address === address &&
      Object.entries(place).every(
        ([name, value]) => value === undefined || stated?.[name] === value,
      ),
  );
}

/**
 * Whether a proof states that this activity, with this fingerprint, ended with this status and this result. The
 * statement has the digest of the result's text.
 */
export function provesOutcome(
  proof: unknown,
  quorumPublicKey: string,
  { id, fingerprint, status, result }: Record<string, unknown>,
  organizationId: string,
): boolean {
  const [inner, ...others] = Object.values({ ...asRecord(result) });
  if (!asRecord(inner) || others.length > 0) return false;
  const resultDigest = encodeHex(sha256(encodeUtf8(JSON.stringify(inner))));
  const facts = { organizationId, activityId: id, fingerprint, outcome: status, resultDigest };
  return isStated(proof, quorumPublicKey, ({ policyOutcomeProof: stated }) =>
    Object.entries(facts).every(([name, value]) => stated?.[name] === value),
  );
}

/** Whether the key has this address. The curve and the format are the service's words, and only help to compute it. */
export function hasAddress(
  { publicKey, curve }: { publicKey?: unknown; curve?: unknown },
  format: unknown,
  address: unknown,
): boolean {
  if (typeof publicKey !== "string" || !Object.hasOwn(addressEncodings, String(format)))
    return false;
  const { curves, encode }: AddressEncoding =
    addressEncodings[format as keyof typeof addressEncodings]; // checked above
  const own = curves.find((each: Curve) => each === curve);
  if (own === undefined) return false;
  try {
    return encode(decodeHex(publicKey), own) === address;
  } catch {
    // Not a point of the curve.
    return false;
  }
}

/** Whether two texts are the same address. Ethereum's can be written without a checksum. */
export function isSameAddress(one: unknown, other: unknown): boolean {
  return (
    typeof one === "string" &&
    typeof other === "string" &&
    canonicalAddress(one) === canonicalAddress(other)
  );
}

type Statement = { [member in string]?: Record<string, unknown> };

/** Whether the holder of the key made a statement that fits. The signature is verified last: that takes longest. */
function isStated(
  proof: unknown,
  quorumPublicKey: string,
  fits: (statement: Statement) => boolean,
): boolean {
  const payload = asRecord(proof)?.proofPayload;
  const statement = typeof payload === "string" ? parseObject(payload) : undefined;
  if (!statement) return false;
  const members = Object.entries(statement).flatMap(([name, value]) => {
    const record = asRecord(value);
    return record ? [[name, record]] : [];
  });
  return fits(Object.fromEntries(members)) && verifyAppProof(proof, quorumPublicKey);
}

/** A value as an object, or undefined if it is something else. */
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // Every other object can be asked for members.
  return value as Record<string, unknown>;
}
