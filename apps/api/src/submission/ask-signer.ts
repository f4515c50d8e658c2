import type { Answer } from "@keyhearth/engine/core/protocol";
import { toErrorMessage } from "@keyhearth/engine/errors";
import type { Host } from "../host/host.ts";
import { familyIdOf, findDocument, type StoredDocument } from "../store/organizations.ts";
import type { StoredRecord } from "../store/stored-record.ts";
import { confirmRecords } from "./confirm.ts";
import type { Belief } from "./gather.ts";
import type { SubmitRequest } from "./hint.ts";

/** The signer's possible answers to a submission once it has the records it needs. */
export type SubmitAnswer = Extract<Answer, { kind: "proposal" | "unchanged" | "waits" | "error" }>;

/** How often the signer is told what was committed. It may restart in between, but not again and again. */
const CONFIRMATIONS = 3;

/**
 * Names the records by digest, and sends the bytes of those that the core does not have. If the core
 * does not know that the document was committed, tells it.
 */
export function askSigner(
  host: Host,
  request: SubmitRequest,
  belief: Belief,
): Promise<SubmitAnswer> {
  return ask(host, request, belief, {});
}

/**
 * Asks again with records that the signer refused as stale and that the database still holds. The signer cannot
 * see that no other request has just replaced them, and so it logs an alarm only for this.
 */
export async function reportStale(host: Host, request: SubmitRequest, belief: Belief) {
  host.metrics.staleRecord();
  await ask(host, request, belief, { isReread: true });
}

async function ask(
  host: Host,
  { endpoint, body, stamp: { header: stamp }, turnFor }: SubmitRequest,
  { stored, parent, records }: Belief,
  said: { isReread?: boolean },
): Promise<SubmitAnswer> {
  const brought: StoredRecord[] = [stored, ...records];
  const digests = brought.map(({ digest }) => digest);
  // What the core asked for once is sent in every later round: other requests make it drop what it has.
  const sent = new Set<StoredRecord>();
  let confirmations = 0;
  const { organizationId } = stored;
  const turn = turnFor?.(organizationId) ?? {
    organizationId,
    familyId: familyIdOf(stored.document),
  };
  for (;;) {
    const attachments = [...sent].map(({ bytes }) => bytes);
    const call = { call: "submit" as const, endpoint, body, stamp, records: digests, attachments };
    const answer = await host.askSigner({ ...call, ...said }, turn.organizationId, turn.familyId);
    if (answer.kind === "unconfirmed" && confirmations < CONFIRMATIONS) {
      confirmations += 1;
      const documents = [stored, ...(await parentsToConfirm(host, { stored, parent }))];
      const bytes = documents.map((document) => document.bytes);
      const { error } = await confirmRecords(host, organizationId, bytes);
      if (error) return { kind: "error", error: toErrorMessage(error) };
      continue;
    }
    if (answer.kind !== "need") return expectSubmitAnswer(answer);
    const needed = new Set(answer.digests);
    const added = brought.filter((record) => needed.has(record.digest) && !sent.has(record));
    if (added.length === 0) throw new Error("the signer asks for records that it was just sent");
    for (const record of added) sent.add(record);
  }
}

/** The parent's document confirms a first document that votes decided. */
async function parentsToConfirm(
  { store }: Host,
  { stored: { version, document }, parent }: Pick<Belief, "stored" | "parent">,
): Promise<StoredDocument[]> {
  if (parent) return [parent];
  const { isVoted, parentOrganizationId } = document;
  if (version > 1 || !isVoted || parentOrganizationId === null) return [];
  const found = await findDocument(store.db, parentOrganizationId);
  return found ? [found] : [];
}

function expectSubmitAnswer(answer: Answer): SubmitAnswer {
  switch (answer.kind) {
    case "proposal":
    case "unchanged":
    case "waits":
    case "error":
      return answer;
    default:
      throw new Error(`unexpected answer of the signer: ${answer.kind}`);
  }
}
