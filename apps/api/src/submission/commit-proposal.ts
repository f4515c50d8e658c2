import type { Proposal } from "@keyhearth/engine/core/protocol";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { Host } from "../host/host.ts";
import type { HeldMessages } from "../host/messages-under-way.ts";
import { limitMessages } from "../limits/messages.ts";
import { findActivityByFingerprint } from "../store/activities.ts";
import { type CommitUnit, decidedBy, unitOf } from "../store/commit-unit.ts";
import { ofBody, type StoredDocument } from "../store/organizations.ts";
import { notePasskeyUse } from "../store/passkey-uses.ts";
import type { Answered } from "../wire/answered.ts";
import { assertDeletable } from "./assert-deletable.ts";
import { assertDeliverable } from "./assert-deliverable.ts";
import { confirmProposal, withResult } from "./confirm.ts";
import { lastVoter } from "./existing-activity.ts";
import type { Belief } from "./gather.ts";
import { showActivity } from "./show.ts";

/** The newest proposal for a request that has not been answered yet. */
export type Progress = {
  proposed: Proposed | null;
  /** Whether it is in the database. */
  isCommitted?: boolean;
  /** Another try of the same request sends the same messages. */
  areMessagesCounted?: boolean;
  /** Its messages, as they count until they are charged. */
  held?: HeldMessages | null;
  /** The size of what the request has waited for: its own, or that of the activity that it is about. */
  pacedBytes: number;
  /** Whether the request has waited for the organization's document, if it is large. */
  isDocumentPaced?: boolean;
};
export type Proposed = { activity: ActivityRecord } & Pick<Belief, "stored" | "parent">;

/** Commits a proposal and reports it to the signer. Null if another commit came first. */
export async function commitProposal(
  host: Host,
  proposal: Proposal,
  { stored, parent }: Pick<Belief, "stored" | "parent">,
  progress: Progress,
): Promise<Answered | null> {
  const activity = decidedBy(proposal);
  const unit = unitOf(proposal, stored.document, activity);
  const { messages = [] } = proposal;
  if (await isRepeated(host, unit, messages.length > 0)) return null;
  await assertDeletable(host, unit);
  await assertDeliverable(host, unit);
  await limitOnce(host, { ...unit, activity, messages, believed: stored.document }, progress);
  progress.proposed = { activity, stored, parent };

  const isCommitted = await host.committer.commit(unit);
  if (!isCommitted) {
    host.metrics.commitConflict();
    return null;
  }
  progress.isCommitted = true;
  await confirmProposal(host, proposal);
  // Jobs go on with the trace: webhooks know the activity, and mail its messages.
  host.tracing.note(unit.activity.activityId);
  for (const { messageId } of unit.messages) host.tracing.note(messageId);
  if (unit.messages.length > 0) host.bell.ring();
  host.metrics.activity(unit.activity.type, unit.activity.status);
  const current = unit.document ? host.cache.keepDocument(ofBody(unit.document)) : stored;
  await noteUse(host, current, activity);
  const viewer = lastVoter(activity, current, parent);
  const done = await withResult(host, activity, unit.activity.record, current);
  return showActivity(host, { activity: done, stored: current, parent, viewer });
}

/**
 * Whether these bytes have already started an activity that only the host checks or counts. Nothing in the core
 * remembers one that keeps the document, so it proposes the activity again, and the same bytes must neither be
 * refused for what they did themselves nor count twice.
 */
async function isRepeated(
  { store }: Host,
  { organizationId, activity: { version, fingerprint }, resent }: CommitUnit,
  hasMessages: boolean,
): Promise<boolean> {
  const isHosts = resent !== null || hasMessages;
  if (!isHosts || version !== 1) return false;
  const existing = await findActivityByFingerprint(store.db, organizationId, fingerprint);
  return existing !== undefined;
}

async function limitOnce(
  host: Host,
  sending: Parameters<typeof limitMessages>[1],
  progress: Progress,
) {
  if (progress.areMessagesCounted) return;
  await limitMessages(host, sending);
  progress.areMessagesCounted = true;
  progress.held?.charged();
}

/** The last vote is that of the request. If its use is not noted, the request was still done. */
async function noteUse(
  { store, log, now }: Host,
  { organizationId, document }: StoredDocument,
  { votes }: ActivityRecord,
) {
  const credential = votes.at(-1)?.credential;
  if (credential?.type !== "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR") return;
  try {
    await notePasskeyUse(store, document, { authenticatorId: credential.id, nowMs: now() });
  } catch (err) {
    log.warn({ organizationId, err }, "the use of a passkey was not noted");
  }
}
