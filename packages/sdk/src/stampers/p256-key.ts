import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { encodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { encodeApiKeyStamp } from "@keyhearth/crypto/stamps/encode-stamp";
import { Unsupported } from "../errors/errors.ts";

// P-256 keys that WebCrypto makes and keeps, so that their private half can be used, but never read. Where there is no
// WebCrypto, a storage makes its own keys.

/** A key pair whose private half cannot be exported. */
export type P256Key = {
  /** The compressed public key in hex, 33 bytes, as the service knows it. */
  readonly publicKey: string;
  readonly privateKey: CryptoKey | HeldKey;
};

/** A private half that a storage without WebCrypto keeps. It signs, and shows nothing. */
export type HeldKey = {
  /** Signs the SHA-256 of a message. Returns r and s, 64 bytes. */
  sign(message: Uint8Array): Promise<Uint8Array>;
};

/** Makes keys that it can keep. */
export type KeyMaker = { newKey?(): Promise<P256Key> };

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Makes a key pair whose private half cannot be exported: by the storage, if that makes its keys itself, and by WebCrypto
 * otherwise. Throws `Unsupported` without either.
 */
export async function newP256Key(storage: KeyMaker = {}): Promise<P256Key> {
  if (storage.newKey) return storage.newKey();
  const pair = await subtle().generateKey(algorithm, false, ["sign", "verify"]);
  const point = new Uint8Array(await subtle().exportKey("raw", pair.publicKey));
  const isOdd = (point[64] ?? 0) & 1;
  const publicKey = `0${2 + isOdd}${encodeHex(point.subarray(1, 33))}`;
  return { publicKey, privateKey: pair.privateKey };
}

/** Signs the SHA-256 of a text. Returns r and s, 64 bytes. */
export async function signP256({ privateKey }: P256Key, text: string): Promise<Uint8Array> {
  const message = utf8(text);
  if ("sign" in privateKey) return privateKey.sign(message);
  return new Uint8Array(await subtle().sign(algorithm, privateKey, message));
}

/** The `X-Stamp` header for one body. */
export async function stampWithP256(key: P256Key, body: string) {
  const signature = encodeHex(encodeDerSignature(await signP256(key, body)));
  const { publicKey } = key;
  const stamp = { publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature } as const;
  return { name: "X-Stamp", value: encodeApiKeyStamp(stamp) };
}

/** Whether a key with this uncompressed point, in hex, signed the SHA-256 of these bytes. */
export async function verifyP256(
  point: string,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (!hasWebCrypto()) {
    return (await import("./portable-p256.ts")).verifyP256(point, message, signature);
  }
  try {
    const bytes = new Uint8Array(decodeHex(point));
    const key = await subtle().importKey("raw", bytes, algorithm, false, ["verify"]);
    return await subtle().verify(algorithm, key, signature, message);
  } catch {
    // The point is not on the curve, so nothing was signed with it.
    return false;
  }
}

/** The SHA-256 of a text. */
export async function sha256(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = utf8(text);
  if (!hasWebCrypto()) return (await import("./portable-p256.ts")).sha256(bytes);
  return new Uint8Array(await subtle().digest("SHA-256", bytes));
}

/** The SHA-256 of a text, in hex. */
export async function sha256Hex(text: string): Promise<string> {
  return encodeHex(await sha256(text));
}

// Digests and public keys are public, so plain JavaScript will do for them.
function hasWebCrypto(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** The WebCrypto of this runtime. Browsers offer it only to pages of https and of localhost. */
export function subtle(): SubtleCrypto {
  const found = globalThis.crypto?.subtle;
  if (found) return found;
  throw new Unsupported(
    "This page has no WebCrypto, which makes and keeps keys. Serve it over https or from localhost, and in other runtimes use an API key",
    { code: "UNSUPPORTED" },
  );
}

// WebCrypto's types ask for bytes that are not shared between threads.
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encodeUtf8(text));
}
