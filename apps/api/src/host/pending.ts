import { createBoundedCache } from "@keyhearth/engine/memory/bounded-cache";
import { type Answered, type ShownPending, shownIn, UNKNOWN } from "../wire/answered.ts";

/**
 * Activities that outlive their request: the client got PENDING and polls. An entry is removed some time after its commit
 * has ended in any way, or when others need its room: while a database hangs, very many requests can become late.
 */
export type Pending = {
  /** The answer that the client got, by activity id. */
  find(organizationId: string, activityId: string): ShownPending | undefined;
  add(organizationId: string, activityId: string, answer: Answered): void;
  /** The database or the signer was lost meanwhile: nobody knows whether the activity takes effect. */
  lose(organizationId: string, activityId: string): void;
  remove(activityId: string): void;
};

const MB = 1024 * 1024;

/** What an entry takes whose answer nobody knows. */
const LOST_BYTES = 200;

/** Thousands of small activities. The largest takes up to 6 MB, as characters of two bytes. */
export const PENDING_BOUNDS = { max: 32 * MB, maxPerOrganization: 8 * MB };

export function createPending(bounds = PENDING_BOUNDS): Pending {
  const answers = createBoundedCache<{ organizationId: string; answer: Answered | null }>(bounds);
  return {
    find(organizationId, activityId) {
      const entry = answers.get(activityId);
      if (entry?.organizationId !== organizationId) return undefined;
      return entry.answer === null ? UNKNOWN : shownIn(entry.answer);
    },
    add(organizationId, activityId, answer) {
      const cost = 2 * answer.json.length;
      answers.set(activityId, { organizationId, value: { organizationId, answer }, cost });
    },
    lose(organizationId, activityId) {
      const value = { organizationId, answer: null };
      answers.set(activityId, { organizationId, value, cost: LOST_BYTES });
    },
    remove: (activityId) => answers.delete(activityId),
  };
}
