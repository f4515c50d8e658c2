import { ApiError } from "@keyhearth/engine/errors";
import { nobody, type Owner, pacedGroupsOf } from "./families.ts";
import { add, type Bound, findFull } from "./under-way.ts";

/**
 * The bytes of queries that wait, of each organization, of each group that has a pace, and of all that signed up
 * together: however many sub-organizations ask, they hold so much.
 */
export type WaitingBytes = {
  /** Holds a body while the work waits and runs. Nobody's if its stamp is not the owner's. Throws if there is no room. */
  hold<T>(owner: Owner | null, bytes: number, work: () => Promise<T>): Promise<T>;
};

type WaitingLimits = { organization: number; group: number; signups: number };

const MB = 1024 * 1024;

export const WAITING_LIMITS: WaitingLimits = { organization: MB, group: 8 * MB, signups: 32 * MB };

/** A smaller body is bounded by the places of its organization. */
export const CHARGED_BYTES = 4 * 1024;

export function createWaitingBytes(limits: WaitingLimits = WAITING_LIMITS): WaitingBytes {
  const held = new Map<string, number>();
  return {
    async hold(owner, bytes, work) {
      const bounds = boundsOf(owner ?? nobody, limits);
      if (findFull(held, bounds)) throw tooManyWait();
      add(held, bounds, bytes);
      try {
        return await work();
      } finally {
        add(held, bounds, -bytes);
      }
    },
  };
}

/** From the widest to the organization's. */
function boundsOf(owner: Owner, limits: WaitingLimits): Bound[] {
  const groups = pacedGroupsOf(owner).toReversed();
  return [
    ...(owner.signup ? [{ holder: "signups", most: limits.signups }] : []),
    ...groups.map((holder) => ({ holder: `group ${holder}`, most: limits.group })),
    { holder: owner.organizationId, most: limits.organization },
  ];
}

function tooManyWait(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "too many large queries of this organization, or of other sub-organizations of its parent, or of organizations that signed up, wait for their turn; wait for the answers of some and send the rest again",
  );
}
