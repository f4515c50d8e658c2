/** Connections that share places. Beyond them, the owner who has the most loses the oldest. */
export type Places<Place> = {
  take(owner: string, place: Place): void;
  leave(owner: string, place: Place): void;
};

export function createPlaces<Place>(most: number, evict: (place: Place) => void): Places<Place> {
  const held = new Map<string, Set<Place>>();
  let count = 0;

  function leave(owner: string, place: Place) {
    const own = held.get(owner);
    if (!own?.delete(place)) return;
    count -= 1;
    if (own.size === 0) held.delete(owner);
  }

  function leaveOldest() {
    let [owner, size] = ["", 0];
    for (const [each, { size: of }] of held) if (of > size) [owner, size] = [each, of];
    const [oldest] = held.get(owner) ?? [];
    if (oldest === undefined) return;
    leave(owner, oldest);
    evict(oldest);
  }

  return {
    take(owner, place) {
      const own = held.get(owner) ?? new Set();
      held.set(owner, own.add(place));
      count += 1;
      if (count > most) leaveOldest();
    },
    leave,
  };
}

/** Whether an owner may go on: so often in a second on average, and so many at once. */
export function createPace(
  {
    perSecond,
    atOnce,
    mostOwners = 1024,
  }: Record<"perSecond" | "atOnce", number> & { mostOwners?: number },
  now = () => performance.now(),
): (owner: string) => boolean {
  const paces = new Map<string, { left: number; at: number }>();
  return (owner) => {
    const at = now();
    const known = paces.get(owner) ?? { left: atOnce, at };
    const left = Math.min(known.left + ((at - known.at) / 1000) * perSecond, atOnce);
    const mayGo = left >= 1;
    // The newest is last, so that the first is the one that is forgotten.
    paces.delete(owner);
    paces.set(owner, { left: mayGo ? left - 1 : left, at });
    if (paces.size > mostOwners) paces.delete(paces.keys().next().value ?? "");
    return mayGo;
  };
}
