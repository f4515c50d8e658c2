import type { Credential as PolicyCredential } from "@keyhearth/policy/consensus";
import { limitExceeded } from "../errors.ts";
import { apiKeyCredential, policyCredential } from "../policies/terms.ts";
import { type ActivityRecord, APPROVAL_WINDOW_MS, type Vote } from "../records/activity.ts";
import { findUser, type OrganizationDocument, type User } from "../records/organization.ts";

/** An approval that counts, and the credential it was given with, as policies see it. */
export type Approval = { user: User; credential: PolicyCredential | undefined };

/**
 * The approvals that count now: given inside the approval window, by users who are still in the
 * document, with credentials that they still hold. A user counts once, with its first.
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
    if (vote.createdAtMs < activity.windowStartedAtMs) continue;
    const user = findUser(document, vote.userId);
    if (!user || counted.has(user.userId) || !holdsCredential(user, vote)) continue;
    counted.set(user.userId, { user, credential: credentialOf(user, vote) });
  }
  return [...counted.values()];
}

export function hasLapsed({ windowStartedAtMs }: ActivityRecord, nowMs: number): boolean {
  return nowMs - windowStartedAtMs >= APPROVAL_WINDOW_MS;
}

/** Who changes keys may vote again and again, and the record of the activity is read whole. */
const MAX_VOTES = 1000;

export function assertFewVotes({ votes }: Pick<ActivityRecord, "votes">) {
  if (votes.length < MAX_VOTES) return;
  throw limitExceeded(
    "parameters.fingerprint",
    `an activity may have ${MAX_VOTES} votes: reject it and send its request anew`,
  );
}

/**
 * A key that expires is not in the document; its votes live as long as the user's epoch. A key that
 * was deleted and registered anew is another credential: votes of before do not come back with it.
 */
function holdsCredential(user: User, { sessionEpoch, publicKey, credential }: Vote): boolean {
  if (sessionEpoch !== null) return sessionEpoch === user.sessionEpoch;
  return user.apiKeys.some(
    (key) =>
      key.credential.publicKey === publicKey && (!credential || key.apiKeyId === credential.id),
  );
}

/** Votes of before credentials were kept can still be found by their key. */
function credentialOf(
  { userId, apiKeys }: User,
  { credential, publicKey }: Vote,
): PolicyCredential | undefined {
  if (credential) return policyCredential(userId, { ...credential, publicKey });
  const key = apiKeys.find((each) => each.credential.publicKey === publicKey);
  return key && apiKeyCredential(userId, key);
}
