import { newOrganization } from "@keyhearth/api/testing";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { address, initEccLib, networks, Psbt, payments, Transaction, toXOnly } from "bitcoinjs-lib";
import * as tiny from "tiny-secp256k1";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  expectDenied,
  first,
  refusal,
  submit,
} from "../organization.testing.ts";

initEccLib(tiny);

const type = "TRANSACTION_TYPE_BITCOIN";
const activityType = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
const RECIPIENT = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

const forms = ["P2PKH", "P2SH", "P2WPKH", "P2WSH", "P2TR"] as const;
type Form = (typeof forms)[number];

/** One key under addresses of every form, on a test network, and in hex. */
async function newKeys() {
  const organization = await newOrganization();
  const formats = [
    ...forms.map((form) => `ADDRESS_FORMAT_BITCOIN_MAINNET_${form}` as const),
    "ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH",
    "ADDRESS_FORMAT_COMPRESSED",
  ] as const;
  const { addresses } = await organization.root.createWallet({
    walletName: "coins",
    accounts: formats.map((addressFormat) => ({
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/84'/0'/0'/0/0",
      addressFormat,
    })),
  });
  const byForm = Object.fromEntries(forms.map((form, i) => [form, addresses[i] ?? ""]));
  return {
    ...organization,
    byForm: byForm as Record<Form, string>, // made of all forms
    regtest: addresses[5] ?? "",
    publicKey: decodeHex(addresses[6] ?? ""),
  };
}

type Input = { form: Form; amount: bigint; isProven?: boolean };

/** What a PSBT tells about an input that spends from an address of this form. */
function tell(publicKey: Uint8Array, form: Form) {
  const pubkey = publicKey;
  switch (form) {
    case "P2PKH":
      return { payment: payments.p2pkh({ pubkey }), more: {} };
    case "P2SH": {
      const redeem = payments.p2wpkh({ pubkey });
      return { payment: payments.p2sh({ redeem }), more: { redeemScript: outputOf(redeem) } };
    }
    case "P2WPKH":
      return { payment: payments.p2wpkh({ pubkey }), more: {} };
    case "P2WSH": {
      const redeem = payments.p2pk({ pubkey });
      return { payment: payments.p2wsh({ redeem }), more: { witnessScript: outputOf(redeem) } };
    }
    case "P2TR": {
      const tapInternalKey = toXOnly(publicKey);
      return {
        payment: payments.p2tr({ internalPubkey: tapInternalKey }),
        more: { tapInternalKey },
      };
    }
  }
}

function outputOf({ output }: { output?: Uint8Array | undefined }): Uint8Array {
  if (!output) throw new Error("no output");
  return output;
}

/** A PSBT that spends from the key, and pays the fee that the outputs leave. */
function psbtOf(
  publicKey: Uint8Array,
  inputs: readonly Input[],
  outputs: readonly (readonly [string, bigint])[],
): Psbt {
  const psbt = new Psbt();
  inputs.forEach(({ form, amount, isProven = form === "P2PKH" }, i) => {
    const { payment, more } = tell(publicKey, form);
    const earlier = new Transaction();
    earlier.addInput(new Uint8Array(32).fill(i + 1), 0);
    earlier.addOutput(outputOf(payment), amount);
    const witnessUtxo = { script: outputOf(payment), value: amount };
    psbt.addInput({
      hash: earlier.getHash(),
      index: 0,
      ...(isProven && { nonWitnessUtxo: earlier.toBuffer() }),
      ...(form !== "P2PKH" && { witnessUtxo }),
      ...more,
    });
  });
  for (const [recipient, value] of outputs) {
    const network = recipient.startsWith("bcrt1") ? networks.regtest : networks.bitcoin;
    psbt.addOutput({ script: address.toOutputScript(recipient, network), value });
  }
  return psbt;
}

