import { schnorr, secp256k1 } from "@noble/curves/secp256k1";
import * as primitives from "#primitives";
import { concatBytes, wipe } from "../encoding/bytes.ts";
import { compressedPublicKey } from "./keys.ts";

// Taproot outputs that only a key can spend (BIP-86): the output key is the internal key plus a tweak
// that commits to the internal key alone, without a tree of scripts (BIP-341).

const CURVE = "CURVE_SECP256K1";

/** The x coordinate of the output key, 32 bytes. */
export function taprootOutputKey(publicKey: Uint8Array): Uint8Array {
  const x = compressedPublicKey(CURVE, publicKey).subarray(1);
  // The internal key is the point with this x and an even y.
  const internal = concatBytes(Uint8Array.of(2), x);
  return primitives.tweakPublicSecp256k1(internal, tweakOf(x)).slice(1);
}

/**
 * Signs a digest of 32 bytes by the output key of a private key. Returns the 64 bytes of a BIP-340
 * signature, without auxiliary randomness, so that a digest has one signature.
 */
export function signTaproot(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const publicKey = primitives.publicKeyOf(CURVE, privateKey);
  const isOdd = publicKey[0] === 3;
  const even = isOdd ? negate(privateKey) : Uint8Array.from(privateKey);
  const key = primitives.tweakAddSecp256k1(even, tweakOf(publicKey.subarray(1)));
  try {
    return primitives.signSchnorr(key, digest);
  } finally {
    wipe(even);
    wipe(key);
  }
}

function tweakOf(x: Uint8Array): Uint8Array {
  return schnorr.utils.taggedHash("TapTweak", x);
}

function negate(privateKey: Uint8Array): Uint8Array {
  const { Fn } = secp256k1.Point;
  return Fn.toBytes(Fn.neg(Fn.fromBytes(privateKey)));
}
