import { digest, exactly, integerFrom, literal, orNull, uuid } from "./shape.ts";

/** What the signer signs of a segment of the receipt log. */
export type SegmentStatement = {
  type: "keyhearth.segment.v1";
  organizationId: string;
  number: number;
  /** Digest of the segment before: hex SHA-256 of its payload. Null in segment 1. */
  previousDigest: string | null;
  /** How many leaves it has. */
  size: number;
  merkleRoot: string;
  /** The organization document when the segment was made, as the service named it. */
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
