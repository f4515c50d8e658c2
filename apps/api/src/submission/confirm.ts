import type { Answer, Proposal } from "@keyhearth/engine/door/protocol";
import { type ApiError, fromErrorMessage } from "@keyhearth/engine/errors";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import type { Host } from "../host.ts";
import { findPointer, readDocumentVersions, type StoredDocument } from "../store/organizations.ts";

/** Tells the signer that a proposal was committed. Throws if the signer refuses to believe it. */
export async function confirmProposal(
  host: Host,
  { organizationId, ticket, attachments }: Proposal,
) {
  if (ticket === null) return;
  const answer = await host.askSigner({ call: "confirm", ticket }, organizationId);
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
  const answer: Answer = await host.askSigner({ call: "confirm", attachments }, organizationId);
  if (answer.kind === "error") return { error: fromErrorMessage(answer.error) };
  if (answer.kind === "confirmed") return { result: answer.result };
  throw new Error(`unexpected answer of the signer: ${answer.kind}`);
}

/** How many changes of the document may lie between an activity and the release of its result. */
const MAX_CHANGES = 32;

/**
 * The activity with its result, if the core keeps that back until the commit. The documents from the
 * activity's own to the newest one show the core that it was committed.
 */
export async function withResult(
  { store, ...host }: Host,
  activity: ActivityRecord,
  bytes: Uint8Array,
  current: StoredDocument,
): Promise<ActivityRecord> {
  if (!activity.sealedResult) return activity;
  const first = activity.documentVersion + 1;
  const changes = current.version - first;
  if (changes > MAX_CHANGES) return activity;
  const versions = Array.from({ length: changes }, (_, index) => first + index);
  const documents = [current.bytes];
  for await (const each of readDocumentVersions(store.db, current.organizationId, versions)) {
    documents.push(each.bytes);
  }
  const { error, result } = await confirmRecords({ store, ...host }, current.organizationId, [
    ...documents,
    bytes,
  ]);
  if (error) throw error;
  return { ...activity, result: result ?? null };
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
