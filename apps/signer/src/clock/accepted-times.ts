/** From and until, both included. */
export type Span = { fromMs: number; untilMs: number };

/**
 * What the signer remembers of its clock. A document forgets the requests that it closed once the clock says that
 * they are too old, so what was accepted at a time that is taken back must never be accepted again.
 */
export type ClockMemory = {
  /** The time of the latest decision. */
  latestMs: number;
  /** The timestamps of requests that were accepted, in order. */
  accepted: Span[];
  /** Timestamps that are accepted no more, because the time was taken back. */
  refused: Span[];
};

/** Of a signer that has accepted nothing yet. */
export function newClock(latestMs: number): ClockMemory {
  return { latestMs, accepted: [], refused: [] };
}

/**
 * When an operator had the marks begin again. What was made until then is from before, and so is what was made at
 * later times that had been taken back.
 */
export type Beginning = { atMs: number; spans: Span[] };

/** Of marks that never began again. */
export const FIRST_BEGINNING: Beginning = { atMs: 0, spans: [] };

const HOUR_MS = 60 * 60 * 1000;
const FIVE_MINUTES_MS = 5 * 60 * 1000;

/** Timestamps that are closer than this are in one span. */
const GAP_MS = HOUR_MS;

/** The oldest spans are joined, so that more than this are refused rather than fewer. */
const MAX_SPANS = 16;

export function includes(spans: readonly Span[], ms: number): boolean {
  return spans.some(({ fromMs, untilMs }) => ms >= fromMs && ms <= untilMs);
}

/** Is this time far from all spans? */
export function beginsSpan(spans: readonly Span[], ms: number): boolean {
  return !includes(spans.map(nearOf), ms);
}

/** The spans with this time in one of them. The same list if it is there already. */
export function withTime(spans: Span[], ms: number): Span[] {
  if (includes(spans, ms)) return spans;
  const isNear = (span: Span) => includes([nearOf(span)], ms);
  const joined = join([...spans.filter(isNear), { fromMs: ms, untilMs: ms }]);
  const next = [...spans.filter((span) => !isNear(span)), joined];
  next.sort((a, b) => a.fromMs - b.fromMs);
  const oldest = next.slice(0, Math.max(0, next.length - MAX_SPANS + 1));
  return oldest.length > 1 ? [join(oldest), ...next.slice(oldest.length)] : next;
}

/**
 * The memory of a signer whose operator says that it is this time now. If that is earlier than before, nothing that
 * was accepted and is still, or will be, young enough by the new time is accepted again.
 */
export function moveClock(
  { latestMs, accepted, refused }: ClockMemory,
  nowMs: number,
): ClockMemory {
  if (nowMs >= latestMs) return { latestMs: nowMs, accepted, refused };
  const oldMs = nowMs - HOUR_MS;
  const known = accepted.length > 0 ? accepted : around(nowMs, latestMs);
  const spent = known.filter(({ untilMs }) => untilMs >= oldMs).map(widen);
  return {
    latestMs: nowMs,
    accepted: accepted.filter(({ untilMs }) => untilMs < oldMs),
    refused: [...refused.filter(({ untilMs }) => untilMs >= oldMs), ...spent],
  };
}

export function isFromBefore({ atMs, spans }: Beginning, madeAtMs: number): boolean {
  return madeAtMs <= atMs || includes(spans, madeAtMs);
}

/** The marks begin again, at the time of this clock. */
export function beginAgain({ spans }: Beginning, clock: ClockMemory): Beginning {
  return lowerBeginning({ atMs: Number.POSITIVE_INFINITY, spans }, clock);
}

/** If the clock has not come to the beginning, all that is from before and later than the clock was made in spans. */
export function lowerBeginning(
  { atMs, spans }: Beginning,
  { latestMs, refused }: ClockMemory,
): Beginning {
  if (atMs <= latestMs) return { atMs, spans };
  const worked = refused.map(({ fromMs, untilMs }) => ({
    fromMs,
    // A request may be an hour old when it is accepted.
    untilMs: Math.min(untilMs + HOUR_MS, atMs),
  }));
  const later = worked.filter(({ fromMs, untilMs }) => untilMs > latestMs && fromMs <= untilMs);
  return { atMs: latestMs, spans: [...spans, ...later] };
}

/** What may have been accepted at these times by a version that did not remember it. */
function around(...times: number[]): Span[] {
  return times.map((ms) => ({ fromMs: ms - HOUR_MS, untilMs: ms }));
}

/** A killed signer has not written down the last seconds, in which timestamps may have been minutes ahead. */
function widen({ fromMs, untilMs }: Span): Span {
  return { fromMs: fromMs - FIVE_MINUTES_MS, untilMs: untilMs + FIVE_MINUTES_MS };
}

function nearOf({ fromMs, untilMs }: Span): Span {
  return { fromMs: fromMs - GAP_MS, untilMs: untilMs + GAP_MS };
}

function join(spans: readonly Span[]): Span {
  return {
    fromMs: Math.min(...spans.map(({ fromMs }) => fromMs)),
    untilMs: Math.max(...spans.map(({ untilMs }) => untilMs)),
  };
}
