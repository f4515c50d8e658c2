/** What is compared is measured in turns, because a machine becomes slower and faster by itself. */

/**
 * Measures each name once a turn. Every second turn goes through them in the other order, so that none is always first. The
 * first turn warms up and does not count.
 */
export async function inTurns<Name extends string, Measured>(
  names: readonly Name[],
  turns: number,
  measure: (name: Name, turn: number) => Promise<Measured>,
): Promise<Record<Name, Measured[]>> {
  const measured = Object.fromEntries(names.map((name) => [name, [] as Measured[]]));
  for (let turn = 0; turn <= turns; turn++) {
    for (const name of turn % 2 === 0 ? names : names.toReversed()) {
      const one = await measure(name, turn);
      if (turn > 0) measured[name]?.push(one);
    }
  }
  return measured as Record<Name, Measured[]>;
}

/** NaN if there is nothing, or something was not measured, so that no target is met by it. */
export function median(values: readonly number[]): number {
  if (values.some(Number.isNaN)) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

type Rated = { perSecond: number };

export function medianRate(measured: readonly Rated[]): number {
  return median(measured.map(({ perSecond }) => perSecond));
}

/** The median of what each turn shows, so that a slow minute counts for both sides. */
export function medianShare(measured: readonly Rated[], of: readonly Rated[]): number {
  // A turn in which the other side did nothing was not measured. Its share is not infinite.
  const base = (turn: number) => of[turn]?.perSecond || Number.NaN;
  return median(measured.map(({ perSecond }, turn) => perSecond / base(turn)));
}