function verify(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean {
  return publicKey.length === 32
    ? tiny.verifySchnorr(digest, publicKey, signature)
    : tiny.verify(digest, publicKey, signature, true);
}

test.each(forms)("an input of %s is signed, and other software finishes it", async (form) => {
  const { root, byForm, publicKey } = await newKeys();
  const psbt = psbtOf(publicKey, [{ form, amount: 50_000n }], [[RECIPIENT, 40_000n]]);
  const { payment } = tell(publicKey, form);
  expect(payment.address).toBe(byForm[form]);
  const { activity, signedTransaction } = await root.signTransaction({
    signWith: byForm[form],
    unsignedTransaction: psbt.toHex(),
    type,
  });
  expect(activity.result).toEqual({ signTransactionResult: { signedTransaction } });
  const signed = Psbt.fromHex(signedTransaction);
  expect(signed.validateSignaturesOfAllInputs(verify)).toBe(true);
  const transaction = signed.finalizeAllInputs().extractTransaction(true);
  expect(transaction.outs).toEqual(psbt.txOutputs.map(({ script, value }) => ({ script, value })));
});

test("the key's id and other addresses of the key sign every form, a Bitcoin address its own", async () => {
  const organization = await newOrganization();
  const { privateKeys } = await organization.root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "vault",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: [
          "ADDRESS_FORMAT_COMPRESSED",
          "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR",
          "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH",
        ],
      },
    ],
  });
  const { privateKeyId = "", addresses = [] } = first(privateKeys);
  const [compressed, taproot, witness] = addresses.map((each) => each.address ?? "");
  const publicKey = decodeHex(compressed ?? "");
  const inputs = forms.map((form) => ({ form, amount: 50_000n }));
  const unsignedTransaction = psbtOf(publicKey, inputs, [[RECIPIENT, 40_000n]]).toHex();
  const signedBy = async (signWith = "") => {
    const request = { signWith, unsignedTransaction, type } as const;
    const { signedTransaction } = await organization.root.signTransaction(request);
    return Psbt.fromHex(signedTransaction).data.inputs.flatMap((input, i) =>
      input.partialSig || input.tapKeySig ? [forms[i]] : [],
    );
  };
  expect(await signedBy(privateKeyId)).toEqual(forms);
  expect(await signedBy(compressed)).toEqual(forms);
  expect(await signedBy(taproot)).toEqual(["P2TR"]);
  expect(await signedBy(witness)).toEqual(["P2SH", "P2WPKH"]);
});

test("bad transactions are refused by field", async () => {
  const { root, byForm, publicKey } = await newKeys();
  const psbt = psbtOf(publicKey, [{ form: "P2WPKH", amount: 50_000n }], [[RECIPIENT, 40_000n]]);
  const valid = { signWith: byForm.P2WPKH, unsignedTransaction: psbt.toHex(), type };
  const sighash = psbt.clone();
  sighash.updateInput(0, { sighashType: Transaction.SIGHASH_NONE });
  const field = "parameters.unsignedTransaction";
  const cases: [object, string, string][] = [
    [
      { unsignedTransaction: `${psbt.toHex()}00` },
      field,
      "failed to parse transaction: PSBT: 1 byte after the end of the PSBT",
    ],
    [
      { unsignedTransaction: psbt.toBase64() },
      field,
      `failed to parse transaction: \`${field}\` is not hexadecimal text: expected two digits for each byte, with or without \`0x\``,
    ],
    [
      { unsignedTransaction: sighash.toHex() },
      field,
      "cannot sign transaction: input 0 asks for sighash type 2, but it can only be signed with SIGHASH_ALL (1): leave the type out",
    ],
    [
      { signWith: byForm.P2TR },
      "parameters.signWith",
      "no input of the transaction can be signed by what `signWith` names: input 0 belongs to the key's P2WPKH address; name the key, or the address that an input spends from",
    ],
  ];
  for (const [change, at, message] of cases) {
    const parameters = { ...valid, ...change };
    const submitted = submit(root, "sign_transaction", { type: activityType, parameters });
    expect(await refusal(submitted)).toEqual(badRequest("TRANSACTION_INVALID", at, message));
  }
  expect((await root.listActivities({ filterByType: [activityType] })).activities).toEqual([]);
});

