import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { type SessionEntry, sessions } from "@keyhearth/engine/records/sessions";
import type { Db } from "./connect.ts";

/** The credentials of these users that expire, by user id; those that have expired among them. */
export async function listSessionEntries(
  db: Db,
  organizationId: string,
  userIds: string[],
): Promise<Map<string, SessionEntry[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("sessions")
    .select("record")
    .where("organization_id", "=", organizationId)
    .where("user_id", "in", userIds)
    .execute();
  return new Map(
    rows.map(({ record }) => {
      const { userId, entries } = upcast(sessions, readRecord(record));
      return [userId, entries];
    }),
  );
}
