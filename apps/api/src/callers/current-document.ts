import type { Host } from "../host/host.ts";
import { findDocument, type StoredDocument } from "../store/organizations.ts";

/** The newest document, unless it says that the organization was deleted. */
export async function findCurrent(
  host: Host,
  organizationId: string,
): Promise<StoredDocument | undefined> {
  const newest = await findNewest(host, organizationId);
  return newest?.document.deletedAtMs === null ? newest : undefined;
}

/**
 * A cached document that is, or was a moment ago, the newest of the database. Another process may have replaced
 * it since: the core knows.
 */
export async function findCached(
  host: Host,
  organizationId: string,
): Promise<StoredDocument | undefined> {
  return host.cache.freshDocument(organizationId) ?? findNewestCached(host, organizationId);
}

/**
 * A cached document to which the database still points. A large one takes twenty milliseconds to read and to parse, and
 * many requests may have lost to one that changed it.
 */
export async function findNewestCached(
  { cache, findPointer }: Host,
  organizationId: string,
): Promise<StoredDocument | undefined> {
  const cached = cache.document(organizationId);
  if (!cached) return undefined;
  const pointer = await findPointer(organizationId);
  if (pointer?.digest === cached.digest) {
    cache.refreshDocument(organizationId);
    return cached;
  }
  // Meanwhile, another request may have kept the newest one.
  if (cache.document(organizationId) === cached) cache.forgetDocument(organizationId);
  return undefined;
}

/**
 * The newest document, even of a deleted organization. A cached one is used only if the database still
 * points at it.
 */
async function findNewest(host: Host, organizationId: string): Promise<StoredDocument | undefined> {
  const cached = await findNewestCached(host, organizationId);
  if (cached) return cached;
  const stored = await findDocument(host.store.db, organizationId);
  return stored && host.cache.keepDocument(stored);
}

/**
 * The parent's document. Its list of origins applies to the passkeys of its sub-organizations. A
 * submission may use a cached one first: the core knows whether it is the newest.
 */
export async function findParent(
  host: Host,
  { document: { parentOrganizationId } }: StoredDocument,
  { mayUseCache } = { mayUseCache: false },
): Promise<StoredDocument | null> {
  if (parentOrganizationId === null) return null;
  const cached = mayUseCache ? await findCached(host, parentOrganizationId) : undefined;
  if (cached) return cached;
  return (await findNewest(host, parentOrganizationId)) ?? null;
}
