// Accounts of viem that sign with keys of the service. viem or a chain verifies what they sign.

import {
  ConsensusNeeded,
  InvalidField,
  KeyhearthError,
  PolicyDenied,
  Unverified,
} from "@keyhearth/sdk";
import { createViemAccount, type KeyhearthViemAccount } from "@keyhearth/sdk/viem";
import {
  createNonceManager,
  createPublicClient,
  createWalletClient,
  type Hex,
  hashMessage,
  http,
  parseTransaction,
  recoverAddress,
  serializeTransaction,
  type TransactionSerializable,
  verifyMessage,
  verifyTypedData,
} from "viem";
import { generatePrivateKey, privateKeyToAccount, publicKeyToAddress } from "viem/accounts";
import { mainnet } from "viem/chains";
import { jsonRpc } from "viem/nonce";
import { verifyAuthorization } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GWEI } from "../chains/evm.ts";
import {
  connectionTo,
  createContract,
  domain,
  type EvmKeys,
  message,
  newEvmKeys,
  recipient,
  types,
  word,
} from "./evm-keys.ts";

let keys: EvmKeys;
let account: KeyhearthViemAccount;

beforeAll(async () => {
  keys = await newEvmKeys();
  account = await createViemAccount({ connection: keys.root, signWith: keys.payer });
});

afterAll(() => keys?.node.stop());

const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };

test("it has every member that viem's own accounts have", async () => {
  const nonceManager = createNonceManager({ source: jsonRpc() });
  const managed = await createViemAccount({
    connection: keys.root,
    signWith: keys.payer,
    nonceManager,
  });
  const own = privateKeyToAccount(generatePrivateKey(), { nonceManager });
  const kinds = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, typeof member]));
  expect(kinds(managed)).toEqual(kinds(own));
  expect(managed).toMatchObject({
    address: keys.payer,
    type: "local",
    source: "keyhearth",
    nonceManager,
  });
  expect(publicKeyToAddress(managed.publicKey)).toBe(keys.payer);
});

