import { newOrganization } from "@keyhearth/api/testing";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import {
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
} from "viem";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  errorOf,
  ethereumAccount,
  expectDenied,
  first,
  newQuorum,
  refusal,
  solanaAccount,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
const ethereumType = "TRANSACTION_TYPE_ETHEREUM";
const solanaType = "TRANSACTION_TYPE_SOLANA";
const to = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

async function newKeys() {
  const organization = await newOrganization();
  const { addresses } = await organization.root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount, solanaAccount],
  });
  const [ethereum = "", solana = ""] = addresses;
  const { privateKeys } = await organization.root.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "hot",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  const { privateKeyId = "", addresses: keyAddresses } = first(privateKeys);
  return {
    ...organization,
    ethereum,
    solana,
    privateKeyId,
    keyAddress: first(keyAddresses).address,
  };
}

const payment = { chainId: 1, nonce: 7, gas: 21_000n, to, value: 10n ** 16n } as const;
const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 6n };

const transactions: Record<string, TransactionSerializable> = {
  "legacy with a chain id": { ...payment, type: "legacy", gasPrice: 10n ** 9n },
  "legacy without a chain id": {
    type: "legacy",
    nonce: 7,
    gas: 21_000n,
    to,
    value: 10n ** 16n,
    gasPrice: 10n ** 9n,
  },
  "EIP-2930": {
    ...payment,
    type: "eip2930",
    gasPrice: 10n ** 9n,
    accessList: [{ address: to, storageKeys: [`0x${"11".repeat(32)}`] }],
  },
  "EIP-1559": { ...payment, ...fees, type: "eip1559", data: "0xa9059cbb" },
  "EIP-4844": {
    ...payment,
    ...fees,
    type: "eip4844",
    maxFeePerBlobGas: 10n ** 9n,
    blobVersionedHashes: [`0x01${"22".repeat(31)}`],
  },
  "EIP-7702": {
    ...payment,
    ...fees,
    type: "eip7702",
    authorizationList: [
      {
        chainId: 1,
        address: to,
        nonce: 3,
        r: `0x${"33".repeat(32)}`,
        s: `0x${"44".repeat(32)}`,
        yParity: 1,
      },
    ],
  },
};

test.each(Object.keys(transactions))("%s is signed by the account", async (name) => {
  const { root, ethereum } = await newKeys();
  const unsigned = serializeTransaction(transactions[name] as TransactionSerializable);
  for (const unsignedTransaction of [unsigned, unsigned.slice(2)]) {
    const request = { signWith: ethereum, unsignedTransaction, type: ethereumType } as const;
    const { activity, signedTransaction } = await root.signTransaction(request);
    const signed = `0x${signedTransaction}` as const;
    expect(await recoverTransactionAddress({ serializedTransaction: signed as never })).toBe(
      ethereum,
    );
    // The signed transaction has exactly the requested fields.
    const { r, s, v, yParity, ...fields } = parseTransaction(signed) as Record<string, unknown>;
    expect(serializeTransaction(fields as never)).toBe(unsigned);
    expect(activity.intent).toEqual({ signTransactionIntentV2: request });
    expect(activity.result).toEqual({ signTransactionResult: { signedTransaction } });
  }
});

test("the first version names a private key by its id", async () => {
  const { root, privateKeyId, keyAddress } = await newKeys();
  const unsignedTransaction = serializeTransaction({ ...payment, ...fees, type: "eip1559" });
  const request = { privateKeyId, unsignedTransaction, type: ethereumType } as const;
  const { activity, signedTransaction } = await root.signTransaction(request, {
    type: "ACTIVITY_TYPE_SIGN_TRANSACTION",
  });
  const serializedTransaction = `0x02${signedTransaction.slice(2)}` as const;
  expect(await recoverTransactionAddress({ serializedTransaction })).toBe(keyAddress);
  expect(activity.intent).toEqual({ signTransactionIntent: request });
});

function transferFrom(payer: string, lamports = 1000) {
  const fromPubkey = new PublicKey(payer);
  const toPubkey = new PublicKey("4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA");
  return SystemProgram.transfer({ fromPubkey, toPubkey, lamports });
}

const recentBlockhash = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N";

