import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { isScalar } from "@keyhearth/crypto/curves";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamper } from "@keyhearth/crypto/stamps/create-stamp";
import { keyCurve, STAMP_SCHEMES, type StampScheme } from "@keyhearth/crypto/stamps/stamp";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { invalidKey, keyBytes, notAPair } from "../stampers/api-key-options.ts";

/** An API key, in the form that the service's key file and other tools use. */
export type NodeApiKeyStamperOptions = {
  /** The public key in hex: 33 bytes, compressed; or 32 bytes for Ed25519. */
  apiPublicKey: string;
  /** The private key in hex, 32 bytes. */
  apiPrivateKey: string;
  /** The kind of key. Default: `SIGNATURE_SCHEME_TK_API_P256`. */
  scheme?: StampScheme;
};

/**
 * Stamps requests with an API key of any scheme, by OpenSSL where that is faster.
 * Throws `InvalidCredential` if a key has the wrong form, or if the keys do not belong together.
 */
export class NodeApiKeyStamper implements Stamper {
  readonly apiPublicKey: string;
  readonly scheme: StampScheme;
  readonly #sign: (body: Uint8Array) => string;

  constructor(options: NodeApiKeyStamperOptions) {
    const given = asObject(options);
    const { apiPublicKey, apiPrivateKey, scheme = "SIGNATURE_SCHEME_TK_API_P256" } = given;
    if (!STAMP_SCHEMES.includes(scheme)) {
      throw invalidKey("scheme", `must be one of ${STAMP_SCHEMES.join(", ")}`);
    }
    const isEd25519 = scheme === "SIGNATURE_SCHEME_TK_API_ED25519";
    this.apiPublicKey = encodeHex(keyBytes("apiPublicKey", apiPublicKey, isEd25519 ? 32 : 33));
    this.scheme = scheme;
    const privateKey = keyBytes("apiPrivateKey", apiPrivateKey, 32);
    try {
      const key = importKey(scheme, privateKey);
      if (publicKeyOf(key) !== this.apiPublicKey) throw notAPair();
      this.#sign = this.#signerOf(key, privateKey);
    } finally {
      privateKey.fill(0);
    }
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    return { name: "X-Stamp", value: this.#sign(Buffer.from(body, "utf8")) };
  }

  #signerOf(key: KeyObject, privateKey: Uint8Array): (body: Uint8Array) => string {
    const { apiPublicKey: publicKey, scheme } = this;
    // On secp256k1, OpenSSL is slower than JavaScript, and it cannot sign a digest of Keccak-256.
    if (keyCurve(scheme) === "CURVE_SECP256K1") return createApiKeyStamper({ privateKey, scheme });
    const hash = scheme === "SIGNATURE_SCHEME_TK_API_ED25519" ? null : "sha256";
    return (body) => {
      const signature = sign(hash, body, key).toString("hex");
      return Buffer.from(JSON.stringify({ publicKey, scheme, signature })).toString("base64url");
    };
  }
}

/** What stands around the private key in its DER form (RFC 5915 and RFC 8410). */
const forms: Record<StampScheme, { type: "sec1" | "pkcs8"; before: string; after: string }> = {
  SIGNATURE_SCHEME_TK_API_P256: {
    type: "sec1",
    before: "30310201010420",
    after: "a00a06082a8648ce3d030107",
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1: {
    type: "sec1",
    before: "302e0201010420",
    after: "a00706052b8104000a",
  },
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: {
    type: "sec1",
    before: "302e0201010420",
    after: "a00706052b8104000a",
  },
  SIGNATURE_SCHEME_TK_API_ED25519: {
    type: "pkcs8",
    before: "302e020100300506032b657004220420",
    after: "",
  },
};

function importKey(scheme: StampScheme, privateKey: Uint8Array): KeyObject {
  const { type, before, after } = forms[scheme];
  const curve = keyCurve(scheme);
  // OpenSSL imports numbers that cannot be keys, such as zero.
  if (curve !== "CURVE_ED25519" && !isScalar(curve, privateKey)) throw notPrivateKey();
  const key = Buffer.concat([Buffer.from(before, "hex"), privateKey, Buffer.from(after, "hex")]);
  try {
    return createPrivateKey({ key, format: "der", type });
  } catch {
    // The cause is left out, because OpenSSL may show the key in it.
    throw notPrivateKey();
  } finally {
    key.fill(0);
  }
}

function publicKeyOf(privateKey: KeyObject): string {
  const { x = "", y } = createPublicKey(privateKey).export({ format: "jwk" });
  const hex = Buffer.from(x, "base64url").toString("hex");
  if (y === undefined) return hex;
  const isOdd = (Buffer.from(y, "base64url").at(-1) ?? 0) & 1;
  return (isOdd ? "03" : "02") + hex;
}

function notPrivateKey() {
  return invalidKey("apiPrivateKey", "is not a private key of this scheme");
}
