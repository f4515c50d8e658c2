import type { Marks, SegmentHead } from "@keyhearth/engine/door/core";
import { ApiError } from "@keyhearth/engine/errors";
import {
  KIND_CLOCK,
  KIND_DOCUMENT,
  KIND_SEGMENT,
  type LogRecord,
  openMarksLog,
  readMarksLog,
} from "./marks-log.ts";

/**
 * What the signer remembers: the newest document and the newest segment that it has seen of each
 * organization, in a bounded map in memory and in a log on disk. The disk is synced whenever the
 * clock is remembered, so a power cut may lose the last ten seconds of marks.
 */
export type MarksFile = Marks & {
  /** The latest instant of the clock that was remembered. */
  clockMs(): number;
  rememberClock(instantMs: number): void;
  close(): void;
};

type Seen = { number: number; digest: string };

/** The oldest marks come first in the maps, and are dropped first. */
type Memory = { documents: Map<string, Seen>; segments: Map<string, Seen>; clockMs: number };

const NO_ORGANIZATION = "00000000-0000-0000-0000-000000000000";

export function openMarks(path: string, { max = 1_000_000 } = {}): MarksFile {
  const memory = readMemory(path);
  const { documents, segments } = memory;
  const log = openMarksLog(path, {
    marks: () => documents.size + segments.size,
    records: () => recordsOf(memory),
  });

  function rememberDocument(organizationId: string, version: number, digest: string) {
    const mark = documents.get(organizationId);
    if (mark?.number === version && mark.digest === digest) return;
    assertNewer(mark, organizationId, version);
    const seen = { number: version, digest };
    log.append({ kind: KIND_DOCUMENT, organizationId, ...seen });
    setNewest(documents, organizationId, seen, max);
  }

  return {
    check: rememberDocument,
    move: rememberDocument,
    knows: (organizationId) => documents.has(organizationId),
    extend(organizationId, previous, next) {
      assertFollows(segments.get(organizationId), organizationId, previous, next);
      log.append({ kind: KIND_SEGMENT, organizationId, ...next });
      setNewest(segments, organizationId, next, max);
    },
    clockMs: () => memory.clockMs,
    rememberClock(instantMs) {
      memory.clockMs = Math.max(memory.clockMs, instantMs);
      log.append(clockRecord(memory));
      log.sync();
    },
    close: log.close,
  };
}

function readMemory(path: string): Memory {
  const memory: Memory = { documents: new Map(), segments: new Map(), clockMs: 0 };
  for (const { kind, organizationId, number, digest } of readMarksLog(path)) {
    if (kind === KIND_DOCUMENT) setNewest(memory.documents, organizationId, { number, digest });
    if (kind === KIND_SEGMENT) setNewest(memory.segments, organizationId, { number, digest });
    if (kind === KIND_CLOCK) memory.clockMs = Math.max(memory.clockMs, number);
  }
  return memory;
}

function* recordsOf(memory: Memory): Generator<LogRecord> {
  for (const [id, seen] of memory.documents) yield recordOf(KIND_DOCUMENT, id, seen);
  for (const [id, seen] of memory.segments) yield recordOf(KIND_SEGMENT, id, seen);
  yield clockRecord(memory);
}

function recordOf(kind: number, organizationId: string, { number, digest }: Seen): LogRecord {
  return { kind, organizationId, number, digest };
}

function clockRecord({ clockMs }: Memory): LogRecord {
  return recordOf(KIND_CLOCK, NO_ORGANIZATION, { number: clockMs, digest: "0".repeat(64) });
}

/** Sets a mark as the newest in the order of the map, and drops the oldest above `max`. */
function setNewest(
  marks: Map<string, Seen>,
  organizationId: string,
  seen: Seen,
  max = Number.POSITIVE_INFINITY,
) {
  marks.delete(organizationId);
  marks.set(organizationId, seen);
  for (const oldest of marks.keys()) {
    if (marks.size <= max) break;
    marks.delete(oldest);
  }
}

/** Refuses a document that is older than the mark, or a different one of the same version. */
function assertNewer(mark: Seen | undefined, organizationId: string, version: number) {
  if (!mark || version > mark.number) return;
  if (version < mark.number) {
    throw stale(
      `document version ${version} of organization ${organizationId} is older than version ${mark.number}, which the signer has seen`,
    );
  }
  throw stale(
    `document version ${version} of organization ${organizationId} is not the one the signer has seen: the history was forked`,
  );
}

/** A segment must follow the newest that was sealed, or repeat it. */
function assertFollows(
  mark: Seen | undefined,
  organizationId: string,
  previous: SegmentHead | null,
  next: SegmentHead,
) {
  const follows = !mark || (previous?.number === mark.number && previous.digest === mark.digest);
  const repeats = mark?.number === next.number && mark.digest === next.digest;
  if (follows || repeats) return;
  throw stale(
    `segment ${next.number} of organization ${organizationId} does not follow the newest one the signer has sealed`,
  );
}

function stale(message: string): ApiError {
  return new ApiError("UNAVAILABLE", "STALE_RECORD", message);
}
