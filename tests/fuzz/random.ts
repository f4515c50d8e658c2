/** Random choices that a seed repeats. */
export type Random = {
  /** An integer from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** True once in `n` times. */
  oneIn(n: number): boolean;
  pick<T>(list: readonly T[]): T;
  text(alphabet: string, length: number): string;
  bytes(length: number): Uint8Array;
};

/** The choices for one step of a run: each step has its own, so that none depends on the others. */
export function createRandom(seed: number, step = 0): Random {
  // mulberry32, seeded with a mix of both numbers.
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(step + 1, 0xc2b2ae35)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    oneIn: (n) => below(n) === 0,
    pick(list) {
      if (list.length === 0) throw new Error("nothing to pick from");
      // The index is within the list.
      return list[below(list.length)] as (typeof list)[number];
    },
    text: (alphabet, length) =>
      Array.from({ length }, () => alphabet[below(alphabet.length)]).join(""),
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
  };
}
