import { networkOf, networkSiteOf } from "@keyhearth/outbound/counted-addresses";
import { ProxyRefusal } from "./refusal.ts";

// What visitors do, by where they come from.

/** Where somebody comes from. The addresses of one IPv6 network count together, and the networks of one site have a count too. */
type Place = { network: string; site: string | null };

/** A subscriber usually has a whole /64 of IPv6 addresses, and a site a /48. IPv4 behind NAT64 counts as itself. */
export function placeOf(address: string): Place {
  const bare = address.trim();
  return { network: networkOf(bare), site: networkSiteOf(bare) };
}

/** A site may do this many times what one of its networks may. */
export const NETWORKS_OF_A_SITE = 8;

/** How many networks or sites are remembered. The one that was quiet longest is forgotten first. */
const MOST_REMEMBERED = 10_000;

/** Counts what comes from one network or site. */
export class Counts {
  readonly #times = new Map<string, number[]>();
  readonly #most: number;
  readonly #withinMs: number;

  constructor({ most, withinMs }: { most: number; withinMs: number }) {
    this.#most = most;
    this.#withinMs = withinMs;
  }

  hasRoom(key: string): boolean {
    return this.#recent(key).length < this.#most;
  }

  add(key: string) {
    const recent = this.#recent(key);
    // Deleting the key first moves it to the end, so the first key is the quietest.
    this.#times.delete(key);
    this.#times.set(key, [...recent, Date.now()]);
    if (this.#times.size <= MOST_REMEMBERED) return;
    for (const quietest of this.#times.keys()) return void this.#times.delete(quietest);
  }

  #recent(key: string): number[] {
    const sinceMs = Date.now() - this.#withinMs;
    return (this.#times.get(key) ?? []).filter((atMs) => atMs > sinceMs);
  }
}

/** Counts it for each of these, or refuses it and counts nothing. */
export function countOrRefuse(counted: readonly [Counts, string | null][], refusal: string) {
  for (const [counts, key] of counted) {
    if (key !== null && !counts.hasRoom(key)) throw new ProxyRefusal("RATE_LIMITED", refusal);
  }
  for (const [counts, key] of counted) if (key !== null) counts.add(key);
}
