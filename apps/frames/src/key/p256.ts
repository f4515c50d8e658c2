import { concatBytes, decodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import { isValidPrivateKey, publicKeyOf, uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";

// RFC 5958 and RFC 5915: what comes before the 32 bytes of a P-256 key and before its point.
const BEFORE_KEY = decodeHex(
  "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420",
);
const BEFORE_POINT = decodeHex("a144034200");

/** A key that the browser holds, and hands out to nobody. */
export type ImportedKey = { point: Uint8Array; privateKey: CryptoKey };

/** Takes over the 32 bytes of a key, which are wiped. Throws "malformed bundle" for others. */
export async function importP256(
  bytes: Uint8Array,
  use: { name: "ECDSA" | "ECDH"; usage: "sign" | "deriveBits" },
): Promise<ImportedKey> {
  try {
    if (!isValidPrivateKey("CURVE_P256", bytes)) throw new Error("malformed bundle");
    const point = uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", bytes));
    const encoded = new Uint8Array(concatBytes(BEFORE_KEY, bytes, BEFORE_POINT, point));
    try {
      const algorithm = { name: use.name, namedCurve: "P-256" };
      const { subtle } = crypto;
      const privateKey = await subtle.importKey("pkcs8", encoded, algorithm, false, [use.usage]);
      return { point, privateKey };
    } finally {
      wipe(encoded);
    }
  } finally {
    wipe(bytes);
  }
}

/** The x of the point that the key agrees on with another. */
export async function agree(privateKey: CryptoKey, point: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const ecdh = { name: "ECDH", namedCurve: "P-256" };
  const other = await subtle.importKey("raw", new Uint8Array(point), ecdh, false, []);
  return new Uint8Array(await subtle.deriveBits({ name: "ECDH", public: other }, privateKey, 256));
}
