import { randomUUID } from "node:crypto";
import type { Addressee, OutgoingMessage } from "@keyhearth/engine/messages/message";
import { receiverOf } from "@keyhearth/engine/messages/receivers";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { Host } from "../host/host.ts";
import type { HeldMessages } from "../host/messages-under-way.ts";
import { parseRequest } from "../policies/question.ts";
import type { Send } from "../store/code-sends.ts";
import { familyIdOf } from "../store/organizations.ts";
import { assertRoom, countOrRefuse, sendsOf } from "./receivers.ts";
import { type Family, isProxyOf, type Sending } from "./sending.ts";
import { chargeShare, sharesOf } from "./shares.ts";

type Proposed = Family & {
  activity: ActivityRecord;
  messages: readonly OutgoingMessage[];
  /** That of the organization, to know its login proxy. */
  believed: OrganizationDocument;
};

/**
 * Refuses an activity that would send too much: to one receiver, from one sub-organization or family, or in
 * all. It counts the messages of the proposal, whatever kind of activity they are of. It runs when the
 * signer has decided and nothing is committed yet: what was denied, or waits for approvals, has no messages.
 */
export async function limitMessages(host: Host, proposed: Proposed) {
  if (proposed.messages.length === 0) return;
  const sending = await sendingOf(host, proposed);
  const shares = sharesOf(host, sending);
  // What its receivers may not get must not use up what the family may send.
  for (const share of shares) chargeShare(host, sending, share, "check");
  await countOrRefuse(host, sendsOf(host, sending), sending);
  for (const share of shares) chargeShare(host, sending, share, "take");
}

/** What a request would send, if the signer allows it. */
export type Asked = Pick<Sending, keyof Family | "isParents" | "isProxys" | "intent"> & {
  to: readonly Addressee[];
  /** The bytes that ask for it. */
  request: string;
};

/**
 * Refuses what `limitMessages` would refuse, and otherwise lets it count for requests that come meanwhile, until the
 * request ends. Nothing is charged and nothing is stored. Null if the same bytes are under way: they send the same.
 */
export async function holdMessages(host: Host, asked: Asked): Promise<HeldMessages | null> {
  const { messagesUnderWay: underWay } = host;
  const sending = await sendingOfAsked(host, asked);
  const known = underWay.find(asked.request);
  if (known) {
    await known;
    return null;
  }
  const shares = sharesOf(host, sending);
  for (const share of shares) {
    const number = share.number + underWay.of(share.heldAs);
    chargeShare(host, sending, { ...share, number }, "check");
  }
  const sends = sendsOf(host, sending).map((send) => {
    return { ...send, underWay: underWay.of(heldAs(send)) };
  });
  const numbers = [
    ...shares.map(({ heldAs, number }) => ({ key: heldAs, number })),
    ...sends.map((send) => ({ key: heldAs(send), number: 1 })),
  ];
  const room = assertRoom(host, sends, sending);
  const held = underWay.add(asked.request, numbers, room);
  try {
    await room;
    return held;
  } catch (error) {
    held.end();
    throw error;
  }
}

function heldAs({ organizationId, recipientHash }: Send): string {
  return `${organizationId} ${recipientHash}`;
}

async function sendingOf(
  host: Host,
  { activity, believed, ...proposed }: Proposed,
): Promise<Sending> {
  const [first] = activity.votes;
  const { activityId } = activity;
  const familyId = familyIdOf(proposed);
  return {
    ...proposed,
    isParents: first?.isParents === true,
    isProxys: first !== undefined && isProxyOf(believed, first),
    intent: typeof first?.message === "string" ? parseRequest(first.message).intent : null,
    activityId,
    familyId,
    signup: await host.families.signupOf(familyId),
  };
}

async function sendingOfAsked(host: Host, { to, ...asked }: Asked): Promise<Sending> {
  const familyId = familyIdOf(asked);
  const messages = to.map((addressee) => ({
    messageId: randomUUID(),
    kind: addressee.kind,
    receiver: receiverOf(addressee),
  }));
  const signup = await host.families.signupOf(familyId);
  return { ...asked, activityId: randomUUID(), messages, familyId, signup };
}
