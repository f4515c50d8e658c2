/**
 * How much of something everybody may use in the long run: so much a second, and some of it at once. What is used
 * beyond that is waited for, and never refused here.
 */
export type Pace = {
  /** Notes what somebody uses. */
  use(who: string, amount: number): void;
  /** How long until somebody may go on. 0 for now. */
  waitMs(who: string): number;
};

export type PaceLimits = { perSecond: number; atOnce: number };

type Used = { amount: number; atMs: number };

/** Beyond it, everybody who no longer has to wait is forgotten. */
const MOST_REMEMBERED = 1000;

export function createPace({ perSecond, atOnce }: PaceLimits, now = () => performance.now()): Pace {
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
      if (used.size >= MOST_REMEMBERED) forget();
      used.set(who, { amount: before + amount, atMs: now() });
    },
    waitMs: (who) => (1000 * Math.max(0, usedBy(who) - atOnce)) / perSecond,
  };
}
