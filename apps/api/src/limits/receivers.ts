import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import {
  describeWindows,
  type Window,
  windowOfPlace,
  windowOfSignups,
  windowOfVisitor,
} from "../config/rate-limits.ts";
import { TryLater } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { Limits } from "../host/limits.ts";
import {
  type Count,
  countSends,
  EVERYBODY,
  findCodeSends,
  hasRoomFor,
  QUIET_MS,
  type Send,
} from "../store/code-sends.ts";
import { type Sending, type Sent, senderOf, senderToContactOf } from "./sending.ts";

// What each receiver gets, and what each visitor of an application asks for. The database counts it (decision 15).

/** What is counted in the database, for whoever asks and for each receiver. */
export function sendsOf({ limits }: Host, sending: Sending): Send[] {
  const windows = windowsOf(limits);
  // The sender's own count says whether its message is the first, also if it has no windows.
  const isCounted = ({ count }: Send) =>
    windows[count].length > 0 || (count === "own" && limits.receiver.length > 0);
  const ofReceivers = sending.messages.flatMap((message) => [
    ...countOfVisitor(message, sending),
    ...countsOf(message, sending),
  ]);
  return [...countOfIdentifier(sending), ...ofReceivers].filter(isCounted);
}

function windowsOf({ contact, receiver, identifier }: Limits): Record<Count, readonly Window[]> {
  return {
    own: contact,
    everybody: receiver,
    place: receiver.map(windowOfPlace),
    signups: receiver.map(windowOfSignups),
    identifier,
    visitor: contact.map(windowOfVisitor),
  };
}

/** Opaque text of the application, such as a hash of its visitor's address. */
function identifierOf({ intent }: Sending): string | null {
  const isGiven = typeof intent === "object" && intent !== null && "userIdentifier" in intent;
  return isGiven && typeof intent.userIdentifier === "string" ? intent.userIdentifier : null;
}

function countOfIdentifier(sending: Sending): Send[] {
  const { organizationId, activityId: id } = sending;
  const identifier = identifierOf(sending);
  if (identifier === null) return [];
  return [
    { organizationId, recipientHash: hashOf("identifier", identifier), id, count: "identifier" },
  ];
}

/** Those of one site share what a visitor of a login proxy may ask for. The proxy writes the site last. */
function countOfVisitor({ messageId: id, receiver }: Sent, sending: Sending): Send[] {
  if (!sending.isProxys) return [];
  const site = identifierOf(sending)?.split(".").at(-1) ?? "";
  const recipientHash = hashOf(`visitor ${site}`, receiver);
  return [{ organizationId: sending.familyId, recipientHash, id, count: "visitor" }];
}

/**
 * What strangers' families send to a receiver counts together, and apart from what the operator's families send:
 * anyone may sign up with several families, and must keep nobody from the codes of others.
 */
function countsOf({ messageId: id, receiver }: Sent, sending: Sending): Send[] {
  const { familyId, signup } = sending;
  const sender = senderOf(sending);
  const own = {
    organizationId: familyId,
    recipientHash: hashOf(senderToContactOf(sending), receiver),
    id,
  };
  const ofMany = (count: Count, recipientHash: string) => ({
    organizationId: EVERYBODY,
    recipientHash,
    id,
    count,
  });
  if (!signup) return [{ ...own, count: "own" }, ofMany("everybody", receiver)];
  const place = `${sender} of ${signup.site ?? signup.network}`;
  return [
    { ...own, count: "own" },
    ofMany("place", hashOf(place, receiver)),
    ofMany("signups", hashOf("signups", receiver)),
  ];
}

/** Counts all of it, or refuses it and counts nothing. */
export async function countOrRefuse(host: Host, sends: Send[], sending: Sending): Promise<void> {
  const { store, now, limits } = host;
  const nowMs = now();
  if (sends.length === 0 || (await countSends(store, { sends, nowMs }, windowsOf(limits)))) return;
  throw await tooManySends(host, sends, sending);
}

/** Refuses what `countOrRefuse` would refuse now. */
export async function assertRoom(host: Host, sends: Send[], sending: Sending): Promise<void> {
  const { store, now, limits } = host;
  const nowMs = now();
  if (sends.length === 0 || (await hasRoomFor(store, { sends, nowMs }, windowsOf(limits)))) return;
  throw await tooManySends(host, sends, sending);
}

const WHOSE: Record<Count, string> = {
  own: "to one contact",
  everybody: "to one contact from all of the operator's organizations",
  place: "to one contact from organizations that signed up from one address or IPv6 site",
  signups: "to one contact from all organizations that signed up",
  identifier: "for one `userIdentifier`",
  visitor: "to one contact by one address or IPv6 site, by a login proxy",
};

/** Clients look for the beginning of this text. */
const CODES = "Max number of OTPs have been initiated please wait and try again";
const INVITATIONS = "too many invitations are sent; wait and try again";

/** The error names what has to be waited for longest. */
async function tooManySends({ store, now, limits }: Host, sends: Send[], { messages }: Sending) {
  const nowMs = now();
  const windows = windowsOf(limits);
  const past = await Promise.all(
    sends.map(async (send) => ({ send, times: await findCodeSends(store, send) })),
  );
  const isQuiet = ([newest = 0]: number[]) => newest <= nowMs - QUIET_MS;
  const own = past.filter(({ send, times }) => send.count === "own" && isQuiet(times));
  const firsts = new Set(own.map(({ send }) => send.id));
  const waits = past
    .filter(({ send }) => send.count !== "everybody" || !firsts.has(send.id))
    .map(({ send: { count }, times }) => {
      return { count, untilMs: freeAtMs(times, windows[count]) };
    });
  const last = waits.reduce((one, other) => (other.untilMs > one.untilMs ? other : one));
  const isInvited = messages.every(({ kind }) => kind === "invitation");
  const what = isInvited && last.count !== "identifier" ? INVITATIONS : CODES;
  return new TryLater(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    `${what}: at most ${describeWindows(windows[last.count])} ${WHOSE[last.count]}`,
    Math.max(1, Math.ceil((last.untilMs - nowMs) / 1000)),
  );
}

/** When every window has room again. `times` is sorted, newest first. */
function freeAtMs(times: number[], windows: readonly Window[]): number {
  return Math.max(...windows.map(({ most, withinMs }) => (times[most - 1] ?? 0) + withinMs));
}

function hashOf(kind: string, value: string): string {
  return encodeHex(sha256(encodeUtf8(`${kind}\n${value}`)));
}
