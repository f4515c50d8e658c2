import { encodeBase64Url, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { encodeApiKeyStamp } from "@keyhearth/crypto/stamps/encode-stamp";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { Unsupported } from "../errors/errors.ts";
import { invalidKey, keyBytes, notAPair } from "./api-key-options.ts";
import { utf8 } from "./p256-key.ts";
import { decompressP256 } from "./p256-point.ts";

/** The schemes that WebCrypto can sign. `PortableApiKeyStamper` has those of secp256k1 too. */
export type ApiKeyScheme = "SIGNATURE_SCHEME_TK_API_P256" | "SIGNATURE_SCHEME_TK_API_ED25519";

/** An API key, in the form that the service's key file and other tools use. */
export type ApiKeyStamperOptions = {
  /** The public key in hex: 33 bytes, compressed; or 32 bytes for Ed25519. */
  apiPublicKey: string;
  /** The private key in hex, 32 bytes. */
  apiPrivateKey: string;
  /** The kind of key. Default: `SIGNATURE_SCHEME_TK_API_P256`. */
  scheme?: ApiKeyScheme;
};

/**
 * Stamps requests with an API key, by the WebCrypto of browsers, Node.js, Deno, Bun and workers. The key
 * is imported once and cannot be exported again. Throws `InvalidCredential` if a key has the wrong form.
 * The first stamp throws it if the keys do not belong together, and `Unsupported` without WebCrypto.
 */
export class ApiKeyStamper implements Stamper {
  readonly apiPublicKey: string;
  readonly scheme: ApiKeyScheme;
  #keys: { jwk: JsonWebKey } | { imported: Promise<CryptoKey> };

  constructor(options: ApiKeyStamperOptions) {
    const given = asObject(options);
    const { apiPublicKey, apiPrivateKey, scheme = "SIGNATURE_SCHEME_TK_API_P256" } = given;
    if (!Object.hasOwn(algorithms, scheme)) {
      throw invalidKey(
        "scheme",
        `must be one of ${Object.keys(algorithms).join(", ")}. For keys on secp256k1, use PortableApiKeyStamper of @keyhearth/sdk/stampers/api-key-portable`,
      );
    }
    const isP256 = scheme === "SIGNATURE_SCHEME_TK_API_P256";
    const publicKey = keyBytes("apiPublicKey", apiPublicKey, isP256 ? 33 : 32);
    const privateKey = keyBytes("apiPrivateKey", apiPrivateKey, 32);
    this.apiPublicKey = encodeHex(publicKey);
    this.scheme = scheme;
    const d = encodeBase64Url(privateKey);
    privateKey.fill(0);
    this.#keys = { jwk: { ...publicJwk(publicKey, isP256), d } };
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    const key = await this.#privateKey();
    const { apiPublicKey: publicKey, scheme } = this;
    const signed = await crypto.subtle.sign(algorithms[scheme], key, utf8(body));
    const signature = encodeHex(signatureOf(scheme, new Uint8Array(signed)));
    return { name: "X-Stamp", value: encodeApiKeyStamp({ publicKey, scheme, signature }) };
  }

  async #privateKey(): Promise<CryptoKey> {
    if ("imported" in this.#keys) return this.#keys.imported;
    const imported = importPair(this.#keys.jwk, algorithms[this.scheme]);
    this.#keys = { imported };
    return imported;
  }
}

/** Earlier ones have WebCrypto only by a flag. */
const OLDEST_NODE = 20;

const algorithms: Record<ApiKeyScheme, (EcKeyImportParams & EcdsaParams) | Algorithm> = {
  SIGNATURE_SCHEME_TK_API_P256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  SIGNATURE_SCHEME_TK_API_ED25519: { name: "Ed25519" },
};

async function importPair(jwk: JsonWebKey, algorithm: Algorithm): Promise<CryptoKey> {
  if (!globalThis.crypto?.subtle) {
    throw new Unsupported(whyNoWebCrypto(), { code: "UNSUPPORTED" });
  }
  const { d: _, ...publicJwk } = jwk;
  try {
    const privateKey = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
    const publicKey = await crypto.subtle.importKey("jwk", publicJwk, algorithm, false, ["verify"]);
    // Not every runtime checks that the halves of a JWK belong together.
    const probe = utf8("keyhearth");
    const signature = await crypto.subtle.sign(algorithm, privateKey, probe);
    if (await crypto.subtle.verify(algorithm, publicKey, signature, probe)) return privateKey;
  } catch {
    // The cause is left out, because a runtime may show the key in it.
  }
  throw notAPair();
}

function whyNoWebCrypto(): string {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  const node = process?.versions?.node;
  if (node !== undefined && Number.parseInt(node, 10) < OLDEST_NODE) {
    return `Node.js ${node} is too old for this package. Use Node.js 20.18 or newer`;
  }
  return "This runtime has no WebCrypto, or the page is not served over https. Use PortableApiKeyStamper of @keyhearth/sdk/stampers/api-key-portable";
}

function publicJwk(publicKey: Uint8Array, isP256: boolean): JsonWebKey {
  if (!isP256) return { kty: "OKP", crv: "Ed25519", x: encodeBase64Url(publicKey) };
  const point = decompressP256(publicKey);
  if (!point) {
    throw invalidKey(
      "apiPublicKey",
      "is not a compressed point on P-256. If the key is on another curve, set scheme",
    );
  }
  return { kty: "EC", crv: "P-256", x: encodeBase64Url(point.x), y: encodeBase64Url(point.y) };
}

function signatureOf(scheme: ApiKeyScheme, signed: Uint8Array): Uint8Array {
  return scheme === "SIGNATURE_SCHEME_TK_API_P256" ? encodeDerSignature(signed) : signed;
}
