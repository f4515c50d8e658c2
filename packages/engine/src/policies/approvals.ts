import type { Credential as PolicyCredential } from "@keyhearth/policy/consensus";
import { ApiError } from "../errors.ts";
import {
  type ActivityRecord,
  APPROVAL_WINDOW_MS,
  submitterOf,
  type Vote,
} from "../records/activity.ts";
import { isFromFuture } from "../records/future.ts";
import { findUser, type OrganizationDocument, type User } from "../records/organization.ts";
import { isEpochOf } from "../records/sessions.ts";
import { apiKeyCredential, passkeyCredential, policyCredential } from "../records/terms.ts";

/** An approval that counts, with its credential in the form that policies see. */
export type Approval = { user: User; credential: PolicyCredential | undefined };

/**
 * The approvals that count now: those within the approval window, by users who are still in the
 * document, with credentials that they still have. Each user counts once, with the first approval.
 */
export function countedApprovals(
  activity: ActivityRecord,
  document: OrganizationDocument,
  nowMs: number,
): Approval[] {
  if (hasLapsed(activity, nowMs)) return [];
  const counted = new Map<string, Approval>();
  for (const vote of activity.votes) {
    if (vote.selection !== "VOTE_SELECTION_APPROVED") continue;
    if (vote.createdAtMs < activity.windowStartedAtMs || isFromFuture(vote, nowMs)) continue;
    const user = findUser(document, vote.userId);
    if (!user || counted.has(user.userId) || !holdsCredential(user, vote)) continue;
    counted.set(user.userId, { user, credential: credentialOf(user, vote) });
  }
  return [...counted.values()];
}

export function hasLapsed({ windowStartedAtMs }: ActivityRecord, nowMs: number): boolean {
  const isOver = nowMs - windowStartedAtMs >= APPROVAL_WINDOW_MS;
  return isOver || isFromFuture({ createdAtMs: windowStartedAtMs }, nowMs);
}

/**
 * Why no vote can decide an activity that waits. Nobody takes the place of a deleted user who started it, because a login,
 * for example, would then be the voter's. Documents did not list what began to wait under an early version of the service.
 */
export function lapseOf(
  activity: Pick<ActivityRecord, "waitingState" | "votes">,
  document: OrganizationDocument,
): ApiError | null {
  if (activity.waitingState === null)
    return lapsed("it began to wait before the service was upgraded");
  if (findUser(document, submitterOf(activity))) return null;
  return lapsed("the user who started it was deleted");
}

function lapsed(why: string): ApiError {
  return new ApiError(
    "INVALID_ARGUMENT",
    "ACTIVITY_NOT_PENDING",
    `the activity lapsed, because ${why}; send the request again`,
    { field: "parameters.fingerprint" },
  );
}

/** Every user of an organization may vote, so the votes of users who were deleted make room for theirs. */
const MANY_VOTES = 250;

export function withoutLost(document: OrganizationDocument, votes: Vote[]): Vote[] {
  if (votes.length < MANY_VOTES) return votes;
  return votes.filter(({ userId }) => findUser(document, userId));
}

/**
 * An expiring key is not in the document. Its votes count until its epoch ends. A key
 * that was deleted and registered again is a new credential, so its earlier votes do not count
 * again.
 */
function holdsCredential(user: User, { sessionEpoch, publicKey, credential }: Vote): boolean {
  if (sessionEpoch !== null) return isEpochOf(user, { sessionEpoch });
  const lasting = [
    ...user.apiKeys.map((key) => ({ id: key.apiKeyId, ...key.credential })),
    ...user.authenticators.map((each) => ({ id: each.authenticatorId, ...each.credential })),
  ];
  return lasting.some(
    (each) => each.publicKey === publicKey && (!credential || each.id === credential.id),
  );
}

/** Votes from before credentials were stored are matched by their public key. */
function credentialOf(
  { userId, apiKeys, authenticators }: User,
  { credential, publicKey }: Vote,
): PolicyCredential | undefined {
  const passkey = authenticators.find(({ authenticatorId }) => authenticatorId === credential?.id);
  if (passkey) return passkeyCredential(userId, passkey);
  if (credential) return policyCredential(userId, { ...credential, publicKey });
  const key = apiKeys.find((each) => each.credential.publicKey === publicKey);
  return key && apiKeyCredential(userId, key);
}
