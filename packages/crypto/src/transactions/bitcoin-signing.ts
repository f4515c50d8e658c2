import { sha256 } from "#primitives";
import { p2pkScript, p2wpkhScript } from "../addresses/bitcoin.ts";
import { pushesAny, readScript, type ScriptForm } from "../addresses/bitcoin-script.ts";
import { hash160 } from "../addresses/hash160.ts";
import { concatBytes, encodeHex, equalBytes } from "../encoding/bytes.ts";
import { encodeDerSignature } from "../encoding/der.ts";
import { signSecp256k1 } from "../keys/keys.ts";
import { signTaproot, taprootOutputKey } from "../keys/taproot.ts";
import {
  type BitcoinSpending,
  type SigningMethod,
  type SpendingInput,
  spentOutputs,
} from "./bitcoin.ts";
import {
  legacySighash,
  SIGHASH_ALL,
  SIGHASH_DEFAULT,
  sharedHashes,
  spentHashes,
  taprootSighash,
  witnessSighash,
} from "./bitcoin-sighash.ts";
import { total } from "./bitcoin-transaction.ts";
import { MalformedError } from "./malformed.ts";
import { encodePsbt, fieldOf, type PsbtMap, uint32Of, withField } from "./psbt.ts";

// Which inputs a key signs, and how. The key signs every input that the signer names. If one of them
// cannot be signed safely, that is an error, because the transaction would never be complete.

/** A compressed public key, and the form of the address that names it. Without a form, it signs all its inputs. */
export type BitcoinSigner = {
  readonly publicKey: Uint8Array;
  readonly form?: ScriptForm | undefined;
};

/** The inputs that the key signs, and for each other one why it does not. */
export type SigningPlan = {
  readonly signed: readonly number[];
  readonly others: readonly string[];
};

/** Throws a MalformedError about an input of the key that must not be signed. */
export function planSigning(spending: BitcoinSpending, signer: BitcoinSigner): SigningPlan {
  const own = ownScripts(signer.publicKey);
  const signed: number[] = [];
  const others: string[] = [];
  spending.inputs.forEach(({ method }, i) => {
    const form = ownForm(own, method);
    if (form === null) {
      assertNotOwn(own, spending, i);
      others.push(
        `input ${i} ${method.kind === "none" ? method.reason : "belongs to another key"}`,
      );
    } else if (!isNamed(form, signer.form)) {
      others.push(`input ${i} belongs to the key's ${form} address`);
    } else {
      assertSafe(own, spending, i);
      signed.push(i);
    }
  });
  const taproot = signed.filter((i) => spending.inputs[i]?.method.kind === "taproot");
  if (signed.length > MAX_SIGNED || taproot.length > MAX_SIGNED_TAPROOT) {
    throw new MalformedError(
      `${signed.length} inputs belong to the key, ${taproot.length} of them Taproot: at most ${MAX_SIGNED} can be signed at once, and ${MAX_SIGNED_TAPROOT} Taproot`,
    );
  }
  return { signed, others };
}

/** Encodes the PSBT with the signatures of a key. They are deterministic. */
export function signBitcoin(
  spending: BitcoinSpending,
  { signed }: SigningPlan,
  { publicKey, privateKey }: { publicKey: Uint8Array; privateKey: Uint8Array },
): Uint8Array {
  const { psbt } = spending;
  const digestOf = signingDigests(spending);
  const inputs: PsbtMap[] = psbt.inputs.map((map, i) => {
    if (!signed.includes(i)) return map;
    const { isTaproot, digest } = digestOf(i);
    if (isTaproot) {
      const value = signTaproot(digest, privateKey);
      return withField(map, { type: TAP_KEY_SIG, keyData: new Uint8Array(0), value });
    }
    const { r, s } = signSecp256k1(digest, privateKey);
    const value = concatBytes(encodeDerSignature(concatBytes(r, s)), Uint8Array.of(SIGHASH_ALL));
    return withField(map, { type: PARTIAL_SIG, keyData: publicKey, value });
  });
  return encodePsbt({ ...psbt, global: closed(psbt.global), inputs });
}

