const AGAIN_MS = 60_000;

/** Whether it is time to log this again: each kind once a minute at most. */
export function onceAMinute<Kind = void>(): (kind: Kind) => boolean {
  const loggedAt = new Map<Kind, number>();
  return (kind) => {
    const now = performance.now();
    if (now - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return false;
    loggedAt.set(kind, now);
    return true;
  };
}
