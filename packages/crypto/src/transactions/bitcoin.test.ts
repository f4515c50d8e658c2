import { Psbt as OtherPsbt, Transaction, toXOnly } from "bitcoinjs-lib";
import fc from "fast-check";
import * as tiny from "tiny-secp256k1";
import { describe, expect, test } from "vitest";

import { sha256 } from "#primitives";
import { decodeHex, encodeHex } from "../encoding/bytes.ts";
import { decodeDerSignature } from "../encoding/der.ts";
import { publicKeyOf } from "../keys/keys.ts";
import vectors from "../vectors/bitcoin.json" with { type: "json" };
import {
  type Field,
  fieldsOf,
  isLegacy,
  type Kind,
  key,
  kinds,
  type Sample,
  type SampleInput,
  sampleOf,
  spendables,
  transactionOf,
  uint32,
  uint64,
  writePsbt,
} from "./bitcoin.testing.ts";
import { type BitcoinSpending, decodeBitcoinSpending } from "./bitcoin.ts";
import { sharedHashes, spentHashes, taprootSighash } from "./bitcoin-sighash.ts";
import { type BitcoinSigner, planSigning, provenFee, signBitcoin } from "./bitcoin-signing.ts";
import { decodeUnsignedTransaction, displayedTxid } from "./bitcoin-transaction.ts";
import { MalformedError } from "./malformed.ts";
import { decodePsbt, encodePsbt, type PsbtMap } from "./psbt.ts";
import { fuzz } from "./solana-fuzz.testing.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const numRuns = isLong ? 5_000 : 100;
const fuzzMs = isLong ? 600_000 : 2_000;
const timeout = isLong ? 1_200_000 : 60_000;

const CURVE = "CURVE_SECP256K1";

describe("published vectors", () => {
  // What no transaction of the network can be, though a PSBT that is still built may be it.
  const unfinished = /0 inputs/;

  test.each(vectors.valid)("valid: $name", ({ name, hex }) => {
    if (unfinished.test(name)) {
      expect(() => decodePsbt(decodeHex(hex))).toThrow("the transaction has no input");
    } else {
      expect(encodeHex(encodePsbt(decodePsbt(decodeHex(hex))))).toBe(hex);
    }
  });

  test.each(vectors.invalid)("invalid: $name", ({ hex }) => {
    expect(() => decodePsbt(decodeHex(hex))).toThrow(MalformedError);
  });

  test.each(vectors.notSignable.slice(1))("not to be signed: $name", ({ hex }) => {
    expect(() => decodeBitcoinSpending(decodeHex(hex))).toThrow(/is not that of its output/);
  });

  test.each(vectors.locktimes)("locktime $locktime", ({ locktime, hex }) => {
    if (locktime === null) {
      expect(() => decodePsbt(decodeHex(hex))).toThrow(/one input requires a locktime in blocks/);
    } else {
      expect(decodePsbt(decodeHex(hex)).transaction.locktime).toBe(locktime);
    }
  });

  test.each(vectors.signer)("the signers of BIP-174", ({ keys, unsigned, signed }) => {
    let psbt = decodeHex(unsigned);
    for (const privateKey of keys) psbt = sign(psbt, decodeHex(privateKey));
    expect(fieldsIn(psbt)).toEqual(fieldsIn(decodeHex(signed)));
  });

  test("a signature of Taproot commits to the digest of BIP-341", () => {
    const { unsignedTransaction, spent, sighashes } = vectors.taproot;
    const transaction = decodeUnsignedTransaction(decodeHex(unsignedTransaction), "vector");
    const outputs = spent.map(({ amount, script }) => {
      return { amount: BigInt(amount), script: decodeHex(script) };
    });
    for (const { input, sigHash } of sighashes) {
      const committed = { input, spent: spentHashes(outputs) };
      const digest = taprootSighash(transaction, sharedHashes(transaction), committed);
      expect(encodeHex(digest)).toBe(sigHash);
    }
    expect(sighashes.length).toBeGreaterThan(0);
  });

  test("the signature of BIP-143", () => {
    const { unsignedTransaction, script, amount, redeemScript, privateKey, signature } =
      vectors.witness;
    const unsigned = Transaction.fromHex(unsignedTransaction);
    const psbt = new OtherPsbt();
    psbt.setVersion(unsigned.version).setLocktime(unsigned.locktime);
    for (const { hash, index, sequence } of unsigned.ins) {
      const witnessUtxo = { script: decodeHex(script), value: BigInt(amount) };
      const redeem = { redeemScript: decodeHex(redeemScript) };
      psbt.addInput({ hash, index, sequence, witnessUtxo, ...redeem });
    }
    for (const { script, value } of unsigned.outs) psbt.addOutput({ script, value });
    const signed = sign(psbt.toBuffer(), decodeHex(privateKey));
    const [field] = OtherPsbt.fromBuffer(signed).data.inputs[0]?.partialSig ?? [];
    expect(encodeHex(field?.signature ?? new Uint8Array())).toBe(signature);
  });
});

