import { Psbt as OtherPsbt, Transaction } from "bitcoinjs-lib";
import * as tiny from "tiny-secp256k1";
import { describe, expect, test } from "vitest";

import { addressEncodings } from "../addresses/formats.ts";
import { encodeHex } from "../encoding/bytes.ts";
import { generatePrivateKey, publicKeyOf } from "../keys/keys.ts";
import { type Kind, spendables } from "./bitcoin.testing.ts";
import { decodeBitcoinSpending } from "./bitcoin.ts";
import { planSigning, signBitcoin } from "./bitcoin-signing.ts";
import { encodePsbt, type Psbt } from "./psbt.ts";
import { isSignedTransaction, type NamedKey } from "./signed-transaction.ts";

// A PSBT is signed if nothing of it is gone and no signature of the key is missing. The signed transactions of all chains
// are tested beside the programs that get them.

const curve = "CURVE_SECP256K1" as const;

function newKey() {
  const privateKey = generatePrivateKey(curve);
  return { privateKey, publicKey: publicKeyOf(curve, privateKey) };
}

type Key = ReturnType<typeof newKey>;

const [own, other] = [newKey(), newKey()];

/** A PSBT that spends an output of each of these keys, in the order of the wire. */
function spending(...spent: [Kind, Key][]): Uint8Array {
  const psbt = new OtherPsbt();
  for (const [index, [kind, { publicKey }]] of spent.entries()) {
    const { script, redeemScript } = spendables[kind](publicKey, publicKey);
    const witnessUtxo = { script, value: 10_000n };
    const of = redeemScript && { redeemScript };
    psbt.addInput({ hash: new Uint8Array(32).fill(7), index, witnessUtxo, ...of });
  }
  const { script } = spendables.p2wpkh(other.publicKey);
  return Uint8Array.from(psbt.addOutput({ script, value: 5000n }).toBuffer());
}

/** The PSBT with signatures of the key: of all inputs that it signs, or of those that are given. */
function sign(unsigned: Uint8Array, key: Key, only?: readonly number[]): Uint8Array {
  const read = decodeBitcoinSpending(unsigned);
  const plan = planSigning(read, key);
  return signBitcoin(read, { ...plan, signed: only ?? plan.signed }, key);
}

function changed(signed: Uint8Array, change: (psbt: Psbt) => Partial<Psbt>): Uint8Array {
  const { psbt } = decodeBitcoinSpending(signed);
  return encodePsbt({ ...psbt, ...change(psbt) });
}

function isSigned(unsigned: Uint8Array, signed: Uint8Array, key: NamedKey = { curve, ...own }) {
  const type = "TRANSACTION_TYPE_BITCOIN";
  return isSignedTransaction(
    { type, unsignedTransaction: encodeHex(unsigned) },
    encodeHex(signed),
    key,
  );
}

const address = (form: "P2WPKH" | "P2TR", { publicKey }: Key) =>
  addressEncodings[`ADDRESS_FORMAT_BITCOIN_MAINNET_${form}`].encode(publicKey, curve);

describe.each(["p2wpkh", "p2tr"] as const)("a PSBT with inputs of %s", (kind) => {
  const unsigned = spending([kind, own], [kind, own], [kind, other]);

  test("is not signed if it lacks one of the signatures of the key", () => {
    expect(isSigned(unsigned, sign(unsigned, own))).toBe(true);
    for (const only of [[], [0], [1]]) {
      expect(isSigned(unsigned, sign(unsigned, own, only)), `${only}`).toBe(false);
    }
  });

  test("is not signed if an earlier signature is gone, of the key or of somebody else", () => {
    const [half, byOther] = [sign(unsigned, own, [0]), sign(unsigned, other)];
    expect(isSigned(half, sign(half, own))).toBe(true);
    expect(isSigned(half, sign(unsigned, own, [1]))).toBe(false);
    expect(isSigned(byOther, sign(byOther, own))).toBe(true);
    expect(isSigned(byOther, sign(unsigned, own))).toBe(false);
    // Nor if somebody's, who was not asked, was added.
    expect(isSigned(unsigned, sign(byOther, own))).toBe(false);
  });

  test("is not signed if another field of any map is gone, is another one, or was added", () => {
    const signed = sign(unsigned, own);
    const added = { type: 0x77, keyData: new Uint8Array(1), value: new Uint8Array(2) };
    const lies = [
      changed(signed, ({ global }) => ({ global: [...global, added] })),
      changed(signed, ({ outputs: [first = []] }) => ({ outputs: [[...first, added]] })),
      changed(signed, ({ inputs }) => ({ inputs: inputs.with(2, [...(inputs[2] ?? []), added]) })),
    ];
    for (const lie of lies) {
      expect(isSigned(unsigned, lie)).toBe(false);
      expect(isSigned(lie, signed)).toBe(false);
      expect(isSigned(lie, lie)).toBe(true); // asked for with its signatures, and signed again
    }
    expect(
      isSigned(
        unsigned,
        changed(signed, ({ inputs }) => ({ inputs: inputs.toReversed() })),
      ),
    ).toBe(false);
  });

  test("is not signed by a key that has no input", () => {
    const stranger = newKey();
    expect(isSigned(unsigned, unsigned, { curve, ...stranger })).toBe(false);
    expect(isSigned(unsigned, sign(unsigned, own), { curve, ...stranger })).toBe(false);
  });
});

