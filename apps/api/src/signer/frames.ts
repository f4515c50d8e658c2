import {
  MAX_BLOBS,
  MAX_CALLS,
  MAX_FRAME_BYTES,
  MAX_VALUES,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { limitExceeded } from "@keyhearth/engine/errors";

/** Calls beyond this go into the next frame, so that a frame never grows too large for the signer. */
const FRAME_BYTES = MAX_FRAME_BYTES / 4;

/** The longest form of a character in the JSON of a frame. */
const BYTES_A_CHARACTER = 6;

/** About how much of a frame a call takes, and never less. Blobs are its body and its attachments. */
export type Size = { bytes: number; values: number; blobs: number };

/** The size of a call. One that no frame can carry fails alone. */
export function assertFits(request: Request): Size {
  const size = {
    bytes: framedBytesOf(request),
    values: valuesOf(request),
    blobs: blobsOf(request),
  };
  if (size.bytes <= MAX_FRAME_BYTES && size.values <= MAX_VALUES && size.blobs <= MAX_BLOBS) {
    return size;
  }
  throw limitExceeded(
    "",
    `the records that this request needs are larger than the ${MAX_FRAME_BYTES} bytes, ${MAX_VALUES} values or ${MAX_BLOBS} records that the signer takes at once; delete what the organization no longer needs`,
  );
}

/** Takes as many calls from the front of the queue as fit into one frame. */
export function takeBatch<T extends { size: Size }>(queue: T[]): T[] {
  const sum = { bytes: 0, values: 0, blobs: 0 };
  let count = 0;
  for (const { size } of queue) {
    sum.bytes += size.bytes;
    sum.values += size.values;
    sum.blobs += size.blobs;
    if (count > 0 && (isFull(sum) || count >= MAX_CALLS)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

function isFull({ bytes, values, blobs }: Size): boolean {
  return bytes > FRAME_BYTES || values > MAX_VALUES || blobs > MAX_BLOBS;
}

function framedBytesOf(request: Request): number {
  let bytes = 512;
  if ("attachments" in request) for (const { length } of request.attachments ?? []) bytes += length;
  if (request.call === "submit") {
    bytes += request.body.length + 128 * request.records.length;
  } else if (request.call === "attest") {
    const { payload = "", signature = "" } = request.previous ?? {};
    bytes += BYTES_A_CHARACTER * (payload.length + signature.length) + 512 * request.leaves.length;
  } else if (request.call === "sign-webhooks") {
    for (const { users } of request.events) bytes += 128 + jsonBytes(users);
  }
  return bytes;
}

/** Values and names of the JSON of a call. */
function valuesOf(request: Request): number {
  let values = 64;
  if ("attachments" in request) values += request.attachments?.length ?? 0;
  if (request.call === "submit") values += request.records.length;
  else if (request.call === "attest") values += 8 * request.leaves.length;
  else if (request.call === "sign-webhooks") values += sum(request.events, jsonValues);
  return values;
}

function blobsOf(request: Request): number {
  return 1 + ("attachments" in request ? (request.attachments?.length ?? 0) : 0);
}

function jsonBytes(value: unknown): number {
  if (typeof value === "string") return 3 + BYTES_A_CHARACTER * value.length;
  return 24 + sum(membersOf(value), ([name, member]) => 4 + name.length + jsonBytes(member));
}

function jsonValues(value: unknown): number {
  return 1 + sum(membersOf(value), ([, member]) => 1 + jsonValues(member));
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function sum<T>(all: readonly T[], of: (each: T) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}
