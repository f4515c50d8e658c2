import type { Activity } from "@keyhearth/sdk";
import { type Hex, keccak256 } from "viem";

/** What became of a payout. */
export type Answer =
  | { status: "signed"; id: string; signedTransaction: Hex; hash: Hex }
  | { status: "waiting"; id: string; fingerprint: string }
  | { status: "rejected" | "failed"; id: string; reason?: string };

/** Reads it from the activity, which is the only record of a payout. */
export function answerOf({ id, status, fingerprint, result, failure }: Activity): Answer {
  const signed = result.signTransactionResult?.signedTransaction;
  if (status === "ACTIVITY_STATUS_COMPLETED" && signed && /^[0-9a-f]+$/.test(signed)) {
    const signedTransaction: Hex = `0x${signed}`;
    return { status: "signed", id, signedTransaction, hash: keccak256(signedTransaction) };
  }
  if (status === "ACTIVITY_STATUS_REJECTED") return { status: "rejected", id };
  if (status === "ACTIVITY_STATUS_FAILED") {
    return { status: "failed", id, ...(failure && { reason: failure.message }) };
  }
  return { status: "waiting", id, fingerprint };
}
