import { createBoundedCache } from "@keyhearth/engine/memory/bounded-cache";
import { type Answered, shownIn } from "../wire/answered.ts";
import type { ShownActivity } from "../wire/objects.ts";

/**
 * Activities that outlive their request: the client got PENDING and polls. An entry is removed some time after its commit
 * has ended in any way, or when others need its room: while a database hangs, very many requests can become late.
 */
export type Pending = {
  /** The answer that the client got, by activity id. */
  find(organizationId: string, activityId: string): ShownActivity | undefined;
  add(organizationId: string, activityId: string, answer: Answered): void;
  remove(activityId: string): void;
};

const MB = 1024 * 1024;

/** Thousands of small activities. The largest takes up to 6 MB, as characters of two bytes. */
const BOUNDS = { max: 32 * MB, maxPerOrganization: 8 * MB };

export function createPending(bounds = BOUNDS): Pending {
  const answers = createBoundedCache<{ organizationId: string; answer: Answered }>(bounds);
  return {
    find(organizationId, activityId) {
      const entry = answers.get(activityId);
      return entry?.organizationId === organizationId ? shownIn(entry.answer) : undefined;
    },
    add(organizationId, activityId, answer) {
      const cost = 2 * answer.json.length;
      answers.set(activityId, { organizationId, value: { organizationId, answer }, cost });
    },
    remove: (activityId) => answers.delete(activityId),
  };
}
