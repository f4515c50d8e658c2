// Every format against software of its own ecosystem, over random keys.

import { ECDH } from "node:crypto";
import { Ed25519PublicKey as AptosPublicKey, AuthenticationKey } from "@aptos-labs/ts-sdk";
import { encodeSecp256k1Pubkey, pubkeyToAddress } from "@cosmjs/amino";
import { Ed25519PublicKey as SuiPublicKey } from "@mysten/sui/keypairs/ed25519";
import { PublicKey as SolanaPublicKey } from "@solana/web3.js";
import { StrKey } from "@stellar/stellar-base";
import { WalletContractV3R2, WalletContractV4, WalletContractV5R1 } from "@ton/ton";
import { initEccLib, networks, payments, toXOnly } from "bitcoinjs-lib";
import { computeAddress } from "ethers";
import * as secp256k1 from "tiny-secp256k1";
import { utils as tron } from "tronweb";
import { expect, test } from "vitest";
import { deriveAddress } from "xrpl";

import { encodeHex } from "../encoding/bytes.ts";
import {
  type Curve,
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "../keys/keys.ts";
import { type AddressEncoding, type AddressFormatName, addressEncodings } from "./formats.ts";

const KEYS = process.env.KEYHEARTH_LONG ? 200 : 20;

initEccLib(secp256k1);

type Network = typeof networks.bitcoin;

const dogecoin: Network = { ...networks.bitcoin, pubKeyHash: 0x1e };
const dogecoinTestnet: Network = { ...networks.bitcoin, pubKeyHash: 0x71 };

const bitcoin = {
  P2PKH: (pubkey: Uint8Array, network: Network) => payments.p2pkh({ pubkey, network }).address,
  P2SH: (pubkey: Uint8Array, network: Network) =>
    payments.p2sh({ redeem: payments.p2wpkh({ pubkey, network }), network }).address,
  P2WPKH: (pubkey: Uint8Array, network: Network) => payments.p2wpkh({ pubkey, network }).address,
  P2WSH: (pubkey: Uint8Array, network: Network) =>
    payments.p2wsh({ redeem: payments.p2pk({ pubkey, network }), network }).address,
  P2TR: (pubkey: Uint8Array, network: Network) =>
    payments.p2tr({ internalPubkey: toXOnly(pubkey), network }).address,
};

function bitcoinFormats(name: string, network: Network) {
  return Object.entries(bitcoin).map(([kind, address]) => [
    `ADDRESS_FORMAT_BITCOIN_${name}_${kind}`,
    (key: Uint8Array) => address(key, network),
  ]);
}

/** The address by other software, or undefined if it refuses the key. */
const others: Record<string, (key: Uint8Array, curve: Curve) => string | undefined> = {
  ADDRESS_FORMAT_UNCOMPRESSED: (key, curve) => convertKey(key, curve, "uncompressed"),
  ADDRESS_FORMAT_COMPRESSED: (key, curve) =>
    curve === "CURVE_ED25519" ? encodeHex(key) : convertKey(key, curve, "compressed"),
  ADDRESS_FORMAT_ETHEREUM: (key) => computeAddress(`0x${encodeHex(key)}`),
  ADDRESS_FORMAT_SOLANA: (key) => new SolanaPublicKey(key).toBase58(),
  ADDRESS_FORMAT_COSMOS: (key) => pubkeyToAddress(encodeSecp256k1Pubkey(key), "cosmos"),
  ADDRESS_FORMAT_SEI: (key) => pubkeyToAddress(encodeSecp256k1Pubkey(key), "sei"),
  ADDRESS_FORMAT_TRON: (key) =>
    tron.crypto.getBase58CheckAddress(
      tron.crypto.computeAddress([...uncompressedPublicKey("CURVE_SECP256K1", key)]),
    ),
  ADDRESS_FORMAT_SUI: (key) => new SuiPublicKey(key).toSuiAddress(),
  ADDRESS_FORMAT_APTOS: (key) =>
    AuthenticationKey.fromPublicKey({ publicKey: new AptosPublicKey(key) })
      .derivedAddress()
      .toStringLong(),
  ADDRESS_FORMAT_XLM: (key) => StrKey.encodeEd25519PublicKey(Buffer.from(key)),
  ADDRESS_FORMAT_XRP: (key) => deriveAddress(encodeHex(key).toUpperCase()),
  ADDRESS_FORMAT_DOGE_MAINNET: (key) => bitcoin.P2PKH(key, dogecoin),
  ADDRESS_FORMAT_DOGE_TESTNET: (key) => bitcoin.P2PKH(key, dogecoinTestnet),
  ADDRESS_FORMAT_TON_V3R2: (key) => tonAddress(WalletContractV3R2.create(tonWallet(key))),
  ADDRESS_FORMAT_TON_V4R2: (key) => tonAddress(WalletContractV4.create(tonWallet(key))),
  ADDRESS_FORMAT_TON_V5R1: (key) => tonAddress(WalletContractV5R1.create(tonWallet(key))),
  ...Object.fromEntries([
    ...bitcoinFormats("MAINNET", networks.bitcoin),
    ...bitcoinFormats("TESTNET", networks.testnet),
    ...bitcoinFormats("SIGNET", networks.testnet),
    ...bitcoinFormats("REGTEST", networks.regtest),
  ]),
};

function convertKey(key: Uint8Array, curve: Curve, form: "compressed" | "uncompressed"): string {
  const name = curve === "CURVE_P256" ? "prime256v1" : "secp256k1";
  // Text, because an output encoding is given.
  return ECDH.convertKey(key, name, undefined, "hex", form) as string;
}

function tonWallet(key: Uint8Array) {
  return { workchain: 0, publicKey: Buffer.from(key) };
}

function tonAddress({ address }: WalletContractV4 | WalletContractV3R2 | WalletContractV5R1) {
  return address.toString({ bounceable: false });
}

// Keys of an object are strings to the compiler.
test.each(Object.keys(addressEncodings) as AddressFormatName[])("%s", (name) => {
  const { curves, encode }: AddressEncoding = addressEncodings[name];
  const other = others[name];
  expect(other, "no other software").toBeDefined();
  for (const curve of curves) {
    for (let i = 0; i < KEYS; i++) {
      const publicKey = publicKeyOf(curve, generatePrivateKey(curve));
      expect(encode(publicKey, curve)).toBe(other?.(publicKey, curve));
    }
  }
});
