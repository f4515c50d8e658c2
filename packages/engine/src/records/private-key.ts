import { canonicalAddress } from "@keyhearth/crypto/addresses/canonical";
import type { Curve } from "@keyhearth/crypto/keys/keys";
import type { Sealed } from "../vault/seal.ts";
import { defineRecord } from "./define.ts";
import type { OrganizationDocument, PrivateKeyLine } from "./organization.ts";
import type { AddressProof } from "./wallet-account.ts";

export type PrivateKey = {
  privateKeyId: string;
  curve: Curve;
  /** In hex, compressed for ECDSA curves. */
  publicKey: string;
  addresses: { format: string; address: string; proof: AddressProof }[];
  sealedKey: Sealed;
  createdAtMs: number;
};

/** A private key with its line in the document. The digest is that of the record. */
export type ListedPrivateKey = { record: PrivateKey; digest: string; line: PrivateKeyLine };

export const privateKey = defineRecord({
  type: "private-key",
  schema: 1,
  upcasts: {},
  idOf: ({ privateKeyId }: PrivateKey) => privateKeyId,
  answers: {
    "signing-key": (_record, _want: { signWith: string }) => true,
  },
  isBound: ({ header }, document) => findPrivateKeyLine(document, header.id) !== undefined,
  finders: ({ document, records }) => ({
    /** By its id or one of its addresses. */
    privateKey(signWith: string): ListedPrivateKey | null {
      const canonical = canonicalAddress(signWith);
      for (const { body, digest } of records) {
        const { privateKeyId, addresses } = body;
        const isMeant =
          privateKeyId === signWith || addresses.some(({ address }) => address === canonical);
        const line = isMeant && findPrivateKeyLine(document, privateKeyId);
        if (line) return { record: body, digest, line };
      }
      return null;
    },
  }),
  write: { name: "privateKey" },
});

/**
 * The line of the private key that is this key. Taproot addresses have only the x coordinate, so there
 * a key and its negative are one.
 */
export function findLineOfKey(
  { privateKeys }: Pick<OrganizationDocument, "privateKeys">,
  { curve, publicKey }: { curve: Curve; publicKey: string },
  by: "point" | "x" = "point",
): PrivateKeyLine | undefined {
  const compared = (hex: string) => (by === "x" ? hex.slice(-64) : hex);
  const wanted = compared(publicKey);
  return privateKeys.find(
    (line) => line.publicKey && compared(line.publicKey) === wanted && line.curve === curve,
  );
}

export function findPrivateKeyLine(
  { privateKeys }: Pick<OrganizationDocument, "privateKeys">,
  privateKeyId: string,
): PrivateKeyLine | undefined {
  return privateKeys.find((line) => line.privateKeyId === privateKeyId);
}
