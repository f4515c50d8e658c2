import { decodeBase64Url, decodeUtf8 } from "../encoding/bytes.ts";
import { exactly, integerFrom, parseCanonical, uuid } from "../encoding/shape.ts";
import { verifyP256Raw } from "../keys/verify.ts";
import { type ReadOnlySession, readOnlyMessage } from "./session-token.ts";

const isReadOnlySession = exactly<ReadOnlySession>({
  organizationId: uuid,
  userId: uuid,
  sessionEpoch: integerFrom(0),
  expiresAtMs: integerFrom(0),
});

const MAX_LENGTH = 1024;

/** What a token is about, or null if the key did not sign it. It may have expired or ended. */
export function verifyReadOnlySession(
  token: string,
  publicKey: Uint8Array,
): ReadOnlySession | null {
  const [payload, signature, ...rest] = token.split(".");
  if (token.length > MAX_LENGTH || !payload || !signature || rest.length > 0) return null;
  try {
    const bytes = decodeBase64Url(payload);
    if (!verifyP256Raw(publicKey, readOnlyMessage(bytes), decodeBase64Url(signature))) return null;
    return parseCanonical(decodeUtf8(bytes), isReadOnlySession) ?? null;
  } catch {
    return null;
  }
}