test("a key that no input belongs to is refused", async () => {
  const { root, publicKey } = await newKeys();
  const { addresses } = await root.createWallet({
    walletName: "another",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/84'/0'/0'/0/1",
        addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH",
      },
    ],
  });
  const inputs = forms.map((form) => ({ form, amount: 50_000n }));
  const psbt = psbtOf(publicKey, inputs, [[RECIPIENT, 40_000n]]);
  const signWith = first(addresses);
  const request = { signWith, unsignedTransaction: psbt.toHex(), type } as const;
  expect(await refusal(root.signTransaction(request))).toMatchObject({
    code: "TRANSACTION_INVALID",
    field: "parameters.signWith",
    message:
      "no input of the transaction can be signed by what `signWith` names: input 0 belongs to another key, input 1 belongs to another key, input 2 belongs to another key and 2 more; name the key, or the address that an input spends from",
  });
});

/** A user who may sign what fulfils a condition, and a way to sign. */
async function newSigner(condition: string, effect: "EFFECT_ALLOW" | "EFFECT_DENY") {
  const keys = await newKeys();
  const { client, userId } = await addUser(keys);
  const consensus = `approvers.any(u, u.id == '${userId}')`;
  const policy = (policyName: string, effect: "EFFECT_ALLOW" | "EFFECT_DENY", condition: string) =>
    keys.root.createPolicy({ policyName, effect, consensus, condition, notes: "" });
  await policy("rule", effect, condition);
  if (effect === "EFFECT_DENY") await policy("all", "EFFECT_ALLOW", "activity.action == 'SIGN'");
  const sign = (
    inputs: readonly Input[],
    outputs: readonly (readonly [string, bigint])[],
    signWith = keys.byForm.P2WPKH,
  ) => {
    const unsignedTransaction = psbtOf(keys.publicKey, inputs, outputs).toHex();
    return client.signTransaction({ signWith, unsignedTransaction, type });
  };
  return { ...keys, sign };
}

const coin = { form: "P2WPKH", amount: 50_000n } as const;

test("policies read where the money goes, how much, and the fee", async () => {
  const { sign, byForm } = await newSigner(
    `bitcoin.tx.outputs.count() > 0 && bitcoin.tx.outputs.all(o, o.address == '${RECIPIENT}' && o.address_type == 'p2wpkh' && o.script_pubkey == '0014751e76e8199196d454941c45d1b3a323f1433bd6' && o.value <= 45000) && bitcoin.tx.fee <= 10000 && bitcoin.tx.version == '2' && bitcoin.tx.locktime.amount == 0 && bitcoin.tx.locktime.type == 'Blocks' && bitcoin.tx.inputs.all(i, i.vout == 0 && i.sequence == 4294967295 && i.tx_id != '')`,
    "EFFECT_ALLOW",
  );
  const { signedTransaction } = await sign([coin], [[RECIPIENT, 40_000n]]);
  expect(Psbt.fromHex(signedTransaction).validateSignaturesOfAllInputs(verify)).toBe(true);
  await expectDenied(sign([coin], [[RECIPIENT, 39_999n]]));
  await expectDenied(sign([coin], [[RECIPIENT, 45_001n]]));
  await expectDenied(sign([coin], [[byForm.P2PKH, 40_000n]]));
  const split = [
    [RECIPIENT, 20_000n],
    [byForm.P2WPKH, 20_000n],
  ] as const;
  await expectDenied(sign([coin], split));
});