function planOf(spending: BitcoinSpending, signer: BitcoinSigner) {
  return planSigning(spending, signer);
}

function sign(psbt: Uint8Array, privateKey: Uint8Array, form?: BitcoinSigner["form"]): Uint8Array {
  const publicKey = publicKeyOf(CURVE, privateKey);
  const spending = decodeBitcoinSpending(psbt);
  return signBitcoin(spending, planOf(spending, { publicKey, form }), { publicKey, privateKey });
}

function feeOf(psbt: Uint8Array, publicKey: Uint8Array): bigint | undefined {
  const spending = decodeBitcoinSpending(psbt);
  return provenFee(spending, planOf(spending, { publicKey }));
}

/** The fields of all maps in an order of their own. */
function fieldsIn(bytes: Uint8Array): string[][] {
  const { global, inputs, outputs } = decodePsbt(bytes);
  return [global, ...inputs, ...outputs].map((map: PsbtMap) =>
    map
      .map(({ type, keyData, value }) => `${type} ${encodeHex(keyData)} ${encodeHex(value)}`)
      .sort(),
  );
}

/** The digest by other software. */
function digestOf({ inputs, ...sample }: Sample, i: number): Uint8Array {
  const transaction = transactionOf({ inputs, ...sample });
  const { kind, script, redeemScript, witnessScript, amount } = inputs[i] as SampleInput;
  if (kind === "p2tr") {
    const scripts = inputs.map((input) => input.script);
    const amounts = inputs.map((input) => input.amount);
    return transaction.hashForWitnessV1(i, scripts, amounts, Transaction.SIGHASH_DEFAULT);
  }
  if (isLegacy(kind)) {
    return transaction.hashForSignature(i, redeemScript ?? script, Transaction.SIGHASH_ALL);
  }
  const program = redeemScript ?? script;
  const pkh = Uint8Array.of(0x76, 0xa9, 20, ...program.subarray(2), 0x88, 0xac);
  const code = witnessScript ?? pkh;
  return transaction.hashForWitnessV0(i, code, amount, Transaction.SIGHASH_ALL);
}

test("every input of the key is signed, and other software verifies it", { timeout }, () => {
  fc.assert(
    fc.property(sampleOf(), (sample) => {
      const signed = sign(writePsbt(sample), sample.privateKey);
      const { data } = OtherPsbt.fromBuffer(signed);
      sample.inputs.forEach(({ isOwn, kind, script }, i) => {
        const { partialSig = [], tapKeySig } = data.inputs[i] ?? {};
        expect(partialSig.length).toBe(isOwn && kind !== "p2tr" ? 1 : 0);
        expect(tapKeySig !== undefined).toBe(isOwn && kind === "p2tr");
        const digest = digestOf(sample, i);
        if (tapKeySig) expect(tiny.verifySchnorr(digest, script.slice(2), tapKeySig)).toBe(true);
        for (const { pubkey, signature } of partialSig) {
          expect(encodeHex(pubkey)).toBe(encodeHex(sample.publicKey));
          expect(signature.at(-1)).toBe(Transaction.SIGHASH_ALL);
          const raw = decodeDerSignature(signature.slice(0, -1));
          expect(tiny.verify(digest, pubkey, raw, true)).toBe(true);
          expect(encodeHex(raw)).toBe(encodeHex(tiny.sign(digest, sample.privateKey)));
        }
      });
    }),
    { numRuns },
  );
});

