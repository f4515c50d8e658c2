import type { Marks } from "@keyhearth/engine/core/core";
import type { Mark } from "@keyhearth/engine/core/tickets";
import { ApiError, Overtaken } from "@keyhearth/engine/errors";
import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import type { SegmentHead } from "@keyhearth/engine/receipts/receipts";
import { isFromBefore } from "../clock/accepted-times.ts";
import { decodeBucket, encodeBucket, type Known, toBytes } from "./marks-buckets.ts";
import type { MarksStore } from "./marks-store.ts";
import { createRecentMoves, type RecentMoves } from "./recent-moves.ts";

/** How many organizations' marks are kept decoded in memory: about 10 MB. */
const MAX_DECODED = 20_000;

/**
 * What the signer remembers: the newest confirmed document and the newest segment of each
 * organization. All of it is on disk, and what was used last is also in memory. Nothing is dropped (decision 2).
 */
export function createMarks(
  store: MarksStore,
  { maxDecoded = MAX_DECODED, elapsedMs = () => performance.now() } = {},
): Marks {
  const recent = createRecentMoves(elapsedMs);
  // Invariant: what is here is what is on disk. The least recently used come first.
  const decoded = new Map<string, Known>();

  const keep = (organizationId: string, known: Known) =>
    keepNewest(decoded, maxDecoded, organizationId, known);

  function find(organizationId: string): Known {
    let known = decoded.get(organizationId);
    if (!known) {
      const { id, bucket } = toBytes(organizationId);
      known = decodeBucket(store.read(bucket), id);
    }
    keep(organizationId, known);
    return known;
  }

  function write(changed: Map<string, Known>) {
    const buckets = new Map<number, Uint8Array>();
    for (const [organizationId, known] of changed) {
      const { id, bucket } = toBytes(organizationId);
      const content = buckets.get(bucket) ?? store.read(bucket);
      buckets.set(bucket, encodeBucket(content, id, known));
    }
    store.write(buckets);
    for (const organizationId of changed.keys()) {
      const { id, bucket } = toBytes(organizationId);
      keep(organizationId, decodeBucket(buckets.get(bucket) ?? null, id));
    }
  }

  return {
    isConfirmed(document) {
      const mark = find(document.organizationId).document;
      assertNotOlder(mark, document, recent);
      return mark?.number === document.version;
    },
    move(documents) {
      const changed = new Map<string, Known>();
      const replaced: [string, string][] = [];
      for (const document of documents) {
        const { organizationId, version, digest } = document;
        const known = changed.get(organizationId) ?? find(organizationId);
        assertMayMove(known.document, document, recent);
        if (known.document?.number === version) continue;
        if (known.document) replaced.push([organizationId, known.document.digest]);
        changed.set(organizationId, { ...known, document: { number: version, digest } });
      }
      if (changed.size > 0) write(changed);
      if (documents.some(({ isLasting }) => isLasting)) store.sync();
      for (const each of replaced) recent.note(...each);
    },
    newest: (organizationId) => find(organizationId).document,
    hasMovedLately: recent.hasAny,
    reaches(organizationId, { number, digest }) {
      const mark = find(organizationId).document;
      if (!mark || mark.number < number) return false;
      if (mark.number > number || mark.digest === digest) return true;
      throw forked({ organizationId, version: number });
    },
    isFromBefore: (madeAtMs) => isFromBefore(store.beginning(), madeAtMs),
    knows: (organizationId) => find(organizationId).document !== null,
    extend(organizationId, previous, next) {
      const known = find(organizationId);
      assertFollows(known.segment, organizationId, previous, next);
      if (known.segment?.number === next.number) return;
      write(new Map([[organizationId, { ...known, segment: next }]]));
    },
  };
}

/** Refuses a document that is older than the mark, or a different one of the same version. */
function assertNotOlder(
  mark: SegmentHead | null,
  { organizationId, version, digest }: Mark,
  recent: RecentMoves,
) {
  if (!mark || version > mark.number) return;
  if (version === mark.number && digest === mark.digest) return;
  if (version < mark.number) {
    const older = stale(
      `document version ${version} of organization ${organizationId} is older than version ${mark.number}, which the signer has seen`,
    );
    throw recent.includes(digest) ? new Overtaken(older.message) : older;
  }
  throw forked({ organizationId, version });
}

/**
 * A mark that is more than one version behind lost records in a power cut. Then the chain of digests
 * cannot be followed here.
 */
function assertMayMove(mark: SegmentHead | null, document: Mark, recent: RecentMoves) {
  assertNotOlder(mark, document, recent);
  if (mark && document.version === mark.number + 1 && document.previousDigest !== mark.digest) {
    throw forked(document);
  }
}

/** A segment must follow the newest that was sealed, or repeat it. */
function assertFollows(
  mark: SegmentHead | null,
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

function forked({ organizationId, version }: Pick<Mark, "organizationId" | "version">): ApiError {
  return stale(
    `document version ${version} of organization ${organizationId} is not the one the signer has seen: the history was forked`,
  );
}

function stale(message: string): ApiError {
  return new ApiError("UNAVAILABLE", "STALE_RECORD", `${message}; ${AFTER_RESTORE}`);
}

/** The operator reads it in the log of the signer, and in that of the API. */
const AFTER_RESTORE =
  "if the database was just restored from a backup, stop the signer and run `npm run signer -- accept-restored-database` on its machine, otherwise find out who changed the database";
