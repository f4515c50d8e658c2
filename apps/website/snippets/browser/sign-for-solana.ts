import type { Connection } from "@keyhearth/sdk";
import { createSolanaWeb3Signer } from "@keyhearth/sdk/solana";
import { PublicKey, SystemProgram, Transaction } from "@solana/web3.js";

/** Signs with the session. Send the bytes with `sendRawTransaction` of your connection to Solana. */
export async function signForSolana(
  connection: Connection,
  payment: { from: string; to: string; lamports: number; recentBlockhash: string },
): Promise<Uint8Array> {
  const { from: address, to, lamports, recentBlockhash } = payment;
  const wallet = await createSolanaWeb3Signer(connection, { PublicKey, address });
  const fromPubkey = wallet.publicKey;
  const transaction = new Transaction({ feePayer: fromPubkey, recentBlockhash }).add(
    SystemProgram.transfer({ fromPubkey, toPubkey: new PublicKey(to), lamports }),
  );
  const signed = await wallet.signTransaction(transaction);
  return signed.serialize();
}