test("a fee that another signature could change is not shown, and denies", async () => {
  for (const effect of ["EFFECT_ALLOW", "EFFECT_DENY"] as const) {
    const isAllow = effect === "EFFECT_ALLOW";
    const { sign } = await newSigner(`bitcoin.tx.fee ${isAllow ? "<=" : ">"} 10000`, effect);
    const outputs = [[RECIPIENT, 90_000n]] as const;
    const denied = { httpStatus: 403, code: "POLICY_DENIED" };
    expect(await refusal(sign([coin, coin], outputs))).toMatchObject(denied);
    // The signature of a coin that is proven says nothing of the other one's amount.
    const proven = { ...coin, isProven: true };
    expect(await refusal(sign([proven, coin], outputs))).toMatchObject(denied);
    expect((await sign([proven, proven], outputs)).signedTransaction).not.toBe("");
    expect((await sign([coin], [[RECIPIENT, 40_000n]])).signedTransaction).not.toBe("");
    const tooMuch = sign([proven, proven], [[RECIPIENT, 89_999n]]);
    expect(await refusal(tooMuch)).toMatchObject(denied);
  }
});

test("addresses are those of the network that `signWith` names, and unknown if it names none", async () => {
  const { sign, regtest, publicKey } = await newSigner(
    "bitcoin.tx.outputs.any(o, o.address == 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080')",
    "EFFECT_ALLOW",
  );
  const outputs = [[RECIPIENT, 40_000n]] as const;
  await expectDenied(sign([coin], outputs));
  expect((await sign([coin], outputs, regtest)).signedTransaction).not.toBe("");
  expect(await expectDenied(sign([coin], outputs, Buffer.from(publicKey).toString("hex")))).toEqual(
    ["OUTCOME_ERROR"],
  );
});

test("an address that testnet and regtest share is one of testnet", async () => {
  const { root, client } = await withClient();
  const { addresses } = await root.createWallet({
    walletName: "tests",
    accounts: (["TESTNET", "REGTEST"] as const).map((network) => ({
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/1'/0'/0/0",
      addressFormat: `ADDRESS_FORMAT_BITCOIN_${network}_P2PKH` as const,
    })),
  });
  const [signWith = "", same] = addresses;
  expect(same).toBe(signWith);
  const isTestnet =
    "bitcoin.tx.outputs.all(o, o.address == 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx')";
  const effect = "EFFECT_ALLOW";
  await root.createPolicy({ policyName: "tests", effect, condition: isTestnet, notes: "" });
  const psbt = new Psbt({ network: networks.testnet });
  const earlier = new Transaction();
  earlier.addInput(new Uint8Array(32), 0);
  earlier.addOutput(address.toOutputScript(signWith, networks.testnet), 50_000n);
  psbt.addInput({ hash: earlier.getHash(), index: 0, nonWitnessUtxo: earlier.toBuffer() });
  psbt.addOutput({ script: address.toOutputScript(RECIPIENT), value: 40_000n });
  const request = { signWith, unsignedTransaction: psbt.toHex(), type } as const;
  expect((await client.signTransaction(request)).signedTransaction).not.toBe("");
});

test("an output that pays to no address has an empty one", async () => {
  const { client, root, byForm, publicKey } = await withClient();
  await root.createPolicy({
    policyName: "notes",
    effect: "EFFECT_ALLOW",
    condition:
      "bitcoin.tx.outputs.all(o, o.address == '' && o.address_type == '' && o.value == 0 && o.script_pubkey == '6a0161')",
    notes: "",
  });
  const psbt = psbtOf(publicKey, [coin], []);
  psbt.addOutput({ script: decodeHex("6a0161"), value: 0n });
  const unsignedTransaction = psbt.toHex();
  const request = { signWith: byForm.P2WPKH, unsignedTransaction, type } as const;
  expect((await client.signTransaction(request)).signedTransaction).not.toBe("");
});

async function withClient() {
  const keys = await newKeys();
  const { client } = await addUser(keys);
  return { ...keys, client };
}
