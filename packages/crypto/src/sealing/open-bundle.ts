import { withChecksum } from "../addresses/base58check.ts";
import { decodeBase58 } from "../encoding/base58.ts";
import { decodeHex, decodeUtf8, equalBytes } from "../encoding/bytes.ts";
import { decodeDerSignature } from "../encoding/der.ts";
import { exactly, type Guard, literal, uuid } from "../encoding/shape.ts";
import { compressedPublicKey, uncompressedPublicKey } from "../keys/keys.ts";
import { verifyP256Raw } from "../keys/verify.ts";
import { openBytes } from "../secret-bytes.ts";
import {
  type ExportBundle,
  encryptedBytesOf,
  hex,
  hexOf,
  type ImportBundle,
  malformed,
  parse,
  point,
  type Signed,
  VERSION,
} from "./bundle.ts";
import { type Encrypted, hpkeDecrypt, hpkeDecryptAgreed, hpkeEncrypt } from "./hpke.ts";

// The client's side of bundles: what was sent to a client is its own, so it is opened. The signer loads none of it.

const isImportBundle = exactly<ImportBundle>({
  targetPublic: point,
  organizationId: uuid,
  userId: uuid,
});
type OtpBundle = { targetPublic: string };
const isOtpBundle = exactly<OtpBundle>({ targetPublic: point });
const isExportBundle = exactly<ExportBundle>({
  encappedPublic: point,
  ciphertext: hex,
  organizationId: uuid,
});

/** Verifies the signature of an import bundle. Throws if it is not by this signer. */
export function openImportBundle(bundle: string, signerPublicKey: string): ImportBundle {
  return verify(bundle, signerPublicKey, isImportBundle);
}

/** Verifies the bundle that names the key to encrypt a one-time code to. Throws if it is not by this key. */
export function openOtpBundle(bundle: string, verificationPublicKey: string): OtpBundle {
  return verify(bundle, verificationPublicKey, isOtpBundle);
}

/** What the client of an export trusts: the signer's key, and its own organization. */
export type Trusted = { signerPublicKey: string; organizationId: string };

/** Verifies an export bundle for this organization and decrypts it. */
export function openExportBundle(
  bundle: string,
  trusted: Trusted,
  privateKey: Uint8Array,
): Uint8Array {
  return openBytes(hpkeDecrypt(privateKey, readExportBundle(bundle, trusted)));
}

/** Verifies an export bundle for this organization. Returns what it carries, still encrypted. */
export function readExportBundle(
  bundle: string,
  { signerPublicKey, organizationId }: Trusted,
): Encrypted {
  const { encappedPublic, ciphertext, ...inner } = verify(bundle, signerPublicKey, isExportBundle);
  if (inner.organizationId !== organizationId) {
    throw new Error("the bundle is for another organization");
  }
  return encryptedBytesOf({ encappedPublic, ciphertext });
}

/** A key of the receiver that somebody else holds, such as a browser, and that only agrees. */
export type HeldKey = {
  /** In either form. */
  publicKey: Uint8Array;
  /** The x, 32 bytes, of the point that this key agrees on with another, which is uncompressed. */
  agree(point: Uint8Array): Promise<Uint8Array>;
};

/** Decrypts what a bundle carries. Throws "invalid public key" and "decryption failed". */
export async function openWithHeldKey(encrypted: Encrypted, key: HeldKey): Promise<Uint8Array> {
  const sender = uncompressedPublicKey("CURVE_P256", encrypted.encappedPublic);
  const shared = await key.agree(sender);
  return openBytes(hpkeDecryptAgreed({ receiver: key.publicKey, shared }, encrypted));
}

/** Encrypts a secret to the key of an import bundle: the text that import requests carry. */
export function encryptToBundle(secret: Uint8Array, targetPublic: string): string {
  return JSON.stringify(hexOf(hpkeEncrypt(decodeHex(targetPublic), secret)));
}

/** The private key of a session, from its credential bundle. */
export function openCredentialBundle(bundle: string, privateKey: Uint8Array): Uint8Array {
  return openBytes(hpkeDecrypt(privateKey, readCredentialBundle(bundle)));
}

/** Reads a credential bundle. Returns what it carries, still encrypted. */
export function readCredentialBundle(bundle: string): Encrypted {
  // 85 bytes in base58 are at most 117 characters.
  if (bundle.length > 120) throw malformed();
  const bytes = decodeBase58(bundle);
  const payload = bytes.subarray(0, -4);
  if (bytes.length !== 85 || !equalBytes(bytes, withChecksum(payload))) throw malformed();
  return { encappedPublic: payload.subarray(0, 33), ciphertext: payload.subarray(33) };
}

const isSigned = exactly<Signed>({
  version: literal(VERSION),
  data: hex,
  dataSignature: hex,
  enclaveQuorumPublic: point,
});

function verify<T>(bundle: string, signerPublicKey: string, is: Guard<T>): T {
  const { data, dataSignature, enclaveQuorumPublic } = parse(bundle, isSigned);
  if (enclaveQuorumPublic !== signerPublicKey) {
    throw new Error("the bundle is signed by another signer than the pinned one");
  }
  const bytes = decodeHex(data);
  const publicKey = compressedPublicKey("CURVE_P256", decodeHex(signerPublicKey));
  if (!verifyP256Raw(publicKey, bytes, decodeDerSignature(decodeHex(dataSignature)))) {
    throw new Error("the bundle's signature is invalid");
  }
  return parse(decodeUtf8(bytes), is);
}
