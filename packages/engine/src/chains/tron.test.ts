import { newOrganization } from "@keyhearth/api/testing";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { utils } from "tronweb";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  ethereumAccount,
  expectDenied,
  refusal,
  submit,
} from "../organization.testing.ts";

const type = "TRANSACTION_TYPE_TRON";
const activityType = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
const RECIPIENT = "TPL66VK2gCXNCD7EJg9pgJRfqcRazjhUZY";
const TOKEN = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";

async function newKeys() {
  const organization = await newOrganization();
  const { addresses } = await organization.root.createWallet({
    walletName: "treasury",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/195'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_TRON",
      },
      ethereumAccount,
    ],
  });
  const [tron = "", ethereum = ""] = addresses;
  const { client, userId } = await addUser(organization);
  return { ...organization, tron, ethereum, client, userId };
}

type Value = Record<string, unknown>;

/** The transaction by tronweb. Addresses are texts that begin with `T`. */
function transactionOf(contract: string, value: Value, raw: Value = {}) {
  const hex = Object.entries(value).map(([name, each]) => [
    name,
    typeof each === "string" && each.startsWith("T") ? utils.address.toHex(each) : each,
  ]);
  return utils.transaction.txJsonToPb({
    visible: false,
    raw_data: {
      ref_block_bytes: "a1b2",
      ref_block_hash: "0102030405060708",
      expiration: 1_700_000_060_000,
      timestamp: 1_700_000_000_000,
      contract: [{ type: contract, parameter: { value: Object.fromEntries(hex) } }],
      ...raw,
    },
  });
}

const rawOf = (...given: Parameters<typeof transactionOf>) =>
  utils.transaction.txPbToRawDataHex(transactionOf(...given));

test("a transfer is signed as tronweb signs it, by a key that recovers to the owner", async () => {
  const { root, tron } = await newKeys();
  const given = { owner_address: tron, to_address: RECIPIENT, amount: 1_000_000 };
  const request = { signWith: tron, unsignedTransaction: rawOf("TransferContract", given), type };
  const { activity, signedTransaction } = await root.signTransaction(request as never);
  expect(activity.result).toEqual({ signTransactionResult: { signedTransaction } });
  const other = transactionOf("TransferContract", given);
  const txID = utils.transaction.txPbToTxID(other).replace(/^0x/, "");
  const signature = signedTransaction.slice(-130);
  expect(utils.address.fromHex(utils.crypto.ecRecover(txID, signature))).toBe(tron);
  other.addSignature(decodeHex(signature));
  expect(signedTransaction).toBe(Buffer.from(other.serializeBinary()).toString("hex"));
});

test("bad transactions are refused by field", async () => {
  const { root, tron, ethereum } = await newKeys();
  const given = { owner_address: tron, to_address: RECIPIENT, amount: 1 };
  const raw = rawOf("TransferContract", given);
  const field = "parameters.unsignedTransaction";
  const before = "failed to parse transaction: ";
  const cases: [object, string, unknown][] = [
    [{ signWith: ethereum }, "parameters.signWith", ownerMessage(tron)],
    [
      { unsignedTransaction: rawOf("TransferContract", { ...given, owner_address: RECIPIENT }) },
      "parameters.signWith",
      ownerMessage(RECIPIENT),
    ],
    [
      { unsignedTransaction: `${raw}00` },
      field,
      expect.stringContaining(
        `${before}raw_data_hex: field 0 is unknown: expected ref_block_bytes`,
      ),
    ],
    [
      { unsignedTransaction: rawOf("WithdrawBalanceContract", { owner_address: tron }) },
      field,
      expect.stringContaining(
        `${before}contract: type 13 cannot be read: expected TransferContract`,
      ),
    ],
    [
      { type: "TRANSACTION_TYPE_ETHEREUM" },
      field,
      expect.stringMatching(/^failed to parse transaction: /),
    ],
  ];
  for (const [change, at, message] of cases) {
    const parameters = { signWith: tron, unsignedTransaction: raw, type, ...change };
    const submitted = submit(root, "sign_transaction", { type: activityType, parameters });
    expect(await refusal(submitted)).toEqual(badRequest("TRANSACTION_INVALID", at, message));
  }
  expect((await root.listActivities({ filterByType: [activityType] })).activities).toEqual([]);
});

function ownerMessage(owner: string) {
  const pattern = `^the \`owner_address\` of the transaction is ${owner}, but the key that \`signWith\` names has the address T\\w{33}: name the key of the owner$`;
  return expect.stringMatching(new RegExp(pattern));
}

