import { compileAll } from "@keyhearth/engine/records/compiled-policies";
import { upcast } from "@keyhearth/engine/records/kind";
import {
  type OrganizationDocument,
  organization as organizationKind,
} from "@keyhearth/engine/records/organization";
import {
  createOrganization,
  type Organization,
} from "@keyhearth/engine/records/organization-index";
import { readRecord } from "@keyhearth/engine/records/record";
import type { Db } from "./connect.ts";
import { readPastRecords } from "./past-documents.ts";

/** A document as the host holds it: its exact bytes, and what it says, unverified. */
export type StoredDocument = {
  organizationId: string;
  version: number;
  digest: string;
  bytes: Uint8Array;
  document: OrganizationDocument;
  organization: Organization;
};

export function toStoredDocument(
  organizationId: string,
  row: { version: number; digest: string; record: Uint8Array },
): StoredDocument {
  return ofBody({ organizationId, ...row, body: upcast(organizationKind, readRecord(row.record)) });
}

/** The same of a record that was parsed already. */
export function ofBody({
  organizationId,
  version,
  digest,
  record,
  body,
}: ReadDocument): StoredDocument {
  const organization = createOrganization(body, compileAll);
  return { organizationId, version, digest, bytes: record, document: body, organization };
}

type ReadDocument = {
  organizationId: string;
  version: number;
  digest: string;
  record: Uint8Array;
  body: OrganizationDocument;
};

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

/**
 * A document may be a megabyte, and the votes on a page of activities may name a thousand versions.
 */
const VERSIONS_A_READ = 8;

/** Older versions, to show activities as they were at their time. Only a few are in memory at once. */
export async function* readDocumentVersions(
  db: Db,
  organizationId: string,
  versions: Iterable<number>,
): AsyncGenerator<StoredDocument> {
  const wanted = [...new Set(versions)];
  for (let i = 0; i < wanted.length; i += VERSIONS_A_READ) {
    const rows = await readPastRecords(db, organizationId, wanted.slice(i, i + VERSIONS_A_READ));
    for (const row of rows) yield toStoredDocument(organizationId, row);
  }
}

/** The document of each version, once each, the current one first. */
export async function* readDocumentsAt(
  db: Db,
  current: StoredDocument,
  versions: number[],
): AsyncGenerator<StoredDocument, undefined> {
  if (versions.includes(current.version)) yield current;
  const older = versions.filter((version) => version !== current.version);
  yield* readDocumentVersions(db, current.organizationId, older);
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

/** The versions of these organizations' documents, of those that exist. */
export async function findVersions(
  db: Db,
  organizationIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("organizations")
    .select(["organization_id", "version"])
    .where("organization_id", "in", organizationIds)
    .execute();
  return new Map(rows.map((row) => [row.organization_id, Number(row.version)]));
}

/** A top-level organization and its sub-organizations are a family, which has the id of the former. */
export function familyIdOf({
  organizationId,
  parentOrganizationId,
}: Pick<OrganizationDocument, "organizationId" | "parentOrganizationId">): string {
  return parentOrganizationId ?? organizationId;
}

/** The parent of an organization; null if it is a top-level one, undefined if it does not exist. */
export async function findParentId(
  db: Db,
  organizationId: string,
): Promise<string | null | undefined> {
  const row = await db
    .selectFrom("organizations")
    .select("parent_organization_id")
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row?.parent_organization_id;
}

/** The ids of all organizations after this one, in their order. Deleted ones are among them. */
export async function listOrganizationIds(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("organizations")
    .select("organization_id")
    .where("organization_id", ">", after)
    .orderBy("organization_id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.organization_id);
}

/** Whether there is any organization at all; if not, the database is new. */
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