test("nothing but signatures is added, in both versions, and signing again changes nothing", {
  timeout,
}, () => {
  fc.assert(
    fc.property(sampleOf(), (sample) => {
      const added = ([0, 2] as const).map((version) => {
        const unsigned = writePsbt(sample, version);
        const signed = sign(unsigned, sample.privateKey);
        expect(encodeHex(sign(signed, sample.privateKey))).toBe(encodeHex(signed));
        const before = fieldsIn(unsigned);
        const after = fieldsIn(signed);
        const kept = after.map((fields, i) => fields.filter((field) => before[i]?.includes(field)));
        expect(kept).toEqual(before);
        return after.map((fields, i) => fields.filter((field) => !before[i]?.includes(field)));
      });
      expect(added[1]).toEqual(added[0]);
    }),
    { numRuns },
  );
});

test("the fee is what the inputs have more than the outputs, if signatures prove it", {
  timeout,
}, () => {
  fc.assert(
    fc.property(sampleOf(), (sample) => {
      const { inputs, outputs } = sample;
      const sum = (list: readonly { amount: bigint }[]) =>
        list.reduce((total, { amount }) => total + amount, 0n);
      const claimed = inputs.filter(({ tells }) => tells === "output");
      const isProven = inputs.every(
        (input) => !input.isOwn || input.kind === "p2tr" || claimed.every((each) => each === input),
      );
      const fee = feeOf(writePsbt(sample), sample.publicKey);
      expect(fee).toBe(isProven ? sum(inputs) - sum(outputs) : undefined);
    }),
    { numRuns: numRuns * 3 },
  );
});

/** A fixed sample of these kinds, all of the key. */
function sampleWith(kindsOfInputs: Kind[], change: Partial<SampleInput> = {}): Sample {
  const privateKey = new Uint8Array(32).fill(7);
  const publicKey = publicKeyOf(CURVE, privateKey);
  const other = publicKeyOf(CURVE, new Uint8Array(32).fill(8));
  const inputs = kindsOfInputs.map((kind, i) => {
    const spendable = spendables[kind](publicKey, other);
    const made = new Transaction();
    made.addInput(new Uint8Array(32).fill(i + 1), 0);
    made.addOutput(spendable.script, 100_000n);
    const tells = isLegacy(kind) ? ("earlier" as const) : ("output" as const);
    const place = { earlier: made.toBuffer(), txid: made.getHash(), vout: 0, sequence: 0xffffffff };
    return { kind, isOwn: true, amount: 100_000n, tells, ...place, ...spendable, ...change };
  });
  const { script } = spendables.p2wpkh(other);
  return {
    privateKey,
    publicKey,
    version: 2,
    locktime: 0,
    inputs,
    outputs: [{ script, amount: 90_000n }],
  };
}

/** Writes the PSBT with other fields of its first input. */
function withFields(sample: Sample, change: (fields: Field[]) => Field[], version: 0 | 2 = 0) {
  const fields = sample.inputs.map((input, i) => {
    const own = fieldsOf(input);
    return i === 0 ? change(own) : own;
  });
  return writePsbt(sample, version, fields);
}

const without = (type: number) => (fields: Field[]) => fields.filter(([k]) => k[0] !== type);
const adding =
  (...added: Field[]) =>
  (fields: Field[]) => [...fields, ...added];

