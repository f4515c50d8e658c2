import { newKey } from "@keyhearth/api/testing";
import { APPROVAL_WINDOW_MS } from "@keyhearth/engine/records/activity";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { encodeFunctionData, type Hex, parseAbi, serializeTransaction } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  apiKey,
  approve,
  ask,
  makePolicy,
  makePrivateKey,
  makeWallet,
  newVictim,
  newWallet,
  type Person,
  perform,
  quorum,
  reject,
  resultOf,
  sign,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";
import { contract, friend, newClerk, newInterface, pay, thief } from "./contract-calls.ts";

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

/** A clerk who may sign everything that no DENY with this condition denies. */
async function newSigner(condition: string) {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const { address } = await newWallet(server, victim);
  const isAnything = "activity.action == 'SIGN'";
  await perform(server, victim, makePolicy("sign", "EFFECT_ALLOW", { condition: isAnything }));
  const reply = await perform(server, victim, makePolicy("limit", "EFFECT_DENY", { condition }));
  const { policyId } = resultOf(reply, "createPolicyResult");
  return {
    victim,
    clerk,
    address,
    allowed: (what: Ask) => perform(server, victim, what, clerk.key),
    /** Expects a denial that names the policy and, if it errs, the part. */
    async denied(what: Ask, part?: string) {
      const reply = await ask(server, victim, what, clerk.key);
      expect(reply).toMatchObject({ status: 403, reason: "POLICY_DENIED", activity: undefined });
      const error = `(${policyId}), condition, \`${part}\`: `;
      if (part === undefined) expect(reply.message).not.toContain("condition");
      else expect(reply.message).toContain(error);
    },
  };
}

const payment = { nonce: 0, gas: 100_000n, chainId: 1, maxPriorityFeePerGas: 1n } as const;

function call(address: string, to: Hex, data?: Hex, value = 0n): Ask {
  const fees = { type: "eip1559", maxFeePerGas: 10n ** 9n } as const;
  return transaction(address, serializeTransaction({ ...payment, ...fees, to, data, value }));
}

test("an amount of a call is exact, up to the largest integer there is", async () => {
  const amount = "eth.tx.contract_call_args['amount'] > 1000";
  for (const type of ["int256", "uint256"] as const) {
    const { victim, address, allowed, denied } = await newSigner(amount);
    const inputs = [{ name: "amount", type }];
    const abi = [{ type: "function", name: "move", inputs, outputs: [] }];
    await newInterface(server, victim, JSON.stringify(abi));
    const move = (value: bigint) => {
      const args = { abi: parseAbi([`function move(${type} amount)`]), args: [value] } as const;
      return call(address, contract, encodeFunctionData(args));
    };
    await allowed(move(1000n));
    const most = type === "int256" ? 2n ** 255n - 1n : 2n ** 256n - 1n;
    for (const value of [1001n, 5000n, 2n ** 127n, most]) await denied(move(value));
    if (type === "int256") await allowed(move(-(2n ** 255n)));
  }
});

test("an amount of typed data is the same integer in every spelling", async () => {
  const amount = "eth.eip_712.message['amount'] > 1000";
  const { victim, clerk, address, allowed, denied } = await newSigner(amount);
  const order = (written: string, type = "uint256"): Ask => ({
    endpoint: "sign_raw_payload",
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    parameters: {
      signWith: address,
      payload: `{"types":{"Order":[{"name":"amount","type":"${type}"}]},"primaryType":"Order","domain":{"name":"Orders"},"message":{"amount":${written}}}`,
      encoding: "PAYLOAD_ENCODING_EIP712",
      hashFunction: "HASH_FUNCTION_NO_OP",
    },
  });
  for (const written of ["1000", '"1000"', '"0x3e8"']) await allowed(order(written));
  const hex = "1388";
  for (const written of ["5000", "5e3", '"5000"', `"0x${hex}"`, `"0x${hex.padStart(64, "0")}"`]) {
    await denied(order(written));
  }
  for (const written of ['"0X1388"', '"005000"', '"+5000"', '" 5000"', '"5e3"', "[5000]"]) {
    const reply = await ask(server, victim, order(written), clerk.key);
    expect(reply).toMatchObject({ status: 400, activity: undefined });
  }
  await denied(order('"5000"', "string"), amount);
  await denied(order('"0x1388"', "bytes"), amount);
  await denied(order("[5000]", "uint256[]"), amount);
});

