import { createApiKeyStamper } from "@keyhearth/crypto/create-stamp";
import { decodeHex, encodeHex, encodeUtf8, wipe } from "@keyhearth/crypto/encoding";
import { publicKeyOf } from "@keyhearth/crypto/keys";
import { curveOfScheme, STAMP_SCHEMES, type StampScheme } from "@keyhearth/crypto/stamp";
import { KeyhearthError } from "../errors.ts";
import type { Stamper } from "../request.ts";

/** An API key, in the form that the service's key file and other tools use. */
export type ApiKeyStamperOptions = {
  /** The public key in hex: compressed, or 32 bytes for Ed25519. */
  apiPublicKey: string;
  /** The private key in hex, 32 bytes. */
  apiPrivateKey: string;
  /** The kind of key. Default: `SIGNATURE_SCHEME_TK_API_P256`. */
  scheme?: StampScheme;
};

/** Stamps requests with an API key. */
export class ApiKeyStamper implements Stamper {
  readonly apiPublicKey: string;
  readonly scheme: StampScheme;
  readonly #stamp: (body: Uint8Array) => string;

  constructor({
    apiPublicKey,
    apiPrivateKey,
    scheme = "SIGNATURE_SCHEME_TK_API_P256",
  }: ApiKeyStamperOptions) {
    if (!STAMP_SCHEMES.includes(scheme)) {
      throw invalid("scheme", `must be one of ${STAMP_SCHEMES.join(", ")}`);
    }
    const privateKey = parsePrivateKey(apiPrivateKey);
    try {
      // For a key that does not match, the service answers "unknown credential", which is misleading.
      if (publicKeyFor(scheme, privateKey) !== apiPublicKey.toLowerCase()) {
        throw invalid("apiPublicKey", "is not the public key of `apiPrivateKey` in this scheme");
      }
      this.#stamp = createApiKeyStamper({ privateKey, scheme });
    } finally {
      wipe(privateKey);
    }
    this.apiPublicKey = apiPublicKey.toLowerCase();
    this.scheme = scheme;
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    return { name: "X-Stamp", value: this.#stamp(encodeUtf8(body)) };
  }
}

function publicKeyFor(scheme: StampScheme, privateKey: Uint8Array): string {
  try {
    switch (curveOfScheme(scheme)) {
      case "API_KEY_CURVE_P256":
        return encodeHex(publicKeyOf("CURVE_P256", privateKey));
      case "API_KEY_CURVE_SECP256K1":
        return encodeHex(publicKeyOf("CURVE_SECP256K1", privateKey));
      case "API_KEY_CURVE_ED25519":
        return encodeHex(publicKeyOf("CURVE_ED25519", privateKey));
    }
  } catch {
    throw invalid("apiPrivateKey", "is not a private key of this scheme");
  }
}

// The error has no cause, because the cause would contain the text of the key.
function parsePrivateKey(apiPrivateKey: string): Uint8Array {
  try {
    return decodeHex(apiPrivateKey);
  } catch {
    throw invalid("apiPrivateKey", "is not hex");
  }
}

function invalid(field: string, message: string): KeyhearthError {
  return new KeyhearthError(`\`${field}\` ${message}`, { code: "INVALID_CREDENTIAL", field });
}
