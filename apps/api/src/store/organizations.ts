import { upcast } from "@keyhearth/engine/records/kind";
import { type OrganizationDocument, organization } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import type { Db } from "./connect.ts";

/** A document as the host holds it: its exact bytes, and what it says, unverified. */
export type StoredDocument = {
  organizationId: string;
  version: number;
  digest: string;
  bytes: Uint8Array;
  document: OrganizationDocument;
};

export function toStoredDocument(
  organizationId: string,
  row: { version: number; digest: string; record: Uint8Array },
): StoredDocument {
  const { version, digest, record } = row;
  const document = upcast(organization, readRecord(record));
  return { organizationId, version, digest, bytes: record, document };
}

export async function findDocument(
  db: Db,
  organizationId: string,
): Promise<StoredDocument | undefined> {
  const row = await db
    .selectFrom("organizations as o")
    .innerJoin("organization_documents as d", (join) =>
      join
        .onRef("d.organization_id", "=", "o.organization_id")
        .onRef("d.version", "=", "o.version"),
    )
    .select(["d.version", "d.digest", "d.record"])
    .where("o.organization_id", "=", organizationId)
    .executeTakeFirst();
  return row && toStoredDocument(organizationId, row);
}

/** Older versions, for showing voters as they were. */
export async function listDocumentVersions(
  db: Db,
  organizationId: string,
  versions: number[],
): Promise<StoredDocument[]> {
  if (versions.length === 0) return [];
  const rows = await db
    .selectFrom("organization_documents")
    .select(["version", "digest", "record"])
    .where("organization_id", "=", organizationId)
    .where("version", "in", versions)
    .execute();
  return rows.map((row) => toStoredDocument(organizationId, row));
}

export async function findPointer(
  db: Db,
  organizationId: string,
): Promise<{ version: number; digest: string } | undefined> {
  return db
    .selectFrom("organizations")
    .select(["version", "digest"])
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
}

/** Any organization at all: is this database new? */
export async function hasOrganizations(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom("organizations")
    .select("organization_id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The organization that the first start founded. */
export async function findRootOrganizationId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom("root_organization").select("organization_id").executeTakeFirst();
  return row?.organization_id;
}