test("typed data without its domain, or with a part of it undeclared, is not signed", async () => {
  const { victim, clerk, address, allowed } = await newSigner("eth.eip_712.domain.chain_id == 10");
  const order = (domain: object, declared: object = {}): Ask => ({
    endpoint: "sign_raw_payload",
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    parameters: {
      signWith: address,
      payload: JSON.stringify({
        types: { ...declared, Order: [{ name: "amount", type: "uint256" }] },
        primaryType: "Order",
        domain,
        message: { amount: "1" },
      }),
      encoding: "PAYLOAD_ENCODING_EIP712",
      hashFunction: "HASH_FUNCTION_NO_OP",
    },
  });
  const name = { name: "name", type: "string" };
  const chainId = { name: "chainId", type: "uint256" };
  const one = { name: "Orders", chainId: 1 };
  await allowed(order(one));
  await allowed(order(one, { EIP712Domain: [name, chainId] }));
  for (const refused of [
    order({}),
    order({}, { EIP712Domain: [] }),
    // A policy would read a chain that is not part of the digest.
    order(one, { EIP712Domain: [] }),
    order(one, { EIP712Domain: [name] }),
    order({ name: "Orders" }, { EIP712Domain: [name, chainId] }),
  ]) {
    const reply = await ask(server, victim, refused, clerk.key);
    expect(reply).toMatchObject({ status: 400, activity: undefined });
  }
});

test("calldata that is cut short does not slip past a DENY that reads it", async () => {
  const part = "eth.tx.data[34..74]";
  const isTheft = `eth.tx.to == '${contract}' && ${part} == '${"0".repeat(36)}dead'`;
  const { address, allowed, denied } = await newSigner(isTheft);
  const words = `0x${"11".repeat(4)}${"00".repeat(12)}` as const;
  await allowed(call(address, contract, `${words}${"22".repeat(20)}`));
  await denied(call(address, contract, `${words}${"00".repeat(18)}dead`));
  // Contracts read zeros after the end.
  await denied(call(address, contract, `${words}${"00".repeat(18)}de`), part);
  await denied(call(address, contract, "0x"), part);
  await allowed(call(address, friend, "0x", 1n));
});

test("what a request lacks does not hide what a DENY finds in it", async () => {
  const isThief = `eth.tx.to == '${thief}'`;
  const args = `eth.tx.contract_call_args['recipient'] == '${thief}'`;
  const { address, allowed, denied } = await newSigner(`${isThief} || ${args}`);
  await denied(call(address, thief, "0x", 1n));
  await allowed(call(address, friend, "0x", 1n));
});

test("a limit on fees is not avoided with an older type of transaction", async () => {
  const part = "eth.tx.max_fee_per_gas";
  const { address, allowed, denied } = await newSigner(`${part} > 2000000000`);
  await allowed(call(address, friend));
  const { nonce, gas, chainId } = payment;
  const old = { nonce, gas, chainId, to: friend, gasPrice: 10n ** 15n } as const;
  await denied(transaction(address, serializeTransaction({ ...old, type: "legacy" })), part);
  await denied(transaction(address, serializeTransaction({ ...old, type: "eip2930" })), part);
});

