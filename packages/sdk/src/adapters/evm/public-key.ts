import { squareRoot } from "../../stampers/square-root.ts";
import type { Hex } from "./key.ts";

// The service shows compressed keys, and viem's accounts have both coordinates.

/** Both coordinates of a key on secp256k1 (SEC 1, 2.3.4), or undefined if the hex has none. */
export function uncompressed(publicKey: string): Hex | undefined {
  const hex = publicKey.replace(/^0x/, "").toLowerCase();
  if (/^04[0-9a-f]{128}$/.test(hex)) return `0x${hex}`;
  if (!/^0[23][0-9a-f]{64}$/.test(hex)) return undefined;
  const p = 2n ** 256n - 2n ** 32n - 977n;
  const x = BigInt(`0x${hex.slice(2)}`);
  const square = (x ** 3n + 7n) % p;
  const root = squareRoot(square, p);
  if (x >= p || root === undefined) return undefined;
  const y = (root & 1n) === BigInt(hex.charAt(1)) - 2n ? root : p - root;
  return `0x04${hex.slice(2)}${y.toString(16).padStart(64, "0")}`;
}
