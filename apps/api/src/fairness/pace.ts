/**
 * How much of something everybody may use in the long run: so much a second, and some of it at once. What is used
 * beyond that is waited for, and never refused here.
 */
export type Pace = {
  /** Notes what somebody uses. */
  use(who: string, amount: number): void;
  /** How long until somebody may go on, if `times` as much is allowed at once. 0 for now. */
  waitMs(who: string, times?: number): number;
  /** Whether somebody used no more than a small part lately of what is allowed at once. */
  usedLittle(who: string): boolean;
};

export type PaceLimits = {
  perSecond: number;
  atOnce: number;
  /** What would be waited for longer is forgotten. For a pace of many, who did not all use it. */
  longestMs?: number;
};

/** Who used no more than this part of their own pace need not wait for what others used of one that they share. */
const SMALL_PART = 1 / 8;

type Used = { amount: number; atMs: number };

/** Beyond it, everybody who no longer has to wait is forgotten. */
const MAX_REMEMBERED = 1000;

export function createPace(
  { perSecond, atOnce, longestMs = Number.POSITIVE_INFINITY }: PaceLimits,
  now = () => performance.now(),
): Pace {
  const most = atOnce + (perSecond * longestMs) / 1000;
  const used = new Map<string, Used>();

  function usedBy(who: string): number {
    const { amount, atMs } = used.get(who) ?? { amount: 0, atMs: 0 };
    return Math.max(0, amount - (perSecond * (now() - atMs)) / 1000);
  }

  function forget() {
    for (const who of used.keys()) if (usedBy(who) === 0) used.delete(who);
  }

  return {
    use(who, amount) {
      const before = usedBy(who);
      if (used.size >= MAX_REMEMBERED) forget();
      used.set(who, { amount: Math.min(most, before + amount), atMs: now() });
    },
    waitMs: (who, times = 1) => (1000 * Math.max(0, usedBy(who) - times * atOnce)) / perSecond,
    usedLittle: (who) => usedBy(who) <= SMALL_PART * atOnce,
  };
}
