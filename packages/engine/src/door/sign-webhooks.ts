import { concatBytes, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { signEd25519, signEd25519Aside } from "@keyhearth/crypto/keys/keys";
import type { Core } from "../core/core.ts";
import type { Answer, SignWebhooks, WebhookEvent } from "../core/protocol.ts";
import { inSlices, type Step } from "../core/unfinished.ts";
import { recordRefused } from "../errors.ts";
import { isUuid } from "../fields/schemas.ts";
import { activity as activityKind } from "../records/activity.ts";
import { upcast } from "../records/kind.ts";
import { verifyRecord } from "../records/notarize.ts";
import type { NotarizedRecord } from "../records/record.ts";
import { showActivity } from "../shown/show-activity.ts";
import { readShownUser } from "../shown/shown-user.ts";

/** More endpoints than get one event. Each signature takes time that grows with the body. */
const MAX_SHARED = 64;

/** Hashing so much takes longer than handing it to another thread. */
const LARGE_BYTES = 64 * 1024;

/**
 * Signs one attempt of each delivery. The core makes the text itself, from an activity that it
 * notarized, so the host cannot have anything else signed. Only the users of the votes are the host's
 * word, because they are in older documents. Large events are made in slices, and signed aside.
 */
export function signWebhooks(core: Core, request: SignWebhooks): Answer {
  const { events, attachments } = request;
  const isShared = attachments.length === 1;
  if (isShared ? !isOneForAll(events) : events.length !== attachments.length) {
    throw recordRefused("an event without its activity");
  }
  if (!events.every(({ eventId }) => isUuid(eventId))) {
    throw recordRefused("an event without its id");
  }
  return inSlices(renderAndSign(core, request));
}

function isOneForAll({ length }: readonly WebhookEvent[]): boolean {
  return length > 0 && length <= MAX_SHARED;
}

function* renderAndSign(
  core: Core,
  { events, attachments }: SignWebhooks,
): Generator<Step, Answer> {
  const { keyId, key } = core.webhookKey;
  const timestampMs = core.now();
  const bodies: Uint8Array[] = [];
  const signatures: string[] = [];
  let signed: Uint8Array = new Uint8Array();
  for (const [index, event] of events.entries()) {
    const head = encodeUtf8(`v1.ed25519.${keyId}.${timestampMs}.${event.eventId}.`);
    const record = attachments[index];
    if (record) {
      const verified = verifyRecord(core.keyring, record);
      yield record.length;
      const body = bodyOf(verified, event);
      bodies.push(body);
      signed = concatBytes(head, body);
      yield record.length;
    }
    // All share the first, or each has one. The heads are of one length, so a large body is not copied again.
    signed.set(head);
    if (signed.length < LARGE_BYTES) {
      signatures.push(encodeHex(signEd25519(signed, key)));
      yield signed.length;
    } else {
      const signing = core.aside(() => signEd25519Aside(signed, key));
      yield signing.then((signature) => void signatures.push(encodeHex(signature)));
    }
  }
  return { kind: "webhooks", keyId, timestampMs, signatures, attachments: bodies };
}

function bodyOf(record: NotarizedRecord, event: WebhookEvent): Uint8Array {
  if (record.header.type !== activityKind.type)
    throw recordRefused("a webhook without an activity");
  const shown = showActivity(upcast(activityKind, record), {
    organizationId: record.header.organizationId,
    viewerId: null,
    canApprove: false,
    canReject: false,
    userOf: ({ userId }, index) => readShownUser(event.users[index], userId),
  });
  return encodeUtf8(JSON.stringify(shown));
}