test("legacy and v0 transactions of Solana are signed in the slot of the account", async () => {
  const { root, solana } = await newKeys();
  const feePayer = new PublicKey(solana);
  const legacy = new Transaction({ feePayer, recentBlockhash }).add(transferFrom(solana));
  const message = new TransactionMessage({
    payerKey: feePayer,
    recentBlockhash,
    instructions: [transferFrom(solana)],
  }).compileToV0Message();
  const unsigned = [
    legacy.serialize({ requireAllSignatures: false, verifySignatures: false }),
    new VersionedTransaction(message).serialize(),
  ];
  for (const bytes of unsigned) {
    const { signedTransaction } = await root.signTransaction({
      signWith: solana,
      unsignedTransaction: encodeHex(bytes),
      type: solanaType,
    });
    const signed = VersionedTransaction.deserialize(decodeHex(signedTransaction));
    const before = VersionedTransaction.deserialize(bytes);
    expect(signed.message.serialize()).toEqual(before.message.serialize());
    // The library verifies every signature of a legacy transaction.
    if (signed.version === "legacy") {
      expect(Transaction.from(decodeHex(signedTransaction)).verifySignatures()).toBe(true);
    } else {
      expect(signed.signatures[0]).not.toEqual(before.signatures[0]);
    }
  }
});

test("a signature of another signer stays in its slot", async () => {
  const { root, solana } = await newKeys();
  const sponsor = Keypair.generate();
  const transaction = new Transaction({ feePayer: sponsor.publicKey, recentBlockhash });
  transaction.add(transferFrom(solana));
  transaction.partialSign(sponsor);
  const unsigned = transaction.serialize({ requireAllSignatures: false });
  const { signedTransaction } = await root.signTransaction({
    signWith: solana,
    unsignedTransaction: encodeHex(unsigned),
    type: solanaType,
  });
  expect(Transaction.from(decodeHex(signedTransaction)).verifySignatures()).toBe(true);
});

test("bad parameters are refused by field", async () => {
  const { root, ethereum, solana } = await newKeys();
  const unsigned = serializeTransaction({ ...payment, ...fees, type: "eip1559" });
  const valid = { signWith: ethereum, unsignedTransaction: unsigned, type: ethereumType };
  const stranger = new Transaction({
    feePayer: Keypair.generate().publicKey,
    recentBlockhash,
  }).add(transferFrom(Keypair.generate().publicKey.toBase58()));
  const strange = encodeHex(
    stranger.serialize({ requireAllSignatures: false, verifySignatures: false }),
  );
  const field = "parameters.unsignedTransaction";
  const cases: [object, string, string, unknown][] = [
    [
      { unsignedTransaction: "0xzz" },
      "TRANSACTION_INVALID",
      field,
      `failed to parse transaction: \`${field}\` is not hexadecimal text: expected two digits for each byte, with or without \`0x\``,
    ],
    [
      { unsignedTransaction: `${unsigned}00` },
      "TRANSACTION_INVALID",
      field,
      expect.stringMatching(/^failed to parse transaction: /),
    ],
    [
      { unsignedTransaction: unsigned.slice(0, -2) },
      "TRANSACTION_INVALID",
      field,
      expect.stringMatching(/^failed to parse transaction: /),
    ],
    [
      { type: solanaType, signWith: solana },
      "TRANSACTION_INVALID",
      field,
      expect.stringMatching(/^failed to parse transaction: /),
    ],
    [
      { signWith: solana },
      "FIELD_INVALID",
      "parameters.signWith",
      "invalid curve: TRANSACTION_TYPE_ETHEREUM needs a key of CURVE_SECP256K1, but `signWith` names a key of CURVE_ED25519",
    ],
    [
      { unsignedTransaction: strange, type: solanaType, signWith: solana },
      "TRANSACTION_INVALID",
      "parameters.signWith",
      "the transaction does not require a signature of the key that `signWith` names: it must be the fee payer or another signer of the message",
    ],
    [
      { type: "TRANSACTION_TYPE_TRON" },
      "TRANSACTION_INVALID",
      field,
      expect.stringMatching(/^failed to parse transaction: raw_data_hex: field 0 is unknown/),
    ],
    [
      { type: "TRANSACTION_TYPE_BITCOIN" },
      "TRANSACTION_INVALID",
      field,
      expect.stringMatching(
        /^failed to parse transaction: not a PSBT, which begins with 70736274ff/,
      ),
    ],
    [
      { type: "TRANSACTION_TYPE_TEMPO" },
      "FIELD_UNSUPPORTED",
      "parameters.type",
      "invalid transaction type: `TRANSACTION_TYPE_TEMPO` is not supported by this version of the service; `parameters.type` accepts TRANSACTION_TYPE_ETHEREUM, TRANSACTION_TYPE_SOLANA, TRANSACTION_TYPE_TRON, TRANSACTION_TYPE_BITCOIN",
    ],
    [
      { type: "TRANSACTION_TYPE_DOGE" },
      "FIELD_INVALID",
      "parameters.type",
      expect.stringMatching(/^invalid transaction type: /),
    ],
  ];
  for (const [change, code, at, message] of cases) {
    const parameters = { ...valid, ...change };
    const refused = await refusal(submit(root, "sign_transaction", { type, parameters }));
    expect(refused).toEqual(badRequest(code, at, message));
  }
  expect((await root.listActivities({ filterByType: [type] })).activities).toEqual([]);
});

