import { sha256 } from "#primitives";
import { decodeHex, encodeHex, encodeUtf8, isWellFormed } from "../encoding/bytes.ts";
import { parseCanonical } from "../encoding/shape.ts";
import { signingKeyOfQuorum } from "../keys/quorum-key.ts";
import { verifyP256Raw } from "../keys/verify.ts";
import { leafHash } from "./merkle.ts";
import { verifyInclusion } from "./merkle-proofs.ts";
import {
  type ActivityStatement,
  isActivityStatement,
  isHashEntry,
  isReceiptKeyStatement,
  isReceiptsFile,
  isStatementEntry,
  type ReceiptKeyCertificate,
} from "./receipts-file.ts";
import { isSegmentStatement, isSignedSegment, type SegmentStatement } from "./segment-statement.ts";

export type { ActivityStatement, ReceiptsFile } from "./receipts-file.ts";

export type ReceiptsProblemCode =
  | "QUORUM_KEY_MALFORMED"
  | "FILE_MALFORMED"
  | "RECEIPT_KEY_NOT_CERTIFIED"
  | "SEGMENT_MALFORMED"
  | "SEGMENT_SIGNATURE_INVALID"
  /** A segment or a statement belongs to a different organization from the file's. */
  | "OTHER_ORGANIZATION"
  /** Two different segments have the same number. */
  | "SEGMENTS_FORKED"
  | "SEGMENT_REPEATED"
  | "SEGMENTS_REORDERED"
  | "SEGMENT_MISSING"
  /** The first segment is not the one that was expected. */
  | "START_UNEXPECTED"
  /** A segment names a different predecessor from the one in the file. */
  | "CHAIN_BROKEN"
  | "RECEIPT_MALFORMED"
  /** The segment of a receipt is not in the file, or was refused. */
  | "RECEIPT_SEGMENT_MISSING"
  | "RECEIPT_PATH_INVALID"
  | "RECEIPT_REPEATED"
  /** Two statements are about the same version of an activity. */
  | "STATEMENTS_CONFLICT"
  /** Two documents have the same version, or a segment is older than a statement in it. */
  | "DOCUMENTS_CONFLICT";

export type ReceiptsProblem = {
  code: ReceiptsProblemCode;
  message: string;
  /** The number of the segment with the problem. */
  segment?: number;
  /** The position in the file's list of receipts. */
  receipt?: number;
};

export type SegmentHead = { number: number; digest: string };

export type ReceiptsReport = {
  /** True if and only if there are no problems. */
  valid: boolean;
  problems: ReceiptsProblem[];
  organizationId: string | null;
  /** How many segments and receipts are valid. */
  segments: number;
  receipts: number;
  firstSegment: SegmentHead | null;
  lastSegment: SegmentHead | null;
  /** How many leaves of these segments the file does not show: neither by a statement, nor as its earlier version. */
  leavesNotShown: number;
  /** The statements that are proven, in the order of the file. */
  statements: ActivityStatement[];
};

/**
 * Checks exported receipts offline. It needs only the quorum public key. The chain of segments must
 * be complete from segment 1, or from the segment after the one with digest `from`: the last
 * segment of an earlier report. Never throws: the report lists the problems.
 *
 * A chain that was cut off at its end is still valid: compare `lastSegment` with one you have seen,
 * and `leavesNotShown` with what you expect.
 */
export function verifyReceipts(
  file: unknown,
  quorumPublicKey: string,
  options: { from?: string | null } | null = {},
): ReceiptsReport {
  const from = options?.from ?? null;
  return verify(file, quorumPublicKey, (segments) => [
    ...checkStart(segments, from),
    ...checkNeighbours(segments),
    ...checkGaps(segments),
  ]);
}

/**
 * Checks the receipts of single activities. The file has only their segments, not those in between,
 * so it proves each receipt but not the absence of others.
 */
export function verifyReceiptsExcerpt(file: unknown, quorumPublicKey: string): ReceiptsReport {
  return verify(file, quorumPublicKey, checkNeighbours);
}

export type ReceiptsComparison = {
  /** True if and only if both files are valid and tell the same history. */
  valid: boolean;
  problems: ReceiptsProblem[];
  /** How many segment numbers both files mention. If it is 0, nothing was compared. */
  compared: number;
};

