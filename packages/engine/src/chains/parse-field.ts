import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import { ApiError, type Reason } from "../errors.ts";

/** Parses a client's field. Turns a MalformedError of the parser into an error about the field. */
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

/** `before` and `after` are the parts of the message around that of the parser. */
type Malformed = { field: string; before?: string; after?: string; reason?: Reason };
