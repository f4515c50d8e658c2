import { newKey } from "@keyhearth/api/testing";
import { APPROVAL_WINDOW_MS } from "@keyhearth/engine/records/activity";
import { serializeTransaction } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  approve,
  ask,
  makePolicy,
  makeWallet,
  newVictim,
  newWallet,
  type Person,
  perform,
  quorum,
  reject,
  resultOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";
import { friend, newClerk, pay, thief } from "./contract-calls.ts";

// An attacker who has a user's key requests what policies deny, in a form of the attacker's choice.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server.stop());

/** Expects that a policy denies the person's request, and that it leaves no activity. */
async function expectDenied(victim: Victim, what: Ask, { key }: Person) {
  expect(await ask(server, victim, what, key)).toMatchObject({
    status: 403,
    reason: "POLICY_DENIED",
    activity: undefined,
  });
}

function transaction(signWith: string, unsignedTransaction: string): Ask {
  return {
    endpoint: "sign_transaction",
    type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
    parameters: { signWith, unsignedTransaction, type: "TRANSACTION_TYPE_ETHEREUM" },
  };
}

test("a call in an encoding that contracts can read but policies cannot is denied", async () => {
  const { victim, clerk, address } = await newClerk(server);
  await perform(server, victim, pay(address, friend), clerk.key);
  await expectDenied(victim, pay(address, thief), clerk);
  const { unsignedTransaction } = pay(address, thief).parameters as { unsignedTransaction: string };
  // Contracts of older compilers ignore everything before the twenty bytes of an address.
  const padding = "0".repeat(24);
  const odd = unsignedTransaction.replace(
    `${padding}${thief.slice(2).toLowerCase()}`,
    `01${padding.slice(2)}${thief.slice(2).toLowerCase()}`,
  );
  expect(odd).not.toBe(unsignedTransaction);
  await expectDenied(victim, transaction(address, odd), clerk);
});

test("a transaction for every chain does not slip past a policy about one", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const { address } = await newWallet(server, victim);
  const condition = "activity.action == 'SIGN'";
  await perform(server, victim, makePolicy("sign", "EFFECT_ALLOW", { condition }));
  const elsewhere = "eth.tx.chain_id != 1";
  await perform(server, victim, makePolicy("one chain", "EFFECT_DENY", { condition: elsewhere }));
  const payment = { nonce: 0, gas: 21_000n, gasPrice: 10n ** 9n, to: friend, value: 1n } as const;
  const on = (chainId: number | undefined) =>
    transaction(
      address,
      serializeTransaction({ ...payment, type: "legacy", ...(chainId && { chainId }) }),
    );
  await perform(server, victim, on(1), clerk.key);
  await expectDenied(victim, on(10), clerk);
  await expectDenied(victim, on(undefined), clerk);
});

test("a transaction under the oldest type does not slip past a DENY about the newest", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const { address } = await newWallet(server, victim);
  const condition = "activity.action == 'SIGN'";
  await perform(server, victim, makePolicy("sign", "EFFECT_ALLOW", { condition }));
  const payment = { chainId: 1, gas: 21_000n, gasPrice: 1n, to: friend, value: 1n } as const;
  const newest = transaction(address, serializeTransaction({ ...payment, type: "legacy" }));
  const oldest = { ...newest, type: "ACTIVITY_TYPE_SIGN_TRANSACTION" };
  await perform(server, victim, oldest, clerk.key);
  const isNewest = "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'";
  await perform(server, victim, makePolicy("none", "EFFECT_DENY", { condition: isNewest }));
  await expectDenied(victim, newest, clerk);
  await expectDenied(victim, oldest, clerk);
});

test("a name does not turn the direction of the text around it", async () => {
  const victim = await newVictim(server);
  for (const walletName of ["trea\u202eyrus", "\u2066treasury", "treasury\u200f", "a\u0000b"]) {
    expect(await ask(server, victim, makeWallet(walletName))).toMatchObject({
      status: 400,
      reason: "FIELD_INVALID",
      activity: undefined,
    });
  }
});

test("a user outside a rule about the order of approvals rejects nothing", async () => {
  const victim = await newVictim(server);
  const ada = await addUser(server, victim);
  const grace = await addUser(server, victim);
  const outsider = await addUser(server, victim);
  const condition = "activity.resource == 'WALLET'";
  const consensus = `approvers[0].id == '${ada.userId}' && approvers.any(u, u.id == '${grace.userId}')`;
  await perform(server, victim, makePolicy("in turn", "EFFECT_ALLOW", { condition, consensus }));
  const waiting = await perform(server, victim, makeWallet("in turn"), ada.key);
  expect(waiting.activity).toMatchObject({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
  const fingerprint = waiting.activity?.fingerprint ?? "";
  expect(await ask(server, victim, reject(fingerprint), outsider.key)).toMatchObject({
    status: 403,
    reason: "REQUEST_NOT_AUTHORIZED",
  });
  const other = await perform(server, victim, makeWallet("rejected"), ada.key);
  const rejection = reject(other.activity?.fingerprint ?? "");
  const rejected = await perform(server, victim, rejection, grace.key);
  expect(rejected.activity).toMatchObject({ status: "ACTIVITY_STATUS_REJECTED" });
  const approved = await perform(server, victim, approve(fingerprint), grace.key);
  expect(approved.activity).toMatchObject({ status: "ACTIVITY_STATUS_COMPLETED" });
});

test("a change of a user's own keys is not executed without that user's approval", async () => {
  const victim = await newVictim(server);
  const [root] = victim.people;
  const second = await addUser(server, victim);
  const clerk = await addUser(server, victim);
  const condition = "activity.resource == 'CREDENTIAL'";
  const consensus = "approvers.count() >= 3";
  const policy = makePolicy("three of us", "EFFECT_ALLOW", { condition, consensus });
  const { policyId } = resultOf(await perform(server, victim, policy), "createPolicyResult");
  const waiting = await perform(server, victim, addKey(clerk, newKey()), clerk.key);
  expect(waiting.activity).toMatchObject({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
  await perform(server, victim, {
    endpoint: "delete_policy",
    type: "ACTIVITY_TYPE_DELETE_POLICY",
    parameters: { policyId },
  });
  await perform(server, victim, quorum(2, [root.userId, second.userId]));

  server.clock.offsetMs += APPROVAL_WINDOW_MS;
  const vote = approve(waiting.activity?.fingerprint ?? "");
  const { activity } = await perform(server, victim, vote, root.key);
  expect(activity).toMatchObject({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
});
