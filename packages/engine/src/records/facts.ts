import { type AnyKind, type Brought, type Finders, kindsBesideDocument } from "./kinds.ts";
import type { OrganizationDocument } from "./organization.ts";

/** The organization's document and the other records that a request is decided with. */
export type Facts = {
  readonly document: OrganizationDocument;
  readonly records: Records;
};

/** The records of a request that are bound to its organization, and functions to find one. */
export type Records = Readonly<Finders> & { readonly bound: readonly Brought[] };

const kinds: readonly AnyKind[] = kindsBesideDocument;

/** Leaves out records that are not bound: they do not exist for handlers and policies. */
export function createRecords(
  document: OrganizationDocument,
  brought: readonly Brought[],
): Records {
  const bound = brought.filter((record) => {
    const kind = kinds.find(({ type }) => type === record.header.type);
    return kind?.isBound(record, document) ?? false;
  });
  // It has the finders of all kinds, and `Finders` is the intersection of their types.
  return new BoundRecords(document, bound) as unknown as Records;
}

/** The finders of a kind are made when one of them is asked for: a request uses those of a few kinds. */
class BoundRecords {
  readonly bound: readonly Brought[];
  readonly #document: OrganizationDocument;
  readonly #made = new Map<AnyKind, Record<string, unknown>>();

  constructor(document: OrganizationDocument, bound: readonly Brought[]) {
    this.bound = bound;
    this.#document = document;
  }

  findersOf(kind: AnyKind): Record<string, unknown> {
    const known = this.#made.get(kind);
    if (known) return known;
    const records = this.bound.filter(({ header }) => header.type === kind.type);
    const made = { ...kind.finders?.({ document: this.#document, records }) };
    this.#made.set(kind, made);
    return made;
  }
}

for (const kind of kinds) {
  // Making them reads nothing of a document.
  const names = Object.keys(
    kind.finders?.({ document: {} as OrganizationDocument, records: [] }) ?? {},
  );
  for (const name of names) {
    const get = function (this: BoundRecords) {
      return this.findersOf(kind)[name];
    };
    Object.defineProperty(BoundRecords.prototype, name, { get });
  }
}