test("a signed transaction is not signed again", async () => {
  const { root, ethereum } = await newKeys();
  const unsignedTransaction = serializeTransaction({ ...payment, ...fees, type: "eip1559" });
  const request = { signWith: ethereum, type: ethereumType } as const;
  const { signedTransaction } = await root.signTransaction({ ...request, unsignedTransaction });
  const again = root.signTransaction({ ...request, unsignedTransaction: signedTransaction });
  expect(await refusal(again)).toMatchObject({
    code: "TRANSACTION_INVALID",
    message: expect.stringMatching(/^failed to parse transaction: .*signed/),
  });
});

test("signatures are deterministic", async () => {
  const { root, ethereum } = await newKeys();
  const unsignedTransaction = serializeTransaction({ ...payment, ...fees, type: "eip1559" });
  const request = { signWith: ethereum, unsignedTransaction, type: ethereumType } as const;
  const one = await root.signTransaction(request);
  const two = await root.signTransaction(request, { timestampMs: String(Date.now() - 1000) });
  expect(two.signedTransaction).toBe(one.signedTransaction);
});

test("policies read the recipient, the amount and the call of a transaction", async () => {
  const organization = await newKeys();
  const { root, ethereum } = organization;
  const { client, userId } = await addUser(organization);
  await root.createPolicy({
    policyName: "small payments",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(u, u.id == '${userId}')`,
    condition: `eth.tx.to == '${to.toLowerCase()}' && eth.tx.value <= 1000 && eth.tx.chain_id == 1 && eth.tx.data == '0x' && wallet_account.address == '${ethereum}'`,
    notes: "",
  });
  const sign = (change: object) =>
    client.signTransaction({
      signWith: ethereum,
      type: ethereumType,
      unsignedTransaction: serializeTransaction({
        ...payment,
        ...fees,
        type: "eip1559",
        value: 1000n,
        ...change,
      }),
    });
  const { signedTransaction } = await sign({});
  expect(parseTransaction(`0x${signedTransaction}`)).toMatchObject({ value: 1000n });
  await expectDenied(sign({ value: 1001n }));
  await expectDenied(sign({ chainId: 10 }));
  await expectDenied(sign({ data: "0xa9059cbb" }));
  await expectDenied(sign({ to: ethereum }));
  await expectDenied(sign({ to: null }));
});

const erc20 = JSON.stringify([
  {
    type: "function",
    name: "transfer",
    stateMutability: "nonpayable",
    inputs: [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [{ name: "", type: "bool" }],
  },
]);

test("policies read the arguments of a call once the contract's interface is known", async () => {
  const organization = await newKeys();
  const { root, ethereum } = organization;
  const { client, userId } = await addUser(organization);
  const contract = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
  await root.createPolicy({
    policyName: "small transfers",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(u, u.id == '${userId}')`,
    condition: `eth.tx.to == '${contract}' && eth.tx.function_name == 'transfer' && eth.tx.contract_call_args['to'] == '${to.toLowerCase()}' && eth.tx.contract_call_args['amount'] < 1000000`,
    notes: "",
  });
  const sign = (amount: bigint) =>
    client.signTransaction({
      signWith: ethereum,
      type: ethereumType,
      unsignedTransaction: serializeTransaction({
        ...payment,
        ...fees,
        type: "eip1559",
        to: contract,
        value: 0n,
        data: `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`,
      }),
    });
  await expectDenied(sign(999_999n));
  const { smartContractInterfaceId } = await root.createSmartContractInterface({
    smartContractAddress: contract,
    smartContractInterface: erc20,
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    label: "dollar",
  });
  expect((await sign(999_999n)).signedTransaction).toMatch(/^02f8/);
  await expectDenied(sign(1_000_000n));
  await root.deleteSmartContractInterface({ smartContractInterfaceId });
  await expectDenied(sign(999_998n));
});

