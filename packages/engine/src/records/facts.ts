import { type AnyKind, type Brought, type Finders, kindsBesideDocument } from "./kinds.ts";
import type { OrganizationDocument } from "./organization.ts";

/** The organization's document and the other records that a request is decided with. */
export type Facts = {
  readonly document: OrganizationDocument;
  readonly records: Records;
};

/** The records of a request that are bound to its organization, and functions to find one. */
export type Records = Readonly<Finders> & { readonly bound: readonly Brought[] };

/** Leaves out records that are not bound: they do not exist for handlers and policies. */
export function createRecords(
  document: OrganizationDocument,
  brought: readonly Brought[],
): Records {
  const kinds: readonly AnyKind[] = kindsBesideDocument;
  const bound = brought.filter((record) => {
    const kind = kinds.find(({ type }) => type === record.header.type);
    return kind?.isBound(record, document) ?? false;
  });
  const found: object = { bound };
  for (const kind of kinds) {
    const records = bound.filter(({ header }) => header.type === kind.type);
    Object.assign(found, kind.finders?.({ document, records }));
  }
  // It has the finders of all kinds, and `Finders` is the intersection of their types.
  return found as Records;
}