describe("an input that cannot be signed safely is refused by its number", () => {
  const { publicKey } = sampleWith([]);
  const other = publicKeyOf(CURVE, new Uint8Array(32).fill(9));
  const output = (script: Uint8Array, amount: bigint): Field => [
    key(0x01),
    Uint8Array.of(...uint64(amount), script.length, ...script),
  ];
  const cases: [string, () => Uint8Array, string | RegExp][] = [
    [
      "an input before SegWit of which only the output is given",
      () => writePsbt(sampleWith(["p2pkh"], { tells: "output" })),
      "input 0 is not SegWit, so its signature would not commit to the amount",
    ],
    [
      "another earlier transaction",
      () => {
        const [input] = sampleWith(["p2wpkh", "p2pkh"]).inputs.slice(1);
        const earlier = input?.earlier ?? new Uint8Array();
        return withFields(sampleWith(["p2pkh"]), (fields) => [
          ...without(0)(fields),
          [key(0), earlier],
        ]);
      },
      /^the non-witness UTXO of input 0 is transaction [0-9a-f]{64}, but the input spends [0-9a-f]{64}$/,
    ],
    [
      "an output index that the earlier transaction does not have",
      () => writePsbt(sampleWith(["p2pkh"], { vout: 1 })),
      "input 0 spends output 1 of a transaction that has 1, counted from 0",
    ],
    [
      "another amount than that of the earlier transaction",
      () => writePsbt(sampleWith(["p2wpkh"], { tells: "both", amount: 100_001n })),
      "the witness UTXO of input 0 is not the output that its non-witness UTXO has",
    ],
    [
      "outputs that have more than the inputs",
      () => {
        const sample = sampleWith(["p2wpkh"]);
        const { script } = spendables.p2wpkh(other);
        return writePsbt({ ...sample, outputs: [{ script, amount: 100_001n }] });
      },
      "the outputs have 100001 satoshi, but the inputs only 100000",
    ],
    [
      "another sighash type",
      () => withFields(sampleWith(["p2wpkh"]), adding([key(0x03), uint32(0x83)])),
      "input 0 asks for sighash type 131, but it can only be signed with SIGHASH_ALL (1)",
    ],
    [
      "the sighash type of ECDSA on Taproot",
      () => withFields(sampleWith(["p2tr"]), adding([key(0x03), uint32(1)])),
      "input 0 asks for sighash type 1, but it can only be signed with SIGHASH_DEFAULT (0)",
    ],
    [
      "the sighash type of Taproot on ECDSA",
      () => withFields(sampleWith(["p2pkh"]), adding([key(0x03), uint32(0)])),
      "input 0 asks for sighash type 0",
    ],
    [
      "Taproot beside an input without a UTXO",
      () => {
        const sample = sampleWith(["p2tr", "p2wpkh"]);
        return writePsbt(sample, 0, [fieldsOf(sample.inputs[0] as SampleInput), []]);
      },
      "input 0 is Taproot, so its signature commits to what all inputs spend, but input 1 has no UTXO",
    ],
    [
      "no redeem script",
      () => withFields(sampleWith(["p2sh-p2wpkh"]), without(0x04)),
      /^input 0 belongs to the key, but it has no redeem script: set it to 0014[0-9a-f]{40}$/,
    ],
    [
      "no witness script",
      () => withFields(sampleWith(["p2wsh"]), without(0x05)),
      /^input 0 belongs to the key, but it has no witness script: set it to 21[0-9a-f]{66}ac$/,
    ],
    [
      "a redeem script of another output",
      () =>
        withFields(sampleWith(["p2sh-p2wpkh"]), (fields) => [
          ...without(0x04)(fields),
          [key(0x04), spendables.p2wpkh(other).script],
        ]),
      "the redeem script of input 0 is not that of its output",
    ],
    [
      "a witness script of another output",
      () =>
        withFields(sampleWith(["p2wsh"]), (fields) => [
          ...without(0x05)(fields),
          [key(0x05), spendables.p2pk(other).script],
        ]),
      "the witness script of input 0 is not that of its output",
    ],
    [
      "a redeem script where none belongs",
      () => withFields(sampleWith(["p2wpkh"]), adding([key(0x04), publicKey])),
      "input 0 has a redeem script, but does not spend from P2SH",
    ],
    [
      "a witness script where none belongs",
      () => withFields(sampleWith(["p2wpkh"]), adding([key(0x05), publicKey])),
      "input 0 has a witness script, but does not spend from P2WSH",
    ],
    [
      "an internal key of another output",
      () =>
        withFields(sampleWith(["p2tr"]), (fields) => [
          ...without(0x17)(fields),
          [key(0x17), toXOnly(other)],
        ]),
      "input 0 has a Taproot internal key or merkle root that does not belong to its output",
    ],
    [
      "a merkle root",
      () => withFields(sampleWith(["p2tr"]), adding([key(0x18), new Uint8Array(32)])),
      "input 0 has a Taproot internal key or merkle root",
    ],
    [
      "a Taproot output with a script tree",
      () =>
        withFields(sampleWith(["p2tr", "p2wpkh"]), (fields) => [
          output(spendables.p2tr(other).script, 100_000n),
          ...without(0x01)(fields),
        ]),
      "input 0 names the key as its Taproot internal key, but its output has another output key",
    ],
    [
      "a script that changes what later signatures commit to",
      () => {
        const witnessScript = Uint8Array.of(0xab, 33, ...publicKey, 0xac);
        return separatorSpend(witnessScript);
      },
      "input 0 has a script with OP_CODESEPARATOR, which cannot be signed",
    ],
    [
      "one output twice",
      () => {
        const sample = sampleWith(["p2wpkh"]);
        return writePsbt({ ...sample, inputs: [...sample.inputs, ...sample.inputs] });
      },
      "input 1 spends the output of another",
    ],
    [
      "no output",
      () => writePsbt({ ...sampleWith(["p2wpkh"]), outputs: [] }),
      "the transaction has no output",
    ],
    [
      "more bitcoin than can exist",
      () => {
        const sample = sampleWith(["p2wpkh"]);
        const script = new Uint8Array(0);
        return writePsbt({ ...sample, outputs: [{ script, amount: 2_100_000_000_000_001n }] }, 2);
      },
      "output 0: more bitcoin than can exist",
    ],
    [
      "the network's transaction instead of a PSBT",
      () => transactionOf(sampleWith(["p2wpkh"])).toBuffer(),
      "not a PSBT, which begins with 70736274ff",
    ],
    [
      "bytes after the end",
      () => Uint8Array.of(...writePsbt(sampleWith(["p2wpkh"])), 0),
      "PSBT: 1 byte after the end of the PSBT",
    ],
    [
      "a key that appears twice",
      () => withFields(sampleWith(["p2wpkh"]), (fields) => [...fields, ...fields]),
      "PSBT: the map of input 0 has a key twice: 01",
    ],
    [
      "a length with needless bytes",
      () => {
        const bytes = writePsbt(sampleWith(["p2wpkh"]));
        const length = bytes[7] as number; // of the unsigned transaction
        return Uint8Array.of(...bytes.subarray(0, 7), 0xfd, length, 0, ...bytes.subarray(8));
      },
      "is written with needless bytes",
    ],
  ];

  function separatorSpend(witnessScript: Uint8Array): Uint8Array {
    const sample = sampleWith(["p2wsh"]);
    const script = Uint8Array.of(0, 32, ...sha256(witnessScript));
    const [input] = sample.inputs;
    return writePsbt({ ...sample, inputs: [{ ...(input as SampleInput), script, witnessScript }] });
  }

  test.each(cases)("%s", (_name, psbt, problem) => {
    const { privateKey } = sampleWith([]);
    let message = "signed";
    try {
      sign(psbt(), privateKey);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedError);
      message = error instanceof Error ? error.message : "";
    }
    if (typeof problem === "string") expect(message).toContain(problem);
    else expect(message).toMatch(problem);
  });
});

