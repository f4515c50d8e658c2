// WebCrypto verifies Ed25519 in current browsers and runtimes. The library for the others is large, so
// it is loaded only there.

/** Whether the key signed exactly these bytes. */
export async function isEd25519Signature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = await importKey(publicKey);
  if (key) return crypto.subtle.verify("Ed25519", key, owned(signature), owned(message));
  const { verifyEd25519 } = await import("@keyhearth/crypto/keys/verify");
  return verifyEd25519(publicKey, message, signature);
}

/** Undefined if this runtime cannot do it, or if the bytes are not a key, which the library then says. */
async function importKey(publicKey: Uint8Array): Promise<CryptoKey | undefined> {
  try {
    return await crypto.subtle.importKey("raw", owned(publicKey), "Ed25519", false, ["verify"]);
  } catch {
    return undefined;
  }
}

// WebCrypto's types ask for bytes that are not shared between threads.
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
