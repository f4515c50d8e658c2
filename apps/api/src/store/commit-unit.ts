import { resendWebhookDelivery } from "@keyhearth/engine/activities/resend-webhook-delivery";
import type { Proposal } from "@keyhearth/engine/core/protocol";
import type { SealedMessage } from "@keyhearth/engine/messages/message";
import {
  type ActivityRecord,
  activity as activityKind,
  activityStatement,
} from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { type OrganizationDocument, organization } from "@keyhearth/engine/records/organization";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { sizeOf } from "./activities.ts";
import { changedLookups, type Lookup, lookupsOfDocument } from "./lookups.ts";
import type { SignupPlace } from "./signups.ts";
import type { AnyTable, RecordTable } from "./table.ts";
import { recordTables } from "./tables.ts";
import { changeTargets, type TargetChanges } from "./webhook-targets.ts";

/**
 * Everything that one decided request writes. It is committed as a whole or not at all, and only if
 * the records by which it was decided are still current.
 */
export type CommitUnit = {
  organizationId: string;
  /** Its webhooks get the event too. */
  parentOrganizationId: string | null;
  /** When the request was decided, by the signer's clock. */
  atMs: number;
  /** The document by which the request was decided. Null only for a founding, which has none. */
  guard: { version: number; digest: string } | null;
  activity: {
    activityId: string;
    fingerprint: string;
    version: number;
    type: string;
    status: string;
    record: Uint8Array;
    /** What receipts show of a large record, without reading it. Null for a small one. */
    statement: string | null;
    /** About as many bytes as its event has. */
    size: number;
  };
  leaf: { hash: string; tag: string };
  /** The organization's next document, if it changes. */
  document: DocumentRow | null;
  organizations: DocumentRow[];
  /** Whether this founds the database's root organization. There can be only one. */
  isRoot: boolean;
  /** Where the signup came from, if this founds the organization of a stranger. */
  signup: SignupPlace | null;
  /** All other records, of every kind. */
  records: RecordRow[];
  lookups: Lookup[];
  removedLookups: Lookup[];
  /** Rows of records that the next document no longer vouches for. */
  removedRecords: { table: AnyTable; column: string; ids: string[] }[];
  /** Rows of the outbox. */
  messages: SealedMessage[];
  targets: TargetChanges;
  /** The delivery that the activity asks for again. */
  resent: string | null;
};

export type DocumentRow = {
  organizationId: string;
  parentOrganizationId: string | null;
  organizationName: string;
  version: number;
  digest: string;
  createdAtMs: number;
  deletedAtMs: number | null;
  record: Uint8Array;
  body: OrganizationDocument;
};

/** Version 1 is a new record. Any other version replaces the previous one. */
export type RecordRow<B = unknown> = {
  table: AnyTable;
  organizationId: string;
  id: string;
  version: number;
  digest: string;
  record: Uint8Array;
  body: B;
};

const RESEND = resendWebhookDelivery.defaultType;

/** Turns a proposal of the core into rows. The host reads the records only to fill columns. */
export function unitOf(
  proposal: Proposal,
  current: OrganizationDocument | null,
  decided: ActivityRecord = decidedBy(proposal),
): CommitUnit {
  const { organizationId, attachments, activity, leaf } = proposal;
  const [record, ...writes] = attachments;
  if (!record) throw new Error("a proposal without its activity");
  const isFounding = current === null;
  const unit: CommitUnit = {
    organizationId,
    parentOrganizationId: current?.parentOrganizationId ?? null,
    atMs: decided.updatedAtMs,
    guard: isFounding
      ? null
      : { version: proposal.documentVersion, digest: proposal.documentDigest },
    activity: {
      ...activity,
      record,
      statement: statementOf(organizationId, proposal, decided),
      size: sizeOf(record, decided),
    },
    leaf,
    document: null,
    organizations: [],
    isRoot: false,
    signup: null,
    records: [],
    lookups: [],
    removedLookups: [],
    removedRecords: [],
    messages: proposal.messages ?? [],
    targets: { written: [], removed: [] },
    resent: resentBy(decided),
  };
  for (const bytes of writes) addWrite(unit, bytes, current);
  return unit;
}