describe("which inputs are meant", () => {
  const all: Kind[] = ["p2pkh", "p2sh-p2wpkh", "p2wpkh", "p2wsh", "p2tr", "p2wsh-p2pkh"];
  const meant = (form: BitcoinSigner["form"]) => {
    const sample = sampleWith(all);
    const spending = decodeBitcoinSpending(writePsbt(sample));
    return planSigning(spending, { publicKey: sample.publicKey, form });
  };

  test.each([
    [undefined, [0, 1, 2, 3, 4, 5]],
    ["P2PKH", [0, 5]],
    // Their signatures are good for each other's outputs.
    ["P2SH", [1, 2, 5]],
    ["P2WPKH", [1, 2, 5]],
    ["P2WSH", [3, 5]],
    ["P2TR", [4]],
  ] as const)("%s", (form, expected) => {
    expect(meant(form).signed).toEqual(expected);
  });

  test("the reasons why others are not signed", () => {
    expect(meant("P2TR").others).toContain("input 0 belongs to the key's P2PKH address");
    const sample = sampleWith(["p2wpkh", "p2wpkh", "p2sh-multisig"]);
    const fields = sample.inputs.map(fieldsOf);
    const finalized: Field[] = [...(fields[0] ?? []), [key(0x08), Uint8Array.of(0)]];
    const psbt = writePsbt(sample, 0, [finalized, [], without(0x04)(fields[2] ?? [])]);
    const { publicKey } = sample;
    expect(planSigning(decodeBitcoinSpending(psbt), { publicKey })).toEqual({
      signed: [],
      others: [
        "input 0 is already finalized",
        "input 1 has no UTXO, so what it spends is unknown",
        "input 2 has no redeem script",
      ],
    });
    const stranger = { publicKey: publicKeyOf(CURVE, new Uint8Array(32).fill(3)) };
    const spending = decodeBitcoinSpending(writePsbt(sampleWith(["p2wpkh"])));
    expect(planSigning(spending, stranger).others).toEqual(["input 0 belongs to another key"]);
  });

  test.each([
    ["p2wpkh", 500],
    ["p2tr", 100],
  ] as const)("%s: at most %i inputs are signed at once", (kind, most) => {
    for (const length of [most, most + 1]) {
      const sample = sampleWith(Array.from({ length }, () => kind));
      const inputs = sample.inputs.map((input, i) => ({ ...input, vout: i }));
      const spending = decodeBitcoinSpending(writePsbt({ ...sample, inputs }));
      const plan = () => planSigning(spending, sample);
      if (length === most) expect(plan().signed).toHaveLength(most);
      else expect(plan).toThrow(`${length} inputs belong to the key`);
    }
  });
});

