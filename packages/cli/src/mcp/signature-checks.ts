import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { verifyEd25519, verifyP256Raw } from "@keyhearth/crypto/keys/verify";
import { verifyTaproot } from "@keyhearth/crypto/keys/verify-taproot";
import { keccak256, sha256 } from "@keyhearth/crypto/primitives";
import { isRecovered, type NamedKey } from "@keyhearth/crypto/transactions/signed-transaction";
import { parseTypedData } from "@keyhearth/crypto/transactions/typed-data";
import { hashTypedData } from "@keyhearth/crypto/transactions/typed-data-hash";

// Whether what a service calls a signature is one, of exactly what was asked for.

/** Whether r, s and v are a signature of this payload by this key. */
export function isSignedPayload(
  asked: { payload: string; encoding: string; hashFunction: string },
  { r, s, v }: { r: string; s: string; v: string },
  key: NamedKey,
): boolean {
  try {
    const isTyped = asked.encoding === "PAYLOAD_ENCODING_EIP712";
    const bytes = isTyped ? new Uint8Array() : bytesOf(asked);
    const halves = { r: decodeHex(r), s: decodeHex(s) };
    const { curve } = { curve: "CURVE_SECP256K1", ...key };
    const whole = decodeHex(r + s);
    if (isTyped && curve !== "CURVE_SECP256K1") return false;
    if (curve === "CURVE_ED25519") {
      const isPlain = asked.hashFunction === "HASH_FUNCTION_NOT_APPLICABLE";
      return isPlain && key.publicKey !== undefined && verifyEd25519(key.publicKey, bytes, whole);
    }
    if (curve === "CURVE_P256") {
      const isSha256 = asked.hashFunction === "HASH_FUNCTION_SHA256";
      return isSha256 && key.publicKey !== undefined && verifyP256Raw(key.publicKey, bytes, whole);
    }
    const digest = isTyped
      ? hashTypedData(parseTypedData(asked.payload))
      : hashes[asked.hashFunction]?.(bytes);
    if (digest === undefined) return false;
    const recovery = v === "01" ? 1 : 0;
    if (/^0[01]$/.test(v) && isRecovered(digest, { ...halves, recovery }, key)) return true;
    // An address of Taproot signs by its output key.
    return key.publicKey !== undefined && verifyTaproot(key.publicKey, digest, whole);
  } catch {
    return false;
  }
}

const hashes: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  HASH_FUNCTION_KECCAK256: keccak256,
  HASH_FUNCTION_SHA256: sha256,
  HASH_FUNCTION_NO_OP: (bytes) => bytes,
};

function bytesOf({ payload, encoding }: { payload: string; encoding: string }): Uint8Array {
  if (encoding === "PAYLOAD_ENCODING_TEXT_UTF8") return encodeUtf8(payload);
  if (encoding === "PAYLOAD_ENCODING_HEXADECIMAL") return decodeHex(payload.replace(/^0x/, ""));
  throw new Error(`nothing here reads ${encoding}`);
}
