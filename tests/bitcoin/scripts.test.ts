import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { decodeBitcoinSpending } from "@keyhearth/crypto/transactions/bitcoin";
import {
  kinds,
  type Sample,
  sampleOf,
  writePsbt,
} from "@keyhearth/crypto/transactions/bitcoin.testing";
import { planSigning, signBitcoin } from "@keyhearth/crypto/transactions/bitcoin-signing";
import { Psbt } from "bitcoinjs-lib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bitcoinlibMissing, findBitcoinlib } from "../../scripts/setup/tools.mjs";
import { isLong } from "../start/long-form.ts";

// Random spends, signed here, finished by bitcoinjs-lib, and run by the script interpreter of
// python-bitcoinlib. It knows no Taproot, which has vectors and tests beside the code.

const SCRIPT = fileURLToPath(new URL("interpreter.py", import.meta.url));
const NUM_RUNS = isLong ? 2_000 : 100;

const python = findBitcoinlib();
if (!python) console.log(`skipped: ${bitcoinlibMissing}`);

type Case = { transaction: string; spent: { script: string; amount: number }[] };

function problems(cases: Case[]): (string | null)[] {
  const input = JSON.stringify(cases);
  return JSON.parse(execFileSync(python ?? "", [SCRIPT], { input, encoding: "utf8" }));
}

const withoutTaproot = kinds.filter((kind) => kind !== "p2tr");

/** Samples of which this key can sign every input. */
const samples = fc
  .sample(
    sampleOf(withoutTaproot).map((sample) => ({
      ...sample,
      inputs: sample.inputs.filter(({ isOwn, kind }) => isOwn && kind !== "p2tr"),
    })),
    NUM_RUNS,
  )
  .filter(({ inputs, outputs }) => sumOf(inputs) >= sumOf(outputs));

function sumOf(list: readonly { amount: bigint }[]): bigint {
  return list.reduce((sum, { amount }) => sum + amount, 0n);
}

function caseOf(sample: Sample, change: (psbt: Psbt) => void = () => {}): Case {
  const { publicKey, privateKey } = sample;
  const spending = decodeBitcoinSpending(writePsbt(sample));
  const plan = planSigning(spending, { publicKey });
  const psbt = Psbt.fromBuffer(signBitcoin(spending, plan, { publicKey, privateKey }));
  change(psbt);
  const transaction = psbt.finalizeAllInputs().extractTransaction(true).toHex();
  const spent = sample.inputs.map(({ script, amount }) => {
    return { script: encodeHex(script), amount: Number(amount) };
  });
  return { transaction, spent };
}

describe.runIf(python)("scripts by another interpreter", { timeout: 600_000 }, () => {
  test("every signature satisfies its script", () => {
    expect(samples.length).toBeGreaterThan(NUM_RUNS / 4);
    const seen = new Set(samples.flatMap(({ inputs }) => inputs.map(({ kind }) => kind)));
    expect([...seen].sort()).toEqual([...withoutTaproot].sort());
    expect(problems(samples.map((sample) => caseOf(sample))).filter(Boolean)).toEqual([]);
  });

  test("the interpreter notices a signature that does not fit", () => {
    const cases = samples.slice(0, 20).map((sample) => {
      const { transaction, spent } = caseOf(sample);
      // The last byte of the locktime, to which every signature commits.
      const changed = `${transaction.slice(0, -2)}01`;
      return { transaction: changed, spent };
    });
    expect(problems(cases).filter((problem) => problem === null)).toEqual([]);
  });

  test("the interpreter notices another amount in a SegWit input", () => {
    const witness = samples.filter(({ inputs }) =>
      inputs.some(({ kind }) => /wsh|wpkh/.test(kind)),
    );
    const cases = witness.map((sample) => {
      const { transaction, spent } = caseOf(sample);
      return { transaction, spent: spent.map((each) => ({ ...each, amount: each.amount + 1 })) };
    });
    expect(cases.length).toBeGreaterThan(0);
    expect(problems(cases).filter((problem) => problem === null)).toEqual([]);
  });
});
