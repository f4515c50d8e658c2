import { isAttestedStamp, isPasskeyStamp, type Stamp } from "@keyhearth/engine/people/authenticate";
import { upcast } from "@keyhearth/engine/records/kind";
import type { Want } from "@keyhearth/engine/records/kinds";
import type { Organization } from "@keyhearth/engine/records/organization-index";
import { readRecord } from "@keyhearth/engine/records/record";
import {
  expiresAtMs,
  type SessionEntry,
  sessions as sessionsKind,
} from "@keyhearth/engine/records/sessions";
import { sql } from "kysely";
import type { Db } from "./connect.ts";
import { lookupHash } from "./lookups.ts";
import type { otps } from "./otps.ts";
import type { StoredRecord } from "./stored-record.ts";
import { defineTable, type TableOf } from "./table.ts";

export const sessions = defineTable({
  kind: sessionsKind,
  name: "sessions",
  id: "user_id",
  columns: {},
  removed: (current, { users }) => {
    const kept = new Set(users.map(({ userId }) => userId));
    const ids = current.users.map(({ userId }) => userId).filter((userId) => !kept.has(userId));
    return [{ column: "user_id", ids }];
  },
  lookups: ({ userId, entries }, organization) =>
    newestOf(entries).map((entry) => ({
      ...organization,
      kind: "PUBLIC_KEY",
      valueHash: lookupHash("PUBLIC_KEY", entry.credential.publicKey),
      subjectId: userId,
      expiresAtMs: expiresAtMs(entry),
    })),
  finds: {
    sessions: { id: ({ userId }) => userId },
    "sessions-of-keys": { find: findSessionsOfKeys },
    "sessions-for-login": {
      find: (db, organizationId, { userId, publicKey }) =>
        findSessionsOfKeys(db, organizationId, { publicKeys: [publicKey], userId }),
    },
    "sessions-for-code": {
      find: (db, organizationId, { otpId }) => findSessionsForCode(db, organizationId, otpId),
    },
  },
});

/** The entries that the last write added. The others are found already. */
function newestOf(entries: SessionEntry[]): SessionEntry[] {
  const newest = Math.max(...entries.map(({ createdAtMs }) => createdAtMs));
  return entries.filter(({ createdAtMs }) => createdAtMs === newest);
}

type InOrganization = { organizationId: string; organization: Organization };

/** A key that the document does not list may be an expiring key in its user's sessions record. */
export async function findStampersSessions(
  db: Db,
  { organizationId, organization }: InOrganization,
  stamp: Stamp,
): Promise<StoredRecord[]> {
  const publicKey = keyOfSession(organization, stamp);
  if (publicKey === null) return [];
  return findSessionsOfKeys(db, organizationId, { publicKeys: [publicKey] });
}

/**
 * The same, and what a login wants, by one read. Null if the stamp's key is in a session: then the request may
 * want something else.
 */
export async function findForLogin(
  db: Db,
  { organizationId, organization }: InOrganization,
  stamp: Stamp,
  { userId, publicKey }: Extract<Want, { type: "sessions-for-login" }>,
): Promise<StoredRecord[] | null> {
  const stamping = keyOfSession(organization, stamp);
  const publicKeys = stamping === null ? [publicKey] : [publicKey, stamping];
  const found = await findSessionsOfKeys(db, organizationId, { publicKeys, userId });
  const isStampers = ({ bytes }: StoredRecord) =>
    readBoth(bytes).body.entries.some(({ credential }) => credential.publicKey === stamping);
  return found.some(isStampers) ? null : found;
}

/** Null if it cannot be the key of a session. */
function keyOfSession(organization: Organization, stamp: Stamp): string | null {
  if (isPasskeyStamp(stamp) || isAttestedStamp(stamp)) return null;
  return organization.findKey(stamp.publicKey) ? null : stamp.publicKey;
}

/**
 * Sessions with one of the keys, and those of a user. A look-up may be old: its entry may have left the
 * record.
 */
async function findSessionsOfKeys(
  db: Db,
  organizationId: string,
  { publicKeys, userId }: { publicKeys: string[]; userId?: string },
): Promise<StoredRecord[]> {
  if (publicKeys.length === 0) return [];
  const rows = await db
    .withTables<TableOf<typeof sessions>>()
    .selectFrom("sessions")
    .select(["digest", "record"])
    .where("organization_id", "=", organizationId)
    .where(({ eb, or, selectFrom }) => {
      const hashes = publicKeys.map((publicKey) => lookupHash("PUBLIC_KEY", publicKey));
      const holders = selectFrom("lookups")
        .select("subject_id")
        .where("organization_id", "=", organizationId)
        .where("kind", "=", "PUBLIC_KEY")
        .where("value_hash", "in", hashes);
      const holds = eb("user_id", "in", holders);
      return userId === undefined ? holds : or([holds, eb("user_id", "=", userId)]);
    })
    .execute();
  const isMeant = (record: Uint8Array) => {
    const { body, header } = readBoth(record);
    if (header.id === userId) return true;
    return body.entries.some(({ credential }) => publicKeys.includes(credential.publicKey));
  };
  return rows
    .filter(({ record }) => isMeant(record))
    .map(({ digest, record }) => ({ digest, bytes: record }));
}

/** The sessions of the user whom a code was sent to. */
async function findSessionsForCode(
  db: Db,
  organizationId: string,
  otpId: string,
): Promise<StoredRecord[]> {
  const rows = await db
    .withTables<TableOf<typeof sessions> & TableOf<typeof otps>>()
    .selectFrom("sessions")
    .innerJoin("otps", (join) =>
      join
        .onRef("otps.organization_id", "=", "sessions.organization_id")
        .on("sessions.user_id", "=", sql<string>`NULLIF(otps.user_id, '')::uuid`),
    )
    .select(["sessions.digest", "sessions.record"])
    .where("sessions.organization_id", "=", organizationId)
    .where("otps.otp_id", "=", otpId)
    .execute();
  return rows.map(({ digest, record }) => ({ digest, bytes: record }));
}

function readBoth(bytes: Uint8Array) {
  const record = readRecord(bytes);
  return { header: record.header, body: upcast(sessionsKind, record) };
}

/** The expiring credentials of these users, by user id, including those that have already expired. */
export async function listSessionEntries(
  db: Db,
  organizationId: string,
  userIds: string[],
): Promise<Map<string, SessionEntry[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .withTables<TableOf<typeof sessions>>()
    .selectFrom("sessions")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("user_id", "in", userIds)
    .execute();
  return new Map(
    rows.map(({ record }) => {
      const { userId, entries } = upcast(sessionsKind, readRecord(record));
      return [userId, entries];
    }),
  );
}
