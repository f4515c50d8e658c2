import { createRequire } from "node:module";

export type Secp256k1Binding = {
  contextRandomize(seed: Uint8Array): void;
  publicKeyVerify(publicKey: Uint8Array): boolean;
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array;
  /** These three change the private key in place. */
  privateKeyNegate(privateKey: Uint8Array): Uint8Array;
  privateKeyTweakAdd(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array;
  privateKeyTweakMul(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array;
  publicKeyTweakAdd(publicKey: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
  signatureNormalize(signature: Uint8Array): Uint8Array;
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean;
  ecdsaRecover(
    signature: Uint8Array,
    recovery: number,
    digest: Uint8Array,
    compressed: boolean,
  ): Uint8Array;
};

/** Null if no build fits the platform, or if a package comes without native code: its build replaces this file. */
export function loadLibsecp256k1(seed: Uint8Array): Secp256k1Binding | null {
  try {
    // The package's main file would fall back to elliptic.js. Our fallback is shared.ts.
    const loaded: Secp256k1Binding = createRequire(import.meta.url)("secp256k1/bindings.js");
    loaded.contextRandomize(seed);
    return loaded;
  } catch {
    return null;
  }
}
