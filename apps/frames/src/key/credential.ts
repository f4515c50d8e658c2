import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { compressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { encodeApiKeyStamp } from "@keyhearth/crypto/stamps/encode-stamp";
import { importP256 } from "./p256.ts";

/** The key of a login. The browser holds it, in memory alone, and hands its private half to nobody. */
export type Credential = { publicKey: string; privateKey: CryptoKey };

const ECDSA = { name: "ECDSA", hash: "SHA-256" };

/** Takes over the 32 bytes of a key, which are wiped. */
export async function importCredential(bytes: Uint8Array): Promise<Credential> {
  const { point, privateKey } = await importP256(bytes, { name: "ECDSA", usage: "sign" });
  return { publicKey: encodeHex(compressedPublicKey("CURVE_P256", point)), privateKey };
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
