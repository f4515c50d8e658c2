import type { ScriptForm } from "../addresses/bitcoin-script.ts";
import { canonicalAddress } from "../addresses/canonical.ts";
import { type AddressEncoding, addressEncodings } from "../addresses/formats.ts";
import type { Curve } from "../curves.ts";
import { decodeHex, encodeHex, equalBytes } from "../encoding/bytes.ts";
import { decodeDerSignature } from "../encoding/der.ts";
import { recoverSecp256k1, verifyEd25519, verifySecp256k1 } from "../keys/verify.ts";
import { verifyTaproot } from "../keys/verify-taproot.ts";
import { decodeBitcoinSpending } from "./bitcoin.ts";
import { closed, planSigning, signingDigests } from "./bitcoin-signing.ts";
import {
  decodeEthereumTransaction,
  encodeSignedTransaction,
  ethereumSigningDigest,
} from "./ethereum.ts";
import { decodePsbt, encodePsbt, type PsbtField, type PsbtMap, withField } from "./psbt.ts";
import { decodeRlp } from "./rlp.ts";
import { decodeSolanaTransaction, encodeSignedSolanaTransaction, solanaMessage } from "./solana.ts";
import { decodeTronTransaction, encodeSignedTronTransaction, tronSigningDigest } from "./tron.ts";

// Whether what a service calls a signed transaction is one, of exactly what was asked for. The program that gets it believes
// that the payment can be sent, and may ask for it again if it cannot.

/**
 * The key that a request names. Of an address of secp256k1 only the address may be known, and the signature says the key.
 * An address of Bitcoin signs fewer inputs than the id of its key, so it belongs beside the public key.
 */
export type NamedKey =
  | { readonly address: string; readonly publicKey?: undefined }
  | { readonly address?: string; readonly curve: Curve; readonly publicKey: Uint8Array };

/** Whether a public key has this address, in any format. */
export function isAddressOf(address: string, curve: Curve, publicKey: Uint8Array): boolean {
  return Object.values(addressEncodings).some(({ curves, encode }: AddressEncoding) => {
    return curves.includes(curve) && encode(publicKey, curve) === canonicalAddress(address);
  });
}

/** The checks by the type of the transaction. Each throws, or is false, for anything but the same transaction, signed. */
const chains: Record<string, (unsigned: Uint8Array, signed: Uint8Array, key: NamedKey) => boolean> =
  {
    TRANSACTION_TYPE_ETHEREUM(unsigned, signed, key) {
      const transaction = decodeEthereumTransaction(unsigned);
      const offset = transaction.type === "LEGACY" ? 0 : 1;
      const fields = decodeRlp(signed.subarray(offset), { subject: "signed transaction", offset });
      if (fields instanceof Uint8Array) return false;
      const [r, s] = fields
        .slice(-2)
        .map((each) => (each instanceof Uint8Array ? padded(each) : each));
      if (!(r instanceof Uint8Array) || !(s instanceof Uint8Array)) return false;
      return ([0, 1] as const).some((recovery) => {
        const signature = { r, s, recovery };
        const isSame = equalBytes(encodeSignedTransaction(transaction, signature), signed);
        return isSame && isRecovered(ethereumSigningDigest(transaction), signature, key);
      });
    },

    TRANSACTION_TYPE_TRON(unsigned, signed, key) {
      const transaction = decodeTronTransaction(unsigned);
      const [r, s] = [signed.slice(-65, -33), signed.slice(-33, -1)] as const;
      const recovery = signed.at(-1) === 28 ? 1 : 0;
      const signature = { r, s, recovery } as const;
      const isSame = equalBytes(encodeSignedTronTransaction(transaction, signature), signed);
      return isSame && isRecovered(tronSigningDigest(transaction), signature, key);
    },

    TRANSACTION_TYPE_SOLANA(unsigned, signed, { publicKey }) {
      const transaction = decodeSolanaTransaction(unsigned);
      const { accountKeys, signatures } = decodeSolanaTransaction(signed);
      const slot = accountKeys.findIndex((each) => publicKey && equalBytes(each, publicKey));
      const signature = signatures[slot];
      if (publicKey === undefined || signature === undefined) return false;
      const whole = encodeSignedSolanaTransaction(transaction, publicKey, signature);
      return (
        equalBytes(whole, signed) && verifyEd25519(publicKey, solanaMessage(transaction), signature)
      );
    },

    TRANSACTION_TYPE_BITCOIN(unsigned, signed, named) {
      const spending = decodeBitcoinSpending(unsigned);
      const { psbt } = spending;
      const answered = decodePsbt(signed).inputs;
      const publicKey = named.publicKey ?? signerIn(answered, named);
      if (publicKey === undefined) return false;
      // All inputs that the key signs, and no other one: a transaction that lacks one can never be sent.
      const plan = planSigning(spending, { publicKey, form: scriptFormOf(named, publicKey) });
      const digestOf = signingDigests(spending);
      const inputs = [...psbt.inputs];
      for (const input of plan.signed) {
        const [asked, shown] = [psbt.inputs[input], answered[input]];
        const added = shown && signatureIn(shown, digestOf(input), publicKey);
        if (!asked || !added) return false;
        inputs[input] = withField(asked, added);
      }
      // The rest is as it was asked for, with the signatures that others have made.
      const whole = encodePsbt({ ...psbt, global: closed(psbt.global), inputs });
      return plan.signed.length > 0 && equalBytes(whole, signed);
    },
  };

