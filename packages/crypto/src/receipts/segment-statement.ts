import {
  digest,
  exactly,
  integerFrom,
  literal,
  matching,
  orNull,
  uuid,
} from "../encoding/shape.ts";

/** What the signer signs of a segment of the receipt log. */
export type SegmentStatement = {
  type: "keyhearth.segment.v1";
  organizationId: string;
  number: number;
  /** The digest of the previous segment: hex SHA-256 of its payload. Null in segment 1. */
  previousDigest: string | null;
  /** The number of leaves. */
  size: number;
  merkleRoot: string;
  /** The organization document at that time. The host names it, and the signer does not check it. */
  documentVersion: number;
  documentDigest: string;
};

export const isSegmentStatement = exactly<SegmentStatement>({
  type: literal("keyhearth.segment.v1"),
  organizationId: uuid,
  number: integerFrom(1),
  previousDigest: orNull(digest),
  size: integerFrom(1),
  merkleRoot: digest,
  documentVersion: integerFrom(1),
  documentDigest: digest,
});

/** `payload` is the exact text that was signed: a `SegmentStatement`. */
export type SignedSegment = { payload: string; signature: string };

export const isSignedSegment = exactly<SignedSegment>({
  payload: matching(/^/),
  signature: matching(/^[0-9a-f]{128}$/),
});
