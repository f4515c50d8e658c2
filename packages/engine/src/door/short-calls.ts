import { MAX_STAMPED_BYTES, type Request } from "../core/protocol.ts";
import { ApiError, recordRefused } from "../errors.ts";

// A call that works for long without a pause keeps the signer from everything else, also from giving the sign of life by
// which other signers know that it decides (decision 30). A host could send one for each signer, and each would end its term
// with what it remembers of attempts at one-time codes. So what a call brings is bounded, far above what any needs.

/** Records, and digests of records. Verifying and holding one takes 35 microseconds. */
const MAX_RECORDS = 4096;

/** Of one segment. A service has 1,024. */
const MAX_LEAVES = 8192;

const MAX_RENEWED_BYTES = 8 * 1024 * 1024;

/** Refuses a call that would work for long. A hostile host may send anything. */
export function assertShort(request: Request): void {
  const { body, records, attachments, leaves } = request as Record<string, unknown>;
  if (lengthOf(body) > MAX_STAMPED_BYTES) throw tooLarge();
  assertFew("records", attachments, MAX_RECORDS);
  assertFew("names of records", records, MAX_RECORDS);
  assertFew("leaves", leaves, MAX_LEAVES);
  if (request.call !== "renew") return;
  const bytes = request.attachments.reduce((sum, { length }) => sum + length, 0);
  if (bytes > MAX_RENEWED_BYTES) {
    throw recordRefused(`the host brought more than ${MAX_RENEWED_BYTES} bytes to renew`);
  }
}

function assertFew(what: string, list: unknown, most: number) {
  if (lengthOf(list) <= most) return;
  throw recordRefused(`the host brought more than ${most} ${what} with one call`);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) || value instanceof Uint8Array ? value.length : 0;
}

/** A service refuses a larger body before it asks. */
function tooLarge(): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `the request body is larger than ${MAX_STAMPED_BYTES} bytes; send less in one request`,
  );
}
