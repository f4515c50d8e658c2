import { ApiError } from "@keyhearth/engine/errors";
import { type Owner, placeOf } from "../fairness/families.ts";
import { createPace, type Pace, type PaceLimits } from "../fairness/pace.ts";

/**
 * A body of more than this is verified before it is parsed, and has a pace: one of fifty kilobytes that is refused field
 * by field takes as much of the thread as ten signatures.
 */
export const PACED_LENGTH = 16 * 1024;

/** A body of at least this size, or a vote about such an activity, takes room of its organization, and time of all. */
export const LARGE_LENGTH = 64 * 1024;

/**
 * Bytes that a document counts for, with a request that changes it or has it read from the database. The request may be
 * small, but the document is parsed, hashed and stored as a whole. It takes about half of what a large request of its size
 * takes, because it does not go to webhooks. That of a hundred users with a key and a passkey each counts for nothing.
 */
export function paceOfDocument(length: number): number {
  return Math.max(0, length - LARGE_LENGTH) / 2;
}

/**
 * Lets large requests wait that come faster than they may. Each is hashed, parsed, stored and sent to webhooks as a whole,
 * so a few a second from one user would take most of what the service can do. A vote does that with all of the activity that
 * it is about, however small the vote is, a request for a large delivery sends it again, and a change of an organization
 * with thousands of credentials writes all of them. Families that signed up from one place have what one family has, because
 * anybody can sign up with several.
 *
 * An organization that used little lately still passes a pace that others filled, up to twice as much at once. Otherwise,
 * whoever asks most often would keep all others out. So does a user who used little, in the pace of their organization: to
 * have its document read takes no permission.
 */
export type LargeRequests = {
  /** Waits until a request of so many bytes, by this user if that is known, may go on. Throws if that takes too long. */
  wait(owner: Owner, bytes: number, userId?: string): Promise<void>;
  /** Throws what `wait` would, and takes no place. */
  assertRoom(owner: Owner): void;
};

const MB = 1024 * 1024;

type LargeRequestLimits = {
  organization: PaceLimits;
  /** Of all sub-organizations of a parent together. */
  subOrganizations: PaceLimits;
  /** Of all families that signed up together. */
  signups: PaceLimits;
  waitMs: number;
};

export const LARGE_REQUEST_LIMITS: LargeRequestLimits = {
  organization: { perSecond: MB / 4, atOnce: 8 * MB },
  subOrganizations: { perSecond: MB / 2, atOnce: 16 * MB },
  signups: { perSecond: MB / 2, atOnce: 16 * MB },
  // What waits holds its body and nothing else, so it must not be much.
  waitMs: 3000,
};

export const NO_WAITING: LargeRequests = { async wait() {}, assertRoom() {} };

export function createLargeRequests(limits = LARGE_REQUEST_LIMITS): LargeRequests {
  const organizations = createPace(limits.organization);
  const users = createPace(limits.organization);
  const subOrganizations = createPace(limits.subOrganizations);
  const signups = createPace(limits.signups);

  /** Those that others use too. */
  function sharedOf({ organizationId, familyId, signup }: Owner): [pace: Pace, who: string][] {
    const isSub = organizationId !== familyId;
    const shared: [Pace, string][] = isSub ? [[subOrganizations, familyId]] : [];
    if (!signup) return shared;
    const ofPlace = isSub ? subOrganizations : organizations;
    return [...shared, [ofPlace, `signed up from ${placeOf(signup)}`], [signups, ""]];
  }

  /** Throws if that is too long. */
  function waitOf(owner: Owner, userId?: string): number {
    const { organizationId } = owner;
    const times = organizations.usedLittle(organizationId) ? 2 : 1;
    const timesOwn = userId !== undefined && users.usedLittle(userId) ? 2 : 1;
    const waitMs = Math.max(
      organizations.waitMs(organizationId, timesOwn),
      ...sharedOf(owner).map(([pace, who]) => pace.waitMs(who, times)),
    );
    if (waitMs > limits.waitMs) throw tooFast();
    return waitMs;
  }

  return {
    assertRoom: (owner) => void waitOf(owner),
    async wait(owner, bytes, userId) {
      const { organizationId } = owner;
      const shared = sharedOf(owner);
      const waitMs = waitOf(owner, userId);
      organizations.use(organizationId, bytes);
      if (userId !== undefined) users.use(userId, bytes);
      for (const [pace, who] of shared) pace.use(who, bytes);
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    },
  };
}

function tooFast(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "too many large requests of this organization, votes about large activities, changes of a large organization and large deliveries to send again, or those of other sub-organizations of its parent, or of organizations that signed up, wait for their turn; send the same bytes again in a few seconds",
  );
}
