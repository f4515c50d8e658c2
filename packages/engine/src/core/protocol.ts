import { decodeUtf8, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { SignedSegment } from "@keyhearth/crypto/receipts/segment-statement";
import type { ErrorMessage } from "../errors.ts";
import type { OutgoingMessage } from "../messages/message.ts";
import type { StampHeader } from "../people/authenticate.ts";
import type { Leaf } from "../receipts/receipts.ts";
import type { ActivityStatus } from "../records/activity.ts";
import type { Identity } from "../records/organization.ts";

/**
 * The door between host and core: submit, confirm, attest, renew, sign-webhooks, describe. The body of a request is
 * sent as it was stamped, beside the JSON of a message. The bytes of a record are sent as an attachment, and only if the
 * core does not hold the record.
 */
export type Request =
  | ({ call: "submit" } & Submit)
  /** The host has committed the proposal of this ticket. */
  | { call: "confirm"; ticket: string }
  /**
   * The host has committed these documents: for when the ticket is lost, or with an activity whose
   * result is secret, to release it.
   */
  | { call: "confirm"; attachments: Uint8Array[] }
  | ({ call: "attest" } & Attest)
  /** The attachments are records of an older key epoch, to be notarized under the current one. */
  | { call: "renew"; attachments: Uint8Array[] }
  | ({ call: "sign-webhooks" } & SignWebhooks)
  /**
   * The attachments are records that may belong to another installation. A new installation trusts the
   * courier with this public key from now on; any other refuses one that it does not trust. The token is an
   * OpenID Connect token of a query. A service that starts says which protocol it speaks.
   */
  | {
      call: "describe";
      protocol?: number;
      attachments?: Uint8Array[];
      courierKey?: string;
      oidcToken?: string;
    }
  /** Asks whether the other side is there. The door answers at once, and the core sees nothing of it. */
  | { call: "ping" };

/** A change counts it up if a service and a signer of different releases would misunderstand each other. */
export const PROTOCOL = 1;

/** Says which of the two is of an older release. Null if they speak the same protocol. */
export function olderRelease({ service, signer }: Record<"service" | "signer", number>) {
  if (service === signer) return null;
  const older = service < signer ? "service" : "signer";
  return `the service speaks protocol ${service}, and the signer protocol ${signer}: upgrade the ${older}, so that both are of one release`;
}

export type Submit = {
  /** The name of the endpoint: the last part of the URL. */
  endpoint: string;
  /** The exact bytes of the request body. */
  body: Uint8Array;
  stamp: StampHeader | null;
  /** Digests of the records that the decision needs: first the document, then the wanted records. */
  records: string[];
  /** Records that the core asked for. */
  attachments: Uint8Array[];
  /**
   * The core refused these records as stale, and the host has read them from the database again. So no other
   * request has just replaced them, and if they are still stale, that is an alarm. It decides nothing else.
   */
  isReread?: boolean;
};

export type Attest = {
  organizationId: string;
  /** The organization's last segment, as the signer sealed it. Null if this is the first. */
  previous: SignedSegment | null;
  leaves: Leaf[];
  documentVersion: number;
  documentDigest: string;
};

/**
 * Attempts to deliver events. For each, the attachment is the record of its activity. A single attachment is that of
 * all, with the users of the first.
 */
export type SignWebhooks = { events: WebhookEvent[]; attachments: Uint8Array[] };

/** The users of the activity's votes, as the host found them. */
export type WebhookEvent = { eventId: string; users: { userId: string }[] };

export type Answer =
  | { kind: "error"; error: ErrorMessage }
  /** The core asks for these records as attachments. */
  | { kind: "need"; digests: string[] }
  /** A document is newer than the newest confirmed one. The host confirms it and asks again. */
  | { kind: "unconfirmed" }
  /** The document lists an activity of these bytes, which the host did not bring. It brings it and asks again. */
  | { kind: "waits" }
  /** The activity stays as the host has it. */
  | { kind: "unchanged" }
  | ({ kind: "proposal" } & Proposal)
  | { kind: "confirmed"; result?: Record<string, unknown> }
  | { kind: "segment"; segment: SignedSegment; number: number; digest: string }
  | { kind: "renewed"; attachments: Uint8Array[] }
  /** The attachments are the bodies, of each record once. Each signature is hex, for this time only. */
  | {
      kind: "webhooks";
      keyId: string;
      timestampMs: number;
      signatures: string[];
      attachments: Uint8Array[];
    }
  | ({ kind: "description" } & Description)
  /**
   * Sent over a socket before the answer: the signer now works on this call, or, without a call, on none. A worker of the
   * signer, which works at the same time as others, says so only of calls that take long.
   */
  | { kind: "begun"; worker?: number }
  | { kind: "pong" };

/** What the host must commit before it answers the client. */
export type Proposal = {
  organizationId: string;
  /** The document of the decision. If it is no longer current, the host must not commit. */
  documentVersion: number;
  documentDigest: string;
  activity: {
    activityId: string;
    type: string;
    status: ActivityStatus;
    fingerprint: string;
    version: number;
  };
  leaf: Leaf;
  /** Set if a document is written. The host confirms the ticket after the commit. */
  ticket: string | null;
  /** The activity's record, then the other records to write. */
  attachments: Uint8Array[];
  /** To be sent once the proposal is committed, and committed with it. */
  messages?: OutgoingMessage[];
};

export type Description = {
  /** The signer's `PROTOCOL`. */
  protocol: number;
  signerPublicKey: string;
  quorumPublicKey: string;
  /** Checks the tokens of sessions. */
  sessionPublicKey: string;
  /** Checks verification tokens, and the bundles that codes are encrypted to. */
  verificationPublicKey: string;
  /** Signs deliveries to webhooks: an Ed25519 key, in hex. */
  webhookKey: { keyId: string; publicKey: string };
  /** To whom messages are sealed: an uncompressed P-256 key in hex. Null if no courier is trusted yet. */
  courierPublicKey: string | null;
  receiptKey: { publicKey: string; payload: string; signature: string };
  keyEpoch: number;
  nowMs: number;
  /** How many jumps of its clock the signer has believed in this run. */
  clockJumps: number;
  installationId: string;
  /** The run of the signer. Attempts at one-time codes are counted in one run. */
  run: string;
  /** How often a signer with this state has started, with this start. */
  starts: number;
  startedAtMs: number;
  /** How often the signer's process had no file descriptor left for a connection. Absent from an embedded signer. */
  shortages?: number;
  /**
   * This signer decides nothing while another one does. It is false in a signer whose term has begun, so that no other one
   * decides, and absent where marks are not shared.
   */
  isStandby?: boolean;
  /** The history of the shared marks that this signer follows. Signers of other histories decide without this one. */
  history?: string;
  /** Whether this installation has no records yet. */
  isNew: boolean;
  /** Whether this signer notarized every attachment of the call. */
  isOwn: boolean;
  /**
   * The documents that were confirmed last, the newest first. If several of the first are not in the database, the whole
   * database is older than the signer. Absent from a core without a signer.
   */
  newest?: readonly NewestDocument[];
  /** Whom the token of the call is about, if it has one. A token that does not verify is an error. */
  identity?: Identity;
};

export type NewestDocument = { organizationId: string; version: number };

export type Envelope<T> = {
  id: number;
  /** In whose turn a call is handled. A hint of the host, which decides nothing else. */
  organizationId?: string;
  /** The parent of the organization, if it has one: a family takes its turns together. A hint, too. */
  familyId?: string | undefined;
  /** Beside an answer of the signer. For traces, and nothing else, so who uses it checks it. */
  tookMs?: SignerTimes | undefined;
  message: T;
};

/** How long a call waited for its turn and how long the signer worked, in steps of 0.1 ms. */
export type SignerTimes = readonly [queue: number, work: number];

/** Of the body of a request. Parsing one of 20 MiB takes more than a second. */
export const MAX_STAMPED_BYTES = 1024 * 1024;

export const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** Bodies and attachments of a frame. Each of them takes memory, even an empty one. */
export const MAX_BLOBS = 65_536;

/** More calls of one frame could not wait for their turns. */
export const MAX_CALLS = 8192;

/**
 * Values of the JSON of a frame. A parsed value takes up to fifty times its bytes, and its time, so they are counted
 * before.
 */
export const MAX_VALUES = 262_144;

/** What a message has beside its JSON. */
type Blobs = { body?: Uint8Array; attachments?: Uint8Array[] };

/**
 * Encodes a frame: the length of the rest (u32, big endian), the length of the JSON (u32), the JSON
 * of a batch of messages, then for each its body and its attachments.
 */
export function encodeFrame(batch: Envelope<Request | Answer>[]): Uint8Array<ArrayBuffer> {
  const blobs: Uint8Array[] = [];
  const items = batch.map(({ message, ...envelope }) => {
    const { body, attachments, ...rest } = message as (Request | Answer) & Blobs;
    if (body) blobs.push(body);
    if (attachments) blobs.push(...attachments);
    return {
      ...envelope,
      message: rest,
      bodySize: body?.length,
      sizes: attachments?.map(({ length }) => length),
    };
  });
  const json = encodeUtf8(JSON.stringify(items));
  const size = blobs.reduce((sum, blob) => sum + blob.length, 8 + json.length);
  const frame = new Uint8Array(size);
  const view = new DataView(frame.buffer);
  view.setUint32(0, size - 4);
  view.setUint32(4, json.length);
  frame.set(json, 8);
  let offset = 8 + json.length;
  for (const blob of blobs) {
    frame.set(blob, offset);
    offset += blob.length;
  }
  return frame;
}

/** Decodes a whole frame, including its length. Throws if it is malformed. */
export function decodeFrame<T extends Request | Answer>(frame: Uint8Array): Envelope<T>[] {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const jsonEnd = 8 + view.getUint32(4);
  if (view.getUint32(0) !== frame.length - 4 || jsonEnd > frame.length) {
    throw new Error("frame of a wrong length");
  }
  const json = frame.subarray(8, jsonEnd);
  if (hasManyValues(json)) throw new Error("frame with too many values in its JSON");
  const items: unknown = JSON.parse(decodeUtf8(json));
  if (!Array.isArray(items)) throw new Error("frame without a batch");
  if (items.length > MAX_CALLS) throw new Error("frame with too many calls");
  let offset = jsonEnd;
  let taken = 0;
  const take = (size: number): Uint8Array => {
    taken += 1;
    if (taken > MAX_BLOBS) throw new Error("frame with too many bodies and attachments");
    const end = offset + size;
    if (!Number.isInteger(size) || size < 0 || end > frame.length) {
      throw new Error("frame with a body or an attachment of a wrong length");
    }
    // A copy of its own also of a `Buffer`, whose `slice` would keep the whole chunk that it came in.
    const blob = new Uint8Array(frame.subarray(offset, end));
    offset = end;
    return blob;
  };
  const batch = items.map((item: Envelope<T> & { bodySize?: number; sizes?: number[] }) => {
    const { id, organizationId, familyId, tookMs, message, bodySize, sizes } = item;
    const envelope = {
      id,
      ...(organizationId !== undefined && { organizationId }),
      ...(familyId !== undefined && { familyId }),
      ...(tookMs && { tookMs }),
    };
    // A body and attachments are bytes of the frame, and nothing else.
    if ("body" in message) throw new Error("frame with a body in its JSON");
    if ("attachments" in message) throw new Error("frame with attachments in its JSON");
    const blobs: Blobs = {
      ...(bodySize !== undefined && { body: take(bodySize) }),
      ...(sizes && { attachments: sizes.map(take) }),
    };
    return { ...envelope, message: { ...message, ...blobs } };
  });
  if (offset !== frame.length) throw new Error("frame with bytes that belong to no message");
  return batch;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Before each value but the outermost there is one of `[`, `,`, `:`, and before each name one of `{`, `,`. */
const SEPARATORS = new Set(encodeUtf8("[{,:"));

function hasManyValues(json: Uint8Array): boolean {
  if (json.length <= MAX_VALUES) return false;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfText(json, at);
    else if (SEPARATORS.has(byte)) values += 1;
  }
  return values > MAX_VALUES;
}

function endOfText(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === BACKSLASH) at += 1;
    else if (json[at] === QUOTE) return at;
  }
  return json.length;
}

/** Assembles frames from the chunks of a stream. Returns false once a frame is too large. */
export function createFrameReader(
  onFrame: (frame: Uint8Array) => void,
): (chunk: Uint8Array) => boolean {
  // The start of a frame. It has room to grow, because copying it for each chunk would take
  // quadratic time.
  let room = new Uint8Array(0);
  let kept = 0;
  return (chunk) => {
    let bytes = chunk;
    if (kept > 0) {
      const length = kept + chunk.length;
      if (length > room.length) room = enlarge(room.subarray(0, kept), 2 * length);
      room.set(chunk, kept);
      bytes = room.subarray(0, length);
    }
    while (bytes.length >= 4) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const size = view.getUint32(0) + 4;
      if (size > MAX_FRAME_BYTES) return false;
      if (bytes.length < size) break;
      onFrame(bytes.subarray(0, size));
      bytes = bytes.subarray(size);
    }
    const isKept = bytes.length === kept + chunk.length && kept > 0;
    // Not the `slice` of a `Buffer`, which would keep the whole chunk.
    if (!isKept) room = new Uint8Array(bytes);
    kept = bytes.length;
    return true;
  };
}

function enlarge(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(length);
  larger.set(bytes);
  return larger;
}
