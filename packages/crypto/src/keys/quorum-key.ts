import { decodeHex, equalBytes } from "../encoding/bytes.ts";
import { isValidPublicKey, uncompressedPublicKey } from "./keys.ts";

/**
 * The half of a quorum public key that verifies signatures. The key is hex of an encryption point
 * and a signing point, both uncompressed, 65 bytes each. Undefined if it is malformed.
 */
export function signingKeyOfQuorum(quorumPublicKey: string): Uint8Array | undefined {
  if (typeof quorumPublicKey !== "string" || !/^[0-9a-f]{260}$/.test(quorumPublicKey)) {
    return undefined;
  }
  const bytes = decodeHex(quorumPublicKey);
  const points = [bytes.slice(0, 65), bytes.slice(65)];
  return points.every(isPoint) ? points[1] : undefined;
}

function isPoint(point: Uint8Array): boolean {
  const sign = ((point[64] ?? 0) & 1) + 2;
  const compressed = Uint8Array.of(sign, ...point.subarray(1, 33));
  if (point[0] !== 4 || !isValidPublicKey("CURVE_P256", compressed)) return false;
  return equalBytes(uncompressedPublicKey("CURVE_P256", compressed), point);
}
