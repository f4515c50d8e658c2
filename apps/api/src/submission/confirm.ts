import type { Answer, Proposal } from "@keyhearth/engine/core/protocol";
import { type ApiError, fromErrorMessage } from "@keyhearth/engine/errors";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import type { Host } from "../host/host.ts";
import { askUntilServed } from "../signer/crowded.ts";
import { keepReleased } from "../store/activities.ts";
import {
  findDocument,
  findPointer,
  readDocumentVersions,
  type StoredDocument,
} from "../store/organizations.ts";

/** Tells the signer that a proposal was committed. Throws if the signer refuses to believe it. */
export async function confirmProposal(
  host: Host,
  { organizationId, ticket, attachments }: Proposal,
) {
  if (ticket === null) return;
  const answer = await askUntilServed(host, { call: "confirm", ticket }, organizationId);
  if (answer.kind === "confirmed") return;
  // The signer has restarted, or has dropped the ticket.
  const documents = attachments.filter(isDocument);
  const { error } = await confirmRecords(host, organizationId, documents);
  if (!error) return;
  if (error.reason === "STALE_RECORD" && (await haveMovedOn(host, documents))) return;
  throw error;
}

/** Tells the signer what was committed. The host may say so only of what it has read. */
export async function confirmRecords(
  host: Host,
  organizationId: string,
  attachments: Uint8Array[],
): Promise<{ error?: ApiError; result?: Record<string, unknown> | undefined }> {
  const answer: Answer = await askUntilServed(
    host,
    { call: "confirm", attachments },
    organizationId,
  );
  if (answer.kind === "error") return { error: fromErrorMessage(answer.error) };
  if (answer.kind === "confirmed") return { result: answer.result };
  throw new Error(`unexpected answer of the signer: ${answer.kind}`);
}

/** How many changes of the document may lie between an activity and the release of its result. */
const MAX_CHANGES = 32;

/** How often a release is tried while others change the document. */
const ATTEMPTS = 6;

/**
 * The activity with its result, even if the core keeps the result back until the commit. The documents
 * from the activity's own to the newest one show the core that it was committed.
 */
export async function withResult(
  host: Host,
  activity: ActivityRecord,
  bytes: Uint8Array,
  current: StoredDocument,
): Promise<ActivityRecord> {
  if (!activity.sealedResult || activity.result) return activity;
  const { organizationId } = current;
  // A cached document can be older than the activity.
  const isBefore = current.version <= activity.documentVersion;
  let newest = (isBefore && (await findDocument(host.store.db, organizationId))) || current;
  for (let tries = 1; ; tries++) {
    const documents = await documentsSince(host, activity, newest);
    if (!documents) return activity;
    const { error, result } = await confirmRecords(host, organizationId, [...documents, bytes]);
    if (!error) return keep(host, organizationId, { ...activity, result: result ?? null });
    const next = await newerThan(host, newest, error);
    if (!next || tries === ATTEMPTS) throw error;
    newest = next;
  }
}

/** If the database is unavailable now, the result is released again when somebody asks for it. */
async function keep(
  { store, log }: Host,
  organizationId: string,
  activity: ActivityRecord,
): Promise<ActivityRecord> {
  try {
    await keepReleased(store, organizationId, activity);
  } catch (err) {
    log.warn({ organizationId, activityId: activity.activityId, err }, "a result was not kept");
  }
  return activity;
}

/** The document that records the activity, and all later ones. Null if they are too many. */
async function documentsSince(
  { store }: Host,
  { documentVersion }: ActivityRecord,
  { organizationId, version, bytes }: StoredDocument,
): Promise<Uint8Array[] | null> {
  const first = documentVersion + 1;
  const changes = version - first;
  if (changes > MAX_CHANGES) return null;
  const versions = Array.from({ length: changes }, (_, index) => first + index);
  const documents = [bytes];
  for await (const each of readDocumentVersions(store.db, organizationId, versions)) {
    documents.push(each.bytes);
  }
  return documents;
}

/**
 * The document that replaced this one, if that is why the signer refused it. If the database still
 * holds what the signer refused, it was rolled back.
 */
async function newerThan(
  { store, cache }: Host,
  { organizationId, digest }: StoredDocument,
  { reason }: ApiError,
): Promise<StoredDocument | null> {
  if (reason !== "STALE_RECORD") return null;
  cache.forgetDocument(organizationId);
  const found = await findDocument(store.db, organizationId);
  return found && found.digest !== digest ? found : null;
}

/** Another process has changed the same documents since, and has confirmed that. */
async function haveMovedOn({ store }: Host, documents: Uint8Array[]): Promise<boolean> {
  for (const bytes of documents) {
    const { organizationId, version } = readRecord(bytes).header;
    const pointer = await findPointer(store.db, organizationId);
    const isThere = pointer?.version === version && pointer.digest === recordDigest(bytes);
    if (!pointer || (pointer.version <= version && !isThere)) return false;
  }
  return true;
}

function isDocument(bytes: Uint8Array): boolean {
  return readRecord(bytes).header.type === "organization";
}
