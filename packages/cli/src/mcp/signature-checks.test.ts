import { addressEncodings } from "@keyhearth/crypto/addresses/formats";
import type { Curve } from "@keyhearth/crypto/curves";
import { concatBytes, decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  generatePrivateKey,
  importPrivateKey,
  publicKeyOf,
  signEd25519,
  signP256Raw,
  signSecp256k1,
} from "@keyhearth/crypto/keys/keys";
import { signTaproot } from "@keyhearth/crypto/keys/taproot";
import { keccak256, sha256 } from "@keyhearth/crypto/primitives";
import { decodeBitcoinSpending } from "@keyhearth/crypto/transactions/bitcoin";
import { planSigning, signBitcoin } from "@keyhearth/crypto/transactions/bitcoin-signing";
import {
  decodeEthereumTransaction,
  encodeSignedTransaction,
  ethereumSigningDigest,
} from "@keyhearth/crypto/transactions/ethereum";
import { encodeBytesField } from "@keyhearth/crypto/transactions/protobuf";
import {
  isAddressOf,
  isSignedTransaction,
  type NamedKey,
} from "@keyhearth/crypto/transactions/signed-transaction";
import {
  decodeSolanaTransaction,
  encodeSignedSolanaTransaction,
  solanaMessage,
} from "@keyhearth/crypto/transactions/solana";
import {
  decodeTronTransaction,
  encodeSignedTronTransaction,
  tronSigningDigest,
} from "@keyhearth/crypto/transactions/tron";
import { parseTypedData } from "@keyhearth/crypto/transactions/typed-data";
import { hashTypedData } from "@keyhearth/crypto/transactions/typed-data-hash";
import { PublicKey, Transaction as SolanaTransaction, SystemProgram } from "@solana/web3.js";
import { initEccLib, Psbt, payments, toXOnly } from "bitcoinjs-lib";
import { Transaction } from "ethers";
import * as tiny from "tiny-secp256k1";
import { describe, expect, test } from "vitest";
import { isSignedPayload } from "./signature-checks.ts";

initEccLib(tiny);

function newKey(curve: Curve) {
  const privateKey = generatePrivateKey(curve);
  return { privateKey, curve, publicKey: publicKeyOf(curve, privateKey) };
}

type Key = ReturnType<typeof newKey>;

const named = ({ curve, publicKey }: Key): NamedKey => ({ curve, publicKey });

/** How a transaction of each chain is made, for an amount, and signed. */
const chains = {
  ethereum: {
    curve: "CURVE_SECP256K1",
    unsigned: (_: Key, amount: number) =>
      decodeHex(
        Transaction.from({
          ...{ to: `0x${"d8".repeat(20)}`, value: amount, type: 2, chainId: 1, gasLimit: 21_000 },
        }).unsignedSerialized.slice(2),
      ),
    sign({ privateKey }: Key, unsigned: Uint8Array) {
      const transaction = decodeEthereumTransaction(unsigned);
      const signature = signSecp256k1(ethereumSigningDigest(transaction), privateKey);
      return encodeSignedTransaction(transaction, signature);
    },
  },
  "ethereum before types": {
    curve: "CURVE_SECP256K1",
    unsigned: (_: Key, amount: number) =>
      decodeHex(
        Transaction.from({
          ...{ to: `0x${"d8".repeat(20)}`, value: amount, type: 0, gasPrice: 1, gasLimit: 21_000 },
        }).unsignedSerialized.slice(2),
      ),
    sign: (key: Key, unsigned: Uint8Array): Uint8Array => chains.ethereum.sign(key, unsigned),
  },
  tron: {
    curve: "CURVE_SECP256K1",
    unsigned(_: Key, amount: number) {
      const [owner, to] = [new Uint8Array(21).fill(0x41), new Uint8Array(21).fill(0x42)] as const;
      to[0] = 0x41;
      const value = concatBytes(
        encodeBytesField(1, owner),
        encodeBytesField(2, to),
        Uint8Array.of(3 << 3, amount),
      );
      const url = encodeUtf8("type.googleapis.com/protocol.TransferContract");
      const parameter = concatBytes(encodeBytesField(1, url), encodeBytesField(2, value));
      const contract = concatBytes(Uint8Array.of(1 << 3, 1), encodeBytesField(2, parameter));
      return concatBytes(
        encodeBytesField(1, new Uint8Array(2)),
        encodeBytesField(4, new Uint8Array(8)),
        Uint8Array.of(8 << 3, 1),
        encodeBytesField(11, contract),
      );
    },
    sign({ privateKey }: Key, unsigned: Uint8Array) {
      const transaction = decodeTronTransaction(unsigned);
      const signature = signSecp256k1(tronSigningDigest(transaction), privateKey);
      return encodeSignedTronTransaction(transaction, signature);
    },
  },
  solana: {
    curve: "CURVE_ED25519",
    unsigned({ publicKey }: Key, amount: number) {
      const from = new PublicKey(publicKey);
      const transfer = SystemProgram.transfer({
        ...{ fromPubkey: from, toPubkey: PublicKey.default, lamports: amount },
      });
      const transaction = new SolanaTransaction().add(transfer);
      transaction.feePayer = from;
      transaction.recentBlockhash = PublicKey.default.toBase58();
      return Uint8Array.from(
        transaction.serialize({ requireAllSignatures: false, verifySignatures: false }),
      );
    },
    sign({ privateKey, publicKey }: Key, unsigned: Uint8Array) {
      const transaction = decodeSolanaTransaction(unsigned);
      const signature = signEd25519(
        solanaMessage(transaction),
        importPrivateKey("CURVE_ED25519", privateKey),
      );
      return encodeSignedSolanaTransaction(transaction, publicKey, signature);
    },
  },
  "bitcoin, by ECDSA": {
    curve: "CURVE_SECP256K1",
    unsigned: ({ publicKey }: Key, amount: number) =>
      psbtOf(payments.p2wpkh({ pubkey: publicKey }).output, amount),
    sign: signPsbt,
  },
  "bitcoin, by Taproot": {
    curve: "CURVE_SECP256K1",
    unsigned({ publicKey }: Key, amount: number) {
      const internalPubkey = toXOnly(publicKey);
      return psbtOf(payments.p2tr({ internalPubkey }).output, amount);
    },
    sign: signPsbt,
  },
} satisfies Record<
  string,
  {
    curve: Curve;
    unsigned: (key: Key, amount: number) => Uint8Array;
    sign: (key: Key, unsigned: Uint8Array) => Uint8Array;
  }
