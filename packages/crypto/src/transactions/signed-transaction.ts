import { canonicalAddress } from "../addresses/canonical.ts";
import { type AddressEncoding, addressEncodings } from "../addresses/formats.ts";
import type { Curve } from "../curves.ts";
import { decodeHex, encodeHex, equalBytes } from "../encoding/bytes.ts";
import { decodeDerSignature } from "../encoding/der.ts";
import { recoverSecp256k1, verifyEd25519, verifySecp256k1 } from "../keys/verify.ts";
import { verifyTaproot } from "../keys/verify-taproot.ts";
import { decodeBitcoinSpending } from "./bitcoin.ts";
import { signingDigests } from "./bitcoin-signing.ts";
import { encodeUnsignedTransaction as encodeBitcoinTransaction } from "./bitcoin-transaction.ts";
import {
  decodeEthereumTransaction,
  encodeSignedTransaction,
  ethereumSigningDigest,
} from "./ethereum.ts";
import type { PsbtField, PsbtMap } from "./psbt.ts";
import { decodeRlp } from "./rlp.ts";
import { decodeSolanaTransaction, encodeSignedSolanaTransaction, solanaMessage } from "./solana.ts";
import { decodeTronTransaction, encodeSignedTronTransaction, tronSigningDigest } from "./tron.ts";

// Whether what a service calls a signed transaction is one, of exactly what was asked for. The program that gets it believes
// that the payment can be sent, and may ask for it again if it cannot.

/** The key that a request names. Of an address of secp256k1 only the address may be known, and the signature says the key. */
export type NamedKey =
  | { readonly address: string; readonly publicKey?: undefined }
  | { readonly curve: Curve; readonly publicKey: Uint8Array };

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

    TRANSACTION_TYPE_BITCOIN(unsigned, signed, key) {
      const spending = decodeBitcoinSpending(unsigned);
      const answered = decodeBitcoinSpending(signed);
      const [asked, shown] = [spending, answered].map(({ psbt }) => psbt.transaction);
      if (!asked || !shown) return false;
      if (!equalBytes(encodeBitcoinTransaction(asked), encodeBitcoinTransaction(shown)))
        return false;
      const digestOf = signingDigests(spending);
      const added = answered.psbt.inputs.flatMap((map, input) =>
        addedTo(spending.psbt.inputs[input] ?? [], map).map((field) => ({ input, field })),
      );
      return (
        added.length > 0 &&
        added.every(({ input, field }) => isOfInput(digestOf(input), field, key, spending, input))
      );
    },
  };

/** Whether the signed transaction is this unsigned one, with a signature of this key. */
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

function addedTo(before: PsbtMap, after: PsbtMap): PsbtField[] {
  const keyOf = ({ type, keyData, value }: PsbtField) =>
    `${type} ${encodeHex(keyData)} ${encodeHex(value)}`;
  const known = new Set(before.map(keyOf));
  return after.filter((field) => !known.has(keyOf(field)));
}

function isOfInput(
  { isTaproot, digest }: { isTaproot: boolean; digest: Uint8Array },
  { type, keyData, value }: PsbtField,
  key: NamedKey,
  { inputs }: ReturnType<typeof decodeBitcoinSpending>,
  input: number,
): boolean {
  if (isTaproot) {
    const method = inputs[input]?.method;
    if (type !== TAP_KEY_SIG || method?.kind !== "taproot" || key.publicKey === undefined) {
      return false;
    }
    return verifyTaproot(key.publicKey, digest, value);
  }
  if (type !== PARTIAL_SIG || value.at(-1) !== SIGHASH_ALL || !isNamed(key, keyData)) return false;
  const rs = decodeDerSignature(value.slice(0, -1));
  return verifySecp256k1(keyData, digest, { r: rs.slice(0, 32), s: rs.slice(32) });
}

const SIGHASH_ALL = 1;
const PARTIAL_SIG = 0x02;
const TAP_KEY_SIG = 0x13;