/**
 * The fee in satoshi, if each signature of the plan is worthless for any other fee. One of Taproot commits to the
 * amounts of all inputs (BIP 341), one of SegWit version 0 to that of its own input (BIP 143), and an older one to none.
 * So two requests that each lie about one amount would give two valid signatures for a fee that neither shows.
 */
export function provenFee(spending: BitcoinSpending, { signed }: SigningPlan): bigint | undefined {
  const spent = spentOutputs(spending);
  if (!spent) return undefined;
  const claimed = spending.inputs.flatMap(({ isProven }, i) => (isProven ? [] : [i]));
  const commitsToClaims = (i: number) =>
    spending.inputs[i]?.method.kind === "taproot" || claimed.every((each) => each === i);
  if (!signed.every(commitsToClaims)) return undefined;
  return total(spent) - total(spending.psbt.transaction.outputs);
}

/** The digests to sign, with what they have in common hashed once. */
export function signingDigests(spending: BitcoinSpending) {
  const { transaction } = spending.psbt;
  const shared = sharedHashes(transaction);
  const all = spentOutputs(spending);
  const spentShared = all && spentHashes(all);
  return (input: number): { isTaproot: boolean; digest: Uint8Array } => {
    const { method, spent } = spending.inputs[input] as SpendingInput; // planned
    if (method.kind === "taproot" && spentShared) {
      const digest = taprootSighash(transaction, shared, { input, spent: spentShared });
      return { isTaproot: true, digest };
    }
    if (spent && (method.kind === "legacy" || method.kind === "witness")) {
      const committed = { input, script: method.script, amount: spent.amount };
      const sighash = method.kind === "legacy" ? legacySighash : witnessSighash;
      return { isTaproot: false, digest: sighash(transaction, shared, committed) };
    }
    // Invariant: a plan has no other input.
    throw new Error(`input ${input} cannot be signed`);
  };
}

/** What the outputs that pay to the key contain. */
type OwnScripts = {
  readonly publicKey: Uint8Array;
  readonly keyHash: Uint8Array;
  /** The scripts inside P2SH and P2WSH that have only this key. */
  readonly redeemScript: Uint8Array;
  readonly witnessScript: Uint8Array;
  readonly outputKey: () => Uint8Array;
};

function ownScripts(publicKey: Uint8Array): OwnScripts {
  let outputKey: Uint8Array | undefined;
  return {
    publicKey,
    keyHash: hash160(publicKey),
    redeemScript: p2wpkhScript(publicKey),
    witnessScript: p2pkScript(publicKey),
    outputKey: () => (outputKey ??= taprootOutputKey(publicKey)),
  };
}

/** Null if the key cannot sign the input. `script` is one that may need other keys too. */
function ownForm(own: OwnScripts, method: SigningMethod): ScriptForm | "script" | null {
  if (method.kind === "none") return null;
  if (method.kind === "taproot")
    return equalBytes(method.outputKey, own.outputKey()) ? "P2TR" : null;
  const read = readScript(method.script);
  if (!read || !pushesAny(read, own.publicKey, own.keyHash)) return null;
  if (method.paid?.form !== "P2WSH") return method.paid?.form ?? "script";
  return equalBytes(method.script, own.witnessScript) ? "P2WSH" : "script";
}

/**
 * Whether an address names the input. P2WPKH and P2SH-P2WPKH count as one form, because a signature is
 * valid for both. A Taproot address asks for signatures by its output key, which no script has.
 */
function isNamed(own: ScriptForm | "script", named: ScriptForm | undefined): boolean {
  if (named === undefined) return true;
  if (own === "script") return named !== "P2TR";
  return own === (named === "P2SH" ? "P2WPKH" : named);
}

