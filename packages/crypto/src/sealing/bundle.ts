import { withChecksum } from "../addresses/base58check.ts";
import { encodeBase58 } from "../encoding/base58.ts";
import { concatBytes, decodeHex, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { encodeDerSignature } from "../encoding/der.ts";
import { parseStrictJson } from "../encoding/json.ts";
import { exactly, type Guard, matching } from "../encoding/shape.ts";
import {
  compressedPublicKey,
  publicKeyOf,
  signP256Raw,
  uncompressedPublicKey,
} from "../keys/keys.ts";
import type { SecretBytes } from "../secret-bytes.ts";
import { type Encrypted, hpkeDecrypt, hpkeEncrypt } from "./hpke.ts";

// How secrets travel between clients and the signer; this is the signer's side. An import bundle names a key to encrypt to, an
// export bundle carries what was encrypted to the client's key, and both are signed by the signer. A
// credential bundle carries the private key of a session; nothing is gained by forging one, so it is
// not signed.

const CURVE = "CURVE_P256";
export const VERSION = "v1.0.0";

/** Hex of an uncompressed point, as clients write it. */
export const point = matching(/^04[0-9a-f]{128}$/);
export const hex = matching(/^([0-9a-f]{2})+$/);

export type ImportBundle = { targetPublic: string; organizationId: string; userId: string };
export type ExportBundle = { encappedPublic: string; ciphertext: string; organizationId: string };

/** Names the key to which a user encrypts an import. Returns the text of the bundle. */
export function createImportBundle(
  {
    targetPublicKey,
    organizationId,
    userId,
  }: Record<"organizationId" | "userId", string> & {
    targetPublicKey: Uint8Array;
  },
  signerKey: Uint8Array,
): string {
  const targetPublic = encodeHex(uncompressedPublicKey(CURVE, targetPublicKey));
  return sign({ targetPublic, organizationId, userId }, signerKey);
}

/** Names the key to which a client encrypts a one-time code. Returns the text of the bundle. */
export function createOtpBundle(targetPublicKey: Uint8Array, verificationKey: Uint8Array): string {
  const targetPublic = encodeHex(uncompressedPublicKey(CURVE, targetPublicKey));
  return sign({ targetPublic }, verificationKey);
}

/** Encrypts a secret to the client's key. Returns the text of the bundle. */
export function createExportBundle(
  secret: Uint8Array,
  { targetPublicKey, organizationId }: { targetPublicKey: Uint8Array; organizationId: string },
  signerKey: Uint8Array,
): string {
  const encrypted = hexOf(hpkeEncrypt(targetPublicKey, secret));
  return sign({ ...encrypted, organizationId }, signerKey);
}

export type EncryptedHex = { encappedPublic: string; ciphertext: string };

const isEncrypted = exactly<EncryptedHex>({ encappedPublic: point, ciphertext: hex });

/** Reads what a client encrypted to a key of an import bundle. Throws "malformed bundle". */
export function parseEncrypted(bundle: string): Encrypted {
  return encryptedBytesOf(parse(bundle, isEncrypted));
}

/**
 * Decrypts what a client encrypted to a key of an import bundle. Throws "malformed bundle", "invalid public
 * key", or "decryption failed" if it was encrypted to another key.
 */
export function decryptBundle(bundle: string, privateKey: Uint8Array): SecretBytes {
  return hpkeDecrypt(privateKey, parseEncrypted(bundle));
}

/** Encrypts a short secret, such as the private key of a session, to a client's key. */
export function createCredentialBundle(
  credential: Uint8Array,
  targetPublicKey: Uint8Array,
  ephemeralKey?: Uint8Array,
): string {
  const { encappedPublic, ciphertext } = hpkeEncrypt(targetPublicKey, credential, ephemeralKey);
  const payload = concatBytes(compressedPublicKey(CURVE, encappedPublic), ciphertext);
  return encodeBase58(withChecksum(payload));
}

/** What carries an inner JSON with the signature of its bytes, both in hex. */
export type Signed = {
  version: string;
  data: string;
  dataSignature: string;
  enclaveQuorumPublic: string;
};

function sign(inner: Record<string, string>, signerKey: Uint8Array): string {
  const data = encodeUtf8(JSON.stringify(inner));
  const signed: Signed = {
    version: VERSION,
    data: encodeHex(data),
    dataSignature: encodeHex(encodeDerSignature(signP256Raw(data, signerKey))),
    enclaveQuorumPublic: encodeHex(uncompressedPublicKey(CURVE, publicKeyOf(CURVE, signerKey))),
  };
  return JSON.stringify(signed);
}

/** Parses flat JSON of a known shape, or throws "malformed bundle". */
export function parse<T>(text: string, is: Guard<T>): T {
  let value: unknown;
  try {
    value = parseStrictJson(text, { maxDepth: 1 });
  } catch {
    throw malformed();
  }
  if (!is(value)) throw malformed();
  return value;
}

export function hexOf({ encappedPublic, ciphertext }: Encrypted): EncryptedHex {
  return { encappedPublic: encodeHex(encappedPublic), ciphertext: encodeHex(ciphertext) };
}

export function encryptedBytesOf({ encappedPublic, ciphertext }: EncryptedHex): Encrypted {
  return { encappedPublic: decodeHex(encappedPublic), ciphertext: decodeHex(ciphertext) };
}

export function malformed(): Error {
  return new Error("malformed bundle");
}
