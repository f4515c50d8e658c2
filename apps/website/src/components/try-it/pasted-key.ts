import { ed25519 } from "@noble/curves/ed25519.js";
import { p256 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

/** An API key of a reader. Scripts can sign with its private half and cannot read it. */
export type ImportedKey = {
  publicKey: string;
  privateKey: CryptoKey;
  organizationId: string | null;
};

/** Why a page can't use a text as a key. */
export type KeyFault =
  | "empty"
  | "not a key"
  | "public half"
  | "secp256k1"
  | "Ed25519"
  | "not a pair";

/**
 * The P-256 key in a text: a key file of the service, or the private half in hex. Nothing but the imported key outlives the
 * call.
 */
export async function importPastedKey(text: string): Promise<ImportedKey | KeyFault> {
  const read = readKey(text.trim());
  if (typeof read === "string") return read;
  const { privateKey: hex, publicKey: given, organizationId } = read;
  const secret = hexToBytes(hex);
  try {
    const fault = faultOf(secret, given);
    if (fault) return fault;
    const point = p256.getPublicKey(secret, false);
    const jwk = {
      kty: "EC",
      crv: "P-256",
      d: base64Url(secret),
      x: base64Url(point.subarray(1, 33)),
      y: base64Url(point.subarray(33)),
    };
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const privateKey = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
    return { publicKey: bytesToHex(p256.getPublicKey(secret, true)), privateKey, organizationId };
  } finally {
    secret.fill(0);
  }
}

type Read = { privateKey: string; publicKey: string | null; organizationId: string | null };

function readKey(text: string): Read | KeyFault {
  if (text === "") return "empty";
  const [, hex, curve = "p256"] = /^(?:0x)?([0-9a-f]{64})(?::(\w+))?$/i.exec(text) ?? [];
  if (hex !== undefined) {
    if (curve.toLowerCase() === "secp256k1") return "secp256k1";
    if (curve.toLowerCase() === "ed25519") return "Ed25519";
    return { privateKey: hex.toLowerCase(), publicKey: null, organizationId: null };
  }
  if (PUBLIC_KEY.test(text)) return "public half";
  const file = parseObject(text);
  const privateKey = file?.apiPrivateKey ?? file?.privateKey;
  const publicKey = file?.apiPublicKey ?? file?.publicKey;
  if (typeof privateKey !== "string" || !/^[0-9a-f]{64}$/i.test(privateKey)) {
    return typeof publicKey === "string" && privateKey === undefined ? "public half" : "not a key";
  }
  return {
    privateKey: privateKey.toLowerCase(),
    publicKey: typeof publicKey === "string" ? publicKey.toLowerCase() : null,
    organizationId: typeof file?.organizationId === "string" ? file.organizationId : null,
  };
}

/** A key file may say which curve the private half is for: by its public half. */
function faultOf(secret: Uint8Array, publicKey: string | null): KeyFault | null {
  if (!p256.utils.isValidSecretKey(secret)) return "not a key";
  if (publicKey === null || publicKey === bytesToHex(p256.getPublicKey(secret, true))) return null;
  if (publicKey === bytesToHex(ed25519.getPublicKey(secret))) return "Ed25519";
  const isSecp256k1 =
    secp256k1.utils.isValidSecretKey(secret) &&
    publicKey === bytesToHex(secp256k1.getPublicKey(secret, true));
  return isSecp256k1 ? "secp256k1" : "not a pair";
}

/** Compressed on P-256 or secp256k1, or not compressed. */
const PUBLIC_KEY = /^(?:0x)?(?:0[23][0-9a-f]{64}|04[0-9a-f]{128})$/i;

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
