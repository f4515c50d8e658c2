/** Sets of the values of a variable, as the bits of a number: bit i for the value with index i. */

/** The values of a bit set, ascending. */
export function* indexesOf(values: bigint): Generator<number> {
  let rest = values;
  for (let base = 0; rest !== 0n; base += 32) {
    let word = Number(rest & 0xffff_ffffn);
    for (let i = base; word !== 0; i++) {
      if (word & 1) yield i;
      word >>>= 1;
    }
    rest >>= 32n;
  }
}

/** The least value of a bit set, 0 for an empty one. */
export function leastOf(values: bigint): number {
  for (const index of indexesOf(values)) return index;
  return 0;
}

export function bit(index: number): bigint {
  return 1n << BigInt(index);
}

/** The bit set of the values 0 to `size - 1`. */
export function firstBits(size: number): bigint {
  return (1n << BigInt(size)) - 1n;
}

export function bitsBetween(low: number, high: number): bigint {
  return firstBits(high + 1) & ~firstBits(low);
}
