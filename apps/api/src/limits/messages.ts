import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import { CHANNELS, type OutgoingMessage } from "@keyhearth/engine/door/messages";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import {
  describeWindows,
  type Window,
  windowOfPlace,
  windowOfSignups,
} from "../config/rate-limits.ts";
import { RateLimited, TryLater } from "../errors.ts";
import type { FamilySignup } from "../families.ts";
import type { Host } from "../host.ts";
import { parseRequest } from "../policies/question.ts";
import {
  type Count,
  countSends,
  EVERYBODY,
  findCodeSends,
  QUIET_MS,
  type Send,
  type Windows,
} from "../store/code-sends.ts";
import type { CommitUnit } from "../store/commit-unit.ts";
import { familyIdOf } from "../store/organizations.ts";
import type { CountedMessages } from "./limits.ts";

type Proposed = Pick<CommitUnit, "organizationId" | "parentOrganizationId"> & {
  activity: ActivityRecord;
  messages: readonly OutgoingMessage[];
};

type Sending = Proposed & {
  familyId: string;
  /** Null if the family is one of the operator's own. */
  signup: FamilySignup | null;
};

/**
 * Refuses an activity that would send too much: to one receiver, from one sub-organization or family, or in
 * all. It counts the messages of the proposal, whatever kind of activity they are of. It runs when the
 * signer has decided and nothing is committed yet: what was denied, or waits for approvals, has no messages.
 */
export async function limitMessages(host: Host, proposed: Proposed) {
  if (proposed.messages.length === 0) return;
  await limitIdentifier(host, proposed);
  const familyId = familyIdOf(proposed);
  const sending = { ...proposed, familyId, signup: await host.families.signupOf(familyId) };
  // What its receivers may not get must not use up what the family may send.
  countTogether(host, sending, "check");
  await limitReceivers(host, sending);
  countTogether(host, sending, "take");
}

/** It comes first: a visitor whom it stops must not use up what the receiver may get. */
async function limitIdentifier(host: Host, { organizationId, activity }: Proposed) {
  const { identifier } = host.limits;
  const userIdentifier = identifierOf(activity);
  if (identifier.length === 0 || userIdentifier === "") return;
  const recipientHash = hashOf("identifier", userIdentifier);
  const send = { organizationId, recipientHash, id: activity.activityId, count: "own" as const };
  await count(host, [send], { own: identifier }, () => ({
    what: CODES,
    whose: "for one `userIdentifier`",
  }));
}

/** Opaque text of the application, such as a hash of its visitor's address. */
function identifierOf({ votes: [first] }: ActivityRecord): string {
  if (typeof first?.message !== "string") return "";
  const { intent } = parseRequest(first.message);
  const isGiven = typeof intent === "object" && intent !== null && "userIdentifier" in intent;
  return isGiven && typeof intent.userIdentifier === "string" ? intent.userIdentifier : "";
}

async function limitReceivers(host: Host, sending: Sending) {
  const { contact, receiver } = host.limits;
  const windows = {
    own: contact,
    everybody: receiver,
    place: receiver.map(windowOfPlace),
    signups: receiver.map(windowOfSignups),
  };
  // The sender's own count says whether its message is the first, also if it has no windows.
  const isCounted = ({ count }: Send) =>
    windows[count].length > 0 || (count === "own" && receiver.length > 0);
  const sends = sending.messages.flatMap((message) => countsOf(message, sending));
  const what = sending.messages.every(({ kind }) => kind === "invitation") ? INVITATIONS : CODES;
  await count(host, sends.filter(isCounted), windows, (send) => ({
    what,
    whose: `to one contact${FROM[send.count]}`,
  }));
}

/**
 * What strangers' families send to a receiver counts together, and apart from what the operator's families send:
 * anyone may sign up with several families, and must keep nobody from the codes of others.
 */