function assertSafe(own: OwnScripts, spending: BitcoinSpending, i: number): void {
  const { method, isProven } = spending.inputs[i] as SpendingInput; // in range
  const sighash = uint32Of(spending.psbt.inputs[i] as PsbtMap, SIGHASH_TYPE); // in range
  const [expected, name] =
    method.kind === "taproot" ? [SIGHASH_DEFAULT, "SIGHASH_DEFAULT"] : [SIGHASH_ALL, "SIGHASH_ALL"];
  if (sighash !== undefined && sighash !== expected) {
    throw new MalformedError(
      `input ${i} asks for sighash type ${sighash}, but it can only be signed with ${name} (${expected}): leave the type out`,
    );
  }
  if (method.kind === "taproot") {
    assertTaproot(own, spending, i);
  } else if (method.kind === "legacy" && !isProven) {
    throw new MalformedError(
      `input ${i} is not SegWit, so its signature would not commit to the amount: give the transaction that it spends from as its non-witness UTXO`,
    );
  } else if (method.kind !== "none" && readScript(method.script)?.hasCodeSeparator) {
    throw new MalformedError(
      `input ${i} has a script with OP_CODESEPARATOR, which cannot be signed`,
    );
  }
}

function assertTaproot(own: OwnScripts, { psbt, inputs }: BitcoinSpending, i: number): void {
  const missing = inputs.findIndex(({ spent }) => !spent);
  if (missing >= 0) {
    throw new MalformedError(
      `input ${i} is Taproot, so its signature commits to what all inputs spend, but input ${missing} has no UTXO: give its witness UTXO or non-witness UTXO`,
    );
  }
  const map = psbt.inputs[i] as PsbtMap; // in range
  const internalKey = fieldOf(map, TAP_INTERNAL_KEY);
  const isOther = internalKey && !equalBytes(internalKey, own.publicKey.subarray(1));
  if (isOther || fieldOf(map, TAP_MERKLE_ROOT)) {
    throw new MalformedError(
      `input ${i} has a Taproot internal key or merkle root that does not belong to its output: leave them out`,
    );
  }
}

/** Refuses an input that seems to belong to the key but cannot be signed as it is. */
function assertNotOwn(own: OwnScripts, { psbt, inputs }: BitcoinSpending, i: number): void {
  const { method } = inputs[i] as SpendingInput; // in range
  if (method.kind === "taproot") {
    const internalKey = fieldOf(psbt.inputs[i] as PsbtMap, TAP_INTERNAL_KEY); // in range
    if (!internalKey || !equalBytes(internalKey, own.publicKey.subarray(1))) return;
    throw new MalformedError(
      `input ${i} names the key as its Taproot internal key, but its output has another output key: only outputs without a script tree (BIP-86) can be signed`,
    );
  }
  if (method.kind !== "none" || !method.paid) return;
  const { form, program } = method.paid;
  const missing =
    form === "P2SH" && equalBytes(program, hash160(own.redeemScript))
      ? `redeem script: set it to ${encodeHex(own.redeemScript)}`
      : form === "P2WSH" && equalBytes(program, sha256(own.witnessScript))
        ? `witness script: set it to ${encodeHex(own.witnessScript)}`
        : undefined;
  if (missing) {
    throw new MalformedError(`input ${i} belongs to the key, but it has no ${missing}`);
  }
}

/** The flags say that inputs and outputs may be added. After a signature, they may not (BIP-370). */
export function closed(global: PsbtMap): PsbtMap {
  const flags = fieldOf(global, TX_MODIFIABLE)?.[0];
  if (flags === undefined) return global;
  const value = Uint8Array.of(flags & ~3);
  return withField(global, { type: TX_MODIFIABLE, keyData: new Uint8Array(0), value });
}

/** Other organizations wait in the meantime, and Taproot signatures take the longest. */
const MAX_SIGNED = 500;
const MAX_SIGNED_TAPROOT = 100;

const TX_MODIFIABLE = 0x06;
const PARTIAL_SIG = 0x02;
const SIGHASH_TYPE = 0x03;
const TAP_KEY_SIG = 0x13;
const TAP_INTERNAL_KEY = 0x17;
const TAP_MERKLE_ROOT = 0x18;
