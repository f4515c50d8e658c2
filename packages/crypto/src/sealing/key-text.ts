import { bech32 } from "@scure/base";
import { encodeBase58Check, withChecksum } from "../addresses/base58check.ts";
import { decodeBase58, encodeBase58 } from "../encoding/base58.ts";
import { concatBytes, decodeHex, encodeHex, equalBytes, wipe } from "../encoding/bytes.ts";
import { publicKeyOf } from "../keys/keys.ts";
import type { PlainBytes } from "../secret-bytes.ts";

// Private keys as the wallets of their chains show them. Each format has exactly one text for a key, except that hex may be
// in either case and begin with 0x.

export const keyFormats = [
  "HEXADECIMAL",
  "SOLANA",
  "BITCOIN_MAINNET_WIF",
  "BITCOIN_TESTNET_WIF",
  "SUI_BECH32",
] as const;

/**
 * `HEXADECIMAL` is 32 bytes in hex; `SOLANA` is the key pair of 64 bytes in base58; the WIF of Bitcoin's two networks says
 * that the public key is compressed; `SUI_BECH32` is an Ed25519 key (SIP-15).
 */
export type KeyFormat = (typeof keyFormats)[number];

const WIF_VERSIONS = { BITCOIN_MAINNET_WIF: 0x80, BITCOIN_TESTNET_WIF: 0xef } as const;
const COMPRESSED = 1;
const SUI_PREFIX = "suiprivkey";
/** The scheme of a Sui key: Ed25519. */
const SUI_ED25519 = 0;

/** The text of a private key of 32 bytes. Hex is in lower case, without 0x. */
export function formatPrivateKey(privateKey: PlainBytes, format: KeyFormat): string {
  if (privateKey.length !== 32) throw new Error("invalid private key");
  switch (format) {
    case "HEXADECIMAL":
      return encodeHex(privateKey);
    case "SOLANA": {
      const pair = concatBytes(privateKey, publicKeyOf("CURVE_ED25519", privateKey));
      return wiping(pair, () => encodeBase58(pair));
    }
    case "BITCOIN_MAINNET_WIF":
    case "BITCOIN_TESTNET_WIF": {
      const payload = concatBytes(privateKey, Uint8Array.of(COMPRESSED));
      return wiping(payload, () => encodeBase58Check(WIF_VERSIONS[format], payload));
    }
    case "SUI_BECH32": {
      const flagged = concatBytes(Uint8Array.of(SUI_ED25519), privateKey);
      return wiping(flagged, () => bech32.encode(SUI_PREFIX, bech32.toWords(flagged)));
    }
  }
}

/** The private key, or undefined if the text is something else. No error shows the text, which may be secret. */
export function parsePrivateKey(text: string, format: KeyFormat): Uint8Array | undefined {
  switch (format) {
    case "HEXADECIMAL": {
      const hex = text.replace(/^0x/, "");
      return /^[0-9a-fA-F]{64}$/.test(hex) ? decodeHex(hex) : undefined;
    }
    case "SOLANA":
      return parseKeyPair(text);
    case "BITCOIN_MAINNET_WIF":
    case "BITCOIN_TESTNET_WIF":
      return parseWif(text, WIF_VERSIONS[format]);
    case "SUI_BECH32":
      return parseSuiKey(text);
  }
}

function parseKeyPair(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return undefined;
  const pair = decodeBase58(text);
  return wiping(pair, () => {
    if (pair.length !== 64) return undefined;
    const privateKey = pair.slice(0, 32);
    return equalBytes(publicKeyOf("CURVE_ED25519", privateKey), pair.subarray(32))
      ? privateKey
      : undefined;
  });
}

function parseWif(text: string, version: number): Uint8Array | undefined {
  // 38 bytes that begin with either version have 52 digits.
  if (!/^[1-9A-HJ-NP-Za-km-z]{52}$/.test(text)) return undefined;
  const bytes = decodeBase58(text);
  return wiping(bytes, () => {
    const isWif =
      bytes.length === 38 &&
      bytes[0] === version &&
      bytes[33] === COMPRESSED &&
      equalBytes(bytes, withChecksum(bytes.subarray(0, 34)));
    return isWif ? bytes.slice(1, 33) : undefined;
  });
}

function parseSuiKey(text: string): Uint8Array | undefined {
  if (!/^suiprivkey1[02-9ac-hj-np-z]{59}$/.test(text)) return undefined;
  let flagged: Uint8Array;
  try {
    flagged = bech32.fromWords(bech32.decode(text as `${string}1${string}`).words);
  } catch {
    return undefined;
  }
  return wiping(flagged, () =>
    flagged.length === 33 && flagged[0] === SUI_ED25519 ? flagged.slice(1) : undefined,
  );
}

function wiping<T>(bytes: Uint8Array, use: () => T): T {
  try {
    return use();
  } finally {
    wipe(bytes);
  }
}