function countsOf({ messageId: id, receiver }: OutgoingMessage, sending: Sending): Send[] {
  const { familyId, signup } = sending;
  const sender = senderOf(sending);
  const own = { organizationId: familyId, recipientHash: hashOf(sender, receiver), id };
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

const FROM: Record<Count, string> = {
  own: "",
  everybody: " from all of the operator's organizations",
  place: " from organizations that signed up from one address or IPv6 site",
  signups: " from all organizations that signed up",
};

/** Clients look for the beginning of this text. */
const CODES = "Max number of OTPs have been initiated please wait and try again";
const INVITATIONS = "too many invitations are sent; wait and try again";

/**
 * What the users of sub-organizations send counts apart from what the application does: each of them may
 * state the address of another one, and must not use up the codes with which that one logs in.
 */
function senderOf({ parentOrganizationId, activity: { votes } }: Sending): string {
  return parentOrganizationId === null || votes[0]?.isParents === true ? "application" : "members";
}

function hashOf(kind: string, value: string): string {
  return encodeHex(sha256(encodeUtf8(`${kind}\n${value}`)));
}

async function count(
  { store, now }: Host,
  sends: Send[],
  windows: Windows,
  nameOf: (send: Send) => { what: string; whose: string },
): Promise<void> {
  const nowMs = now();
  if (sends.length === 0 || (await countSends(store, { sends, nowMs }, windows))) return;
  const past = await Promise.all(
    sends.map(async (send) => ({ send, times: await findCodeSends(store, send) })),
  );
  const isQuiet = ([newest = 0]: number[]) => newest <= nowMs - QUIET_MS;
  const own = past.filter(({ send, times }) => send.count === "own" && isQuiet(times));
  const firsts = new Set(own.map(({ send }) => send.id));
  const waits = past
    .filter(({ send }) => send.count !== "everybody" || !firsts.has(send.id))
    .map(({ send, times }) => {
      const limits = windows[send.count] ?? [];
      return { limits, ...nameOf(send), untilMs: freeAtMs(times, limits) };
    });
  const last = waits.reduce((one, other) => (other.untilMs > one.untilMs ? other : one));
  throw new TryLater(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    `${last.what}: at most ${describeWindows(last.limits)} ${last.whose}`,
    Math.max(1, Math.ceil((last.untilMs - nowMs) / 1000)),
  );
}

/** When every window has room again. `times` is sorted, newest first. */
function freeAtMs(times: number[], windows: readonly Window[]): number {
  return Math.max(...windows.map(({ most, withinMs }) => (times[most - 1] ?? 0) + withinMs));
}

const CHANNEL_NOUNS = { email: "emails", sms: "SMS" } as const;

/**
 * Counts the messages for whoever sends them and for everybody, or only looks whether all have room. The users of
 * sub-organizations have a count apart from the application's, of which each sub-organization gets a part: one end
 * user must use up neither the codes of the application nor those of all others.
 */
function countTogether({ limits, now, log }: Host, sending: Sending, how: "check" | "take") {
  const { organizationId, familyId, signup } = sending;
  const sender = senderOf(sending);
  const isByMembers = sender === "members";
  for (const channel of ["email", "sms"] as const) {
    const number = sending.messages.filter(({ kind }) => CHANNELS[kind] === channel).length;
    if (number === 0) continue;
    const limit = (key: string, whose: string, counted: CountedMessages) => {
      if (counted === null) return;
      try {
        counted.limit[how](key, now(), number);
      } catch (error) {
        if (!(error instanceof RateLimited)) throw error;
        const most = describeWindows([counted.window]);
        log.warn(
          { familyId, organizationId, channel, whose, most },
          "a limit on messages was reached",
        );
        throw tooMany(`too many ${CHANNEL_NOUNS[channel]} ${whose}: at most ${most}`, error);
      }
    };
    const { sub, family, network, site, signups, total } = limits.messages;
    // The smaller ones come first: what they refuse must take nothing from the others.
    if (isByMembers) limit(organizationId, "of the users of this sub-organization", sub[channel]);
    if (isByMembers) limit(`members of ${familyId}`, MEMBERS, family[channel]);
    else limit(familyId, "of the application", family[channel]);
    if (signup) {
      limit(`${sender} of ${signup.network}`, OF_NETWORK, network[channel]);
      if (signup.site !== null) limit(signup.site, OF_SITE, site[channel]);
      limit("", "of all organizations that signed up", signups[channel]);
    }
    limit("", "of all organizations", total[channel]);
  }
}

const OF_NETWORK = "of organizations that signed up from one network";
const OF_SITE = "of organizations that signed up from one IPv6 site";
const MEMBERS = "of the users of all sub-organizations";

function tooMany(what: string, { code, reason, retryAfterSeconds }: RateLimited): TryLater {
  const message = `${what}; try again later, or ask the operator for more`;
  return new TryLater(code, reason, message, retryAfterSeconds);
}
