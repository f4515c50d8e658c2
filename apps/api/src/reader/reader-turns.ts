import { type Owner, placeOf } from "../fairness/families.ts";
import { createFamilyTurns, type Turn } from "../fairness/family-turns.ts";
import type { PaceLimits } from "../fairness/pace.ts";

export type ReaderTurns = {
  run<T>(owner: Owner, work: (turn: Pick<Turn, "charge">) => Promise<T>): Promise<T>;
};

/** Milliseconds of the reader's work. */
export const READER_LIMITS = {
  /** Of an application, or of its sub-organizations together: a quarter of the time after a second. */
  family: { perSecond: 250, atOnce: 1000 },
  /** Of all families that signed up together. */
  signups: { perSecond: 500, atOnce: 2000, longestMs: 2000 },
};

/** How many answers the reader makes at once for families that signed up: half of all. */
const SIGNUPS_AT_ONCE = 2;

/** All families that signed up take turns by where they did, as if they were one. */
const SIGNUPS = "signups";

/**
 * Families that signed up have turns and a pace together too, because anybody can sign up with several. One that used little
 * of its own pace lately does not wait for what others used.
 */
export function createReaderTurns({
  family,
  signups,
}: Record<keyof typeof READER_LIMITS, PaceLimits> = READER_LIMITS): ReaderTurns {
  const families = createFamilyTurns(1, family);
  const strangers = createFamilyTurns(SIGNUPS_AT_ONCE, signups);
  return {
    run: (owner, work) =>
      families.run(owner, (own) => {
        if (!owner.signup) return work(own);
        const together = { organizationId: placeOf(owner.signup), familyId: SIGNUPS };
        return strangers.run(
          together,
          (turn) =>
            work({
              charge(ms) {
                own.charge(ms);
                turn.charge(ms);
              },
            }),
          { isRestless: own.usedLittle() },
        );
      }),
  };
}