test("fields that nobody knows and signatures of others stay as they are", () => {
  const sample = sampleWith(["p2wsh-p2pkh"]);
  const other = publicKeyOf(CURVE, new Uint8Array(32).fill(9));
  const theirs: Field = [key(0x02, other), decodeHex("3006020101020101")];
  const unknown: Field = [key(0xf0, Uint8Array.of(1, 2)), Uint8Array.of(3)];
  const proprietary: Field = [key(0xfc, Uint8Array.of(1, 65, 0)), new Uint8Array(0)];
  for (const version of [0, 2] as const) {
    const unsigned = withFields(sample, adding(theirs, unknown, proprietary), version);
    const [, input] = fieldsIn(sign(unsigned, sample.privateKey));
    expect(input).toEqual(expect.arrayContaining(fieldsIn(unsigned)[1] as string[]));
    expect(input).toHaveLength((fieldsIn(unsigned)[1]?.length ?? 0) + 1);
  }
});

test("a PSBT may have as many fields and outputs as fit into a request", () => {
  const sample = sampleWith(["p2wpkh"]);
  const unknown = Array.from({ length: 20_000 }, (_, i): Field => {
    return [key(0xf0, Uint8Array.of(i, i >> 8)), new Uint8Array(0)];
  });
  const output = { script: new Uint8Array(0), amount: 1n };
  const outputs = Array.from({ length: 14_000 }, () => output);
  for (const unsigned of [
    withFields(sample, adding(...unknown)),
    writePsbt({ ...sample, outputs }),
  ]) {
    expect(unsigned.length).toBeLessThan(131_072 + 20_000);
    expect(sign(unsigned, sample.privateKey).length).toBeGreaterThan(unsigned.length);
  }
});

