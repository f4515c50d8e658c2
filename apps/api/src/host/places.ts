/** What something under way counts for: at most so many at once of this key. `whose` is for the refusal. */
export type PlaceBound = { key: string; most: number; whose: string };

export type Places = {
  /** Takes a place of each bound, or throws if one of them has none. Returns how to give them back, once. */
  take(bounds: readonly PlaceBound[]): () => void;
};

/** Counts what is under way. `refusal` gets a text such as `at most 2 at once from your address`. */
export function createPlaces(refusal: (most: string) => Error): Places {
  const taken = new Map<string, number>();

  function add(key: string, number: number) {
    const now = (taken.get(key) ?? 0) + number;
    if (now > 0) taken.set(key, now);
    else taken.delete(key);
  }

  return {
    take(bounds) {
      const full = bounds.find(({ key, most }) => (taken.get(key) ?? 0) >= most);
      if (full) throw refusal(`at most ${full.most} at once ${full.whose}`);
      for (const { key } of bounds) add(key, 1);
      let isLeft = false;
      return () => {
        if (isLeft) return;
        isLeft = true;
        for (const { key } of bounds) add(key, -1);
      };
    },
  };
}
