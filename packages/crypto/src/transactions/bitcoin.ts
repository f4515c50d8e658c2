import { sha256 } from "#primitives";
import { type PaidTo, p2pkhScript, paidTo } from "../addresses/bitcoin-script.ts";
import { hash160 } from "../addresses/hash160.ts";
import { equalBytes } from "../encoding/bytes.ts";
import {
  type BitcoinOutput,
  decodeOutput,
  decodeSignedTransaction,
  displayedTxid,
  total,
} from "./bitcoin-transaction.ts";
import { MalformedError } from "./malformed.ts";
import { decodePsbt, fieldOf, type Psbt, type PsbtMap } from "./psbt.ts";

// A PSBT with what its inputs spend. If its claims about a spent output contradict each other, it is
// refused. Only the earlier transaction proves a claim.

export type BitcoinSpending = { readonly psbt: Psbt; readonly inputs: readonly SpendingInput[] };

export type SpendingInput = {
  /** Undefined if the PSBT does not say what the input spends. */
  readonly spent: BitcoinOutput | undefined;
  /** Whether the PSBT has the transaction that made the output, so that the id proves it. */
  readonly isProven: boolean;
  readonly method: SigningMethod;
};

/** What a signature has to commit to, and which key can make it. */
export type SigningMethod =
  | {
      readonly kind: "legacy" | "witness";
      readonly paid: PaidTo | null;
      readonly script: Uint8Array;
    }
  | { readonly kind: "taproot"; readonly outputKey: Uint8Array }
  | { readonly kind: "none"; readonly paid: PaidTo | null; readonly reason: string };

/** Decodes a PSBT and what it spends. Throws a MalformedError. */
export function decodeBitcoinSpending(bytes: Uint8Array): BitcoinSpending {
  const psbt = decodePsbt(bytes);
  const inputs = psbt.inputs.map((map, i): SpendingInput => {
    const { spent, isProven } = spentBy(psbt, map, i);
    return { spent, isProven, method: methodOf(map, spent, `input ${i}`) };
  });
  const spending = { psbt, inputs };
  const spent = spentOutputs(spending);
  if (spent && total(spent) < total(psbt.transaction.outputs)) {
    throw new MalformedError(
      `the outputs have ${total(psbt.transaction.outputs)} satoshi, but the inputs only ${total(spent)}`,
    );
  }
  return spending;
}

/** What all inputs spend. Undefined if the PSBT does not say it for each of them. */
export function spentOutputs({ inputs }: BitcoinSpending): BitcoinOutput[] | undefined {
  const known = inputs.flatMap(({ spent }) => spent ?? []);
  return known.length === inputs.length ? known : undefined;
}

function spentBy(
  { transaction }: Psbt,
  map: PsbtMap,
  i: number,
): { spent: BitcoinOutput | undefined; isProven: boolean } {
  const earlier = fieldOf(map, NON_WITNESS_UTXO);
  const claimed = fieldOf(map, WITNESS_UTXO);
  const claim = claimed && decodeOutput(claimed, `the witness UTXO of input ${i}`);
  const input = transaction.inputs[i];
  if (!earlier || !input) return { spent: claim, isProven: false };
  const { txid, outputs } = decodeSignedTransaction(earlier, `the non-witness UTXO of input ${i}`);
  if (!equalBytes(txid, input.txid)) {
    throw new MalformedError(
      `the non-witness UTXO of input ${i} is transaction ${displayedTxid(txid)}, but the input spends ${displayedTxid(input.txid)}`,
    );
  }
  const output = outputs[input.vout];
  if (!output) {
    throw new MalformedError(
      `input ${i} spends output ${input.vout} of a transaction that has ${outputs.length}, counted from 0`,
    );
  }
  if (claim && (claim.amount !== output.amount || !equalBytes(claim.script, output.script))) {
    throw new MalformedError(
      `the witness UTXO of input ${i} is not the output that its non-witness UTXO has`,
    );
  }
  return { spent: output, isProven: true };
}

/** Refuses scripts that do not belong to the output. */
function methodOf(map: PsbtMap, spent: BitcoinOutput | undefined, subject: string): SigningMethod {
  const redeemScript = fieldOf(map, REDEEM_SCRIPT);
  const witnessScript = fieldOf(map, WITNESS_SCRIPT);
  if (fieldOf(map, FINAL_SCRIPTSIG) ?? fieldOf(map, FINAL_SCRIPTWITNESS)) {
    return { kind: "none", paid: null, reason: "is already finalized" };
  }
  if (!spent) {
    const reason = "has no UTXO, so what it spends is unknown";
    return { kind: "none", paid: null, reason };
  }
  const paid = paidTo(spent.script);
  if (paid?.form === "P2SH") {
    if (!redeemScript) return { kind: "none", paid, reason: "has no redeem script" };
    if (!equalBytes(hash160(redeemScript), paid.program)) {
      throw new MalformedError(`the redeem script of ${subject} is not that of its output`);
    }
  } else if (redeemScript) {
    throw new MalformedError(`${subject} has a redeem script, but does not spend from P2SH`);
  }
  const script = redeemScript ?? spent.script;
  const inner = paidTo(script);
  if (witnessScript && inner?.form !== "P2WSH") {
    throw new MalformedError(`${subject} has a witness script, but does not spend from P2WSH`);
  }
  if (inner?.form === "P2WPKH") {
    return { kind: "witness", paid: inner, script: p2pkhScript(inner.program) };
  }
  if (inner?.form === "P2WSH") {
    if (!witnessScript) {
      return { kind: "none", paid: inner, reason: "has no witness script" };
    }
    if (!equalBytes(sha256(witnessScript), inner.program)) {
      throw new MalformedError(`the witness script of ${subject} is not that of its output`);
    }
    return { kind: "witness", paid: inner, script: witnessScript };
  }
  // Inside P2SH, it is not Taproot: anyone can spend it.
  if (inner?.form === "P2TR" && !redeemScript) {
    return { kind: "taproot", outputKey: inner.program };
  }
  return { kind: "legacy", paid: inner, script };
}

const NON_WITNESS_UTXO = 0x00;
const WITNESS_UTXO = 0x01;
const REDEEM_SCRIPT = 0x04;
const WITNESS_SCRIPT = 0x05;
const FINAL_SCRIPTSIG = 0x07;
const FINAL_SCRIPTWITNESS = 0x08;
