import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import { unauthenticated } from "@keyhearth/engine/errors";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { sql } from "kysely";
import type { Db, Store } from "./connect.ts";
import type { LookupKind } from "./schema.ts";

export type Lookup = {
  organizationId: string;
  kind: LookupKind;
  valueHash: string;
  subjectId: string;
  parentOrganizationId: string | null;
  /** Set for what expires. */
  expiresAtMs?: number;
};

/** Emails match in any case, everything else only exactly. */
export function lookupHash(kind: LookupKind, value: string): string {
  const normal = kind === "EMAIL" ? value.toLowerCase() : value;
  return encodeHex(sha256(encodeUtf8(`${kind}\n${normal}`)));
}

/** Everything a document can be found by. */
export function lookupsOfDocument(document: OrganizationDocument): Lookup[] {
  const { organizationId, parentOrganizationId, organizationName, users } = document;
  const entry = (kind: LookupKind, value: string, subjectId: string): Lookup => ({
    organizationId,
    kind,
    valueHash: lookupHash(kind, value),
    subjectId,
    parentOrganizationId,
  });
  const found = [entry("NAME", organizationName, organizationId)];
  for (const { userId, userName, userEmail, userPhoneNumber, apiKeys } of users) {
    found.push(entry("USERNAME", userName, userId));
    if (userEmail !== null) found.push(entry("EMAIL", userEmail, userId));
    if (userPhoneNumber !== null) found.push(entry("PHONE_NUMBER", userPhoneNumber, userId));
    for (const { credential } of apiKeys) {
      found.push(entry("PUBLIC_KEY", credential.publicKey, userId));
    }
  }
  return found;
}

/** A key that somebody holds now, as far as this process's clock knows. */
type HeldKey = { publicKey: string; nowMs: number };

/**
 * Of this organization and its sub-organizations, those of whose users one holds the key: at most
 * three. If nobody holds it now, those of whose users one held it last.
 */
export async function findHomes(
  db: Db,
  organizationId: string,
  { publicKey, nowMs }: HeldKey,
): Promise<string[]> {
  const rows = await db
    .selectFrom("lookups")
    .select([
      "organization_id",
      sql<boolean>`bool_or(expires_at_ms IS NULL OR expires_at_ms > ${nowMs}::bigint)`.as(
        "is_live",
      ),
    ])
    .where("kind", "=", "PUBLIC_KEY")
    .where("value_hash", "=", lookupHash("PUBLIC_KEY", publicKey))
    .where(({ eb, or }) =>
      or([
        eb("organization_id", "=", organizationId),
        eb("parent_organization_id", "=", organizationId),
      ]),
    )
    .groupBy("organization_id")
    .orderBy(({ eb }) => eb("organization_id", "=", organizationId), "desc")
    .orderBy("is_live", "desc")
    .limit(3)
    .execute();
  const live = rows.filter((row) => row.is_live);
  return (live.length > 0 ? live : rows).map((row) => row.organization_id);
}

/** The credential does not say which of them is meant. */
export function moreThanOneSubOrganization(organizationId: string, publicKey: string) {
  return unauthenticated(
    "CREDENTIAL_AMBIGUOUS",
    `more than one suborg associated with a public key organizationId=${organizationId} publicKey=${publicKey}`,
  );
}

/** Deletes what expired before this time, some at once. Returns how many there were. */
export async function deleteExpiredLookups({ run }: Store, nowMs: number, limit: number) {
  const rows = await run(
    "delete-expired-lookups",
    `DELETE FROM lookups WHERE (organization_id, kind, value_hash, subject_id) IN (
       SELECT organization_id, kind, value_hash, subject_id FROM lookups
       WHERE expires_at_ms < $1::bigint LIMIT $2::bigint)
     RETURNING subject_id`,
    [nowMs, limit],
  );
  return rows.length;
}

/** The user whose sessions record may hold the key. */
export async function findUserIdByPublicKey(
  db: Db,
  organizationId: string,
  publicKey: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("lookups")
    .select("subject_id")
    .where("organization_id", "=", organizationId)
    .where("kind", "=", "PUBLIC_KEY")
    .where("value_hash", "=", lookupHash("PUBLIC_KEY", publicKey))
    .limit(1)
    .executeTakeFirst();
  return row?.subject_id;
}

/** Whether any organization has this key. It may have expired. */
export async function isKnownKey(db: Db, publicKey: string): Promise<boolean> {
  const row = await db
    .selectFrom("lookups")
    .select("organization_id")
    .where("kind", "=", "PUBLIC_KEY")
    .where("value_hash", "=", lookupHash("PUBLIC_KEY", publicKey))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the organization or its parent has this key. It may have expired. */
export async function hasKey(db: Db, organizationId: string, publicKey: string): Promise<boolean> {
  const row = await db
    .selectFrom("lookups as l")
    .innerJoin("organizations as o", (join) =>
      join
        .on("o.organization_id", "=", organizationId)
        .on(({ eb, or, ref }) =>
          or([
            eb("l.organization_id", "=", ref("o.organization_id")),
            eb("l.organization_id", "=", ref("o.parent_organization_id")),
          ]),
        ),
    )
    .select("l.organization_id")
    .where("l.kind", "=", "PUBLIC_KEY")
    .where("l.value_hash", "=", lookupHash("PUBLIC_KEY", publicKey))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
