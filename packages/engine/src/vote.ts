import { type ActivityRecord, APPROVAL_WINDOW_MS, type Vote } from "./records/activity.ts";
import { findUser, type OrganizationDocument, type User } from "./records/organization.ts";

/**
 * The users whose approvals count now: given inside the approval window, by users who are still in
 * the document, with credentials that they still hold. A user counts once.
 */
export function countedApprovers(
  activity: ActivityRecord,
  document: OrganizationDocument,
  nowMs: number,
): User[] {
  if (hasLapsed(activity, nowMs)) return [];
  const counted = new Map<string, User>();
  for (const vote of activity.votes) {
    if (vote.selection !== "VOTE_SELECTION_APPROVED") continue;
    if (vote.createdAtMs < activity.windowStartedAtMs) continue;
    const user = findUser(document, vote.userId);
    if (user && holdsCredential(user, vote)) counted.set(user.userId, user);
  }
  return [...counted.values()];
}

export function hasLapsed({ windowStartedAtMs }: ActivityRecord, nowMs: number): boolean {
  return nowMs - windowStartedAtMs >= APPROVAL_WINDOW_MS;
}

/** A key that expires is not in the document; its votes live as long as the user's epoch. */
function holdsCredential(user: User, vote: Vote): boolean {
  if (vote.sessionEpoch !== null) return vote.sessionEpoch === user.sessionEpoch;
  return user.apiKeys.some(({ credential }) => credential.publicKey === vote.publicKey);
}
