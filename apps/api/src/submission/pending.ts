import { type Answered, shownIn } from "../presentation/answered.ts";
import type { ShownActivity } from "../presentation/render.ts";

/**
 * Activities that outlive their request: the client got PENDING and polls. The number is bounded, and
 * an entry is removed when its commit has ended in any way.
 */
export type Pending = {
  /** The answer that the client got, by activity id. */
  find(organizationId: string, activityId: string): ShownActivity | undefined;
  add(organizationId: string, activityId: string, answer: Answered): void;
  remove(activityId: string): void;
};

export function createPending(): Pending {
  const answers = new Map<string, { organizationId: string; answer: Answered }>();
  return {
    find(organizationId, activityId) {
      const entry = answers.get(activityId);
      return entry?.organizationId === organizationId ? shownIn(entry.answer) : undefined;
    },
    add(organizationId, activityId, answer) {
      answers.set(activityId, { organizationId, answer });
    },
    remove: (activityId) => void answers.delete(activityId),
  };
}
