import { type FamilySignup, groupOf, type Owner, pacedGroupsOf } from "./families.ts";
import { LONGEST_WAIT_MS, waitInLine } from "./line.ts";
import { createPace, type PaceLimits } from "./pace.ts";

/** Places of each family, for which its organizations take turns. */
export type FamilyTurns = {
  /** Who does not rest is served in turn, whatever has been used of the pace. */
  run<T>(
    owner: Owner,
    work: (turn: Turn) => Promise<T>,
    options?: { isRestless: boolean },
  ): Promise<T>;
};

/** A place, which its holder gives back while it waits for something else. */
export type Turn = {
  leave(): void;
  enter(): Promise<void>;
  /** Notes what the work took, if there is a pace. */
  charge(ms: number): void;
  /** Whether its group used little of its pace lately. */
  usedLittle(): boolean;
};

type Waiting = { begin: () => void; isRestless: boolean };

type Family = {
  signup: FamilySignup | null;
  working: number;
  /** Those who wait, of each organization. */
  waiting: Map<string, Waiting[]>;
  /** When each was last served, while others waited. */
  served: Map<string, number>;
  turns: number;
  /** Serves those who wait once the first of them has rested. */
  timer?: NodeJS.Timeout | undefined;
};

/**
 * With a pace, whose amounts are milliseconds of work, an application works no more than so much, and its
 * sub-organizations together neither: what they do beyond that leaves the time to other families. Nor do all
 * applications, or all sub-organizations, of families that signed up from one place.
 */
export function createFamilyTurns(
  atOnce: number,
  paceLimits?: PaceLimits,
  waitMs = LONGEST_WAIT_MS,
): FamilyTurns {
  const families = new Map<string, Family>();
  const pace = paceLimits && createPace(paceLimits);
  const restMs = (owner: Owner) =>
    pace ? Math.max(...pacedGroupsOf(owner).map((group) => pace.waitMs(group))) : 0;

  function enter(owner: Owner, isRestless: boolean): Promise<void> {
    const { organizationId, familyId, signup = null } = owner;
    const family = families.get(familyId) ?? newFamily(signup);
    families.set(familyId, family);
    const isFree = family.working < atOnce;
    if (isFree && (isRestless || restMs(owner) === 0)) {
      family.working += 1;
      return Promise.resolve();
    }
    const served = waitInLine(waitMs, (begin) => {
      const line = family.waiting.get(organizationId) ?? [];
      const waiting: Waiting = { begin, isRestless };
      line.push(waiting);
      family.waiting.set(organizationId, line);
      return () => {
        line.splice(line.indexOf(waiting), 1);
        if (line.length === 0) family.waiting.delete(organizationId);
        endIfIdle(family, familyId);
      };
    });
    if (isFree) serveLater(family, familyId);
    return served;
  }

  function leave({ familyId }: Owner) {
    const family = families.get(familyId);
    if (!family) return;
    family.working -= 1;
    serve(family, familyId);
  }

  /** Gives free places to those who wait, or waits until one of them has rested. */
  function serve(family: Family, familyId: string) {
    while (family.working < atOnce) {
      const next = takeNext(family, familyId, (each) => restMs(each) === 0);
      if (!next) break;
      family.working += 1;
      next();
    }
    if (family.working < atOnce && family.waiting.size > 0) serveLater(family, familyId);
    endIfIdle(family, familyId);
  }

  function endIfIdle(family: Family, familyId: string) {
    if (family.working > 0 || family.waiting.size > 0) return;
    clearTimeout(family.timer);
    families.delete(familyId);
  }

  function serveLater(family: Family, familyId: string) {
    // Somebody else may have come who rests for less.
    clearTimeout(family.timer);
    const { waiting, signup } = family;
    const rests = [...waiting.keys()].map((organizationId) =>
      restMs({ organizationId, familyId, signup }),
    );
    family.timer = setTimeout(() => serve(family, familyId), Math.ceil(Math.min(...rests)));
  }

  return {
    async run(owner, work, { isRestless } = { isRestless: false }) {
      let isIn = false;
      const turn: Turn = {
        leave() {
          if (!isIn) return;
          isIn = false;
          leave(owner);
        },
        async enter() {
          if (isIn) return;
          await enter(owner, isRestless);
          isIn = true;
        },
        charge(ms) {
          for (const group of pacedGroupsOf(owner)) pace?.use(group, ms);
        },
        usedLittle: () => pace?.usedLittle(groupOf(owner)) ?? true,
      };
      await turn.enter();
      try {
        return await work(turn);
      } finally {
        turn.leave();
      }
    },
  };
}

function newFamily(signup: FamilySignup | null): Family {
  return { signup, working: 0, waiting: new Map(), served: new Map(), turns: 0 };
}

/** All together, as one beside the application. */
const SUB_ORGANIZATIONS = "sub-organizations";

/**
 * The application and its sub-organizations alternate, and so do the sub-organizations: next is who was served longest
 * ago. So the number of end users gives them no more of the application's turns.
 */
function takeNext(
  family: Family,
  familyId: string,
  mayWork: (owner: Owner) => boolean,
): (() => void) | undefined {
  const { waiting, served, signup } = family;
  const lastOf = (owner: string) => served.get(owner) ?? 0;
  let chosen: string | undefined;
  let [leastOfGroup, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let place = 0;
  for (const [organizationId, line] of waiting) {
    const isResting = !mayWork({ organizationId, familyId, signup });
    const placeInLine = isResting ? line.findIndex(({ isRestless }) => isRestless) : 0;
    if (placeInLine === -1) continue;
    const own = lastOf(organizationId);
    const ofGroup = organizationId === familyId ? own : lastOf(SUB_ORGANIZATIONS);
    if (ofGroup > leastOfGroup || (ofGroup === leastOfGroup && own >= least)) continue;
    leastOfGroup = ofGroup;
    least = own;
    chosen = organizationId;
    place = placeInLine;
  }
  if (chosen === undefined) return undefined;
  family.turns += 1;
  served.set(chosen, family.turns);
  if (chosen !== familyId) served.set(SUB_ORGANIZATIONS, family.turns);
  const line = waiting.get(chosen);
  const [next] = line?.splice(place, 1) ?? [];
  if (line?.length === 0) waiting.delete(chosen);
  if (waiting.size === 0) served.clear();
  return next?.begin;
}
