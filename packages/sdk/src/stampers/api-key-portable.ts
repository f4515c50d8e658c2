import { encodeHex, encodeUtf8, wipe } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamper } from "@keyhearth/crypto/stamps/create-stamp";
import { keyCurve, STAMP_SCHEMES, type StampScheme } from "@keyhearth/crypto/stamps/stamp";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { invalidKey, keyBytes, notAPair } from "./api-key-options.ts";

/** An API key, in the form that the service's key file and other tools use. */
export type PortableApiKeyStamperOptions = {
  /** The public key in hex: 33 bytes, compressed; or 32 bytes for Ed25519. */
  apiPublicKey: string;
  /** The private key in hex, 32 bytes. */
  apiPrivateKey: string;
  /** The kind of key. Default: `SIGNATURE_SCHEME_TK_API_P256`. */
  scheme?: StampScheme;
};

/**
 * Stamps requests with an API key of any scheme, in plain JavaScript: for React Native, which has no
 * WebCrypto, and for keys on secp256k1. Throws `InvalidCredential` if a key has the wrong form, or if the
 * keys do not belong together.
 */
export class PortableApiKeyStamper implements Stamper {
  readonly apiPublicKey: string;
  readonly scheme: StampScheme;
  readonly #stamp: (body: Uint8Array) => string;

  constructor(options: PortableApiKeyStamperOptions) {
    const given = asObject(options);
    const { apiPublicKey, apiPrivateKey, scheme = "SIGNATURE_SCHEME_TK_API_P256" } = given;
    if (!STAMP_SCHEMES.includes(scheme)) {
      throw invalidKey("scheme", `must be one of ${STAMP_SCHEMES.join(", ")}`);
    }
    const isEd25519 = scheme === "SIGNATURE_SCHEME_TK_API_ED25519";
    const publicKey = encodeHex(keyBytes("apiPublicKey", apiPublicKey, isEd25519 ? 32 : 33));
    const privateKey = keyBytes("apiPrivateKey", apiPrivateKey, 32);
    try {
      if (publicKeyFor(scheme, privateKey) !== publicKey) throw notAPair();
      this.#stamp = createApiKeyStamper({ privateKey, scheme });
    } finally {
      wipe(privateKey);
    }
    this.apiPublicKey = publicKey;
    this.scheme = scheme;
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    return { name: "X-Stamp", value: this.#stamp(encodeUtf8(body)) };
  }
}

function publicKeyFor(scheme: StampScheme, privateKey: Uint8Array): string {
  try {
    return encodeHex(publicKeyOf(keyCurve(scheme), privateKey));
  } catch {
    throw invalidKey("apiPrivateKey", "is not a private key of this scheme");
  }
}
