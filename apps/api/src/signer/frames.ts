import { type Envelope, MAX_FRAME_BYTES, type Request } from "@keyhearth/engine/door/protocol";
import { limitExceeded } from "@keyhearth/engine/errors";

/** Calls beyond this go into the next frame, so that a frame never grows too large for the signer. */
const FRAME_BYTES = MAX_FRAME_BYTES / 4;

/** The longest form of a character in the JSON of a frame. */
const BYTES_A_CHARACTER = 6;

/** About how many bytes of a frame a call takes, and never less. */
export function bytesOf(request: Request): number {
  let bytes = 512;
  if ("attachments" in request) for (const { length } of request.attachments ?? []) bytes += length;
  if (request.call === "submit") {
    bytes += request.body.length + 128 * request.records.length;
  } else if (request.call === "attest") {
    const { payload = "", signature = "" } = request.previous ?? {};
    bytes += BYTES_A_CHARACTER * (payload.length + signature.length) + 512 * request.leaves.length;
  }
  return bytes;
}

/** One call that no frame can carry fails alone. */
export function assertFits(request: Request) {
  if (bytesOf(request) <= MAX_FRAME_BYTES) return;
  throw limitExceeded(
    "",
    `the records that this request needs are larger than the ${MAX_FRAME_BYTES} bytes that the signer takes at once; delete what the organization no longer needs`,
  );
}

/** Takes as many calls from the front of the queue as fit into one frame. */
export function takeBatch<T extends Envelope<Request>>(queue: T[]): T[] {
  let bytes = 0;
  let count = 0;
  for (const { message } of queue) {
    bytes += bytesOf(message);
    if (count > 0 && bytes > FRAME_BYTES) break;
    count += 1;
  }
  return queue.splice(0, count);
}
