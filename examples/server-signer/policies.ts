import type { CreatePolicyIntentV3 } from "@keyhearth/sdk";
import { type Address, parseEther, parseGwei } from "viem";

// What the server may sign. This is the file to change.

export const CHAIN_ID = 1;

const RECIPIENTS: Address[] = [
  "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
];

/** The server alone may pay up to this amount, in wei. */
export const LIMIT = parseEther("0.1");

/** Above the limit, the approver has to agree. Nobody can pay more than this, in wei. */
const MAXIMUM = parseEther("5");

/** The highest price of gas, in wei. Without it, a stolen key could burn the wallet's money as fees. */
const MAX_FEE_PER_GAS = parseGwei("100");

/** What a transfer of ether to an ordinary account costs. */
export const GAS = 21_000n;

/** Ids and addresses that only exist once the setup has created them. */
export type Created = {
  serverId: string;
  approverId: string;
  /** Pays up to the limit. */
  smallAccount: Address;
  /** Pays above the limit. */
  largeAccount: Address;
};

export function payoutPolicies(created: Created): CreatePolicyIntentV3[] {
  const { serverId, approverId, smallAccount, largeAccount } = created;
  const server = `approvers.any(user, user.id == '${serverId}')`;
  const approver = `approvers.any(user, user.id == '${approverId}')`;
  return [
    {
      policyName: `Payouts up to ${LIMIT} wei`,
      effect: "EFFECT_ALLOW",
      consensus: server,
      condition: transferFrom(smallAccount, LIMIT),
      notes: "",
    },
    {
      policyName: `Approved payouts up to ${MAXIMUM} wei`,
      effect: "EFFECT_ALLOW",
      consensus: `${server} && ${approver}`,
      condition: transferFrom(largeAccount, MAXIMUM),
      notes: "",
    },
    {
      policyName: "The payout server keeps the key it has",
      effect: "EFFECT_DENY",
      consensus: server,
      condition: "activity.resource == 'CREDENTIAL'",
      notes: "Otherwise somebody who took over the server could add keys of their own to its user.",
    },
  ];
}

// An ALLOW has to test everything that matters: the sender chooses the rest.
function transferFrom(account: Address, maximum: bigint): string {
  return [
    "activity.kind == 'SIGN_TRANSACTION'",
    `wallet_account.address == '${account}'`,
    `eth.tx.chain_id == ${CHAIN_ID}`,
    `eth.tx.to in [${RECIPIENTS.map((address) => `'${address}'`).join(", ")}]`,
    `eth.tx.value <= ${maximum}`,
    "eth.tx.data == '0x'",
    `eth.tx.gas <= ${GAS}`,
    `eth.tx.max_fee_per_gas <= ${MAX_FEE_PER_GAS}`,
  ].join(" && ");
}
