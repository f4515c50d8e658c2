import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import { ApiError, type Reason } from "../errors.ts";

/** Parses what a client sent. What the parser cannot read becomes an error about the field. */
export function parseField<T>(
  { field, before = "", after = "", reason = "FIELD_INVALID" }: Malformed,
  parse: () => T,
): T {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    throw new ApiError("INVALID_ARGUMENT", reason, `${before}${cause.message}${after}`, {
      field,
      cause,
    });
  }
}

/** What the message says before and after the parser's own words. */
type Malformed = { field: string; before?: string; after?: string; reason?: Reason };
