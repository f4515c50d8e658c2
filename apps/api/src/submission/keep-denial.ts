import { randomUUID } from "node:crypto";
import { decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { type ApiError, fromErrorMessage, toErrorMessage } from "@keyhearth/engine/errors";
import { findLongLived } from "@keyhearth/engine/people/authenticate";
import type { Host } from "../host/host.ts";
import { insertDenial } from "../store/denials.ts";
import { findUserIdOfStamp, lookupOfStamp } from "../store/lookups.ts";
import type { Belief } from "./gather.ts";
import type { Hint } from "./hint.ts";

/** The body of a larger request is not kept, so its denial has no trace. */
const MAX_KEPT_BODY = 16 * 1024;

/** Keeps an entry for a denial, named in the error, so that it can be explained later. */
export async function keepDenial(
  host: Host,
  hint: Hint,
  belief: Belief,
  denial: ApiError,
): Promise<ApiError> {
  const denialId = randomUUID();
  try {
    const isKept = await insertEntry(host, hint, belief, { denialId, denial });
    if (!isKept) return denial;
  } catch (cause) {
    // The answer is the denial either way.
    host.log.warn({ err: cause }, "a denial could not be kept");
    return denial;
  }
  const trace = { "@type": "keyhearth.dev/PolicyTrace", traceId: denialId };
  return fromErrorMessage({ ...toErrorMessage(denial), details: [...denial.details, trace] });
}

async function insertEntry(
  { store, now }: Host,
  { organizationId, type, fingerprint, request: { body } }: Hint,
  { stored, stamped: { stamp } }: Belief,
  { denialId, denial }: { denialId: string; denial: ApiError },
): Promise<boolean> {
  const known = findLongLived(stored.organization, stamp);
  const userId = known?.user.userId ?? (await findUserIdOfStamp(store.db, organizationId, stamp));
  const publicKey = known?.credential.publicKey ?? lookupOfStamp(stamp).value;
  // The user's session may have been replaced in between.
  if (userId === undefined) return false;
  return insertDenial(store, {
    denialId,
    organizationId,
    userId,
    type,
    fingerprint,
    error: toErrorMessage(denial),
    body: body.length <= MAX_KEPT_BODY ? decodeUtf8(body) : null,
    publicKey,
    documentVersion: stored.version,
    createdAtMs: now(),
  });
}
