import { decodeHex, encodeHex, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { canonicalJson } from "@keyhearth/crypto/encoding/canonical";
import { parseCanonical } from "@keyhearth/crypto/encoding/shape";
import { publicKeyOf, signP256Raw } from "@keyhearth/crypto/keys/keys";
import { hmacSha256Hex, importPublicKey, sha256, verifyP256 } from "@keyhearth/crypto/primitives";
import { leafHashHex, merkleRoot } from "@keyhearth/crypto/receipts/merkle";
import {
  isSegmentStatement,
  isSignedSegment,
  type SegmentStatement,
  type SignedSegment,
} from "@keyhearth/crypto/receipts/segment-statement";
import { ApiError, recordRefused } from "../errors.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { QuorumKeys } from "../vault/quorum-key.ts";

/** The newest segment of an organization. */
export type SegmentHead = { number: number; digest: string };

/**
 * Receipts. The commit of an activity adds a leaf to a log. Later the signer seals an
 * organization's leaves into a segment: its number, the digest of the previous segment, a Merkle
 * root (RFC 9162, section 2.1), the document and a signature. A receipt is a statement, its Merkle
 * path and the segment (decision 4).
 */
export type Leaf = {
  /** The Merkle leaf hash of the activity's statement, in hex. */
  hash: string;
  /** An HMAC that ties the hash to its organization, in hex. Nobody else can make a leaf. */
  tag: string;
};

export function createLeaf(keyring: Keyring, organizationId: string, statement: string): Leaf {
  const hash = leafHashHex(statement);
  return { hash, tag: leafTag(keyring, organizationId, hash) };
}

/** Seals leaves into the segment after `previous`. The host brings it, so it is verified first. */
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
    previous: SignedSegment | null;
    leaves: Leaf[];
    documentVersion: number;
    documentDigest: string;
  },
): { segment: SignedSegment; previous: SegmentHead | null; head: SegmentHead } {
  if (leaves.length === 0) {
    throw new ApiError("INVALID_ARGUMENT", "RECORD_REFUSED", "a segment needs at least one leaf");
  }
  const before = previous === null ? null : readPrevious(keyring, organizationId, previous);
  // Verification refuses a chain that goes back to an older document.
  if (before && documentVersion < before.documentVersion) {
    throw recordRefused("the previous segment names a newer document");
  }
  const hashes = leaves.map(({ hash, tag }) => {
    const bytes = decodeHex(hash);
    const made = leafTag(keyring, organizationId, encodeHex(bytes));
    if (!equalBytes(decodeHex(made), decodeHex(tag))) {
      throw recordRefused("a leaf of the log was not made by the signer for this organization");
    }
    return bytes;
  });
  // Otherwise `size` would count statements that do not exist.
  if (new Set(hashes.map(encodeHex)).size < hashes.length) {
    throw recordRefused("a leaf of the log is repeated within one segment");
  }
  const number = (before?.number ?? 0) + 1;
  const statement: SegmentStatement = {
    type: "keyhearth.segment.v1",
    organizationId,
    number,
    previousDigest: before?.digest ?? null,
    size: hashes.length,
    merkleRoot: encodeHex(merkleRoot(hashes)),
    documentVersion,
    documentDigest,
  };
  // The host named the organization and the document. Refuses to sign what a verifier would refuse.
  if (!isSegmentStatement(statement)) throw recordRefused("a segment with malformed references");
  const payload = canonicalJson(statement);
  const bytes = encodeUtf8(payload);
  const signature = encodeHex(signP256Raw(bytes, keyring.keys.receipt));
  const head = { number, digest: encodeHex(sha256(bytes)) };
  return { segment: { payload, signature }, previous: before, head };
}

/** A segment that this signer sealed for this organization, with its digest. */
function readPrevious(
  keyring: Keyring,
  organizationId: string,
  segment: SignedSegment,
): SegmentHead & { documentVersion: number } {
  // The segment comes from the host, so it can have any form.
  if (!isSignedSegment(segment)) throw recordRefused("the previous segment is malformed");
  const bytes = encodeUtf8(segment.payload);
  const key = importPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", keyring.keys.receipt));
  if (!verifyP256(key, bytes, decodeHex(segment.signature))) {
    throw recordRefused("the previous segment was not sealed by this signer");
  }
  const statement = parseCanonical(segment.payload, isSegmentStatement);
  if (!statement) throw recordRefused("the previous segment has an unknown form");
  if (statement.organizationId !== organizationId) {
    throw recordRefused("the previous segment belongs to another organization");
  }
  const { number, documentVersion } = statement;
  return { number, documentVersion, digest: encodeHex(sha256(bytes)) };
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

function leafTag(keyring: Keyring, organizationId: string, hash: string): string {
  const message = `keyhearth.leaf.v1|${organizationId}|${hash}`;
  return hmacSha256Hex(keyring.derivationKey, message).slice(0, 32);
}
