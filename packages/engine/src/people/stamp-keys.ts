import { importStampKey, type StampKey, type StampScheme } from "@keyhearth/crypto/stamps/stamp";
import { type Bounds, createBoundedCache } from "../memory/bounded-cache.ts";

/** A cache of imported public keys, so that one in use is not imported for every stamp. */
export type StampKeys = {
  /** A key that was imported, and is still kept. */
  find(organizationId: string, publicKey: string, scheme: StampScheme): StampKey | undefined;
  /** For registered keys alone: the keys of strangers must not displace them. */
  import(organizationId: string, publicKey: string, scheme: StampScheme): StampKey;
};

/** Measured: 2 KB of heap, and what OpenSSL keeps outside of it. */
const KEY_COST = 8 * 1024;

export function createStampKeys(bounds: Bounds): StampKeys {
  const kept = createBoundedCache<StampKey>(bounds);
  const find: StampKeys["find"] = (organizationId, publicKey, scheme) =>
    kept.get(nameOf(organizationId, publicKey, scheme));
  return {
    find,
    import(organizationId, publicKey, scheme) {
      const known = find(organizationId, publicKey, scheme);
      if (known) return known;
      const value = importStampKey(publicKey, scheme);
      const name = nameOf(organizationId, publicKey, scheme);
      kept.set(name, { organizationId, value, cost: KEY_COST });
      return value;
    },
  };
}

function nameOf(...parts: Parameters<StampKeys["find"]>): string {
  return parts.join(" ");
}
