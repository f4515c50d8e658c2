import type { OutgoingMessage } from "@keyhearth/engine/messages/message";
import { findProxyUser } from "@keyhearth/engine/people/auth-proxy";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { FamilySignup } from "../fairness/families.ts";
import type { CommitUnit } from "../store/commit-unit.ts";

export type Family = Pick<CommitUnit, "organizationId" | "parentOrganizationId">;

/** What is sent, and by whom, as the limits of messages see it. */
export type Sending = Family & {
  /** Whether a user of the parent asks for it. */
  isParents: boolean;
  /** Whether the organization's login proxy asks for it, for a stranger. */
  isProxys: boolean;
  intent: unknown;
  /** By what its `userIdentifier` is counted once. */
  activityId: string;
  messages: readonly Sent[];
  familyId: string;
  /** Null if the family is one of the operator's own. */
  signup: FamilySignup | null;
};

export type Sent = Pick<OutgoingMessage, "messageId" | "kind" | "receiver">;

/**
 * What the users of sub-organizations send counts apart from what the application does: each of them may
 * state the address of another one, and must not use up the codes with which that one logs in.
 */
export function senderOf({ parentOrganizationId, isParents }: Sending): string {
  return parentOrganizationId === null || isParents ? "application" : "members";
}

/**
 * What strangers have a login proxy send to a contact counts apart from both: anyone who types the address of another one must
 * not use up the codes that the application sends to that one.
 */
export function senderToContactOf(sending: Sending): string {
  return sending.isProxys ? "proxy" : senderOf(sending);
}

/** Whether a user of the organization is its login proxy. */
export function isProxyOf(
  document: OrganizationDocument,
  { userId, isParents }: { userId: string; isParents: boolean },
): boolean {
  const proxy = isParents ? undefined : findProxyUser(document);
  return proxy !== undefined && proxy.userId === userId;
}
