import assert from "node:assert/strict";
import { type KeyhearthClient, PolicyDenied } from "@keyhearth/sdk";
import { type Hex, parseEther, serializeTransaction } from "viem";
import { ethereum, fund } from "./chain.ts";
import { ethereumAccount, newUser, openParent } from "./organization.ts";

// 1. One wallet: account 0 is the vault, and each customer pays into an account of their own.
const customers = ["Ada", "Bob", "Cleo"];
const parent = await openParent();
const admin = newUser("Admin");
const { subOrganizationId, wallet } = await parent.createSubOrganization({
  subOrganizationName: "Deposits",
  rootQuorumThreshold: 1,
  rootUsers: [admin.params],
  wallet: {
    walletName: "Deposits",
    accounts: [ethereumAccount(0), ...customers.map((_, at) => ethereumAccount(at + 1))],
  },
});
const [vault = "0x", ...deposits] = (wallet?.addresses ?? []) as Hex[];

// 2. The sweeper may move ether from these accounts to the vault, and do nothing else.
const sweeper = newUser("Sweeper");
const root = admin.in(subOrganizationId);
const { userIds } = await root.createUsers({ users: [{ ...sweeper.params, userTags: [] }] });
const chainId = await ethereum.getChainId();
const isSweeper = `approvers.any(user, user.id == '${userIds[0]}')`;
await root.createPolicies({
  policies: [
    {
      policyName: "Sweep to the vault",
      effect: "EFFECT_ALLOW",
      consensus: isSweeper,
      condition: [
        "activity.kind == 'SIGN_TRANSACTION'",
        `wallet.id == '${wallet?.walletId}'`,
        `wallet_account.address != '${vault}'`,
        `eth.tx.chain_id == ${chainId}`,
        `eth.tx.to == '${vault}'`,
        "eth.tx.data == '0x'",
        "eth.tx.gas <= 21000",
        // What is left for fees is the customer's money too.
        "eth.tx.max_fee_per_gas <= 50000000000",
      ].join(" && "),
      notes: "",
    },
    {
      policyName: "The sweeper keeps the key that it has",
      effect: "EFFECT_DENY",
      consensus: isSweeper,
      condition: "activity.resource == 'CREDENTIAL'",
      notes: "",
    },
  ],
});

// 3. Customers pay. On a network, you learn of that from your node or an indexer.
for (const address of deposits.slice(0, 2)) await fund(address);

// 4. The sweeper looks at every account and moves what is worth more than its fee.
async function sweep(bot: KeyhearthClient, from: Hex, to: Hex) {
  const { maxFeePerGas, maxPriorityFeePerGas } = await ethereum.estimateFeesPerGas();
  const fee = 21_000n * maxFeePerGas;
  const balance = await ethereum.getBalance({ address: from });
  if (balance <= 2n * fee) return 0n;
  const value = balance - fee;
  const { signedTransaction } = await bot.signTransaction({
    signWith: from,
    type: "TRANSACTION_TYPE_ETHEREUM",
    unsignedTransaction: serializeTransaction({
      chainId,
      nonce: await ethereum.getTransactionCount({ address: from }),
      to,
      value,
      gas: 21_000n,
      maxFeePerGas,
      maxPriorityFeePerGas,
    }),
  });
  const hash = await ethereum.sendRawTransaction({
    serializedTransaction: `0x${signedTransaction}`,
  });
  await ethereum.waitForTransactionReceipt({ hash });
  return value;
}

const bot = sweeper.in(subOrganizationId);
let swept = 0n;
for (const [at, address] of deposits.entries()) {
  const value = await sweep(bot, address, vault);
  swept += value;
  console.log(`${customers[at]}: ${value > 0n ? "swept" : "nothing to sweep"}`);
}
assert.equal(await ethereum.getBalance({ address: vault }), swept);
assert(swept > parseEther("19.9"));

// 5. A thief of the sweeper's key can send nothing elsewhere.
const [, paid = "0x"] = deposits;
await fund(paid);
const denied = await sweep(bot, paid, "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045").catch(
  (error: unknown) => error,
);
assert(denied instanceof PolicyDenied);
console.log("To another address: denied");
