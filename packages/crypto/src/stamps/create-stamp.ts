import * as primitives from "#primitives";
import { encodeHex } from "../encoding/bytes.ts";
import { encodeDerSignature } from "../encoding/der.ts";
import { encodeApiKeyStamp } from "./encode-stamp.ts";
import { eip191Digest, keyCurve, type StampScheme } from "./stamp.ts";

/** The value of the `X-Stamp` header for one body. */
export function createApiKeyStamp(
  signer: { privateKey: Uint8Array; scheme: StampScheme },
  body: Uint8Array,
): string {
  return createApiKeyStamper(signer)(body);
}

/** Creates `X-Stamp` headers for many bodies. Parses the key once, and keeps it. */
export function createApiKeyStamper({
  privateKey,
  scheme,
}: {
  privateKey: Uint8Array;
  scheme: StampScheme;
}): (body: Uint8Array) => string {
  const key = primitives.importPrivateKey(keyCurve(scheme), privateKey);
  const publicKey = encodeHex(primitives.publicKeyOf(key.curve, key.bytes));
  return (body) => {
    const signature = encodeHex(signBody(key, scheme, body));
    return encodeApiKeyStamp({ publicKey, scheme, signature });
  };
}

function signBody(key: primitives.PrivateKey, scheme: StampScheme, body: Uint8Array): Uint8Array {
  switch (scheme) {
    case "SIGNATURE_SCHEME_TK_API_P256":
      return encodeDerSignature(primitives.signP256(key, body));
    case "SIGNATURE_SCHEME_TK_API_SECP256K1":
      return signDigest(key, primitives.sha256(body));
    case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191":
      return signDigest(key, eip191Digest(body));
    case "SIGNATURE_SCHEME_TK_API_ED25519":
      return primitives.signEd25519(key, body);
  }
}

function signDigest(key: primitives.PrivateKey, digest: Uint8Array): Uint8Array {
  return encodeDerSignature(primitives.signSecp256k1(key.bytes, digest).signature);
}
