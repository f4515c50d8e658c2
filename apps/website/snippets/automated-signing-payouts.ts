import assert from "node:assert/strict";
import { ConsensusNeeded, PolicyDenied, Unavailable } from "@keyhearth/sdk";
import { type Hex, parseEther, parseGwei, parseTransaction, serializeTransaction } from "viem";
import { setUp, supplier } from "./automated-signing/set-up.ts";

const { bot, ada, address } = await setUp();

/** One payout of your own books. Keep it in your database, and write it before you sign. */
type Payout = { id: string; value: bigint; nonce: number; timestampMs: string };

const payouts = new Map<string, Payout>();
let nextNonce = 0;

/** Books a payout once: its nonce and its time never change. */
function book(id: string, value: bigint): Payout {
  const known = payouts.get(id);
  if (known) return known;
  const payout = { id, value, nonce: nextNonce, timestampMs: String(Date.now()) };
  nextNonce += 1;
  payouts.set(id, payout);
  return payout;
}

type Outcome =
  | { status: "signed"; signedTransaction: Hex }
  | { status: "waiting"; activityId: string }
  | { status: "denied" | "try again" };

async function pay({ value, nonce, timestampMs }: Payout): Promise<Outcome> {
  const unsignedTransaction = serializeTransaction({
    type: "eip1559",
    chainId: 1,
    nonce,
    to: supplier,
    value,
    gas: 21_000n,
    maxFeePerGas: parseGwei("20"),
    maxPriorityFeePerGas: parseGwei("1"),
  });
  try {
    // The same parameters and the same time are the same activity.
    const { signedTransaction } = await bot.signTransaction(
      { signWith: address, type: "TRANSACTION_TYPE_ETHEREUM", unsignedTransaction },
      { timestampMs },
    );
    return { status: "signed", signedTransaction: `0x${signedTransaction}` };
  } catch (error) {
    if (error instanceof ConsensusNeeded) {
      return { status: "waiting", activityId: error.activity.id };
    }
    if (error instanceof PolicyDenied) return { status: "denied" };
    // No answer, or the activity takes longer than the client waits. Call again later.
    if (error instanceof Unavailable) return { status: "try again" };
    throw error;
  }
}

// A small payout is signed at once. Paying it again gives the same transaction, not a second one.
const small = book("invoice 1", parseEther("0.005"));
const first = await pay(small);
assert.deepEqual(await pay(book("invoice 1", parseEther("0.005"))), first);
console.log(`invoice 1: ${first.status}`);

// A large one waits for Ada, who decides about what Bot stamped.
const large = book("invoice 2", parseEther("0.5"));
const waiting = await pay(large);
console.log(`invoice 2: ${waiting.status}`);
assert(waiting.status === "waiting");
await ada.approve(waiting.activityId, ({ parameters }) => {
  const unsigned = String(parameters.unsignedTransaction).replace(/^(0x)?/, "0x");
  const { to, value, data } = parseTransaction(unsigned as Hex); // `replace` has put 0x in front
  return to === supplier.toLowerCase() && value === large.value && !data;
});
const approved = await pay(large);
console.log(`invoice 2, approved by Ada: ${approved.status}`);

// Nobody may pay this much. Its nonce is free, because nothing was signed.
const denied = await pay(book("invoice 3", parseEther("50")));
console.log(`invoice 3: ${denied.status}`);
process.exitCode = first.status === "signed" && approved.status === "signed" ? 0 : 1;