describe("the key is named by", () => {
  test("an address in any case, with or without its wallet, or with its public key", async () => {
    const { root: connection, walletId, payer } = keys;
    const signWith = payer.toLowerCase();
    const { publicKey } = account;
    for (const more of [{}, { walletId }, { publicKey }]) {
      const other = await createViemAccount({ connection, signWith, ...more });
      expect(other).toMatchObject({ address: payer, publicKey });
    }
  });

  test("the id or the address of a private key", async () => {
    const { root: connection, privateKeyId, privateKeyAddress } = keys;
    for (const signWith of [privateKeyId, privateKeyAddress]) {
      const hot = await createViemAccount({ connection, signWith });
      expect(hot.address).toBe(privateKeyAddress);
      const signature = await hot.signMessage({ message: "hello" });
      const { address } = hot;
      expect(await verifyMessage({ address, message: "hello", signature })).toBe(true);
    }
  });

  test("nothing else", async () => {
    const { root: connection, payer, other } = keys;
    const make = (more: object) =>
      createViemAccount({ connection, signWith: payer, ...more } as never);
    await expect(make({ signWith: "treasury" })).rejects.toThrow(InvalidField);
    await expect(make({ signWith: recipient })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(make({ address: other })).rejects.toMatchObject({ field: "address" });
    await expect(make({ publicKey: "02" })).rejects.toMatchObject({ field: "publicKey" });
    const { publicKey } = privateKeyToAccount(generatePrivateKey());
    await expect(make({ publicKey })).rejects.toMatchObject({ field: "publicKey" });
  });
});

test("a service that shows the key of another account is not believed", async () => {
  const { root, walletId, payer, other } = keys;
  const lying = connectionTo(root, {
    async query(path: string, parameters: object, options: object) {
      if (!path.endsWith("get_wallet_account")) return root.query(path, parameters, options);
      const { account } = await root.getWalletAccount({ walletId, address: other });
      return { account: { ...account, address: payer } };
    },
  });
  const lied = createViemAccount({ connection: lying, signWith: payer, walletId });
  await expect(lied).rejects.toThrow(Unverified);
});

test("sign signs a digest", async () => {
  const hash = hashMessage("hello");
  const signature = await account.sign({ hash });
  expect(await recoverAddress({ hash, signature })).toBe(keys.payer);
  await expect(account.sign({ hash: "0x00" })).rejects.toThrow(InvalidField);
});

test.each<[string, Parameters<KeyhearthViemAccount["signMessage"]>[0]["message"]]>([
  ["text", "hello, wörld\n\u0000"],
  ["no text", ""],
  ["hex", { raw: "0xdeadbeef" }],
  ["hex of text", { raw: "0x68656c6c6f" }],
  ["bytes", { raw: Uint8Array.of(0, 255, 254, 10) }],
  ["bytes of a byte order mark", { raw: Uint8Array.of(0xef, 0xbb, 0xbf, 65) }],
])("signMessage signs %s", async (_, message) => {
  const signature = await account.signMessage({ message });
  expect(await verifyMessage({ address: keys.payer, message, signature })).toBe(true);
});

test("signMessage refuses what is neither text nor hex", async () => {
  await expect(account.signMessage({ message: "\ud800" })).rejects.toThrow(InvalidField);
  const raw = "0xabc";
  await expect(account.signMessage({ message: { raw } })).rejects.toThrow(InvalidField);
});

test("approvers see the text of a message", async () => {
  const { root } = keys;
  await account.signMessage({ message: "pay the rent" });
  const { activities } = await root.listActivities({ paginationOptions: { limit: "1" } });
  expect(activities[0]?.intent).toMatchObject({
    signRawPayloadIntentV2: {
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      payload: "\x19Ethereum Signed Message:\n12pay the rent",
    },
  });
});

describe("signTypedData signs", () => {
  const declared = {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    ...types,
  } as const;

  test.each([
    ["without EIP712Domain in its types", types],
    ["with EIP712Domain in its types", declared],
  ])("typed data %s, and policies read it", async (_, types) => {
    const definition = { domain, types, primaryType: "Order", message } as const;
    const clerk = await createViemAccount({
      connection: keys.clerk,
      signWith: keys.payer,
      publicKey: account.publicKey,
    });
    const signature = await clerk.signTypedData(definition);
    const { payer: address } = keys;
    expect(await verifyTypedData({ address, signature, ...definition })).toBe(true);
    const line = { ...definition, primaryType: "Line", message: message.lines[0] } as const;
    await expect(clerk.signTypedData(line)).rejects.toThrow(PolicyDenied);
  });

  test("only the members that the types declare, as viem's own hash does", async () => {
    const lines = message.lines.map((line) => ({ ...line, memo: "for nobody" }));
    const more = { ...message, lines, signature: "0x" };
    const definition = { domain, types, primaryType: "Order", message: more } as const;
    const signature = await account.signTypedData(definition);
    const { payer: address } = keys;
    const signed = { domain, types, primaryType: "Order", message } as const;
    expect(await verifyTypedData({ address, signature, ...signed })).toBe(true);
  });

  test("what a wallet client passes on", async () => {
    const client = createWalletClient({ account, chain: mainnet, transport: http(keys.node.url) });
    const definition = { domain, types, primaryType: "Order", message } as const;
    const signature = await client.signTypedData(definition);
    const { payer: address } = keys;
    expect(await verifyTypedData({ address, signature, ...definition })).toBe(true);
  });
});

test("signAuthorization signs for one chain and for all", async () => {
  for (const chainId of [1, 0]) {
    for (const target of [{ address: recipient }, { contractAddress: recipient }] as const) {
      const authorization = await account.signAuthorization({ ...target, chainId, nonce: 3 });
      expect(authorization).toMatchObject({ address: recipient, chainId, nonce: 3 });
      expect(await verifyAuthorization({ address: keys.payer, authorization })).toBe(true);
    }
  }
});

describe("signTransaction signs", () => {
  async function execute(transaction: TransactionSerializable) {
    const { evm, payer } = keys;
    const nonce = Number(await evm.nonceOf(payer));
    const executed = await evm.execute(await account.signTransaction({ nonce, ...transaction }));
    expect(executed).toMatchObject({ sender: payer.toLowerCase(), isReverted: false });
    return executed.type;
  }

  const payment = { chainId: 1, to: recipient, gas: 50_000n, value: 1n } as const;

  test.each<[string, number, TransactionSerializable]>([
    ["legacy", 0, { ...payment, gasPrice: 5n * GWEI }],
    [
      "legacy without a chain",
      0,
      { ...payment, chainId: undefined, type: "legacy", gasPrice: 5n * GWEI },
    ],
    [
      "EIP-2930",
      1,
      {
        ...payment,
        gasPrice: 5n * GWEI,
        accessList: [{ address: recipient, storageKeys: [word(1n)] }],
      },
    ],
    ["EIP-1559", 2, { ...payment, ...fees }],
    [
      "EIP-4844",
      3,
      {
        ...payment,
        ...fees,
        maxFeePerBlobGas: GWEI,
        blobVersionedHashes: [`0x01${"ab".repeat(31)}`],
      },
    ],
  ])("a transaction of %s", async (_, type, transaction) => {
    const before = await keys.evm.balanceOf(recipient);
    expect(await execute(transaction)).toBe(type);
    expect(await keys.evm.balanceOf(recipient)).toBe(before + 1n);
  });

  test("a transaction of EIP-7702, with an authorization of another account", async () => {
    const { evm, root, other, payer } = keys;
    const contract = await createContract(evm, async (data) =>
      account.signTransaction({
        chainId: 1,
        nonce: Number(await evm.nonceOf(payer)),
        data,
        gas: 200_000n,
        ...fees,
      }),
    );
    const second = await createViemAccount({ connection: root, signWith: other });
    const signed = await second.signAuthorization({ address: contract, chainId: 1, nonce: 0 });
    const type = await execute({
      chainId: 1,
      to: other,
      gas: 200_000n,
      data: word(7702n),
      authorizationList: [signed],
      ...fees,
    });
    expect(type).toBe(4);
    expect(await evm.wordOf(other, 0n)).toBe(7702n);
  });

  test("a transaction with its blobs, which the network needs beside it", async () => {
    const sidecars = [
      {
        blob: `0x${"00".repeat(131_072)}`,
        commitment: `0x${"c0".padEnd(96, "0")}`,
        proof: `0x${"c0".padEnd(96, "0")}`,
      },
    ] as const;
    const blobVersionedHashes = [`0x01${"ab".repeat(31)}`] as Hex[];
    const signed = await account.signTransaction({
      type: "eip4844",
      ...payment,
      ...fees,
      nonce: 5,
      maxFeePerBlobGas: GWEI,
      blobVersionedHashes,
      sidecars,
    });
    const parsed = parseTransaction(signed as `0x03${string}`);
    expect(parsed).toMatchObject({ type: "eip4844", sidecars, blobVersionedHashes });
  });

  test("nothing that the service does not decode", async () => {
    const strange = async () => "0x7bc0" as const;
    const signing = account.signTransaction(payment as never, { serializer: strange as never });
    await expect(signing).rejects.toThrow(InvalidField);
  });

  test("nothing that a policy denies", async () => {
    const { clerk: connection, payer: signWith } = keys;
    const clerk = await createViemAccount({ connection, signWith, publicKey: account.publicKey });
    const transaction = { ...payment, ...fees, nonce: 9 };
    expect(parseTransaction(await clerk.signTransaction(transaction))).toMatchObject({ value: 1n });
    const denied = clerk.signTransaction({ ...transaction, value: 1001n });
    await expect(denied).rejects.toThrow(PolicyDenied);
  });
});

test("a service that signs another transaction than the one to sign is not believed", async () => {
  const { root, payer } = keys;
  const lying = connectionTo(root, {
    perform(facts: never, { unsignedTransaction, ...rest }: { unsignedTransaction: string }) {
      const parsed = parseTransaction(`0x${unsignedTransaction}`);
      const other = serializeTransaction({ ...parsed, to: payer } as TransactionSerializable);
      return root.perform(facts, { ...rest, unsignedTransaction: other });
    },
  });
  const victim = await createViemAccount({ connection: lying, signWith: payer });
  const signing = victim.signTransaction({ chainId: 1, to: recipient, gas: 21_000n, ...fees });
  await expect(signing).rejects.toThrow(Unverified);
});

test("a wallet client sends, also several transactions at the same time", async () => {
  const { root: connection, payer: signWith, evm, node } = keys;
  const transport = http(node.url);
  const reader = createPublicClient({ chain: mainnet, transport });
  const nonceManager = createNonceManager({ source: jsonRpc() });
  const managed = await createViemAccount({ connection, signWith, nonceManager });
  const client = createWalletClient({ account: managed, chain: mainnet, transport });
  const before = await evm.balanceOf(recipient);
  const first = await client.sendTransaction({ to: recipient, value: 5n });
  expect(await reader.waitForTransactionReceipt({ hash: first })).toMatchObject({
    status: "success",
  });
  const send = (value: bigint) => client.sendTransaction({ to: recipient, value });
  // The node of this test executes at once, so it takes them only in the order of their nonces.
  await Promise.allSettled([send(7n), send(11n)]);
  expect([7n, 18n]).toContain((await evm.balanceOf(recipient)) - before - 5n);
});

test("errors of the SDK reach the caller as they are", async () => {
  const { root, clerk, payer } = keys;
  const { userId } = await clerk.whoami();
  const me = await root.whoami();
  await root.createPolicy({
    policyName: "two people for messages",
    effect: "EFFECT_ALLOW",
    condition: "activity.params.encoding == 'PAYLOAD_ENCODING_TEXT_UTF8'",
    consensus: `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${me.userId}')`,
    notes: "",
  });
  const { publicKey } = account;
  const asking = await createViemAccount({ connection: clerk, signWith: payer, publicKey });
  const error = await asking.signMessage({ message: "please" }).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(KeyhearthError);
  if (!(error instanceof ConsensusNeeded)) throw error;
  const { result } = await root.approve(error.activity.id, () => true);
  expect(result).toMatchObject({ r: expect.stringMatching(/^[0-9a-f]{64}$/) });
});
