import type { Owner } from "./families.ts";

/** Places of each family, for which its organizations take turns. */
export type FamilyTurns = {
  run<T>(owner: Owner, work: (turn: Turn) => Promise<T>): Promise<T>;
};

/** A place, which its holder gives back while it waits for something else. */
export type Turn = {
  leave(): void;
  enter(): Promise<void>;
};

type Family = {
  working: number;
  /** Those who wait, of each organization. */
  waiting: Map<string, (() => void)[]>;
  /** When each was last served, while others waited. */
  served: Map<string, number>;
  turns: number;
};

export function createFamilyTurns(atOnce: number): FamilyTurns {
  const families = new Map<string, Family>();

  function enter({ organizationId, familyId }: Owner): Promise<void> {
    const family = families.get(familyId) ?? newFamily();
    families.set(familyId, family);
    if (family.working < atOnce) {
      family.working += 1;
      return Promise.resolve();
    }
    const line = family.waiting.get(organizationId) ?? [];
    family.waiting.set(organizationId, line);
    return new Promise((resolve) => line.push(resolve));
  }

  function leave({ familyId }: Owner) {
    const family = families.get(familyId);
    if (!family) return;
    // The next one takes over the place.
    const next = takeNext(family, familyId);
    if (next) return next();
    family.working -= 1;
    if (family.working === 0) families.delete(familyId);
  }

  return {
    async run(owner, work) {
      let isIn = false;
      const turn: Turn = {
        leave() {
          if (isIn) leave(owner);
          isIn = false;
        },
        async enter() {
          if (!isIn) await enter(owner);
          isIn = true;
        },
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

function newFamily(): Family {
  return { working: 0, waiting: new Map(), served: new Map(), turns: 0 };
}

/** All together, as one beside the application. */
const SUB_ORGANIZATIONS = "sub-organizations";

/**
 * The application and its sub-organizations alternate, and so do the sub-organizations: next is who was served longest
 * ago. So the number of end users gives them no more of the application's turns.
 */
function takeNext(family: Family, familyId: string): (() => void) | undefined {
  const { waiting, served } = family;
  const lastOf = (owner: string) => served.get(owner) ?? 0;
  let chosen: string | undefined;
  let [leastOfGroup, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const organizationId of waiting.keys()) {
    const own = lastOf(organizationId);
    const ofGroup = organizationId === familyId ? own : lastOf(SUB_ORGANIZATIONS);
    if (ofGroup > leastOfGroup || (ofGroup === leastOfGroup && own >= least)) continue;
    leastOfGroup = ofGroup;
    least = own;
    chosen = organizationId;
  }
  if (chosen === undefined) return undefined;
  family.turns += 1;
  served.set(chosen, family.turns);
  if (chosen !== familyId) served.set(SUB_ORGANIZATIONS, family.turns);
  const line = waiting.get(chosen);
  const next = line?.shift();
  if (line?.length === 0) waiting.delete(chosen);
  if (waiting.size === 0) served.clear();
  return next;
}
