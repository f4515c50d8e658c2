import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { type SessionEntry, sessions as sessionsKind } from "@keyhearth/engine/records/sessions";
import type { Db } from "./connect.ts";
import { findById } from "./find-by-id.ts";
import { lookupHash } from "./lookups.ts";
import type { StoredRecord } from "./stored-record.ts";
import { defineTable, type TableOf } from "./table.ts";

export const sessions = defineTable({
  kind: sessionsKind,
  name: "sessions",
  id: "user_id",
  columns: {},
  lookups: ({ userId, entries }, organization) =>
    entries.map(({ credential }) => ({
      ...organization,
      kind: "PUBLIC_KEY",
      valueHash: lookupHash("PUBLIC_KEY", credential.publicKey),
      subjectId: userId,
    })),
  finds: { sessions: { id: ({ userId }) => userId } },
});

export function findSessions(
  db: Db,
  organizationId: string,
  userId: string,
): Promise<StoredRecord | undefined> {
  return findById(db, sessions, organizationId, userId);
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
