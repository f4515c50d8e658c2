import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { verifyApiKeyStamp } from "@keyhearth/crypto/stamp";
import { parseStamp, type StampHeader } from "@keyhearth/engine/people/authenticate";
import type { Host } from "./host.ts";
import { hasKey } from "./store/lookups.ts";

/**
 * Whether a key of the organization or of its parent stamped the body. It decides only who gets a place
 * when many requests are under way.
 */
export async function isGenuine(
  { store, cache }: Host,
  organizationId: string,
  { body, stamp: header }: { body: string; stamp: StampHeader | null },
): Promise<boolean> {
  try {
    const stamp = parseStamp(header);
    if (!verifyApiKeyStamp(stamp, encodeUtf8(body))) return false;
    const cached = cache.document(organizationId);
    if (cached?.organization.findKey(stamp.publicKey)) return true;
    return await hasKey(store.db, organizationId, stamp.publicKey);
  } catch {
    return false;
  }
}
