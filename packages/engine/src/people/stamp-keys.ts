import { importStampKey, type StampKey, type StampScheme } from "@keyhearth/crypto/stamps/stamp";
import { type Bounds, createBoundedCache } from "../memory/bounded-cache.ts";

/** A cache of imported public keys, so that one in use is not imported for every stamp. */
export type StampKeys = {
  import(organizationId: string, publicKey: string, scheme: StampScheme): StampKey;
};

/** Measured: 2 KB of heap, and what OpenSSL keeps outside of it. */
const KEY_COST = 8 * 1024;

export function createStampKeys(bounds: Bounds): StampKeys {
  const kept = createBoundedCache<StampKey>(bounds);
  return {
    import(organizationId, publicKey, scheme) {
      const name = `${organizationId} ${scheme} ${publicKey}`;
      const known = kept.get(name);
      if (known) return known;
      const value = importStampKey(publicKey, scheme);
      kept.set(name, { organizationId, value, cost: KEY_COST });
      return value;
    },
  };
}
