import { concatBytes, decodeUtf8, encodeUtf8 } from "@keyhearth/crypto/encoding";
import type { ErrorMessage } from "../errors.ts";
import type { StampHeader } from "../people/authenticate.ts";
import type { Leaf, Segment } from "../receipts/receipts.ts";
import type { ActivityStatus } from "../records/activity.ts";

/**
 * The door between host and core: submit, confirm, attest, renew, describe. The bytes of a record
 * are sent as an attachment of a message, and only if the core does not hold the record.
 */
export type Request =
  | ({ call: "submit" } & Submit)
  | { call: "confirm"; ticket: string }
  | ({ call: "attest" } & Attest)
  /** The attachments are records of an older key epoch, to be notarized under the current one. */
  | { call: "renew"; attachments: Uint8Array[] }
  /** The attachments are records that may belong to another installation. */
  | { call: "describe"; attachments?: Uint8Array[] };

export type Submit = {
  /** The name of the endpoint: the last part of the URL. */
  endpoint: string;
  /** The exact text of the request body. */
  body: string;
  stamp: StampHeader | null;
  /** Digests of the records that the decision needs: first the document, then the wanted records. */
  records: string[];
  /** Records that the core asked for. */
  attachments: Uint8Array[];
};

export type Attest = {
  organizationId: string;
  /** The organization's last segment. Null if this is the first. */
  previous: { number: number; digest: string } | null;
  leaves: Leaf[];
  documentVersion: number;
  documentDigest: string;
};

export type Answer =
  | { kind: "error"; error: ErrorMessage }
  /** The core asks for these records as attachments. */
  | { kind: "need"; digests: string[] }
  /** The activity stays as the host has it. */
  | { kind: "unchanged" }
  | ({ kind: "proposal" } & Proposal)
  | { kind: "confirmed" }
  | { kind: "segment"; segment: Segment; number: number; digest: string }
  | { kind: "renewed"; attachments: Uint8Array[] }
  | ({ kind: "description" } & Description);

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
};

export type Description = {
  signerPublicKey: string;
  quorumPublicKey: string;
  receiptKey: { publicKey: string; payload: string; signature: string };
  keyEpoch: number;
  nowMs: number;
  installationId: string;
  /** Whether this installation has no records yet. */
  isNew: boolean;
  /** Whether this signer notarized every attachment of the call. */
  isOwn: boolean;
};

export type Envelope<T> = { id: number; message: T };

export const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/**
 * Encodes a frame: the length of the rest (u32, big endian), the length of the JSON (u32), the JSON
 * of a batch of messages, then their attachments.
 */
export function encodeFrame(batch: Envelope<Request | Answer>[]): Uint8Array<ArrayBuffer> {
  const blobs: Uint8Array[] = [];
  const items = batch.map(({ id, message }) => {
    if (!("attachments" in message) || !message.attachments) return { id, message };
    const { attachments, ...rest } = message;
    blobs.push(...attachments);
    return { id, message: rest, sizes: attachments.map((blob) => blob.length) };
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
  const items: unknown = JSON.parse(decodeUtf8(frame.subarray(8, jsonEnd)));
  if (!Array.isArray(items)) throw new Error("frame without a batch");
  let offset = jsonEnd;
  const batch = items.map((item: { id: number; message: T; sizes?: number[] }) => {
    if (!item.sizes) return { id: item.id, message: item.message };
    const attachments = item.sizes.map((size) => {
      const end = offset + size;
      if (!Number.isInteger(size) || size < 0 || end > frame.length) {
        throw new Error("frame with an attachment of a wrong length");
      }
      const blob = frame.slice(offset, end);
      offset = end;
      return blob;
    });
    return { id: item.id, message: { ...item.message, attachments } };
  });
  if (offset !== frame.length) throw new Error("frame with bytes that belong to no attachment");
  return batch;
}

/** Assembles frames from the chunks of a stream. Returns false once a frame is too large. */
export function createFrameReader(
  onFrame: (frame: Uint8Array) => void,
): (chunk: Uint8Array) => boolean {
  let pending: Uint8Array = new Uint8Array(0);
  return (chunk) => {
    pending = pending.length === 0 ? chunk : concatBytes(pending, chunk);
    while (pending.length >= 4) {
      const view = new DataView(pending.buffer, pending.byteOffset, pending.byteLength);
      const size = view.getUint32(0) + 4;
      if (size > MAX_FRAME_BYTES) return false;
      if (pending.length < size) return true;
      onFrame(pending.subarray(0, size));
      pending = pending.subarray(size);
    }
    return true;
  };
}
