import { CHANNELS } from "@keyhearth/engine/messages/message";
import { describeWindows } from "../config/rate-limits.ts";
import { RateLimited, TryLater } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { CountedMessages } from "../host/limits.ts";
import { type Sending, senderOf } from "./sending.ts";

/** What a request takes of one allowance. */
export type Share = {
  counted: NonNullable<CountedMessages>;
  key: string;
  number: number;
  channel: "email" | "sms";
  whose: string;
  heldAs: string;
};

/**
 * What the messages take, for whoever sends them and for everybody. The users of sub-organizations have a count apart
 * from the application's, of which each sub-organization gets a part: one end user must use up neither the codes of
 * the application nor those of all others.
 */
export function sharesOf({ limits }: Host, sending: Sending): Share[] {
  const { organizationId, familyId, signup } = sending;
  const sender = senderOf(sending);
  const { sub, family, network, site, signups, total } = limits.messages;
  return (["email", "sms"] as const).flatMap((channel) => {
    const number = sending.messages.filter(({ kind }) => CHANNELS[kind] === channel).length;
    if (number === 0) return [];
    const share = (key: string, whose: string, counted: CountedMessages): Share[] => {
      const heldAs = `${channel} ${whose} ${key}`;
      return counted === null ? [] : [{ counted, key, number, channel, whose, heldAs }];
    };
    const bySender =
      sender === "members"
        ? [
            ...share(organizationId, "of the users of this sub-organization", sub[channel]),
            ...share(`members of ${familyId}`, MEMBERS, family[channel]),
          ]
        : share(familyId, "of the application", family[channel]);
    const bySignup = signup
      ? [
          ...share(`${sender} of ${signup.network}`, OF_NETWORK, network[channel]),
          ...(signup.site === null ? [] : share(signup.site, OF_SITE, site[channel])),
          ...share("", "of all organizations that signed up", signups[channel]),
        ]
      : [];
    // The smaller ones come first: what they refuse must take nothing from the others.
    return [...bySender, ...bySignup, ...share("", "of all organizations", total[channel])];
  });
}

/** Takes a share, or only looks whether there is room for it. */
export function chargeShare(
  { now, log }: Host,
  { organizationId, familyId }: Sending,
  { counted: { limit, window }, key, number, channel, whose }: Share,
  how: "check" | "take",
) {
  try {
    limit[how](key, now(), number);
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    const most = describeWindows([window]);
    log.warn({ familyId, organizationId, channel, whose, most }, "a limit on messages was reached");
    throw tooMany(`too many ${CHANNEL_NOUNS[channel]} ${whose}: at most ${most}`, error);
  }
}

const CHANNEL_NOUNS = { email: "emails", sms: "SMS" } as const;

const OF_NETWORK = "of organizations that signed up from one network";
const OF_SITE = "of organizations that signed up from one IPv6 site";
const MEMBERS = "of the users of all sub-organizations";

function tooMany(what: string, { code, reason, retryAfterSeconds }: RateLimited): TryLater {
  const message = `${what}; try again later, or ask the operator for more`;
  return new TryLater(code, reason, message, retryAfterSeconds);
}
