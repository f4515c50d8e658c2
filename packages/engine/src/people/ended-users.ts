import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import { asciiLowerCase, type Contact } from "../records/contacts.ts";
import type { Identity, OrganizationDocument, User } from "../records/organization.ts";

// A verification token counts for the user who has its contact, for up to a day after its code was sent, and a token
// of a social login for the user who has its identity. If that user lost it, or was deleted, what proved it before must
// not log in as the next one who has it. The same holds for a login that an API key or a passkey stamped.

/** Longer than a token counts after its code was sent. */
const KEPT_MS = 25 * 60 * 60 * 1000;

/** About 12 KB of the document. With more, all of them count as lost when the oldest was. */
const MAX_KEPT = 200;

/** Remembers what a user had before and has no longer, until everything from before has expired. */
export function rememberEnded(
  before: OrganizationDocument,
  draft: OrganizationDocument,
  nowMs: number,
) {
  const users = new Map(draft.users.map((user) => [user.userId, user]));
  const lost = before.users.flatMap((user) => {
    const kept = new Set(namesOf(users.get(user.userId)));
    return namesOf(user).filter((name) => !kept.has(name));
  });
  if (lost.length === 0) return;
  const isKept = ({ atMs }: { atMs: number }) => nowMs - atMs < KEPT_MS;
  const added = [...new Set(lost)].map((name) => ({ digest: digestOf(name), atMs: nowMs }));
  const digests = new Set(added.map(({ digest }) => digest));
  const { lines, floorMs } = draft.endedUsers ?? { lines: [], floorMs: 0 };
  const all = [...lines.filter((each) => isKept(each) && !digests.has(each.digest)), ...added];
  const dropped = all.slice(0, -MAX_KEPT);
  draft.endedUsers = {
    lines: all.slice(-MAX_KEPT),
    floorMs: Math.max(floorMs, ...dropped.map(({ atMs }) => atMs)),
  };
}

type Moment = { document: OrganizationDocument; nowMs: number };

/** When a user last lost this contact, or 0. */
export const contactEndedAtMs = (moment: Moment, contact: Contact) =>
  endedAtMs(moment, nameOfContact(contact));

export const identityEndedAtMs = (moment: Moment, identity: Identity) =>
  endedAtMs(moment, nameOfIdentity(identity));

/** The name is the public key of an API key, or that of a passkey's key. */
export const keyEndedAtMs = (moment: Moment, name: string) => endedAtMs(moment, name);

function endedAtMs({ document: { endedUsers }, nowMs }: Moment, name: string): number {
  if (!endedUsers) return 0;
  const digest = digestOf(name);
  const own = endedUsers.lines.filter((line) => line.digest === digest);
  // A clock that was ahead and was set back does not keep anybody out until then.
  const times = [endedUsers.floorMs, ...own.map(({ atMs }) => atMs)];
  return Math.max(0, ...times.filter((atMs) => atMs <= nowMs));
}

/** No address is also a phone number, a public key, or the JSON of an identity. */
function namesOf(user: User | undefined): string[] {
  if (!user) return [];
  const { userEmail, userPhoneNumber, oauthProviders, apiKeys, authenticators } = user;
  return [
    userEmail && nameOfContact({ type: "email", contact: userEmail }),
    userPhoneNumber && nameOfContact({ type: "phone", contact: userPhoneNumber }),
    ...oauthProviders.map(nameOfIdentity),
    ...apiKeys.map(({ credential }) => credential.publicKey),
    ...authenticators.map(({ keyName }) => keyName),
  ].filter((name) => name !== null);
}

function nameOfContact({ type, contact }: Contact): string {
  return type === "email" ? asciiLowerCase(contact) : contact;
}

function nameOfIdentity({ issuer, audience, subject }: Identity): string {
  return JSON.stringify([issuer, audience, subject]);
}

function digestOf(name: string): string {
  return encodeHex(sha256(encodeUtf8(name)).subarray(0, 16));
}
