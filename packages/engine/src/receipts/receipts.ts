import { canonicalJson } from "@keyhearth/crypto/canonical";
import { decodeHex, encodeHex, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding";
import { publicKeyOf, signP256Raw } from "@keyhearth/crypto/keys";
import { leafHash, merkleRoot } from "@keyhearth/crypto/merkle";
import { hmacSha256, sha256 } from "@keyhearth/crypto/primitives";
import { isSegmentStatement, type SegmentStatement } from "@keyhearth/crypto/segment-statement";
import { ApiError, recordRefused } from "../errors.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { QuorumKeys } from "../keys/quorum-key.ts";

/**
 * Receipts. The commit of an activity adds a leaf to a log. Later the signer seals an
 * organization's leaves into a segment: its number, the digest of the previous segment, a Merkle
 * root (RFC 9162, section 2.1), the document and a signature. A receipt is a statement, its Merkle
 * path and the segment.
 */
export type Leaf = {
  /** The Merkle leaf hash of the activity's statement, in hex. */
  hash: string;
  /** An HMAC that ties the hash to its organization, in hex. Nobody else can make a leaf. */
  tag: string;
};

/** `payload` is the exact text that was signed. */
export type Segment = { payload: string; signature: string };

export function createLeaf(keyring: Keyring, organizationId: string, statement: string): Leaf {
  const hash = leafHash(encodeUtf8(statement));
  return { hash: encodeHex(hash), tag: encodeHex(leafTag(keyring, organizationId, hash)) };
}

export function sealSegment(
  keyring: Keyring,
  {
    organizationId,
    previous,
    leaves,
    documentVersion,
    documentDigest,
  }: {
    organizationId: string;
    previous: { number: number; digest: string } | null;
    leaves: Leaf[];
    documentVersion: number;
    documentDigest: string;
  },
): { segment: Segment; number: number; digest: string } {
  if (leaves.length === 0) {
    throw new ApiError("INVALID_ARGUMENT", "RECORD_REFUSED", "a segment needs at least one leaf");
  }
  const hashes = leaves.map(({ hash, tag }) => {
    const bytes = decodeHex(hash);
    if (!equalBytes(leafTag(keyring, organizationId, bytes), decodeHex(tag))) {
      throw recordRefused("a leaf of the log was not made by the signer for this organization");
    }
    return bytes;
  });
  const number = (previous?.number ?? 0) + 1;
  const statement: SegmentStatement = {
    type: "keyhearth.segment.v1",
    organizationId,
    number,
    previousDigest: previous?.digest ?? null,
    size: hashes.length,
    merkleRoot: encodeHex(merkleRoot(hashes)),
    documentVersion,
    documentDigest,
  };
  // The host chose the number, digests and document. Refuses to sign what a verifier would refuse.
  if (!isSegmentStatement(statement)) throw recordRefused("a segment with malformed references");
  const payload = canonicalJson(statement);
  const bytes = encodeUtf8(payload);
  const signature = encodeHex(signP256Raw(bytes, keyring.keys.receipt));
  return { segment: { payload, signature }, number, digest: encodeHex(sha256(bytes)) };
}

/** The receipt key, certified by the quorum key that verifiers pin. */
export function receiptKeyCertificate(
  keyring: Keyring,
  { signSecret }: QuorumKeys,
): {
  publicKey: string;
  payload: string;
  signature: string;
} {
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", keyring.keys.receipt));
  const payload = canonicalJson({ type: "keyhearth.receipt-key.v1", publicKey });
  return { publicKey, payload, signature: encodeHex(signP256Raw(encodeUtf8(payload), signSecret)) };
}

function leafTag(keyring: Keyring, organizationId: string, hash: Uint8Array): Uint8Array {
  const message = encodeUtf8(`keyhearth.leaf.v1|${organizationId}|${encodeHex(hash)}`);
  return hmacSha256(keyring.derivationKey, message).slice(0, 16);
}