/**
 * Compares two exports of one organization, such as an old one and a new one, or those of two
 * users. Two different segments with the same number are a fork: the service has told two
 * histories.
 */
export function compareReceipts(
  a: unknown,
  b: unknown,
  quorumPublicKey: string,
): ReceiptsComparison {
  const [first, second] = [readSegments(a, quorumPublicKey), readSegments(b, quorumPublicKey)];
  const problems = [...first.problems, ...second.problems];
  if (first.organizationId !== second.organizationId) {
    const message = "the two files belong to different organizations";
    problems.push({ code: "OTHER_ORGANIZATION", message });
    return { valid: false, problems, compared: 0 };
  }
  const [known, others] = [knownDigests(first.segments), knownDigests(second.segments)];
  let compared = 0;
  for (const [segment, digests] of known) {
    const theirs = others.get(segment);
    if (!theirs) continue;
    compared += 1;
    if (new Set([...digests, ...theirs]).size > 1) {
      const message = `the files contain or name different segments ${segment}`;
      problems.push({ code: "SEGMENTS_FORKED", message, segment });
    }
  }
  return { valid: problems.length === 0, problems, compared };
}

type Segment = SegmentStatement & { digest: string };

type SegmentsRead = {
  problems: ReceiptsProblem[];
  organizationId: string | null;
  /** Those with a valid signature that belong to the organization, in the order of the file. */
  segments: Segment[];
  receipts: unknown[];
};

function verify(
  file: unknown,
  quorumPublicKey: string,
  checkChain: (sorted: Segment[]) => ReceiptsProblem[],
): ReceiptsReport {
  const { problems, organizationId, segments, receipts } = readSegments(file, quorumPublicKey);
  const byNumber = new Map<number, Segment>();
  for (const segment of segments) {
    const same = byNumber.get(segment.number);
    if (!same) byNumber.set(segment.number, segment);
    else problems.push(repeatedSegment(same, segment));
  }
  const sorted = [...byNumber.values()].sort((a, b) => a.number - b.number);
  problems.push(...checkOrder(segments), ...checkDocumentOrder(sorted), ...checkChain(sorted));

  const proven = readReceipts(receipts, byNumber, problems);
  const statements = proven.filter((statement) => statement !== null);
  problems.push(...checkDocuments(sorted, statements));
  const leaves = sorted.reduce((sum, { size }) => sum + size, 0);
  return {
    valid: problems.length === 0,
    problems,
    organizationId,
    segments: sorted.length,
    receipts: proven.length,
    firstSegment: headOf(sorted[0]),
    lastSegment: headOf(sorted.at(-1)),
    leavesNotShown: leaves - statements.length - earlierVersions(statements, proven.length),
    statements,
  };
}

/**
 * How many of the hashes can stand for earlier versions of activities whose statement is shown. The service no
 * longer has a statement of these alone. Every other hash hides one.
 */
function earlierVersions(statements: ActivityStatement[], proven: number): number {
  const newest = new Map<string, number>();
  for (const { activityId, activityVersion } of statements) {
    newest.set(activityId, Math.max(activityVersion, newest.get(activityId) ?? 0));
  }
  const all = [...newest.values()].reduce((sum, version) => sum + version, 0);
  return Math.min(all, proven) - statements.length;
}

