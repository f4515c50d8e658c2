import { digest, exactly, integerFrom, literal, matching, uuid } from "../encoding/shape.ts";
import type { SignedSegment } from "./segment-statement.ts";

/**
 * The export of an organization's receipts: a JSON file that can be verified offline. The receipt
 * key proves everything in it, and the quorum key certifies the receipt key.
 */
export type ReceiptsFile = {
  version: "keyhearth.receipts.v1";
  organizationId: string;
  receiptKey: ReceiptKeyCertificate;
  segments: SignedSegment[];
  receipts: ReceiptEntry[];
};

/** `payload` is the exact text that was signed: a `ReceiptKeyStatement`. */
export type ReceiptKeyCertificate = { publicKey: string; payload: string; signature: string };

export type ReceiptEntry = StatementEntry | HashEntry;

/** A receipt: the exact text of an `ActivityStatement` and its path to the root of its segment. */
export type StatementEntry = { statement: string } & ReceiptPlace;

/**
 * The receipt of a version of an activity that a later one has replaced: the service keeps only the
 * hash of its statement.
 */
export type HashEntry = { leafHash: string } & ReceiptPlace;

type ReceiptPlace = {
  /** The number of the segment. */
  segment: number;
  /** The index of the leaf in the segment. */
  index: number;
  /** Merkle path: hex hashes, lowest first. */
  path: string[];
};

export type ReceiptKeyStatement = { type: "keyhearth.receipt-key.v1"; publicKey: string };

/** The signer's statement about one version of one activity. */
export type ActivityStatement = {
  type: "keyhearth.activity.v1";
  organizationId: string;
  activityId: string;
  activityVersion: number;
  activityType: string;
  fingerprint: string;
  status: string;
  resultDigest: string;
  /** The organization document that the decision was made with. */
  documentVersion: number;
  documentDigest: string;
  timestampMs: string;
};

const signature = matching(/^[0-9a-f]{128}$/);
const compressedKey = matching(/^0[23][0-9a-f]{64}$/);
const text = matching(/^/);
const list = (value: unknown): value is unknown[] => Array.isArray(value);

/** The file itself. The entries of its lists are checked one by one. */
export const isReceiptsFile = exactly<
  Omit<ReceiptsFile, "segments" | "receipts"> & { segments: unknown[]; receipts: unknown[] }
>({
  version: literal("keyhearth.receipts.v1"),
  organizationId: uuid,
  receiptKey: exactly<ReceiptKeyCertificate>({
    publicKey: compressedKey,
    payload: text,
    signature,
  }),
  segments: list,
  receipts: list,
});

const place = {
  segment: integerFrom(1),
  index: integerFrom(0),
  // A tree has at most 2^31 leaves.
  path: (value: unknown): value is string[] =>
    Array.isArray(value) && value.length <= 31 && Array.from(value).every(digest),
};

export const isStatementEntry = exactly<StatementEntry>({ statement: text, ...place });
export const isHashEntry = exactly<HashEntry>({ leafHash: digest, ...place });

export const isReceiptKeyStatement = exactly<ReceiptKeyStatement>({
  type: literal("keyhearth.receipt-key.v1"),
  publicKey: compressedKey,
});

export const isActivityStatement = exactly<ActivityStatement>({
  type: literal("keyhearth.activity.v1"),
  organizationId: uuid,
  activityId: uuid,
  activityVersion: integerFrom(1),
  activityType: matching(/^ACTIVITY_TYPE_[A-Z0-9_]+$/),
  fingerprint: matching(/^sha256:[0-9a-f]{64}$/),
  status: matching(/^ACTIVITY_STATUS_[A-Z_]+$/),
  resultDigest: digest,
  documentVersion: integerFrom(1),
  documentDigest: digest,
  timestampMs: matching(/^(0|[1-9]\d{0,15})$/),
});
