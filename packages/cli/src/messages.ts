import type {
  Curve,
  HashFunction,
  SignRawPayloadIntentV2,
  SignRawPayloadResult,
} from "@keyhearth/sdk";
import type { Signer } from "./found.ts";

// Signatures of texts, as wallets of the chain make them.

/** What the service is asked to sign: EIP-191 for Ethereum, the bytes themselves on Ed25519, else their SHA-256. */
export function messageRequest(message: string, signer: Signer): SignRawPayloadIntentV2 {
  const { signWith, curve, isEthereum } = signer;
  const encoding = "PAYLOAD_ENCODING_TEXT_UTF8";
  if (isEthereum) {
    const length = Buffer.byteLength(message, "utf8");
    const payload = `\u0019Ethereum Signed Message:\n${length}${message}`;
    return { signWith, payload, encoding, hashFunction: "HASH_FUNCTION_KECCAK256" };
  }
  return { signWith, payload: message, encoding, hashFunction: hashOf(curve) };
}

/** The signature in the form of the chain, and the name of that form. */
export function messageSignature(
  { r, s, v }: Pick<SignRawPayloadResult, "r" | "s" | "v">,
  hashFunction: HashFunction,
): { signature: string; scheme: string } {
  if (hashFunction === "HASH_FUNCTION_KECCAK256") {
    return { signature: `0x${r}${s}${recoveryOf(v)}`, scheme: "EIP-191" };
  }
  const isEd25519 = hashFunction === "HASH_FUNCTION_NOT_APPLICABLE";
  const scheme = isEd25519 ? "Ed25519 of the text" : "ECDSA of the text's SHA-256";
  return { signature: `${r}${s}`, scheme };
}

function hashOf(curve: Curve): HashFunction {
  return curve === "CURVE_ED25519" ? "HASH_FUNCTION_NOT_APPLICABLE" : "HASH_FUNCTION_SHA256";
}

/** The last byte of an Ethereum signature: 27 or 28. */
function recoveryOf(v: string): string {
  return (Number.parseInt(v, 16) + 27).toString(16).padStart(2, "0");
}
