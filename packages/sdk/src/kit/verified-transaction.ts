import { decodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { NamedKey } from "@keyhearth/crypto/transactions/signed-transaction";
import { findPublicKey, unverified } from "../adapters/evm/key.ts";
import { signTransaction } from "../calls/generated/calls.ts";
import type { Connection } from "../connection/connection.ts";
import type { TransactionType } from "../generated/types.ts";

export type AskedTransaction = {
  signWith: string;
  unsignedTransaction: string;
  type: TransactionType;
};

/** Signs a transaction of any chain. The answer must be this one, with a signature of the key that was named. */
export async function signVerified(
  connection: Connection,
  asked: AskedTransaction,
  options: { timestampMs: string; signal: AbortSignal },
): Promise<{ signedTransaction: string }> {
  // Before anything is signed: who cannot verify a signature asks for none.
  const [key, { isAddressOf, isSignedTransaction }] = await Promise.all([
    namedKey(connection, asked, options.signal),
    // The rules of all chains are large.
    import("@keyhearth/crypto/transactions/signed-transaction"),
  ]);
  const { signWith } = asked;
  if (key.publicKey && !isId(signWith) && !isAddressOf(signWith, key.curve, key.publicKey)) {
    throw unverified(`The service shows a public key for ${signWith} that it does not belong to`);
  }
  const { signedTransaction } = await signTransaction(connection, asked, options);
  if (isSignedTransaction(asked, signedTransaction, key)) return { signedTransaction };
  throw unverified(
    `The service answered with something else than this transaction, signed by ${signWith}`,
  );
}

/**
 * An address of Solana is the public key, and signatures of secp256k1 say theirs. Otherwise the service shows it, which a
 * pinned quorum key verifies.
 */
async function namedKey(
  connection: Connection,
  { signWith, type }: AskedTransaction,
  signal: AbortSignal,
): Promise<NamedKey> {
  const curve = type === "TRANSACTION_TYPE_SOLANA" ? "CURVE_ED25519" : "CURVE_SECP256K1";
  // The length first, because decoding base58 is quadratic.
  if (curve === "CURVE_ED25519" && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(signWith)) {
    return { curve, publicKey: decodeBase58(signWith) };
  }
  if (!isId(signWith) && !isTaproot(signWith)) return { address: signWith };
  const key = { connection, signWith, signal };
  const shown = await findPublicKey(key, signWith);
  return { ...(!isId(signWith) && { address: signWith }), curve, publicKey: decodeHex(shown) };
}

function isId(signWith: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(signWith);
}

/** A signature of Taproot does not say its key. */
function isTaproot(signWith: string): boolean {
  return /^(bc|tb|bcrt)1p/i.test(signWith);
}
