import { encodeFunctionData, parseAbi, serializeTransaction } from "viem";
import {
  type Ask,
  type Attacked,
  addUser,
  makeWallet,
  newVictim,
  type Person,
  perform,
  recordOf,
  resultOf,
  type Victim,
} from "./attacker.ts";

/** Shared by the attacks on contract interfaces: a clerk who may pay only a friend. */

export const contract = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
export const friend = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
export const thief = "0x000000000000000000000000000000000000dEaD";

/** `pay`, with names for its two addresses. */
function payAbi(first: string, second: string): string {
  const inputs = [first, second].map((name) => ({ name, type: "address" }));
  return JSON.stringify([{ type: "function", name: "pay", inputs, outputs: [] }]);
}

export const authenticAbi = payAbi("recipient", "sponsor");
/** With this interface, the thief looks like the sponsor. */
export const exchangedAbi = payAbi("sponsor", "recipient");

function makeInterface(
  smartContractInterface: string,
  { label = "payments", smartContractAddress = contract as string } = {},
): Ask {
  return {
    endpoint: "create_smart_contract_interface",
    type: "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE",
    parameters: {
      smartContractAddress,
      smartContractInterface,
      type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
      label,
    },
  };
}

export function deleteInterface(smartContractInterfaceId: string): Ask {
  return {
    endpoint: "delete_smart_contract_interface",
    type: "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE",
    parameters: { smartContractInterfaceId },
  };
}

/** A call of the contract that pays `recipient`. */
export function pay(signWith: string, recipient: typeof friend | typeof thief): Ask {
  const sponsor = recipient === friend ? thief : friend;
  const unsignedTransaction = serializeTransaction({
    type: "eip1559",
    chainId: 1,
    nonce: 0,
    gas: 100_000n,
    maxFeePerGas: 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 6n,
    to: contract,
    data: encodeFunctionData({
      abi: parseAbi(["function pay(address, address)"]),
      args: [recipient, sponsor],
    }),
  });
  return {
    endpoint: "sign_transaction",
    type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
    parameters: { signWith, unsignedTransaction, type: "TRANSACTION_TYPE_ETHEREUM" },
  };
}

export type Clerk = {
  victim: Victim;
  clerk: Person;
  address: string;
  smartContractInterfaceId: string;
};

/**
 * A user outside the root quorum who may sign calls of the contract, but only those that pay the
 * friend. `approvals` is the number of users who must agree.
 */
export async function newClerk(server: Attacked, { approvals = 1 } = {}): Promise<Clerk> {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const reply = await perform(server, victim, makeWallet());
  const [address = ""] = resultOf(reply, "createWalletResult").addresses as string[];
  const smartContractInterfaceId = await newInterface(server, victim, authenticAbi);
  const isCall = `eth.tx.to == '${contract}'`;
  await perform(
    server,
    victim,
    makePolicy("EFFECT_ALLOW", isCall, `approvers.count() >= ${approvals}`),
  );
  const isTheft = `eth.tx.contract_call_args['recipient'] != '${friend}'`;
  await perform(server, victim, makePolicy("EFFECT_DENY", isTheft));
  return { victim, clerk, address, smartContractInterfaceId };
}

export async function newInterface(
  server: Attacked,
  victim: Victim,
  text: string,
  options: { label?: string; smartContractAddress?: string } = {},
): Promise<string> {
  const reply = await perform(server, victim, makeInterface(text, options));
  return String(resultOf(reply, "createSmartContractInterfaceResult").smartContractInterfaceId);
}

export function interfaceRecord(server: Attacked, smartContractInterfaceId: string) {
  return recordOf(
    server,
    "SELECT record FROM smart_contract_interfaces WHERE smart_contract_interface_id = $1::uuid",
    [smartContractInterfaceId],
  );
}

function makePolicy(effect: "EFFECT_ALLOW" | "EFFECT_DENY", condition: string, consensus?: string) {
  return {
    endpoint: "create_policy",
    type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
    parameters: {
      policyName: effect,
      effect,
      condition: `activity.action == 'SIGN' && ${condition}`,
      ...(consensus === undefined ? {} : { consensus }),
    },
  };
}
