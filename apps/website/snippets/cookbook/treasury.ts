import assert from "node:assert/strict";
import { ConsensusNeeded } from "@keyhearth/sdk";
import { type Hex, parseEther, parseTransaction, serializeTransaction } from "viem";
import { ethereum, fund } from "./chain.ts";
import { ethereumAccount, newUser, openParent } from "./organization.ts";

// 1. Ada, Bob and Cleo own the treasury: any two of them decide.
const parent = await openParent();
const [ada, bob, cleo] = [newUser("Ada"), newUser("Bob"), newUser("Cleo")];
const { subOrganizationId, wallet } = await parent.createSubOrganization({
  subOrganizationName: "Treasury",
  rootQuorumThreshold: 2,
  rootUsers: [ada.params, bob.params, cleo.params],
  wallet: { walletName: "Treasury", accounts: [ethereumAccount()] },
});
const [treasury = "0x"] = (wallet?.addresses ?? []) as Hex[];
await fund(treasury);

// 2. Ada proposes a payment. Her stamp counts, and one more is needed.
const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";

async function propose(to: Hex, ether: string) {
  const unsignedTransaction = serializeTransaction({
    chainId: await ethereum.getChainId(),
    nonce: await ethereum.getTransactionCount({ address: treasury }),
    to,
    value: parseEther(ether),
    gas: 21_000n,
    ...(await ethereum.estimateFeesPerGas()),
  });
  try {
    await ada.in(subOrganizationId).signTransaction({
      signWith: treasury,
      type: "TRANSACTION_TYPE_ETHEREUM",
      unsignedTransaction,
    });
  } catch (error) {
    if (error instanceof ConsensusNeeded) return error.activity;
    throw error;
  }
  throw new Error("one of three must not be enough");
}

const before = await ethereum.getBalance({ address: supplier });
const payment = await propose(supplier, "2.5");
console.log(`Proposed, ${payment.status}`);

// 3. Bob reads what Ada stamped, not what somebody tells him, and approves it.
const { result } = await bob.in(subOrganizationId).approve(payment.id, ({ parameters }) => {
  const unsigned = String(parameters.unsignedTransaction) as Hex; // as Ada's program wrote it
  const { to, value, data } = parseTransaction(unsigned);
  return to === supplier.toLowerCase() && value === parseEther("2.5") && !data;
});
const hash = await ethereum.sendRawTransaction({
  serializedTransaction: `0x${result?.signedTransaction}`,
});
const { status } = await ethereum.waitForTransactionReceipt({ hash });
console.log(`Approved by Bob, paid: ${status}`);
const paid = (await ethereum.getBalance({ address: supplier })) - before;
assert.equal(paid, parseEther("2.5"));

// 4. Cleo does not know the receiver of the next one. One rejection ends it.
const stranger = await propose("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "7");
const { activity } = await cleo.in(subOrganizationId).reject(stranger.id);
console.log(`Refused by Cleo: ${activity.status}`);
