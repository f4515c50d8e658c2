/**
 * Values that can be made again, kept while there is room for them. Each is charged by what it costs
 * in memory. All together are bounded, and so is each organization's part, so that one organization
 * cannot displace what the others use. The least recently used are dropped first.
 */
export type BoundedCache<T> = {
  /** Bytes that all kept values cost together. */
  readonly cost: number;
  get(key: string): T | undefined;
  /** Keeps a value in place of the one before, unless it alone is too large. */
  set(key: string, kept: Kept<T>): void;
  delete(key: string): void;
};

export type Kept<T> = { organizationId: string; value: T; cost: number };

/** In bytes. */
export type Bounds = { max: number; maxPerOrganization: number };

/** What the cache itself needs for one entry: two maps, the key and the entry. */
const ENTRY_COST = 400;

type Part = { cost: number; keys: Set<string> };

/** `onDrop` is called for each value that leaves, also for one that is too large to be kept. */
export function createBoundedCache<T>(
  { max, maxPerOrganization }: Bounds,
  onDrop: (value: T, key: string) => void = () => {},
): BoundedCache<T> {
  // The entries, and the keys of each part, have the least recently used first.
  const entries = new Map<string, Kept<T>>();
  const parts = new Map<string, Part>();
  let total = 0;

  function remove(key: string): Kept<T> | undefined {
    const entry = entries.get(key);
    const part = entry && parts.get(entry.organizationId);
    if (!part) return undefined;
    entries.delete(key);
    part.keys.delete(key);
    part.cost -= entry.cost;
    total -= entry.cost;
    if (part.keys.size === 0) parts.delete(entry.organizationId);
    return entry;
  }

  function add(key: string, entry: Kept<T>): Part {
    const { organizationId } = entry;
    const part = parts.get(organizationId) ?? { cost: 0, keys: new Set() };
    parts.set(organizationId, part);
    entries.set(key, entry);
    part.keys.add(key);
    part.cost += entry.cost;
    total += entry.cost;
    return part;
  }

  function drop(key: string) {
    const entry = remove(key);
    if (entry) onDrop(entry.value, key);
  }

  return {
    get cost() {
      return total;
    },
    get(key) {
      const entry = entries.get(key);
      const part = entry && parts.get(entry.organizationId);
      if (!part) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      part.keys.delete(key);
      part.keys.add(key);
      return entry.value;
    },
    set(key, { organizationId, value, cost }) {
      drop(key);
      const entry = { organizationId, value, cost: cost + ENTRY_COST };
      if (entry.cost > maxPerOrganization) return onDrop(value, key);
      const part = add(key, entry);
      for (const oldest of part.keys) {
        if (part.cost <= maxPerOrganization) break;
        drop(oldest);
      }
      for (const oldest of entries.keys()) {
        if (total <= max) break;
        drop(oldest);
      }
    },
    delete: drop,
  };
}