>;

function psbtOf(script: Uint8Array | undefined, amount: number): Uint8Array {
  if (script === undefined) throw new Error("no script");
  const psbt = new Psbt();
  const witnessUtxo = { script, value: 10_000n };
  psbt.addInput({ hash: new Uint8Array(32).fill(7), index: 0, witnessUtxo });
  psbt.addOutput({ script, value: BigInt(amount) });
  return Uint8Array.from(psbt.toBuffer());
}

function signPsbt({ privateKey, publicKey }: Key, unsigned: Uint8Array): Uint8Array {
  const spending = decodeBitcoinSpending(unsigned);
  return signBitcoin(spending, planSigning(spending, { publicKey }), { privateKey, publicKey });
}

describe.each(Object.entries(chains))("a signed transaction of %s", (name, chain) => {
  const key = newKey(chain.curve);
  const unsigned = chain.unsigned(key, 5);
  const [word = ""] = name.split(/[ ,]/);
  const asked = {
    type: `TRANSACTION_TYPE_${word.toUpperCase()}`,
    unsignedTransaction: encodeHex(unsigned),
  };
  const signed = encodeHex(chain.sign(key, unsigned));

  test("is one of the key that was named", () => {
    expect(isSignedTransaction(asked, signed, named(key))).toBe(true);
    const prefixed = { ...asked, unsignedTransaction: `0x${asked.unsignedTransaction}` };
    expect(isSignedTransaction(prefixed, signed, named(key))).toBe(true);
  });

  test("is refused by another key, for another amount, unsigned, cut or changed", () => {
    expect(isSignedTransaction(asked, signed, named(newKey(chain.curve)))).toBe(false);
    const other = encodeHex(chain.sign(key, chain.unsigned(key, 6)));
    const last = signed.length - 2;
    const changed = [signed.length >> 1, last].map((at) => {
      const byte = Number.parseInt(signed.slice(at, at + 2), 16) ^ 1;
      return signed.slice(0, at) + byte.toString(16).padStart(2, "0") + signed.slice(at + 2);
    });
    for (const lie of [other, asked.unsignedTransaction, signed.slice(2), "", "deadbeef"]) {
      expect(isSignedTransaction(asked, lie, named(key)), lie).toBe(false);
    }
    // The last byte of a PSBT ends its map of outputs.
    for (const lie of changed) expect(isSignedTransaction(asked, lie, named(key))).toBe(false);
    expect(
      isSignedTransaction({ ...asked, type: "TRANSACTION_TYPE_TEMPO" }, signed, named(key)),
    ).toBe(false);
  });
});