test("after a signature, nobody may add inputs or outputs", () => {
  const [, two] = [0, 2] as const;
  const sample = sampleWith(["p2wpkh"]);
  const psbt = decodePsbt(writePsbt(sample, two));
  const flags = { type: 0x06, keyData: new Uint8Array(0), value: Uint8Array.of(0b1111) };
  const open = encodePsbt({ ...psbt, global: [...psbt.global, flags] });
  const { global } = decodePsbt(sign(open, sample.privateKey));
  expect(global.find(({ type }) => type === 0x06)?.value).toEqual(Uint8Array.of(0b1100));
});

test("two requests that lie about one amount each do not show a fee", () => {
  // Both signatures would be good together: each commits to the amount of its own input alone.
  const sample = sampleWith(["p2wpkh", "p2wpkh"]);
  const lying = (liar: number) =>
    writePsbt({
      ...sample,
      inputs: sample.inputs.map((input, i) => {
        const amount = i === liar ? 1_000n : 100_000n;
        return { ...input, amount, vout: i };
      }),
    });
  for (const psbt of [lying(0), lying(1)]) expect(feeOf(psbt, sample.publicKey)).toBeUndefined();
});

test("bytes that change are refused or read as other software reads them", { timeout }, () => {
  const samples = fc.sample(sampleOf(), 40);
  const { privateKey } = sampleWith([]);
  const parts = [
    ...samples.map((sample) => writePsbt(sample)),
    ...samples.map((sample) => writePsbt(sample, 2)),
    ...samples.map((sample) => sign(writePsbt(sample), sample.privateKey)),
    ...kinds.map((kind) => writePsbt(sampleWith([kind]))),
    ...kinds.map((kind) => writePsbt(sampleWith([kind, "p2tr"]), 2)),
    ...vectors.valid.map(({ hex }) => decodeHex(hex)),
  ];
  const outcomes = { read: 0, refused: 0, signed: 0 };
  const judge = (bytes: Uint8Array) => {
    let spending: BitcoinSpending;
    try {
      spending = decodeBitcoinSpending(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedError);
      outcomes.refused++;
      return;
    }
    outcomes.read++;
    const { psbt } = spending;
    expect(encodeHex(encodePsbt(psbt))).toBe(encodeHex(bytes));
    if (psbt.version === 0) expectSameTransaction(bytes, spending);
    try {
      expectOnlySignatures(bytes, sign(bytes, privateKey));
      outcomes.signed++;
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedError);
    }
  };
  fuzz(parts, judge, fuzzMs);
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(20);
});

/** The unsigned transaction as other software reads it. */
function expectSameTransaction(bytes: Uint8Array, { psbt }: BitcoinSpending): void {
  const unsigned = psbt.global.find(({ type }) => type === 0)?.value ?? bytes;
  const other = Transaction.fromBuffer(unsigned);
  const { transaction } = psbt;
  expect(transaction.version).toBe(other.version >>> 0);
  expect(transaction.locktime).toBe(other.locktime);
  expect(
    transaction.inputs.map(({ txid, vout, sequence }) => [encodeHex(txid), vout, sequence]),
  ).toEqual(other.ins.map(({ hash, index, sequence }) => [encodeHex(hash), index, sequence]));
  expect(transaction.outputs.map(({ amount, script }) => [amount, encodeHex(script)])).toEqual(
    other.outs.map(({ value, script }) => [value, encodeHex(script)]),
  );
  expect(displayedTxid(transaction.inputs[0]?.txid ?? bytes)).toHaveLength(64);
}

function expectOnlySignatures(before: Uint8Array, after: Uint8Array): void {
  const signatures = /^(2 02|2 03|19 |6 )/;
  const rest = (bytes: Uint8Array) =>
    fieldsIn(bytes).map((fields) => fields.filter((field) => !signatures.test(field)));
  expect(rest(after)).toEqual(rest(before));
}
