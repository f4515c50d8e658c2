import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { AddressFormat, Curve } from "@keyhearth/sdk";
import { verifyAppProof } from "@keyhearth/sdk/crypto";

// Large, because it has every curve and format of an address: screens load it when they have an address to check.

/** An address as the service shows it, with the signer's statement about it. */
export type Stated = {
  address: string;
  format: AddressFormat;
  curve: Curve;
  publicKey: string | undefined;
  proof: unknown;
  /** What the statement must say about the address, and nothing else: its organization, wallet and path, or its key. */
  place: Readonly<Record<string, string>>;
};

/** Whether the signer stated exactly this, and whether the public key that is shown has this address. */
export function isProven(stated: Stated, quorumPublicKey: string): boolean {
  const { address, place, proof } = stated;
  const said = statementOf(proof);
  const facts = Object.entries({ ...place, address });
  return (
    Object.keys(said).length === facts.length &&
    facts.every(([name, value]) => said[name] === value) &&
    hasAddress(stated) &&
    verifyAppProof(proof, quorumPublicKey)
  );
}

function statementOf(proof: unknown): Record<string, unknown> {
  try {
    const payload: unknown = Reflect.get(Object(proof), "proofPayload");
    const stated: unknown = JSON.parse(String(payload));
    return { ...Reflect.get(Object(stated), "addressDerivationProof") };
  } catch {
    return {};
  }
}

function hasAddress({ publicKey, format, curve, address }: Stated): boolean {
  if (publicKey === undefined || !Object.hasOwn(addressEncodings, format)) return false;
  const { curves, encode }: AddressEncoding = addressEncodings[format];
  try {
    return curves.includes(curve) && encode(decodeHex(publicKey), curve) === address;
  } catch {
    return false;
  }
}
