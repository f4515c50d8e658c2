import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { limitExceeded } from "../errors.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { Records } from "./facts.ts";
import { type AnyKind, kindsBesideDocument, type Writes } from "./kinds.ts";
import { notarize } from "./notarize.ts";
import {
  MAX_DOCUMENT_BYTES,
  type OrganizationDocument,
  organization,
  withoutOwnParts,
} from "./organization.ts";

/** A new record for the host to store. */
export type Written = {
  type: string;
  organizationId: string;
  id: string;
  version: number;
  bytes: Uint8Array;
};

export type Writer = Writes & {
  /** The first document of an organization that does not exist yet. */
  organization(document: OrganizationDocument): void;
};

type Destination = { organizationId: string; records: Records; written: Written[] };

/** Creates the functions by which an organization's handlers write records. Adds them to `written`. */
export function createWriter(
  keyring: Keyring,
  { organizationId, records, written }: Destination,
): Writer {
  const writer: Record<string, unknown> = {
    organization(document: OrganizationDocument) {
      written.push(notarizeDocument(keyring, document, 1));
    },
  };
  const kinds: readonly AnyKind[] = kindsBesideDocument;
  for (const kind of kinds) {
    if (!kind.write) continue;
    writer[kind.write.name] = (body: unknown, owner = organizationId) => {
      const id = kind.idOf(body);
      const version = kind.write?.isReplaced ? nextVersion(records, kind.type, id) : 1;
      written.push(notarizeRecord(keyring, kind, { organizationId: owner, id, version }, body));
    };
  }
  // It has one function for each name that the kinds define, as in `Writes`.
  return writer as Writer;
}

/** Notarizes a new version of a record. */
export function notarizeRecord(
  keyring: Keyring,
  { type, schema }: { type: string; schema: number },
  { organizationId, id, version }: Pick<Written, "organizationId" | "id" | "version">,
  body: unknown,
): Written {
  const bytes = notarize(keyring, { type, schema, organizationId, id, version }, body);
  return { type, organizationId, id, version, bytes };
}

export function notarizeDocument(
  keyring: Keyring,
  document: OrganizationDocument,
  version: number,
): Written {
  const { organizationId } = document;
  const place = { organizationId, id: organizationId, version };
  const written = notarizeRecord(keyring, organization, place, document);
  if (written.bytes.length > MAX_DOCUMENT_BYTES && sharedSize(document) > MAX_DOCUMENT_BYTES) {
    throw limitExceeded(
      "organizationId",
      "the organization's document would exceed 1 MiB: delete users, policies, tags or private keys that are no longer needed",
    );
  }
  return written;
}

function sharedSize(document: OrganizationDocument): number {
  return encodeUtf8(JSON.stringify(withoutOwnParts(document))).length;
}

function nextVersion(records: Records, type: string, id: string): number {
  const current = records.bound.find(({ header }) => header.type === type && header.id === id);
  return (current?.header.version ?? 0) + 1;
}