test("a parameter that is left out does not slip past a DENY that reads it", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const condition = "activity.resource == 'POLICY'";
  await perform(server, victim, makePolicy("policies", "EFFECT_ALLOW", { condition }));
  const anyone = "activity.action == 'CREATE' && activity.params.consensus == 'true'";
  await perform(server, victim, makePolicy("anyone", "EFFECT_DENY", { condition: anyone }));
  const narrow = { condition: "wallet.id == 'x'", consensus: "approvers.count() > 1" };
  await perform(server, victim, makePolicy("two", "EFFECT_ALLOW", narrow), clerk.key);
  const open = { condition: narrow.condition, consensus: "true" };
  await expectDenied(victim, makePolicy("all", "EFFECT_ALLOW", open), clerk);
  const silent = { condition: narrow.condition };
  await expectDenied(victim, makePolicy("none", "EFFECT_ALLOW", silent), clerk);
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

test("a DENY about a user's address holds in every spelling of it, and for the user's id", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const [{ userId }] = victim.people;
  const change = { userId, userEmail: "Kate@example.com" };
  await perform(server, victim, {
    endpoint: "update_user",
    type: "ACTIVITY_TYPE_UPDATE_USER",
    parameters: change,
  });
  const condition = "activity.resource == 'AUTH'";
  await perform(server, victim, makePolicy("log others in", "EFFECT_ALLOW", { condition }));
  const { targetPublicKey } = createTargetKey();
  const logIn = (email: string): Ask => ({
    endpoint: "create_read_write_session",
    type: "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION",
    parameters: { targetPublicKey, email },
  });
  await perform(server, victim, logIn("kate@example.com"), clerk.key);
  const about = `${condition} && activity.params.email == 'Kate@example.com'`;
  await perform(server, victim, makePolicy("not Kate", "EFFECT_DENY", { condition: about }));
  for (const email of ["Kate@example.com", "kate@EXAMPLE.com"]) {
    await expectDenied(victim, logIn(email), clerk);
  }
  // It begins with the sign for kelvin, which is a k in lower case. It is nobody's address.
  const lookalike = await ask(server, victim, logIn("\u212aate@example.com"), clerk.key);
  expect(lookalike).toMatchObject({ status: 404, reason: "NOT_FOUND", activity: undefined });
  const byId: Ask = {
    endpoint: "create_read_write_session",
    type: "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2",
    parameters: { targetPublicKey, userId },
  };
  await expectDenied(victim, byId, clerk);
});

