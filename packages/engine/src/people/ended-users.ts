import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { asciiLowerCase } from "./contacts.ts";

// A verification token counts for whoever has its contact, for up to a day after its code was sent. If users are
// deleted and created again, what proved their contacts and identities before the deletion must not log in as them.

/** Longer than a token counts after its code was sent. */
const KEPT_MS = 25 * 60 * 60 * 1000;

/** About 12 KB of the document. With more, all new users count as created again since the oldest of them. */
const MOST_KEPT = 200;

type Person = Pick<User, "userEmail" | "userPhoneNumber" | "oauthProviders">;

/** Remembers how these users could be recognized, until everything from before has expired. */
export function rememberEnded(draft: OrganizationDocument, users: readonly User[], nowMs: number) {
  const isKept = ({ atMs }: { atMs: number }) => nowMs - atMs < KEPT_MS;
  const added = users.flatMap(namesOf).map((digest) => ({ digest, atMs: nowMs }));
  const digests = new Set(added.map(({ digest }) => digest));
  const { lines, floorMs } = draft.endedUsers ?? { lines: [], floorMs: 0 };
  const all = [...lines.filter((each) => isKept(each) && !digests.has(each.digest)), ...added];
  const dropped = all.slice(0, -MOST_KEPT);
  draft.endedUsers = {
    lines: all.slice(-MOST_KEPT),
    floorMs: Math.max(floorMs, ...dropped.map(({ atMs }) => atMs)),
  };
}

/** Until when a user with these contacts and identities may have been deleted. */
export function endedAtMs({ endedUsers }: OrganizationDocument, person: Person): number {
  if (!endedUsers) return 0;
  const names = namesOf(person);
  const own = endedUsers.lines.filter(({ digest }) => names.includes(digest));
  return Math.max(endedUsers.floorMs, ...own.map(({ atMs }) => atMs));
}

/** No address is also a phone number or the JSON of an identity. */
function namesOf({ userEmail, userPhoneNumber, oauthProviders }: Person): string[] {
  const identities = oauthProviders.map(({ issuer, audience, subject }) =>
    JSON.stringify([issuer, audience, subject]),
  );
  return [userEmail && asciiLowerCase(userEmail), userPhoneNumber, ...identities]
    .filter((name) => name !== null)
    .map((name) => encodeHex(sha256(encodeUtf8(name)).subarray(0, 16)));
}
