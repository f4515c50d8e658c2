import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import { activityOfType } from "@keyhearth/engine/activities/index";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { SentTo } from "@keyhearth/engine/submission/define";
import { describeWindows, type Window } from "../config/rate-limits.ts";
import { TryLater } from "../errors.ts";
import type { Host } from "../host.ts";
import { parseRequest } from "../policies/question.ts";
import { type CodeSend, countCodeSend, findCodeSends } from "../store/code-sends.ts";

/**
 * Refuses an activity that would send its contact one code too many. It runs when the signer has decided
 * and nothing is committed yet: what was denied, or waits for approvals, sends nothing and counts
 * nothing. Each organization counts for itself, so none keeps codes from the users of another.
 */
export async function limitCodes(host: Host, organizationId: string, activity: ActivityRecord) {
  const sentTo = contactOf(activity);
  if (sentTo === null) return;
  await takeCode(host, { organizationId, activityId: activity.activityId, sentTo });
}

export async function takeCode(
  host: Host,
  {
    organizationId,
    activityId,
    sentTo,
  }: { organizationId: string; activityId: string; sentTo: SentTo },
) {
  const { limits, now } = host;
  const send = { organizationId, activityId, nowMs: now() };
  const { userIdentifier } = sentTo;
  // It comes first: somebody whom it stops must not use up what the contact may get.
  if (userIdentifier !== undefined && userIdentifier !== "") {
    const recipientHash = hashOf("identifier", userIdentifier);
    await take(host, { ...send, recipientHash }, limits.identifier, "for one `userIdentifier`");
  }
  const recipientHash = hashOf(sentTo.type, normalOf(sentTo));
  await take(host, { ...send, recipientHash }, limits.contact, "to one contact");
}

/** Null unless the activity sends a code or a link. */
function contactOf({ type, status, votes }: ActivityRecord): SentTo | null {
  const { sendsTo } = activityOfType(type);
  const message = votes[0]?.message;
  if (!sendsTo || status !== "ACTIVITY_STATUS_COMPLETED" || typeof message !== "string")
    return null;
  return sendsTo(parseRequest(message).intent);
}

/** A contact counts once, however it is written. */
function normalOf({ type, contact }: SentTo): string {
  return type === "email" ? contact.trim().toLowerCase() : contact.replace(/\D/g, "");
}

function hashOf(kind: string, value: string): string {
  return encodeHex(sha256(encodeUtf8(`${kind}\n${value}`)));
}

async function take(
  { store }: Host,
  send: CodeSend,
  windows: readonly Window[],
  which: string,
): Promise<void> {
  if (windows.length === 0 || (await countCodeSend(store, send, windows))) return;
  const sends = await findCodeSends(store, send);
  throw new TryLater(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    `Max number of OTPs have been initiated please wait and try again: at most ${describeWindows(windows)} ${which}`,
    Math.max(1, Math.ceil((freeAtMs(sends, windows) - send.nowMs) / 1000)),
  );
}

/** When every window has room again. `sends` is sorted, newest first. */
function freeAtMs(sends: number[], windows: readonly Window[]): number {
  return Math.max(...windows.map(({ most, withinMs }) => (sends[most - 1] ?? 0) + withinMs));
}
