import { squareRoot } from "./square-root.ts";

// WebCrypto imports P-256 keys by both coordinates, and API keys have only x and the sign of y.

/** The coordinates of a compressed point (SEC 1, 2.3.4), 32 bytes each, or undefined if it has none. */
export function decompressP256(point: Uint8Array): { x: Uint8Array; y: Uint8Array } | undefined {
  const [first = 0] = point;
  if (point.length !== 33 || (first !== 2 && first !== 3)) return undefined;
  const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
  const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
  const x = point.slice(1).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  if (x >= p) return undefined;
  const square = ((((x * x - 3n) * x + b) % p) + p) % p;
  const root = squareRoot(square, p);
  if (root === undefined) return undefined;
  const y = (root & 1n) === BigInt(first & 1) ? root : p - root;
  return { x: point.slice(1), y: bytesOf(y) };
}

function bytesOf(number: bigint): Uint8Array {
  const hex = number.toString(16).padStart(64, "0");
  return Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}