describe("a signed payload", () => {
  const payload = "hello";
  const halves = (signature: Uint8Array, v = "00") => {
    const hex = encodeHex(signature);
    return { r: hex.slice(0, 64), s: hex.slice(64), v };
  };
  const recoverable = (digest: Uint8Array, { privateKey }: Key) => {
    const { r, s, recovery } = signSecp256k1(digest, privateKey);
    return halves(concatBytes(r, s), `0${recovery}`);
  };
  const text = encodeUtf8(payload);

  test.each([
    [
      "Keccak",
      "HASH_FUNCTION_KECCAK256",
      "CURVE_SECP256K1",
      (key: Key) => recoverable(keccak256(text), key),
    ],
    [
      "SHA-256",
      "HASH_FUNCTION_SHA256",
      "CURVE_SECP256K1",
      (key: Key) => recoverable(sha256(text), key),
    ],
    [
      "P-256",
      "HASH_FUNCTION_SHA256",
      "CURVE_P256",
      ({ privateKey }: Key) => halves(signP256Raw(text, privateKey)),
    ],
    [
      "Ed25519",
      "HASH_FUNCTION_NOT_APPLICABLE",
      "CURVE_ED25519",
      ({ privateKey }: Key) =>
        halves(signEd25519(text, importPrivateKey("CURVE_ED25519", privateKey))),
    ],
  ] as const)("by %s is one of this key and text", (_, hashFunction, curve, sign) => {
    const key = newKey(curve);
    const asked = { payload, encoding: "PAYLOAD_ENCODING_TEXT_UTF8", hashFunction };
    const signature = sign(key);
    expect(isSignedPayload(asked, signature, named(key))).toBe(true);
    const hex = { ...asked, payload: encodeHex(text), encoding: "PAYLOAD_ENCODING_HEXADECIMAL" };
    expect(isSignedPayload(hex, signature, named(key))).toBe(true);
    expect(isSignedPayload({ ...asked, payload: "hellO" }, signature, named(key))).toBe(false);
    expect(isSignedPayload(asked, signature, named(newKey(curve)))).toBe(false);
    expect(isSignedPayload(asked, { ...signature, r: signature.s }, named(key))).toBe(false);
    expect(isSignedPayload({ ...asked, hashFunction: "x" }, signature, named(key))).toBe(false);
    expect(isSignedPayload({ ...asked, encoding: "x" }, signature, named(key))).toBe(false);
  });

  test("by the output key of an address of Taproot is one of this key", () => {
    const key = newKey("CURVE_SECP256K1");
    const hashFunction = "HASH_FUNCTION_SHA256";
    const asked = { payload, encoding: "PAYLOAD_ENCODING_TEXT_UTF8", hashFunction };
    const signature = halves(signTaproot(sha256(text), key.privateKey));
    expect(isSignedPayload(asked, signature, named(key))).toBe(true);
    expect(isSignedPayload({ ...asked, payload: "x" }, signature, named(key))).toBe(false);
    expect(isSignedPayload(asked, signature, named(newKey(key.curve)))).toBe(false);
  });

  test("of typed data is one of what it says", () => {
    const key = newKey("CURVE_SECP256K1");
    const typed = (amount: string) =>
      JSON.stringify({
        types: {
          EIP712Domain: [{ name: "name", type: "string" }],
          Payment: [{ name: "amount", type: "uint256" }],
        },
        ...{ primaryType: "Payment", domain: { name: "shop" }, message: { amount } },
      });
    const asked = {
      ...{ payload: typed("1"), encoding: "PAYLOAD_ENCODING_EIP712" },
      hashFunction: "HASH_FUNCTION_NO_OP",
    };
    const signature = recoverable(hashTypedData(parseTypedData(asked.payload)), key);
    expect(isSignedPayload(asked, signature, named(key))).toBe(true);
    expect(isSignedPayload({ ...asked, payload: typed("2") }, signature, named(key))).toBe(false);
  });

  test("by the key of an address of Ethereum follows from the signature", () => {
    const key = newKey("CURVE_SECP256K1");
    const address = addressEncodings.ADDRESS_FORMAT_ETHEREUM.encode(key.publicKey, key.curve);
    const asked = {
      ...{ payload, encoding: "PAYLOAD_ENCODING_TEXT_UTF8" },
      hashFunction: "HASH_FUNCTION_KECCAK256",
    };
    const signature = recoverable(keccak256(text), key);
    for (const same of [address, address.toLowerCase()]) {
      expect(isSignedPayload(asked, signature, { address: same })).toBe(true);
    }
    const other = `0x${"11".repeat(20)}`;
    expect(isSignedPayload(asked, signature, { address: other })).toBe(false);
  });
});

test("an address is one of its public key only", () => {
  const [key, other] = [newKey("CURVE_ED25519"), newKey("CURVE_ED25519")];
  const address = addressEncodings.ADDRESS_FORMAT_SOLANA.encode(key.publicKey, key.curve);
  expect(isAddressOf(address, "CURVE_ED25519", key.publicKey)).toBe(true);
  expect(isAddressOf(address, "CURVE_ED25519", other.publicKey)).toBe(false);
});
