import { ApiError } from "@keyhearth/engine/errors";
import type { Owner } from "../families.ts";
import { createPace, type PaceLimits } from "../pace.ts";

/** A body of at least this size, or a vote about such an activity, takes room of its organization, and time of all. */
export const LARGE_LENGTH = 64 * 1024;

/**
 * Lets large requests wait that come faster than they may. Each is hashed, parsed, stored and sent to webhooks as a whole,
 * so a few a second from one user would take most of what the service can do. A vote does that with all of the activity that
 * it is about, however small the vote is.
 */
export type LargeRequests = {
  /** Waits until a request of so many bytes may go on. Throws if that takes too long. */
  wait(owner: Owner, bytes: number): Promise<void>;
};

const MB = 1024 * 1024;

type LargeRequestLimits = {
  organization: PaceLimits;
  /** Of all sub-organizations of a parent together. */
  subOrganizations: PaceLimits;
  waitMs: number;
};

export const LARGE_REQUEST_LIMITS: LargeRequestLimits = {
  organization: { perSecond: MB, atOnce: 8 * MB },
  subOrganizations: { perSecond: 2 * MB, atOnce: 16 * MB },
  // What waits holds its body and nothing else, so it must not be much.
  waitMs: 3000,
};

export const NO_WAITING: LargeRequests = { async wait() {} };

export function createLargeRequests(limits = LARGE_REQUEST_LIMITS): LargeRequests {
  const organizations = createPace(limits.organization);
  const subOrganizations = createPace(limits.subOrganizations);
  return {
    async wait({ organizationId, familyId }, bytes) {
      const isSub = organizationId !== familyId;
      const waitMs = Math.max(
        organizations.waitMs(organizationId),
        isSub ? subOrganizations.waitMs(familyId) : 0,
      );
      if (waitMs > limits.waitMs) throw tooFast();
      organizations.use(organizationId, bytes);
      if (isSub) subOrganizations.use(familyId, bytes);
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    },
  };
}

function tooFast(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "too many large requests of this organization, and votes about large activities, or those of other sub-organizations of its parent, wait for their turn; send the same bytes again in a few seconds",
  );
}