/** Beyond this, a record is not read to show its statement. Most records are smaller. */
export const LARGE_RECORD_BYTES = 4096;

function statementOf(
  organizationId: string,
  { activity: { version }, attachments: [record] }: Proposal,
  decided: ActivityRecord,
): string | null {
  if (!record || record.length <= LARGE_RECORD_BYTES) return null;
  return activityStatement(organizationId, decided, version);
}

/** Only the host knows deliveries. */
function resentBy({ type, status, result }: ActivityRecord): string | null {
  if (type !== RESEND || status !== "ACTIVITY_STATUS_COMPLETED") return null;
  return typeof result?.deliveryId === "string" ? result.deliveryId : null;
}

/** The activity of a proposal. */
export function decidedBy({ attachments: [record] }: Proposal): ActivityRecord {
  if (!record) throw new Error("a proposal without its activity");
  return upcast(activityKind, readRecord(record));
}

/** The rows of one table. */
export function rowsOf<B>(
  { records }: CommitUnit,
  table: RecordTable<B, string, string, unknown>,
): RecordRow<B>[] {
  // The table's kind decoded these bodies.
  return records.filter((row) => row.table.name === table.name) as RecordRow<B>[];
}

function addWrite(unit: CommitUnit, bytes: Uint8Array, current: OrganizationDocument | null) {
  const record = readRecord(bytes);
  const { type, organizationId, id, version } = record.header;
  const digest = recordDigest(bytes);
  if (type === organization.type) {
    const document = upcast(organization, record);
    addDocument(unit, document, { version, digest, record: bytes }, current);
    return;
  }
  const table = recordTables.find(({ kind }) => kind.type === type);
  if (!table) throw new Error(`a proposal does not write records of type ${type} beside its own`);
  const body = upcast(table.kind, record);
  unit.records.push({ table, organizationId, id, version, digest, record: bytes, body });
  if (table.lookups) {
    const isOwn = organizationId === unit.organizationId;
    const parentOrganizationId = isOwn
      ? (current?.parentOrganizationId ?? null)
      : unit.organizationId;
    const lookups = table.lookups(body, { organizationId, parentOrganizationId });
    unit.lookups.push(...(isOwn ? lookups : lookups.map(fromParent)));
  }
}

/** The first document of a sub-organization is the parent's work. What comes later is its own. */
function fromParent(lookup: Lookup): Lookup {
  const { kind, parentOrganizationId } = lookup;
  const isCredential = kind === "PUBLIC_KEY" || kind === "CREDENTIAL_ID";
  return isCredential && parentOrganizationId !== null ? { ...lookup, isFromParent: true } : lookup;
}

function addDocument(
  unit: CommitUnit,
  document: OrganizationDocument,
  stored: Pick<DocumentRow, "version" | "digest" | "record">,
  current: OrganizationDocument | null,
) {
  const { organizationId, parentOrganizationId, organizationName, createdAtMs, deletedAtMs } =
    document;
  const names = { organizationId, parentOrganizationId, organizationName };
  const row = { ...names, createdAtMs, deletedAtMs, ...stored, body: document };
  if (organizationId !== unit.organizationId || current === null) {
    unit.organizations.push(row);
    unit.lookups.push(...lookupsOfDocument(document).map(fromParent));
    return;
  }
  unit.document = row;
  unit.targets = changeTargets(current, document);
  // Everything that belongs to the organization is removed.
  if (deletedAtMs !== null) return;
  const { added, removed } = changedLookups(current, document);
  unit.lookups.push(...added);
  unit.removedLookups.push(...removed);
  unit.removedRecords = recordTables.flatMap((table) => {
    const rows = table.removed?.(current, document) ?? [];
    return rows.filter(({ ids }) => ids.length > 0).map((each) => ({ table, ...each }));
  });
}
