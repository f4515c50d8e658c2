import type { Answer, Proposal } from "@keyhearth/engine/door/protocol";
import { fromErrorMessage } from "@keyhearth/engine/errors";
import { readRecord } from "@keyhearth/engine/records/record";
import type { Host } from "../host.ts";
import { findPointer } from "../store/organizations.ts";

type Confirmed = Extract<Answer, { kind: "confirmed" | "error" }>;

/** Tells the signer that a proposal was committed. Throws if the signer refuses to believe it. */
export async function confirmProposal(host: Host, proposal: Proposal) {
  if (proposal.ticket === null) return;
  const answer = await host.askSigner({ call: "confirm", ticket: proposal.ticket });
  if (answer.kind === "confirmed") return;
  // The signer has restarted, or has dropped the ticket.
  const documents = proposal.attachments.filter(isDocument);
  const again = await confirmDocuments(host, documents);
  if (again.kind === "confirmed") return;
  const error = fromErrorMessage(again.error);
  if (error.reason === "STALE_RECORD" && (await hasMovedOn(host, proposal))) return;
  throw error;
}

/** Tells the signer that documents were committed. The host may say so only of what it has read. */
export async function confirmDocuments(host: Host, attachments: Uint8Array[]): Promise<Confirmed> {
  const answer = await host.askSigner({ call: "confirm", attachments });
  if (answer.kind === "confirmed" || answer.kind === "error") return answer;
  throw new Error(`unexpected answer of the signer: ${answer.kind}`);
}

/** Another process has changed the same document since, and has confirmed that. */
async function hasMovedOn({ store }: Host, proposal: Proposal): Promise<boolean> {
  const pointer = await findPointer(store.db, proposal.organizationId);
  return pointer !== undefined && pointer.version > proposal.documentVersion + 1;
}

function isDocument(bytes: Uint8Array): boolean {
  return readRecord(bytes).header.type === "organization";
}