test("policies read a transfer and a call", async () => {
  const { root, client, userId, tron } = await newKeys();
  const allow = (policyName: string, condition: string) =>
    root.createPolicy({
      policyName,
      effect: "EFFECT_ALLOW",
      consensus: `approvers.any(u, u.id == '${userId}')`,
      condition: `${condition} && wallet_account.address == '${tron}'`,
      notes: "",
    });
  await allow(
    "small transfers",
    `tron.tx.contract.count() == 1 && tron.tx.contract.all(c, c.type == 'TransferContract' && c.owner_address == '${tron}' && c.permission_id == 0 && c.to_address == '${RECIPIENT}' && c.amount <= 1000000) && tron.tx.data == '6869' && tron.tx.ref_block_bytes == 'a1b2' && tron.tx.ref_block_hash == '0102030405060708' && tron.tx.timestamp < tron.tx.expiration && tron.tx.fee_limit == 0`,
  );
  await allow(
    "one token",
    `tron.tx.contract.all(c, c.type == 'TriggerSmartContract' && c.contract_address == '${TOKEN}' && c.call_value == 0 && c.call_token_value == 0 && c.token_id == 0 && c.data[0..8] == 'a9059cbb') && tron.tx.fee_limit <= 100000000`,
  );
  const sign = (...given: Parameters<typeof transactionOf>) =>
    client.signTransaction({ signWith: tron, unsignedTransaction: rawOf(...given), type });
  const transfer = { owner_address: tron, to_address: RECIPIENT, amount: 1_000_000 };
  const memo = { data: "6869" };
  expect((await sign("TransferContract", transfer, memo)).signedTransaction).toMatch(/^0a/);
  await expectDenied(sign("TransferContract", { ...transfer, amount: 1_000_001 }, memo));
  await expectDenied(sign("TransferContract", { ...transfer, to_address: tron }, memo));
  await expectDenied(sign("TransferContract", transfer));
  const call = {
    owner_address: tron,
    contract_address: TOKEN,
    data: `a9059cbb${"00".repeat(64)}`,
    call_value: 0,
  };
  const fee = { fee_limit: 100_000_000 };
  expect((await sign("TriggerSmartContract", call, fee)).signedTransaction).toMatch(/^0a/);
  await expectDenied(sign("TriggerSmartContract", { ...call, call_value: 1 }, fee));
  await expectDenied(sign("TriggerSmartContract", call, { fee_limit: 100_000_001 }));
  await expectDenied(sign("TriggerSmartContract", { ...call, data: "095ea7b3" }, fee));
});

test("policies read stakes, delegations and permissions", async () => {
  const { root, client, tron } = await newKeys();
  const permission = {
    type: 2,
    id: 2,
    permission_name: "bot",
    threshold: 1,
    operations: "ff".repeat(32),
    keys: [{ address: utils.address.toHex(RECIPIENT), weight: 3 }],
  };
  const cases: [string, Value, string][] = [
    [
      "FreezeBalanceV2Contract",
      { frozen_balance: 5, resource: "ENERGY" },
      "c.frozen_balance == 5 && c.resource == 'ENERGY'",
    ],
    [
      "UnfreezeBalanceV2Contract",
      { unfreeze_balance: 6, resource: "BANDWIDTH" },
      "c.unfreeze_balance == 6 && c.resource == 'BANDWIDTH'",
    ],
    [
      "DelegateResourceContract",
      { receiver_address: RECIPIENT, balance: 7, resource: "ENERGY", lock: true, lock_period: 8 },
      `c.receiver_address == '${RECIPIENT}' && c.balance == 7 && c.lock && c.lock_period == 8`,
    ],
    [
      "UnDelegateResourceContract",
      { receiver_address: RECIPIENT, balance: 9, resource: "ENERGY" },
      `c.receiver_address == '${RECIPIENT}' && c.balance == 9`,
    ],
    [
      "AccountPermissionUpdateContract",
      { owner: { ...permission, type: 0, id: 0 }, actives: [permission] },
      `c.owner.type == 'Owner' && c.owner.threshold == 1 && c.actives.all(a, a.type == 'Active' && a.id == 2 && a.permission_name == 'bot' && a.parent_id == 0 && a.operations == '${"ff".repeat(32)}' && a.keys.all(k, k.address == '${RECIPIENT}' && k.weight == 3))`,
    ],
  ];
  for (const [contract, , reading] of cases) {
    const { policyId } = await root.createPolicy({
      policyName: contract,
      effect: "EFFECT_ALLOW",
      condition: `tron.tx.contract.all(c, c.type == '${contract}' && ${reading})`,
      notes: "",
    });
    for (const [other, otherValue] of cases) {
      const unsignedTransaction = rawOf(other, { owner_address: tron, ...otherValue });
      const signed = client.signTransaction({ signWith: tron, unsignedTransaction, type });
      if (other === contract) expect((await signed).signedTransaction).toMatch(/^0a/);
      else await expectDenied(signed);
    }
    await root.deletePolicy({ policyId });
  }
});

test("a DENY that reads a field of other contracts denies", async () => {
  const { root, client, tron } = await newKeys();
  const policy = (effect: "EFFECT_ALLOW" | "EFFECT_DENY", condition: string) =>
    root.createPolicy({ policyName: effect, effect, condition, notes: "" });
  await policy("EFFECT_ALLOW", "activity.action == 'SIGN'");
  await policy("EFFECT_DENY", "tron.tx.contract.any(c, c.amount > 1000)");
  const sign = (contract: string, value: Value) => {
    const unsignedTransaction = rawOf(contract, { owner_address: tron, ...value });
    return client.signTransaction({ signWith: tron, unsignedTransaction, type });
  };
  const transfer = { to_address: RECIPIENT, amount: 1000 };
  expect((await sign("TransferContract", transfer)).signedTransaction).toMatch(/^0a/);
  const stake = { frozen_balance: 1, resource: "ENERGY" };
  for (const denied of [
    () => sign("TransferContract", { ...transfer, amount: 1001 }),
    () => sign("FreezeBalanceV2Contract", stake),
  ]) {
    expect(await refusal(denied())).toMatchObject({ httpStatus: 403, code: "POLICY_DENIED" });
  }
});
