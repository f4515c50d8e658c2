import type { Curve } from "../curves.ts";
import { encodeHex } from "../encoding/bytes.ts";
import { compressedPublicKey, uncompressedPublicKey } from "../keys/keys.ts";
import { aptosAddress } from "./aptos.ts";
import {
  type BitcoinNetwork,
  bitcoinNetworks,
  p2pkhAddress,
  p2shAddress,
  p2trAddress,
  p2wpkhAddress,
  p2wshAddress,
} from "./bitcoin.ts";
import { cosmosAddress } from "./cosmos.ts";
import { ethereumAddress } from "./ethereum.ts";
import { solanaAddress } from "./solana.ts";
import { stellarAddress } from "./stellar.ts";
import { suiAddress } from "./sui.ts";
import { tonAddress, tonWallets } from "./ton.ts";
import { tronAddress } from "./tron.ts";
import { xrpAddress } from "./xrp.ts";

/** How the address of a public key is written. */
export type AddressEncoding = {
  /** The curves whose keys have such an address. */
  readonly curves: readonly Curve[];
  /** The CAIP-2 namespace of the chains that know the format. None for a public key. */
  readonly namespace?: string;
  /** The address of a public key of one of the curves. */
  readonly encode: (publicKey: Uint8Array, curve: Curve) => string;
};

/** Every address format, by its name on the wire. */
export const addressEncodings = {
  ADDRESS_FORMAT_UNCOMPRESSED: {
    curves: ["CURVE_SECP256K1", "CURVE_P256"],
    encode: (publicKey, curve) => encodeHex(uncompressedPublicKey(curve, publicKey)),
  },
  ADDRESS_FORMAT_COMPRESSED: {
    curves: ["CURVE_SECP256K1", "CURVE_P256", "CURVE_ED25519"],
    encode: (publicKey, curve) => encodeHex(compressedPublicKey(curve, publicKey)),
  },
  ADDRESS_FORMAT_ETHEREUM: secp256k1("eip155", ethereumAddress),
  ADDRESS_FORMAT_SOLANA: ed25519("solana", solanaAddress),
  ADDRESS_FORMAT_COSMOS: secp256k1("cosmos", (key) => cosmosAddress("cosmos", key)),
  ADDRESS_FORMAT_TRON: secp256k1("tron", tronAddress),
  ADDRESS_FORMAT_SUI: ed25519("sui", suiAddress),
  ADDRESS_FORMAT_APTOS: ed25519("aptos", aptosAddress),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH: bitcoin("mainnet", p2pkhAddress),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH: bitcoin("mainnet", p2shAddress),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH: bitcoin("mainnet", p2wpkhAddress),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH: bitcoin("mainnet", p2wshAddress),
  ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR: bitcoin("mainnet", p2trAddress),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH: bitcoin("testnet", p2pkhAddress),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH: bitcoin("testnet", p2shAddress),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH: bitcoin("testnet", p2wpkhAddress),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH: bitcoin("testnet", p2wshAddress),
  ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR: bitcoin("testnet", p2trAddress),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH: bitcoin("testnet", p2pkhAddress),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH: bitcoin("testnet", p2shAddress),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH: bitcoin("testnet", p2wpkhAddress),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH: bitcoin("testnet", p2wshAddress),
  ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR: bitcoin("testnet", p2trAddress),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH: bitcoin("regtest", p2pkhAddress),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH: bitcoin("regtest", p2shAddress),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH: bitcoin("regtest", p2wpkhAddress),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH: bitcoin("regtest", p2wshAddress),
  ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR: bitcoin("regtest", p2trAddress),
  ADDRESS_FORMAT_SEI: secp256k1("cosmos", (key) => cosmosAddress("sei", key)),
  ADDRESS_FORMAT_XLM: ed25519("stellar", stellarAddress),
  ADDRESS_FORMAT_DOGE_MAINNET: secp256k1("bip122", (key) => p2pkhAddress({ p2pkh: 0x1e }, key)),
  ADDRESS_FORMAT_DOGE_TESTNET: secp256k1("bip122", (key) => p2pkhAddress({ p2pkh: 0x71 }, key)),
  ADDRESS_FORMAT_TON_V3R2: ed25519("tvm", (key) => tonAddress(tonWallets.v3r2, key)),
  ADDRESS_FORMAT_TON_V4R2: ed25519("tvm", (key) => tonAddress(tonWallets.v4r2, key)),
  ADDRESS_FORMAT_XRP: secp256k1("xrpl", xrpAddress),
  ADDRESS_FORMAT_TON_V5R1: ed25519("tvm", (key) => tonAddress(tonWallets.v5r1, key)),
} as const satisfies Record<string, AddressEncoding>;

export type AddressFormatName = keyof typeof addressEncodings;

type Encode = (publicKey: Uint8Array) => string;

function secp256k1(namespace: string, encode: Encode): AddressEncoding {
  return { curves: ["CURVE_SECP256K1"], namespace, encode };
}

function ed25519(namespace: string, encode: Encode): AddressEncoding {
  return { curves: ["CURVE_ED25519"], namespace, encode };
}

function bitcoin(
  network: keyof typeof bitcoinNetworks,
  encode: (network: BitcoinNetwork, publicKey: Uint8Array) => string,
): AddressEncoding {
  return secp256k1("bip122", (publicKey) => encode(bitcoinNetworks[network], publicKey));
}
