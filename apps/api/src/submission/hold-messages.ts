import { findLongLived } from "@keyhearth/engine/people/authenticate";
import { submitterOf } from "@keyhearth/engine/records/activity";
import { hasKnownStamp } from "../callers/known-stamp.ts";
import { TryLater } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type Asked, holdMessages } from "../limits/messages.ts";
import { isProxyOf } from "../limits/sending.ts";
import type { Progress } from "./commit-proposal.ts";
import { findExisting, isWaiting } from "./existing-activity.ts";
import { askedBy, type Belief } from "./gather.ts";
import type { Hint } from "./hint.ts";

/**
 * Refuses a request whose messages may not be sent now, before the signer works on it: there, a code takes a place that
 * others need, even if the host then refuses to send it. Strangers hold nothing, and hear nothing about an allowance.
 */
export async function holdOnce(host: Host, hint: Hint, belief: Belief, progress: Progress) {
  if (progress.held) return;
  const messages = readMessages(hint, belief);
  if (messages === null || !(await hasKnownStamp(host, hint.organizationId, hint.request))) return;
  try {
    progress.held = await holdMessages(host, messages);
  } catch (error) {
    if (!(error instanceof TryLater) || !(await isOnlyAsked(host, hint, belief))) throw error;
  }
}

/** What the request sends, or the activity that it votes for. */
function readMessages(
  hint: Hint,
  { start, stored, parent, stamped, stamperId }: Belief,
): Asked | null {
  const { declaration, organizationId, target } = hint;
  if (declaration.vote === "VOTE_SELECTION_REJECTED") return null;
  const asked = askedBy(hint, start.existing);
  const to = asked?.declaration.sendsTo?.(asked.intent) ?? [];
  if (asked === null || to.length === 0) return null;
  const isParents = start.existing
    ? start.existing.activity.votes[0]?.isParents === true
    : parent !== null && findLongLived(parent.organization, stamped.stamp) !== undefined;
  const { parentOrganizationId } = stored.document;
  const userId = start.existing ? submitterOf(start.existing.activity) : stamperId;
  return {
    organizationId,
    parentOrganizationId,
    isParents,
    isProxys: isProxyOf(stored.document, { userId, isParents }),
    intent: asked.intent,
    to,
    request: `${organizationId} ${target}`,
  };
}

/** Whether the request only asks for an outcome, or for a vote that its sender has cast: that sends nothing more. */
async function isOnlyAsked(host: Host, { organizationId, target }: Hint, belief: Belief) {
  const existing = belief.start.existing ?? (await findExisting(host, organizationId, target));
  if (existing === null) return false;
  const hasVoted = existing.activity.votes.some(({ userId }) => userId === belief.stamperId);
  return !isWaiting(existing) || hasVoted;
}
