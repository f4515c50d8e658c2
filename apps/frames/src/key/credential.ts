import {
  concatBytes,
  decodeHex,
  encodeHex,
  encodeUtf8,
  wipe,
} from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import {
  compressedPublicKey,
  isValidPrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { encodeApiKeyStamp } from "@keyhearth/crypto/stamps/encode-stamp";

/** The key of a login. The browser holds it, in memory alone, and hands its private half to nobody. */
export type Credential = { publicKey: string; privateKey: CryptoKey };

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

// RFC 5958 and RFC 5915: what stands before the 32 bytes of a P-256 key and before its point.
const BEFORE_KEY = decodeHex(
  "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420",
);
const BEFORE_POINT = decodeHex("a144034200");

/** Takes over the 32 bytes of a key, which are wiped. */
export async function importCredential(bytes: Uint8Array): Promise<Credential> {
  try {
    if (!isValidPrivateKey("CURVE_P256", bytes)) throw new Error("malformed bundle");
    const publicKey = publicKeyOf("CURVE_P256", bytes);
    const point = uncompressedPublicKey("CURVE_P256", publicKey);
    const encoded = new Uint8Array(concatBytes(BEFORE_KEY, bytes, BEFORE_POINT, point));
    try {
      const privateKey = await crypto.subtle.importKey("pkcs8", encoded, ECDSA, false, ["sign"]);
      return { publicKey: encodeHex(compressedPublicKey("CURVE_P256", publicKey)), privateKey };
    } finally {
      wipe(encoded);
    }
  } finally {
    wipe(bytes);
  }
}

/** The value of the `X-Stamp` header for a text. */
export async function stampOf(
  { publicKey, privateKey }: Credential,
  text: string,
): Promise<string> {
  const message = new Uint8Array(encodeUtf8(text));
  const signed = new Uint8Array(await crypto.subtle.sign(ECDSA, privateKey, message));
  return encodeApiKeyStamp({
    publicKey,
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    signature: encodeHex(encodeDerSignature(signed)),
  });
}
