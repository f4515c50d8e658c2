import { type ApiKeyStamp, verifyApiKeyStamp } from "@keyhearth/crypto/stamp";
import { type ApiError, unauthenticated } from "@keyhearth/engine/errors";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import type { Context } from "hono";
import type { Host } from "../host.ts";
import { isKnownKey } from "../store/lookups.ts";
import { decodeBody, type Env, headerOf } from "./request.ts";
import { readStamp } from "./stamp.ts";
import type { Strangers } from "./strangers.ts";

/** Parsing a body of this size costs no more than refusing it. */
const SMALL_BYTES = 16 * 1024;

/**
 * The text of a body. A large one is parsed only if a key that is registered somewhere has stamped it;
 * if the key is unknown, a body of a stated length is not even read. Whether the key may do anything is
 * decided later.
 */
export async function readStampedBody(
  c: Context<Env>,
  stamp: StampHeader | null,
  at: { host: Host; strangers: Strangers },
): Promise<string> {
  const isStatedLarge = Number(headerOf(c, "content-length") ?? 0) > SMALL_BYTES;
  const early = isStatedLarge ? await findStamp(stamp, at) : null;
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length > SMALL_BYTES) {
    const parsed = early ?? (await findStamp(stamp, at));
    if (!verifyApiKeyStamp(parsed, bytes)) {
      await at.strangers.wait();
      throw stampInvalid(parsed);
    }
  }
  return decodeBody(bytes);
}

async function findStamp(
  header: StampHeader | null,
  { host, strangers }: { host: Host; strangers: Strangers },
): Promise<ApiKeyStamp> {
  try {
    const stamp = readStamp(header);
    if (await isKnownKey(host.store.db, stamp.publicKey)) return stamp;
    throw unauthenticated(
      "CREDENTIAL_NOT_FOUND",
      `could not find public key in organization or its parent organization publicKey=${stamp.publicKey}`,
    );
  } catch (error) {
    await strangers.wait();
    throw error;
  }
}

function stampInvalid({ publicKey }: ApiKeyStamp): ApiError {
  return unauthenticated(
    "STAMP_INVALID",
    `could not verify api key signature publicKey=${publicKey}`,
  );
}