/** Whether the signed transaction is this unsigned one, with all signatures of this key that it asks for. */
export function isSignedTransaction(
  { type, unsignedTransaction }: { type: string; unsignedTransaction: string },
  signedTransaction: string,
  key: NamedKey,
): boolean {
  try {
    const unsigned = decodeHex(unsignedTransaction.replace(/^0x/, ""));
    return chains[type]?.(unsigned, decodeHex(signedTransaction), key) === true;
  } catch {
    // Bytes that nothing decodes are refused in the same way.
    return false;
  }
}

/** Whether the key that a signature of this digest says is the one that the request names. */
export function isRecovered(
  digest: Uint8Array,
  signature: Parameters<typeof recoverSecp256k1>[1],
  key: NamedKey,
): boolean {
  return isNamed(key, recoverSecp256k1(digest, signature));
}

/** Whether a compressed key of secp256k1 is the one that the request names. */
function isNamed(key: NamedKey, publicKey: Uint8Array): boolean {
  return key.publicKey === undefined
    ? isAddressOf(key.address, "CURVE_SECP256K1", publicKey)
    : equalBytes(publicKey, key.publicKey);
}

function padded(number: Uint8Array): Uint8Array {
  return decodeHex(encodeHex(number).padStart(64, "0"));
}

/** Without its public key, an address of ECDSA is known by the signatures, each of which says its key. */
function signerIn(inputs: readonly PsbtMap[], named: NamedKey): Uint8Array | undefined {
  return inputs.flat().find(({ type, keyData }) => type === PARTIAL_SIG && isNamed(named, keyData))
    ?.keyData;
}

/** An address of Bitcoin signs the inputs of its form. An id, or an address of another chain, signs all of its key. */
function scriptFormOf({ address }: NamedKey, publicKey: Uint8Array): ScriptForm | undefined {
  if (address === undefined) return undefined;
  const formats: [string, AddressEncoding][] = Object.entries(addressEncodings);
  const [name] =
    formats.find(
      ([name, { encode }]) =>
        name.startsWith("ADDRESS_FORMAT_BITCOIN_") &&
        encode(publicKey, "CURVE_SECP256K1") === address,
    ) ?? [];
  return name?.split("_").at(-1) as ScriptForm | undefined; // the last word of these names
}

/** The field of an input that has a valid signature of the key. */
function signatureIn(
  shown: PsbtMap,
  { isTaproot, digest }: { isTaproot: boolean; digest: Uint8Array },
  publicKey: Uint8Array,
): PsbtField | undefined {
  const [type, keyData] = isTaproot ? [TAP_KEY_SIG, new Uint8Array(0)] : [PARTIAL_SIG, publicKey];
  const field = shown.find((each) => each.type === type && equalBytes(each.keyData, keyData));
  const { value } = field ?? {};
  if (value === undefined) return undefined;
  if (isTaproot) return verifyTaproot(publicKey, digest, value) ? field : undefined;
  if (value.at(-1) !== SIGHASH_ALL) return undefined;
  const rs = decodeDerSignature(value.slice(0, -1));
  const signature = { r: rs.slice(0, 32), s: rs.slice(32) };
  return verifySecp256k1(publicKey, digest, signature) ? field : undefined;
}

const SIGHASH_ALL = 1;
const PARTIAL_SIG = 0x02;
const TAP_KEY_SIG = 0x13;
