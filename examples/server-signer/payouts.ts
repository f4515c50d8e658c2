import { ConsensusNeeded, type KeyhearthClient } from "@keyhearth/sdk";
import { type Address, isAddress, parseEther, parseGwei, serializeTransaction } from "viem";
import { type Answer, answerOf, type Server } from "./answer.ts";
import type { Ledger } from "./ledger.ts";
import { CHAIN_ID, GAS, LIMIT } from "./policies.ts";

export type Payout = { to: Address; wei: bigint };

/** Reads the body of a request, or says which fields are wrong. */
export function parsePayout(body: unknown): Payout | { fields: Record<string, string> } {
  const { to, amount }: { to?: unknown; amount?: unknown } =
    typeof body === "object" && body !== null ? body : {};
  const fields: Record<string, string> = {};
  if (typeof to !== "string" || !isAddress(to)) {
    fields.to = "must be an Ethereum address with 0x, in lower case or with its checksum";
  }
  if (
    typeof amount !== "string" ||
    !/^\d{1,9}(\.\d{1,18})?$/.test(amount) ||
    !/[1-9]/.test(amount)
  ) {
    fields.amount =
      'must be text with an amount of ether, such as "0.05", with at most 18 decimals';
  }
  if (Object.keys(fields).length > 0) return { fields };
  // Both were checked above.
  return { to: to as Address, wei: parseEther(amount as string) };
}

/**
 * Asks Keyhearth to sign a payout. The policies decide; this program only chooses the account. Large
 * payouts come from an account of their own, so that one that waits does not hold up the others:
 * transactions of an account are executed in the order of their nonces.
 */
export async function sign(
  { client, ledger, keys }: { client: KeyhearthClient; ledger: Ledger; keys: Server },
  payout: Payout,
): Promise<Answer> {
  const account = payout.wei <= LIMIT ? "smallAccount" : "largeAccount";
  return ledger.next(account, async ({ address, nonce }) => {
    const unsignedTransaction = serializeTransaction({
      type: "eip1559",
      chainId: CHAIN_ID,
      nonce,
      to: payout.to,
      value: payout.wei,
      gas: GAS,
      // A program that sends transactions asks its node for these two.
      maxFeePerGas: parseGwei("30"),
      maxPriorityFeePerGas: parseGwei("1"),
    });
    try {
      const { activity } = await client.signTransaction({
        signWith: address,
        type: "TRANSACTION_TYPE_ETHEREUM",
        unsignedTransaction,
      });
      return await answerOf(activity, keys);
    } catch (error) {
      if (error instanceof ConsensusNeeded) return answerOf(error.activity, keys);
      throw error;
    }
  });
}

/**
 * What became of a payout that waited for the approver. Undefined for any other activity: callers need
 * not learn what else happens in the organization.
 */
export async function payoutOf(
  client: KeyhearthClient,
  keys: Server,
  id: string,
): Promise<Answer | undefined> {
  const { activity } = await client.getActivity({ activityId: id });
  const isPayout = /^ACTIVITY_TYPE_SIGN_TRANSACTION(_V2)?$/.test(activity.type);
  const isOwn = activity.votes[0]?.publicKey === keys.apiPublicKey;
  return isPayout && isOwn ? answerOf(activity, keys) : undefined;
}
