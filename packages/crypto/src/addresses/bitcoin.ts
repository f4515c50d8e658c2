import { bech32, bech32m } from "@scure/base";
import { sha256 } from "#primitives";
import { concatBytes } from "../encoding/bytes.ts";
import { compressedPublicKey } from "../keys/keys.ts";
import { taprootOutputKey } from "../keys/taproot.ts";
import { encodeBase58Check } from "./base58check.ts";
import { paidTo } from "./bitcoin-script.ts";
import { hash160 } from "./hash160.ts";

/** What distinguishes the addresses of a network. */
export type BitcoinNetwork = {
  /** Version bytes of base58 addresses. */
  readonly p2pkh: number;
  readonly p2sh: number;
  /** Human-readable part of bech32 addresses. */
  readonly bech32: string;
};

export const bitcoinNetworks = {
  mainnet: { p2pkh: 0x00, p2sh: 0x05, bech32: "bc" },
  // Signet shares the prefixes of testnet.
  testnet: { p2pkh: 0x6f, p2sh: 0xc4, bech32: "tb" },
  regtest: { p2pkh: 0x6f, p2sh: 0xc4, bech32: "bcrt" },
} as const satisfies Record<string, BitcoinNetwork>;

/** Pay to public key hash: base58 of the hash of the compressed key. */
export function p2pkhAddress({ p2pkh }: { p2pkh: number }, publicKey: Uint8Array): string {
  return encodeBase58Check(p2pkh, hash160(compressed(publicKey)));
}

/** Pay to witness public key hash, wrapped for wallets without SegWit: `sh(wpkh(K))`, BIP-49. */
export function p2shAddress({ p2sh }: BitcoinNetwork, publicKey: Uint8Array): string {
  return encodeBase58Check(p2sh, hash160(p2wpkhScript(publicKey)));
}

/** Pay to witness public key hash, BIP-84. */
export function p2wpkhAddress({ bech32: prefix }: BitcoinNetwork, publicKey: Uint8Array): string {
  return bech32.encode(prefix, [0, ...bech32.toWords(hash160(compressed(publicKey)))]);
}

/** Pay to witness script hash, of the script that checks this key alone: `wsh(pk(K))`. */
export function p2wshAddress({ bech32: prefix }: BitcoinNetwork, publicKey: Uint8Array): string {
  return bech32.encode(prefix, [0, ...bech32.toWords(sha256(p2pkScript(publicKey)))]);
}

/** Pay to Taproot, spent by the key alone: BIP-86, without a script tree. */
export function p2trAddress({ bech32: prefix }: BitcoinNetwork, publicKey: Uint8Array): string {
  return bech32m.encode(prefix, [1, ...bech32m.toWords(taprootOutputKey(publicKey))]);
}

/** The address that the script of an output pays to, or null if there is none. */
export function addressOfScript(network: BitcoinNetwork, script: Uint8Array): string | null {
  const paid = paidTo(script);
  if (paid?.form === "P2PKH") return encodeBase58Check(network.p2pkh, paid.program);
  if (paid?.form === "P2SH") return encodeBase58Check(network.p2sh, paid.program);
  const [version = 0, length = 0] = script;
  const program = script.subarray(2);
  if (program.length !== length || length < 2 || length > 40) return null;
  if (paid?.form === "P2WPKH" || paid?.form === "P2WSH") {
    return bech32.encode(network.bech32, [0, ...bech32.toWords(program)]);
  }
  // Witness versions 1 to 16, also those that have no meaning yet (BIP-350).
  if (version < 0x51 || version > 0x60) return null;
  return bech32m.encode(network.bech32, [version - 0x50, ...bech32m.toWords(program)]);
}

/** The script `<key> OP_CHECKSIG`. */
export function p2pkScript(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(33), compressed(publicKey), Uint8Array.of(0xac));
}

/** The script `OP_0 <hash of the key>`. */
export function p2wpkhScript(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0, 20), hash160(compressed(publicKey)));
}

function compressed(publicKey: Uint8Array): Uint8Array {
  return compressedPublicKey("CURVE_SECP256K1", publicKey);
}