/** The file's segments that are signed by a key that the quorum key certifies. */
function readSegments(file: unknown, quorumPublicKey: string): SegmentsRead {
  const nothing = { organizationId: null, segments: [], receipts: [] };
  const refuse = (code: ReceiptsProblemCode, message: string) => ({
    ...nothing,
    problems: [{ code, message }],
  });
  const quorumKey = signingKeyOfQuorum(quorumPublicKey);
  if (!quorumKey) {
    return refuse("QUORUM_KEY_MALFORMED", "the quorum public key is not hex of two P-256 points");
  }
  if (!isReceiptsFile(file)) {
    return refuse("FILE_MALFORMED", "this is not an export of receipts that this version can read");
  }
  const { organizationId, receiptKey, receipts } = file;
  if (!isCertified(receiptKey, quorumKey)) {
    return refuse(
      "RECEIPT_KEY_NOT_CERTIFIED",
      "the receipt key is not certified by this quorum key; it proves nothing",
    );
  }
  const key = decodeHex(receiptKey.publicKey);
  const problems: ReceiptsProblem[] = [];
  const segments: Segment[] = [];
  for (const [place, value] of Array.from(file.segments).entries()) {
    const where = `the segment at position ${place}`;
    if (!isSignedSegment(value)) {
      problems.push({ code: "SEGMENT_MALFORMED", message: `${where} is malformed` });
    } else if (!isSigned(value.payload, value.signature, key)) {
      const message = `${where} is not signed by the receipt key`;
      problems.push({ code: "SEGMENT_SIGNATURE_INVALID", message });
    } else {
      const statement = parseCanonical(value.payload, isSegmentStatement);
      if (!statement) {
        problems.push({ code: "SEGMENT_MALFORMED", message: `${where} has an unknown form` });
      } else if (statement.organizationId !== organizationId) {
        const { number } = statement;
        const message = `segment ${number} belongs to another organization`;
        problems.push({ code: "OTHER_ORGANIZATION", message, segment: number });
      } else {
        segments.push({ ...statement, digest: digestOf(value.payload) });
      }
    }
  }
  return { problems, organizationId, segments, receipts };
}

function isCertified({ publicKey, payload, signature }: ReceiptKeyCertificate, key: Uint8Array) {
  return (
    isSigned(payload, signature, key) &&
    parseCanonical(payload, isReceiptKeyStatement)?.publicKey === publicKey
  );
}

function isSigned(payload: string, signature: string, key: Uint8Array): boolean {
  return isWellFormed(payload) && verifyP256Raw(key, encodeUtf8(payload), decodeHex(signature));
}

function repeatedSegment(first: Segment, second: Segment): ReceiptsProblem {
  const segment = second.number;
  return first.digest === second.digest
    ? { code: "SEGMENT_REPEATED", message: `segment ${segment} appears twice`, segment }
    : {
        code: "SEGMENTS_FORKED",
        message: `there are two different segments ${segment}: the chain was forked`,
        segment,
      };
}

function checkOrder(segments: Segment[]): ReceiptsProblem[] {
  return segments.slice(1).flatMap(({ number }, i) => {
    const before = segments[i]?.number ?? 0;
    if (number >= before) return [];
    const message = `segment ${number} comes after segment ${before}`;
    return [{ code: "SEGMENTS_REORDERED" as const, message, segment: number }];
  });
}

function checkStart([first]: Segment[], from: string | null): ReceiptsProblem[] {
  if (!first || first.previousDigest === from) return [];
  const { number } = first;
  const message =
    from === null
      ? `the file starts at segment ${number} instead of 1`
      : `segment ${number} does not follow the segment it was expected to follow`;
  return [{ code: "START_UNEXPECTED", message, segment: number }];
}

function checkGaps(segments: Segment[]): ReceiptsProblem[] {
  return segments.slice(1).flatMap(({ number }, i) => {
    const missing = (segments[i]?.number ?? 0) + 1;
    if (missing === number) return [];
    const message =
      missing === number - 1
        ? `segment ${missing} is missing`
        : `segments ${missing} to ${number - 1} are missing`;
    return [{ code: "SEGMENT_MISSING" as const, message, segment: missing }];
  });
}

function checkNeighbours(segments: Segment[]): ReceiptsProblem[] {
  return segments.flatMap(({ number, previousDigest }, i) => {
    const before = segments[i - 1];
    const isFirst = number === 1;
    const follows = before?.number !== number - 1 || before.digest === previousDigest;
    if (isFirst === (previousDigest === null) && follows) return [];
    const message = `segment ${number} was made to follow a different segment from the one before it`;
    return [{ code: "CHAIN_BROKEN" as const, message, segment: number }];
  });
}

function checkDocumentOrder(segments: Segment[]): ReceiptsProblem[] {
  return segments.slice(1).flatMap(({ number, documentVersion }, i) => {
    if (documentVersion >= (segments[i]?.documentVersion ?? 0)) return [];
    const message = `segment ${number} names an older document than the segment before it`;
    return [{ code: "DOCUMENTS_CONFLICT" as const, message, segment: number }];
  });
}

