import type { Activity } from "@keyhearth/sdk";
import { verifyStampedRequest } from "@keyhearth/sdk/crypto";
import {
  getAddress,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
} from "viem";
import type { ServerFile } from "./files.ts";

/** What became of a payout. */
export type Answer =
  | { status: "signed"; id: string; signedTransaction: Hex; hash: Hex }
  | { status: "waiting"; id: string; fingerprint: string }
  | { status: "rejected" | "failed"; id: string; reason?: string };

/** What the service called signed, and is not what this server asked for. */
export class NotSigned extends Error {
  readonly id: string;

  constructor(id: string) {
    super(
      `Keyhearth says that payout ${id} is signed, and answered with something else than this server asked for, signed by the account that pays. Don't pay it again, and ask your operator.`,
    );
    this.id = id;
  }
}

export type Server = Pick<ServerFile, "apiPublicKey" | "smallAccount" | "largeAccount">;

/**
 * Reads it from the activity, which is the only record of a payout. Only the service says what has become of one that is
 * not signed; what it calls signed is looked at here, because callers believe that it can be sent.
 */
export async function answerOf(activity: Activity, server: Server): Promise<Answer> {
  const { id, status, fingerprint, result, failure } = activity;
  if (status === "ACTIVITY_STATUS_COMPLETED") {
    const signedTransaction: Hex = `0x${result.signTransactionResult?.signedTransaction}`;
    if (!(await isSigned(signedTransaction, activity, server))) throw new NotSigned(id);
    return { status: "signed", id, signedTransaction, hash: keccak256(signedTransaction) };
  }
  if (status === "ACTIVITY_STATUS_REJECTED") return { status: "rejected", id };
  if (status === "ACTIVITY_STATUS_FAILED") {
    return { status: "failed", id, ...(failure && { reason: failure.message }) };
  }
  return { status: "waiting", id, fingerprint };
}

/** Whether it is the transaction of the request that this server stamped, signed by the account that the request names. */
async function isSigned(signed: Hex, activity: Activity, server: Server): Promise<boolean> {
  if (!/^0x02[0-9a-f]+$/.test(signed)) return false;
  try {
    const { publicKey, parameters } = verifyStampedRequest(activity);
    // The pattern says that it is one of this type.
    const serializedTransaction = signed as `0x02${string}`;
    const parsed = parseTransaction(serializedTransaction);
    const { r, s, yParity, v, ...transaction } = parsed;
    const asked = `0x${String(parameters.unsignedTransaction).replace(/^0x/, "")}`;
    const signer = await recoverTransactionAddress({ serializedTransaction });
    const accounts = [server.smallAccount, server.largeAccount].map((each) => getAddress(each));
    return (
      publicKey === server.apiPublicKey &&
      serializeTransaction(transaction) === asked &&
      // Nothing is behind it.
      serializeTransaction(parsed) === signed &&
      signer === getAddress(String(parameters.signWith)) &&
      accounts.includes(signer)
    );
  } catch {
    return false;
  }
}
