import type { Answer } from "@keyhearth/engine/door/protocol";
import { toErrorMessage } from "@keyhearth/engine/errors";
import type { Host } from "../host.ts";
import type { StoredRecord } from "../store/stored-record.ts";
import { confirmRecords } from "./confirm.ts";
import type { Belief } from "./gather.ts";
import type { SubmitRequest } from "./hint.ts";

/** The signer's possible answers to a submission once it has the records it needs. */
export type SubmitAnswer = Extract<Answer, { kind: "proposal" | "unchanged" | "error" }>;

const ROUNDS = 4;

/**
 * Names the records by digest, and sends the bytes of those that the core does not have. If the core
 * does not know that the document was committed, tells it.
 */
export async function askSigner(
  host: Host,
  { endpoint, body, stamp }: SubmitRequest,
  { stored, parent, records }: Belief,
): Promise<SubmitAnswer> {
  const brought: StoredRecord[] = [stored, ...records];
  const digests = brought.map(({ digest }) => digest);
  let attachments: Uint8Array[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const call = { call: "submit" as const, endpoint, body, stamp, records: digests, attachments };
    const answer = await host.askSigner(call, stored.organizationId);
    if (answer.kind === "unconfirmed") {
      const documents = parent ? [stored.bytes, parent.bytes] : [stored.bytes];
      const { error } = await confirmRecords(host, stored.organizationId, documents);
      if (error) return { kind: "error", error: toErrorMessage(error) };
      continue;
    }
    if (answer.kind !== "need") return expectSubmitAnswer(answer);
    const needed = new Set(answer.digests);
    attachments = brought.filter(({ digest }) => needed.has(digest)).map(({ bytes }) => bytes);
  }
  throw new Error("the signer keeps asking for what it already has");
}

function expectSubmitAnswer(answer: Answer): SubmitAnswer {
  switch (answer.kind) {
    case "proposal":
    case "unchanged":
    case "error":
      return answer;
    default:
      throw new Error(`unexpected answer of the signer: ${answer.kind}`);
  }
}
