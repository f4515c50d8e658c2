import { initEccLib, payments, Transaction, toXOnly } from "bitcoinjs-lib";
import fc from "fast-check";
import * as tiny from "tiny-secp256k1";

import { concatBytes } from "../encoding/bytes.ts";
import { publicKeyOf } from "../keys/keys.ts";

// Spends of random outputs, as PSBTs that bitcoinjs-lib and a writer of our own make.

initEccLib(tiny);

const CURVE = "CURVE_SECP256K1";

/** An output that a key can spend alone, and what a PSBT has to tell about it. */
export type Spendable = {
  script: Uint8Array;
  redeemScript?: Uint8Array;
  witnessScript?: Uint8Array;
  internalKey?: Uint8Array;
};

type Payment = ReturnType<typeof payments.p2pkh>;

/** Each kind of output, of a key and of another one that only takes part. */
export const spendables = {
  p2pkh: (pubkey: Uint8Array) => spendableOf(payments.p2pkh({ pubkey })),
  p2pk: (pubkey: Uint8Array) => spendableOf(payments.p2pk({ pubkey })),
  "p2sh-p2wpkh": (pubkey: Uint8Array) =>
    spendableOf(payments.p2sh({ redeem: payments.p2wpkh({ pubkey }) })),
  "p2sh-p2pkh": (pubkey: Uint8Array) =>
    spendableOf(payments.p2sh({ redeem: payments.p2pkh({ pubkey }) })),
  "p2sh-multisig": (pubkey: Uint8Array, other: Uint8Array) =>
    spendableOf(payments.p2sh({ redeem: payments.p2ms({ m: 1, pubkeys: [other, pubkey] }) })),
  "p2sh-p2wsh-multisig": (pubkey: Uint8Array, other: Uint8Array) =>
    spendableOf(
      payments.p2sh({
        redeem: payments.p2wsh({ redeem: payments.p2ms({ m: 1, pubkeys: [pubkey, other] }) }),
      }),
    ),
  p2wpkh: (pubkey: Uint8Array) => spendableOf(payments.p2wpkh({ pubkey })),
  p2wsh: (pubkey: Uint8Array) => spendableOf(payments.p2wsh({ redeem: payments.p2pk({ pubkey }) })),
  "p2wsh-p2pkh": (pubkey: Uint8Array) =>
    spendableOf(payments.p2wsh({ redeem: payments.p2pkh({ pubkey }) })),
  p2tr: (pubkey: Uint8Array) => {
    const internalKey = toXOnly(pubkey);
    return { ...spendableOf(payments.p2tr({ internalPubkey: internalKey })), internalKey };
  },
} satisfies { [kind: string]: (pubkey: Uint8Array, other: Uint8Array) => Spendable };

export type Kind = keyof typeof spendables;

export const kinds = Object.keys(spendables) as Kind[]; // its own keys

function spendableOf(payment: Payment): Spendable {
  const { output, redeem } = payment;
  if (!output) throw new Error("no output");
  const isWitness = output[0] === 0;
  const nested = redeem?.redeem?.output;
  const witnessScript = nested ?? (isWitness ? redeem?.output : undefined);
  const redeemScript = isWitness ? undefined : redeem?.output;
  return {
    script: output,
    ...(redeemScript && { redeemScript }),
    ...(witnessScript && { witnessScript }),
  };
}

export type SampleInput = Spendable & {
  kind: Kind;
  isOwn: boolean;
  amount: bigint;
  /** The transaction that made the output. */
  earlier: Uint8Array;
  txid: Uint8Array;
  vout: number;
  sequence: number;
  /** What the PSBT tells. */
  tells: "earlier" | "output" | "both";
};

export type Sample = {
  privateKey: Uint8Array;
  publicKey: Uint8Array;
  version: number;
  locktime: number;
  inputs: SampleInput[];
  outputs: { script: Uint8Array; amount: bigint }[];
};

const privateKeys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((key) => tiny.isPrivate(key));

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

const inputChoice = fc.record({
  kind: fc.constantFrom(...kinds),
  isOwn: fc.boolean(),
  amount: fc.bigInt(1_000n, 10n ** 10n),
  before: fc.nat({ max: 2 }),
  isSigned: fc.boolean(),
  tells: fc.constantFrom("earlier" as const, "output" as const, "both" as const),
  sequence: fc.constantFrom(0xffffffff, 0xfffffffe, 0xfffffffd, 0, 144),
  nonce: bytes32,
});