test("a policy that names a user by a verified address does not hold for another who states it", async () => {
  const victim = await newVictim(server);
  const [clerk, kate] = [await addUser(server, victim), await addUser(server, victim)];
  const email = "Kate@example.com";
  const { organizationId, people } = victim;
  const claims = { contact: email, organization_id: organizationId };
  const verificationToken = tokenOf(server, { ...claims, public_key: people[0].key.publicKey });
  await perform(server, victim, {
    endpoint: "update_user_email",
    type: "ACTIVITY_TYPE_UPDATE_USER_EMAIL",
    parameters: { userId: kate.userId, userEmail: email, verificationToken },
  });
  const createUsers = "activity.resource == 'USER' && activity.action == 'CREATE'";
  const byClerk = `approvers.any(user, user.id == '${clerk.userId}')`;
  const clerks = { condition: createUsers, consensus: byClerk };
  await perform(server, victim, makePolicy("clerks create users", "EFFECT_ALLOW", clerks));
  const wallets = "activity.resource == 'WALLET'";
  for (const spelling of [email, email.toLowerCase()]) {
    const consensus = `approvers.any(user, user.email == '${spelling}')`;
    const clauses = { condition: wallets, consensus };
    await perform(server, victim, makePolicy(`for ${spelling}`, "EFFECT_ALLOW", clauses));
  }
  await perform(server, victim, makeWallet("by Kate"), kate.key);
  for (const userEmail of [email, email.toLowerCase()]) {
    const key = newKey();
    const user = { userName: "Kate", userEmail, apiKeys: [apiKey(key)] };
    const reply = await perform(
      server,
      victim,
      {
        endpoint: "create_users",
        type: "ACTIVITY_TYPE_CREATE_USERS_V3",
        parameters: {
          users: [{ ...user, authenticators: [], oauthProviders: [], userTags: [] }],
        },
      },
      clerk.key,
    );
    const { userIds } = resultOf(reply, "createUsersResult") as { userIds: [string] };
    await expectDenied(victim, makeWallet("by the clerk"), { userId: userIds[0], key });
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

test("a user who may only create tags gets no key under a tag that a policy names", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const made = resultOf(
    await perform(server, victim, makePrivateKey("vault")),
    "createPrivateKeysResultV2",
  ).privateKeys as [{ privateKeyId: string }];
  const [{ privateKeyId }] = made;
  const tag = (privateKeyIds: string[]): Ask => ({
    endpoint: "create_private_key_tag",
    type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG",
    parameters: { privateKeyTagName: "hot", privateKeyIds },
  });
  const created = await perform(server, victim, tag([]));
  const { privateKeyTagId } = resultOf(created, "createPrivateKeyTagResult");
  const consensus = `approvers.any(user, user.id == '${clerk.userId}')`;
  const allow = (name: string, condition: string) =>
    perform(server, victim, makePolicy(name, "EFFECT_ALLOW", { condition, consensus }));
  await allow("tags", "activity.kind == 'CREATE_PRIVATE_KEY_TAG'");
  await allow("hot", `private_key.tags.contains('${privateKeyTagId}')`);
  const change = (endpoint: string, parameters: Record<string, unknown>): Ask => {
    return { endpoint, type: `ACTIVITY_TYPE_${endpoint.toUpperCase()}`, parameters };
  };
  const add = { privateKeyTagId, addPrivateKeyIds: [privateKeyId], removePrivateKeyIds: [] };
  await expectDenied(victim, change("update_private_key_tag", add), clerk);
  expect(await ask(server, victim, tag([privateKeyId]), clerk.key)).toMatchObject({ status: 409 });
  await expectDenied(victim, sign(privateKeyId), clerk);
  // The name of a tag says nothing to policies, which know its id.
  const remove = change("delete_private_key_tags", { privateKeyTagIds: [privateKeyTagId] });
  await perform(server, victim, remove);
  const again = await perform(server, victim, tag([privateKeyId]), clerk.key);
  expect(resultOf(again, "createPrivateKeyTagResult").privateKeyTagId).not.toBe(privateKeyTagId);
  await expectDenied(victim, sign(privateKeyId), clerk);
});

test("a DENY about a wallet holds for its accounts, in every form in which a request names them", async () => {
  const victim = await newVictim(server);
  const clerk = await addUser(server, victim);
  const { walletId, address } = await newWallet(server, victim);
  const consensus = `approvers.any(user, user.id == '${clerk.userId}')`;
  const condition = "activity.action in ['SIGN', 'EXPORT', 'UPDATE']";
  await perform(server, victim, makePolicy("all", "EFFECT_ALLOW", { condition, consensus }));
  const about = (name: string, denied: string) =>
    perform(server, victim, makePolicy(name, "EFFECT_DENY", { condition: denied, consensus }));
  await about("vault", `wallet.id == '${walletId}'`);
  const { publicKey: targetPublicKey } = newKey();
  const exported = (endpoint: string, parameters: Record<string, unknown>): Ask => ({
    endpoint,
    type: `ACTIVITY_TYPE_${endpoint.toUpperCase()}`,
    parameters: { ...parameters, targetPublicKey },
  });
  const attempts = [
    exported("export_wallet", { walletId }),
    exported("export_wallet_account", { address }),
    exported("export_wallet_account", { address: address.toLowerCase() }),
    sign(address.toUpperCase().replace("0X", "0x")),
  ];
  for (const attempt of attempts) await expectDenied(victim, attempt, clerk);
  // A new name changes what a label says, but not the id.
  const type = "ACTIVITY_TYPE_UPDATE_WALLET";
  const parameters = { walletId, walletName: "other" };
  await perform(server, victim, { endpoint: "update_wallet", type, parameters }, clerk.key);
  for (const attempt of attempts) await expectDenied(victim, attempt, clerk);
});
