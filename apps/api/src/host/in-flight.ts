import { ApiError } from "@keyhearth/engine/errors";
import { siteOf } from "@keyhearth/outbound/counted-addresses";

/** Requests of one client address, or of one IPv6 site, that the service works on at once. */
export type InFlight = {
  /** Does the work, unless too much of the address is under way. Says whether nothing else of it is. */
  run<T>(address: string, work: (isAlone: boolean) => Promise<T>): Promise<T>;
};

/** Twice as many as one organization may have under way. */
export const MAX_IN_FLIGHT = 512;

export function createInFlight(most = MAX_IN_FLIGHT, refusal = tooMany): InFlight {
  const counts = new Map<string, number>();
  return {
    async run(address, work) {
      const site = siteOf(address);
      const count = counts.get(site) ?? 0;
      if (count >= most) throw refusal();
      counts.set(site, count + 1);
      try {
        return await work(count === 0);
      } finally {
        const left = (counts.get(site) ?? 1) - 1;
        if (left === 0) counts.delete(site);
        else counts.set(site, left);
      }
    },
  };
}

function tooMany(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "too many requests from your address are under way; wait for the answers of some and send the rest again",
  );
}
