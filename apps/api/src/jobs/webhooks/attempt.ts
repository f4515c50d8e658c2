import { ApiError, fromErrorMessage } from "@keyhearth/engine/errors";
import { type ActivityRecord, activity as activityKind } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { guardedRequest } from "@keyhearth/outbound/guarded-request";
import { OutboundError } from "@keyhearth/outbound/outbound-error";
import type { Host } from "../../host/host.ts";
import { targetsOfFamily, unlessListed } from "../../host/private-receivers.ts";
import { versionsOf } from "../../presentation/present.ts";
import { renderVoter } from "../../presentation/render.ts";
import { findDocument, readDocumentsAt, readDocumentVersions } from "../../store/organizations.ts";
import { collectVoters } from "../../store/voters.ts";
import type { Claimed } from "../../store/webhook-deliveries.ts";

/** What an attempt is made of: text and signature, for now only. */
export type SignedEvent = { headers: Record<string, string>; body: Uint8Array };

/** How an attempt ended, in the terms of the protocol. */
export type Result = {
  kind: "delivered" | "refused" | "retry";
  statusCode: number | null;
  error: string | null;
};

type Ready = Claimed & { record: Uint8Array };

/**
 * Has the signer make and sign the texts. Null for an event that the signer refuses. Throws if the
 * signer cannot be asked now.
 */
export async function signEvents(host: Host, claimed: Ready[]): Promise<(SignedEvent | null)[]> {
  const [first] = claimed;
  if (!first) return [];
  try {
    // One event for several endpoints is verified and rendered once.
    if (claimed.every(({ record }) => record === first.record)) {
      const users = await findUsers(host, first);
      return await askToSign(host, claimed, { users: [users], records: [first.record] });
    }
    const users: Found["users"] = [];
    for (const each of claimed) users.push(await findUsers(host, each));
    return await askToSign(host, claimed, { users, records: claimed.map(({ record }) => record) });
  } catch (error) {
    if (isTemporary(error)) throw error;
    host.log.error({ deliveryId: first.deliveryId, err: error }, "an event was not signed");
    if (claimed.length === 1) return [null];
  }
  // One damaged record must not keep the others.
  const signed: (SignedEvent | null)[] = [];
  for (const each of claimed) signed.push(...(await signEvents(host, [each])));
  return signed;
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code === "UNAVAILABLE" || error.reason === "RATE_LIMITED";
}

type Found = { users: { userId: string }[][]; records: Uint8Array[] };

/** With a record for each of the deliveries, or with one for all. */
async function askToSign(
  host: Host,
  claimed: Ready[],
  { users, records }: Found,
): Promise<SignedEvent[]> {
  const events = claimed.map(({ deliveryId }, index) => ({
    eventId: deliveryId,
    users: users[index] ?? [],
  }));
  const answer = await host.askSigner(
    { call: "sign-webhooks", events, attachments: records },
    claimed[0]?.organizationId,
  );
  if (answer.kind === "error") throw fromErrorMessage(answer.error);
  if (answer.kind !== "webhooks") throw new Error(`unexpected answer: ${answer.kind}`);
  const { keyId, timestampMs, signatures, attachments } = answer;
  return claimed.map((each, index) => {
    const body = attachments[records.length === 1 ? 0 : index];
    const signature = signatures[index];
    if (!body || signature === undefined) throw new Error("the signer did not sign every event");
    return {
      body,
      headers: {
        "content-type": "application/json",
        "x-turnkey-organization-id": each.organizationId,
        "x-turnkey-event-type": each.eventType,
        "x-turnkey-timestamp": String(timestampMs),
        "x-turnkey-webhook-version": "1",
        "x-turnkey-event-id": each.deliveryId,
        "x-turnkey-signature-key-id": keyId,
        "x-turnkey-signature-algorithm": "ed25519",
        "x-turnkey-signature-version": "v1",
        "x-turnkey-signature": signature,
      },
    };
  });
}

/** The users of the votes, as of the time of their votes. */
async function findUsers({ store: { db }, cache }: Host, { organizationId, record }: Ready) {
  const activity: ActivityRecord = upcast(activityKind, readRecord(record));
  const stored = cache.document(organizationId) ?? (await findDocument(db, organizationId));
  if (!stored) throw new Error("an event of an organization that does not exist");
  const voters = collectVoters([activity]);
  const own = versionsOf(activity.votes, false);
  for await (const read of readDocumentsAt(db, stored, own)) voters.look(read);
  const { parentOrganizationId } = stored.document;
  if (parentOrganizationId !== null) {
    const parents = versionsOf(activity.votes, true);
    for await (const read of readDocumentVersions(db, parentOrganizationId, parents)) {
      voters.look(read, { isParents: true });
    }
  }
  await voters.lookElsewhere(db, stored);
  return activity.votes.map((vote) => renderVoter(vote, voters.voterOf));
}

const TIMEOUT_MS = 10_000;

/** Sends the event once, for an endpoint of the family. */
export async function sendEvent(
  { webhookPrivateTargets }: Host,
  { url, familyId }: { url: string; familyId: string },
  { headers, body }: SignedEvent,
  signal: AbortSignal,
): Promise<Result> {
  try {
    const { status } = await guardedRequest(url, {
      method: "POST",
      headers,
      body,
      // Nobody reads the answer.
      maxBytes: 1024,
      isCut: true,
      timeoutMs: TIMEOUT_MS,
      allowPrivate: targetsOfFamily(webhookPrivateTargets, familyId),
      isHttpsRequired: true,
      signal,
    });
    return { kind: kindOf(status), statusCode: status, error: null };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { failure, message } = error;
    if (failure !== "refused") return { kind: "retry", statusCode: null, error: message };
    return { kind: "refused", statusCode: null, error: message + unlessListed(url) };
  }
}

/** Only an error of the server may be different the next time. */
function kindOf(status: number): Result["kind"] {
  if (status >= 200 && status < 300) return "delivered";
  return status >= 300 && status < 500 ? "refused" : "retry";
}