test("an address signs the inputs of its form, and an id or an address of another chain all of its key", () => {
  const unsigned = spending(["p2wpkh", own], ["p2sh-p2wpkh", own], ["p2tr", own]);
  const all = sign(unsigned, own);
  const [segwit, taproot] = [sign(unsigned, own, [0, 1]), sign(unsigned, own, [2])];
  const { ADDRESS_FORMAT_ETHEREUM: ethereum } = addressEncodings;
  const whole: NamedKey[] = [
    { curve, ...own },
    { address: ethereum.encode(own.publicKey, curve) },
    { address: crypto.randomUUID(), curve, ...own },
  ];
  for (const key of whole) {
    expect([all, segwit, taproot].map((each) => isSigned(unsigned, each, key))).toEqual([
      ...[true, false, false],
    ]);
  }
  const named = { address: address("P2WPKH", own) };
  for (const key of [named, { ...named, curve, ...own } as const]) {
    expect([all, segwit, taproot].map((each) => isSigned(unsigned, each, key))).toEqual([
      ...[false, true, false],
    ]);
  }
  const byTaproot = { address: address("P2TR", own), curve, ...own } as const;
  expect([all, segwit, taproot].map((each) => isSigned(unsigned, each, byTaproot))).toEqual([
    ...[false, false, true],
  ]);
});

test("the flags of a PSBT of version 2 are those of a signed one, and no other", () => {
  const before = decodeBitcoinSpending(spending(["p2wpkh", own])).psbt;
  const [input] = before.transaction.inputs;
  const [output] = before.transaction.outputs;
  if (!input || !output) throw new Error("no input, or no output");
  const field = (type: number, ...value: number[]) => {
    return { type, keyData: new Uint8Array(0), value: Uint8Array.from(value) };
  };
  const modifiable = (flags: number): Psbt => ({
    ...before,
    global: [
      ...[field(2, 2, 0, 0, 0), field(4, 1), field(5, 1)],
      ...[field(6, flags), field(0xfb, 2, 0, 0, 0)],
    ],
    inputs: [[...(before.inputs[0] ?? []), field(0x0e, ...input.txid), field(0x0f, 0, 0, 0, 0)]],
    outputs: [[field(3, 0x88, 0x13, 0, 0, 0, 0, 0, 0), field(4, ...output.script)]],
  });
  const unsigned = encodePsbt(modifiable(3));
  const signed = sign(unsigned, own);
  expect(isSigned(unsigned, signed)).toBe(true);
  const open = changed(signed, () => ({ global: modifiable(3).global }));
  expect(isSigned(unsigned, open)).toBe(false);
});

test("a PSBT with the signatures that bitcoinjs-lib adds is signed", () => {
  const unsigned = spending(["p2wpkh", own], ["p2wpkh", own]);
  const { privateKey, publicKey } = own;
  const psbt = OtherPsbt.fromBuffer(unsigned);
  const sign = (digest: Uint8Array) => tiny.sign(digest, privateKey);
  psbt.signAllInputs({ publicKey, sign });
  expect(psbt.data.inputs[0]?.partialSig?.[0]?.signature.at(-1)).toBe(Transaction.SIGHASH_ALL);
  expect(isSigned(unsigned, Uint8Array.from(psbt.toBuffer()))).toBe(true);
});
