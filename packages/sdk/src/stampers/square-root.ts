// The curves of the primitives are large, so what only completes a point computes its root itself.

/** A square root modulo a prime that is 3 modulo 4, or undefined if there is none. */
export function squareRoot(square: bigint, prime: bigint): bigint | undefined {
  let root = 1n;
  let factor = square;
  for (let exponent = (prime + 1n) / 4n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) root = (root * factor) % prime;
    factor = (factor * factor) % prime;
  }
  return (root * root) % prime === square ? root : undefined;
}
