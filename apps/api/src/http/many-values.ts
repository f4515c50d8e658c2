import { ApiError } from "@keyhearth/engine/errors";

/** Lists of requests have at most a few hundred entries, each of a few values. */
export const MAX_VALUES = 20_000;

/**
 * Refuses a large body of many small values before it is parsed: a list of hundreds of thousands of empty texts takes the
 * one thread a tenth of a second, and one long text of the same size nearly nothing.
 */
export function assertFewValues(body: Uint8Array, most = MAX_VALUES) {
  if (countCommas(body, most) < most) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "BAD_REQUEST_BODY",
    `bad request body: it has more than ${most} values; no request has so many, so send only what the endpoint takes`,
  );
}

/** Commas outside of strings. Of what is not JSON, any number: the parser refuses it. */
function countCommas(body: Uint8Array, enough: number): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let count = 0;
  for (let at = 0; at < bytes.length && count < enough; at++) {
    if (bytes[at] === QUOTE) at = endOfString(bytes, at);
    else if (bytes[at] === COMMA) count += 1;
  }
  return count;
}

function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let first = end;
    while (bytes[first - 1] === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return bytes.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
