/**
 * Rows that one statement reads at most for a list with a filter: a few milliseconds of the embedded database. A filter
 * that matches nothing would otherwise have it read a whole history, while everybody else waits.
 */
export const WINDOW_ROWS = 1000;

/**
 * Reads a page of a filtered list, window by window, until it is full or the list has ended. `goOn` is called before the
 * second window and each further one, and may throw.
 */
export async function readInWindows<Row, Key>({
  limit,
  from,
  endAfter,
  read,
  goOn,
}: {
  limit: number;
  /** What the page comes after. */
  from: Key | undefined;
  /** The last key of the window after this key. Undefined if the rest of the list is smaller than a window. */
  endAfter: (from: Key | undefined) => Promise<Key | undefined>;
  /** The rows that match, from after the first key to the last, and whether no more are wanted. */
  read: (window: {
    from: Key | undefined;
    to: Key | undefined;
    found: Row[];
    limit: number;
  }) => Promise<{ rows: Row[]; isLast?: boolean }>;
  goOn: () => void;
}): Promise<Row[]> {
  const found: Row[] = [];
  let start = from;
  for (;;) {
    const to = await endAfter(start);
    const { rows, isLast } = await read({ from: start, to, found, limit: limit - found.length });
    found.push(...rows);
    if (isLast || to === undefined || found.length >= limit) return found;
    goOn();
    start = to;
  }
}

export type Bound<Key> = readonly [operator: "<" | ">" | "<=" | ">=", key: Key];

export type PageRange<Key> = {
  direction: "asc" | "desc";
  /** The page is read against the order of its list, so its rows are turned around. */
  isReversed: boolean;
  /** What the page is read from. Undefined for an end of the list. */
  from: Key | undefined;
  /** The page's own bounds. Parts of it begin after `from`, and have `to` as their last key. */
  bounds(part?: { from?: Key | undefined; to?: Key | undefined }): Bound<Key>[];
};

/**
 * Where a page lies between the keys that its reader named. A page that only has what follows it is the one right in
 * front of that, so it is read from there.
 */
export function rangeOf<Key>(
  order: "asc" | "desc",
  { before, after }: { before?: Key | undefined; after?: Key | undefined },
): PageRange<Key> {
  const [first, last] = order === "asc" ? [after, before] : [before, after];
  const isReversed = last !== undefined && first === undefined;
  const isForward = isReversed === (order === "desc");
  const start = isReversed ? last : first;
  return {
    direction: isForward ? "asc" : "desc",
    isReversed,
    from: start,
    bounds({ from = start, to } = {}) {
      const [least, most] = isForward ? [from, before] : [after, from];
      return [
        ...(most === undefined ? [] : [["<", most] as const]),
        ...(least === undefined ? [] : [[">", least] as const]),
        ...(to === undefined ? [] : [[isForward ? "<=" : ">=", to] as const]),
      ];
    },
  };
}