test("policies read the transfers of a Solana transaction", async () => {
  const organization = await newKeys();
  const { root, solana } = organization;
  const { client, userId } = await addUser(organization);
  await root.createPolicy({
    policyName: "one small transfer",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(u, u.id == '${userId}')`,
    condition:
      "solana.tx.instructions.count() == 1 && solana.tx.transfers.count() == 1 && solana.tx.transfers.all(t, t.to == '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA' && t.amount <= 1000)",
    notes: "",
  });
  const sign = (...amounts: number[]) => {
    const transaction = new Transaction({ feePayer: new PublicKey(solana), recentBlockhash });
    for (const amount of amounts) transaction.add(transferFrom(solana, amount));
    const unsigned = transaction.serialize({ requireAllSignatures: false });
    return client.signTransaction({
      signWith: solana,
      type: solanaType,
      unsignedTransaction: encodeHex(unsigned),
    });
  };
  expect((await sign(1000)).activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  await expectDenied(sign(1001));
  await expectDenied(sign(1, 1));
});

const idl = JSON.stringify({
  instructions: [
    {
      name: "deposit",
      accounts: [
        { name: "depositor", writable: true, signer: true },
        { name: "vault", writable: true },
      ],
      args: [
        { name: "amount", type: "u64" },
        { name: "memo", type: { option: "string" } },
      ],
    },
  ],
  types: [],
});

test("policies read the instructions of a program once its interface is known", async () => {
  const organization = await newKeys();
  const { root, solana } = organization;
  const { client, userId } = await addUser(organization);
  const [program, vault] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
  const only = "solana.tx.instructions.count() == 1 && solana.tx.instructions";
  await root.createPolicy({
    policyName: "small deposits",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(u, u.id == '${userId}')`,
    condition: `${only}.all(i, i.program_key == '${program}' && i.parsed_instruction_data.instruction_name == 'deposit' && i.parsed_instruction_data.named_accounts['vault'] == '${vault}' && i.parsed_instruction_data.program_call_args['amount'] <= 1000)`,
    notes: "",
  });
  const deposit = (amount: bigint, to = vault) => {
    const payer = new PublicKey(solana);
    const name = sha256(encodeUtf8("global:deposit")).subarray(0, 8);
    const data = Buffer.concat([name, Buffer.alloc(9)]);
    data.writeBigUInt64LE(amount, 8);
    const keys = [
      { pubkey: payer, isSigner: true, isWritable: true },
      { pubkey: to, isSigner: false, isWritable: true },
    ];
    const transaction = new Transaction({ feePayer: payer, recentBlockhash });
    transaction.add({ programId: program, keys, data });
    return client.signTransaction({
      signWith: solana,
      type: solanaType,
      unsignedTransaction: encodeHex(transaction.serialize({ requireAllSignatures: false })),
    });
  };
  expect(await expectDenied(deposit(1000n))).toEqual(["OUTCOME_ERROR"]);
  await root.createSmartContractInterface({
    smartContractAddress: program.toBase58(),
    smartContractInterface: idl,
    type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
    label: "vault",
  });
  expect((await deposit(1000n)).activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(await expectDenied(deposit(1001n))).toEqual(["OUTCOME_DENY_IMPLICIT"]);
  const thief = Keypair.generate().publicKey;
  expect(await expectDenied(deposit(1n, thief))).toEqual(["OUTCOME_DENY_IMPLICIT"]);
});

test("a quorum signs after the last approval", async () => {
  const { root, second } = await newQuorum();
  const wallet = await startWaiting(root, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "treasury", accounts: [ethereumAccount] },
  });
  await second.client.approveActivity({ fingerprint: wallet.fingerprint });
  const { walletId } = first((await root.listWallets()).wallets);
  const { address } = first((await root.listWalletAccounts({ walletId })).accounts);
  const unsignedTransaction = serializeTransaction({ ...payment, ...fees, type: "eip1559" });
  const parameters = { signWith: address, unsignedTransaction, type: ethereumType };
  const { fingerprint } = await startWaiting(root, "sign_transaction", { type, parameters });
  const { activity } = await second.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("a key that nobody has does not hide what else is wrong", async () => {
  const { root } = await newKeys();
  const fields = async (parameters: object) => {
    const error = await errorOf(submit(root, "sign_transaction", { type, parameters }));
    return error.details.map(({ field }) => field);
  };
  const malformed = { signWith: "nobody", unsignedTransaction: "0X00" };
  expect(await fields({ ...malformed, type: ethereumType })).toEqual([
    "parameters.signWith",
    "parameters.unsignedTransaction",
  ]);
  expect(await fields({ ...malformed, type: "TRANSACTION_TYPE_TEMPO" })).toEqual([
    "parameters.signWith",
    "parameters.type",
    "parameters.unsignedTransaction",
  ]);
});
