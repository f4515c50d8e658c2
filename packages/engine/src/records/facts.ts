import { type AnyKind, type Brought, type Finders, kindsBesideDocument } from "./kinds.ts";
import type { OrganizationDocument } from "./organization.ts";

/** What a request is about: the organization's document and the records beside it. */
export type Facts = {
  readonly document: OrganizationDocument;
  readonly records: Records;
};

/** The records of a request that its organization stands by, and how to find one among them. */
export type Records = Readonly<Finders> & { readonly bound: readonly Brought[] };

/** What is not bound is left out: for handlers and policies it does not exist. */
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
  // The finders of all kinds, as `Finders` adds up their types.
  return found as Records;
}
