import { recordRefused } from "../errors.ts";
import { type AnyKind, type Brought, kindsBesideDocument, type Want } from "./kinds.ts";
import type { OrganizationDocument } from "./organization.ts";

/** Refuses a record that the request did not ask for, or that belongs to another organization. */
export function assertRequested(record: Brought, wants: Want[], document: OrganizationDocument) {
  const { type, organizationId } = record.header;
  const kinds: readonly AnyKind[] = kindsBesideDocument;
  const answers = kinds.find((kind) => kind.type === type)?.answers;
  const isWanted = wants.some((want) => answers?.[want.type]?.(record, want) ?? false);
  if (!isWanted) throw recordRefused(`unrequested record of type ${type}`);
  if (organizationId !== document.organizationId) {
    throw recordRefused(`record of another organization, ${organizationId}`);
  }
}