/** The proven statements, with null for each hash. Problems are added to `problems`. */
function readReceipts(
  entries: unknown[],
  segments: Map<number, Segment>,
  problems: ReceiptsProblem[],
): (ActivityStatement | null)[] {
  const proven: (ActivityStatement | null)[] = [];
  const places = new Set<string>();
  const hashes = new Set<string>();
  const versions = new Set<string>();
  for (const [receipt, entry] of Array.from(entries).entries()) {
    const add = (code: ReceiptsProblemCode, message: string, segment?: number) => {
      const at = segment === undefined ? {} : { segment };
      problems.push({ code, message: `receipt ${receipt}: ${message}`, ...at, receipt });
    };
    if (!isStatementEntry(entry) && !isHashEntry(entry)) {
      add("RECEIPT_MALFORMED", "it is malformed");
      continue;
    }
    const { segment: number, index } = entry;
    const segment = segments.get(number);
    if (!segment) {
      add("RECEIPT_SEGMENT_MISSING", `its segment ${number} is missing`, number);
      continue;
    }
    const leaf = leafOf(entry, segment);
    if (leaf === undefined) {
      add("RECEIPT_PATH_INVALID", `it is not leaf ${index} of segment ${number}`, number);
      continue;
    }
    if (places.has(`${number} ${index}`) || hashes.has(leaf)) {
      add("RECEIPT_REPEATED", "the same statement appears twice", number);
      continue;
    }
    places.add(`${number} ${index}`);
    hashes.add(leaf);
    if (!("statement" in entry)) {
      proven.push(null);
      continue;
    }
    const statement = parseCanonical(entry.statement, isActivityStatement);
    if (!statement) {
      add("RECEIPT_MALFORMED", "its statement has an unknown form", number);
      continue;
    }
    if (statement.organizationId !== segment.organizationId) {
      add("OTHER_ORGANIZATION", "its statement belongs to another organization", number);
      continue;
    }
    const version = `${statement.activityId} ${statement.activityVersion}`;
    if (versions.has(version)) {
      add("STATEMENTS_CONFLICT", "there is another statement about this version", number);
    }
    versions.add(version);
    if (statement.documentVersion > segment.documentVersion) {
      add("DOCUMENTS_CONFLICT", "its segment names an older document", number);
    }
    proven.push(statement);
  }
  return proven;
}

/** The hex hash of the entry's leaf, if its path leads to the root of the segment. */
function leafOf(
  entry: ({ statement: string } | { leafHash: string }) & { index: number; path: string[] },
  { size, merkleRoot }: Segment,
): string | undefined {
  const leafHash = hashOf(entry);
  const proof = entry.path.map(decodeHex);
  const root = decodeHex(merkleRoot);
  const isIncluded =
    leafHash && verifyInclusion({ leafHash, index: entry.index, size, proof, root });
  return isIncluded ? encodeHex(leafHash) : undefined;
}

function hashOf(entry: { statement: string } | { leafHash: string }): Uint8Array | undefined {
  if ("leafHash" in entry) return decodeHex(entry.leafHash);
  return isWellFormed(entry.statement) ? leafHash(encodeUtf8(entry.statement)) : undefined;
}

/** A version of the organization document must have the same digest wherever it is named. */
function checkDocuments(segments: Segment[], statements: ActivityStatement[]): ReceiptsProblem[] {
  const digests = new Map<number, string>();
  const conflicting = new Set<number>();
  for (const { documentVersion, documentDigest } of [...statements, ...segments]) {
    const known = digests.get(documentVersion);
    if (known !== undefined && known !== documentDigest) conflicting.add(documentVersion);
    digests.set(documentVersion, documentDigest);
  }
  return [...conflicting].map((version) => ({
    code: "DOCUMENTS_CONFLICT",
    message: `there are two documents of version ${version}: its history was forked`,
  }));
}

/** Digests by number, of the segments in the file and of those that they name. */
function knownDigests(segments: Segment[]): Map<number, Set<string>> {
  const known = new Map<number, Set<string>>();
  const add = (number: number, digest: string) =>
    known.set(number, (known.get(number) ?? new Set()).add(digest));
  for (const { number, digest, previousDigest } of segments) {
    add(number, digest);
    if (previousDigest !== null) add(number - 1, previousDigest);
  }
  return known;
}

function headOf(segment: Segment | undefined): SegmentHead | null {
  return segment ? { number: segment.number, digest: segment.digest } : null;
}

function digestOf(payload: string): string {
  return encodeHex(sha256(encodeUtf8(payload)));
}