/** A transaction that spends at least one output of the key. */
export const sampleOf = (own: readonly Kind[] = kinds): fc.Arbitrary<Sample> =>
  fc
    .record({
      privateKey: privateKeys,
      otherKey: privateKeys,
      first: inputChoice,
      more: fc.array(inputChoice, { maxLength: 3 }),
      firstKind: fc.constantFrom(...own),
      outputs: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 3 }),
      version: fc.constantFrom(1, 2),
      locktime: fc.constantFrom(0, 840_000, 1_700_000_000),
    })
    .map(({ privateKey, otherKey, first, firstKind, more, version, locktime, ...rest }) => {
      const publicKey = publicKeyOf(CURVE, privateKey);
      const other = publicKeyOf(CURVE, otherKey);
      const choices = [{ ...first, kind: firstKind, isOwn: true }, ...more];
      const inputs = choices.map(({ nonce, before, isSigned, kind, isOwn, ...choice }) => {
        const keys: [Uint8Array, Uint8Array] = isOwn ? [publicKey, other] : [other, otherOf(other)];
        const spendable = spendables[kind](...keys);
        const made = new Transaction();
        made.version = 2;
        made.addInput(nonce, before);
        if (isSigned) made.setWitness(0, [nonce, publicKey]);
        for (let i = 0; i < before; i++) made.addOutput(Uint8Array.of(0x6a), BigInt(i));
        made.addOutput(spendable.script, choice.amount);
        return {
          ...choice,
          ...spendable,
          kind,
          isOwn,
          earlier: made.toBuffer(),
          txid: made.getHash(),
          vout: before,
          // Without the amount, the signature of an input before SegWit would not commit to it.
          tells: tellsOf(kind, choice.tells),
        };
      });
      const total = inputs.reduce((sum, { amount }) => sum + amount, 0n);
      const outputs = rest.outputs.map((kind) => {
        const { script } = spendables[kind](other, publicKey);
        return { script, amount: total / BigInt(rest.outputs.length + 1) };
      });
      return { privateKey, publicKey, version, locktime, inputs, outputs };
    });

function tellsOf(kind: Kind, tells: SampleInput["tells"]): SampleInput["tells"] {
  // bitcoinjs-lib reads Taproot inputs from the output alone.
  if (kind === "p2tr") return tells === "earlier" ? "both" : tells;
  return isLegacy(kind) ? "earlier" : tells;
}

export function isLegacy(kind: Kind): boolean {
  return ["p2pkh", "p2pk", "p2sh-p2pkh", "p2sh-multisig"].includes(kind);
}

/** Another key, made from one, that nobody has. */
function otherOf(publicKey: Uint8Array): Uint8Array {
  const tweaked = tiny.pointAddScalar(publicKey, new Uint8Array(32).fill(1), true);
  if (!tweaked) throw new Error("no point");
  return tweaked;
}

export type Field = [key: Uint8Array, value: Uint8Array];

/** What a PSBT tells about an input, besides which output it spends. */
export function fieldsOf(input: SampleInput): Field[] {
  const { tells, earlier, amount, script, redeemScript, witnessScript, internalKey } = input;
  const fields: Field[] = [];
  if (tells !== "output") fields.push([key(0x00), earlier]);
  if (tells !== "earlier") fields.push([key(0x01), concatBytes(uint64(amount), sized(script))]);
  if (redeemScript) fields.push([key(0x04), redeemScript]);
  if (witnessScript) fields.push([key(0x05), witnessScript]);
  if (internalKey) fields.push([key(0x17), internalKey]);
  return fields;
}

export function transactionOf({ version, locktime, inputs, outputs }: Sample): Transaction {
  const transaction = new Transaction();
  transaction.version = version;
  transaction.locktime = locktime;
  for (const { txid, vout, sequence } of inputs) transaction.addInput(txid, vout, sequence);
  for (const { script, amount } of outputs) transaction.addOutput(script, amount);
  return transaction;
}

/** Writes the sample as a PSBT, with other fields of the inputs if they are given. */
export function writePsbt(
  sample: Sample,
  version: 0 | 2 = 0,
  fields: readonly Field[][] = sample.inputs.map(fieldsOf),
): Uint8Array {
  const { inputs, outputs, locktime } = sample;
  const isOld = version === 0;
  const global: Field[] = isOld
    ? [[key(0x00), transactionOf(sample).toBuffer()]]
    : [
        [key(0x02), uint32(sample.version)],
        [key(0x03), uint32(locktime)],
        [key(0x04), Uint8Array.of(inputs.length)],
        [key(0x05), Uint8Array.of(outputs.length)],
        [key(0xfb), uint32(2)],
      ];
  return writeMaps([
    global,
    ...inputs.map(({ txid, vout, sequence }, i): Field[] => [
      ...(fields[i] ?? []),
      ...(isOld
        ? []
        : ([
            [key(0x0e), txid],
            [key(0x0f), uint32(vout)],
            [key(0x10), uint32(sequence)],
          ] satisfies Field[])),
    ]),
    ...outputs.map(({ script, amount }): Field[] =>
      isOld
        ? []
        : [
            [key(0x03), uint64(amount)],
            [key(0x04), script],
          ],
    ),
  ]);
}

function writeMaps(maps: readonly (readonly Field[])[]): Uint8Array {
  const magic = Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff);
  const written = maps.map((map) =>
    concatBytes(...map.flatMap(([k, value]) => [sized(k), sized(value)]), Uint8Array.of(0)),
  );
  return concatBytes(magic, ...written);
}

export function key(type: number, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  return concatBytes(Uint8Array.of(type), data);
}

export function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

export function uint64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

/** The bytes after their length. */
function sized(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  if (length > 0xffff) return concatBytes(Uint8Array.of(0xfe), uint32(length), bytes);
  const prefix = length < 0xfd ? [length] : [0xfd, length & 0xff, length >> 8];
  return concatBytes(Uint8Array.of(...prefix), bytes);
}
