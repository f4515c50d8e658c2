import { TryLater } from "../errors.ts";

export type PlaceLimits = { ofSite: number; ofConfiguration: number; inTotal: number };

/** Calls under way. A stranger's take no more than a part of what the organization's own requests may have. */
export function createPlaces({ ofSite, ofConfiguration, inTotal }: PlaceLimits) {
  const taken = new Map<string, number>();
  const numberOf = (key: string) => taken.get(key) ?? 0;

  function add(key: string, number: number) {
    const now = numberOf(key) + number;
    if (now > 0) taken.set(key, now);
    else taken.delete(key);
  }

  return {
    async run<T>(
      { site, configurationId }: { site: string; configurationId: string },
      work: () => Promise<T>,
    ): Promise<T> {
      const bounds = [
        { key: `site ${site}`, most: ofSite, whose: "from your address" },
        { key: `of ${configurationId}`, most: ofConfiguration, whose: "of this organization" },
        { key: "all", most: inTotal, whose: "from everybody" },
      ];
      for (const { key, most, whose } of bounds) {
        if (numberOf(key) >= most) throw tooMany(`at most ${most} at once ${whose}`);
      }
      for (const { key } of bounds) add(key, 1);
      try {
        return await work();
      } finally {
        for (const { key } of bounds) add(key, -1);
      }
    },
  };
}

function tooMany(most: string): TryLater {
  const message = `too many calls of the login proxy: ${most}; try again in 1 s`;
  return new TryLater("RESOURCE_EXHAUSTED", "RATE_LIMITED", message, 1);
}
