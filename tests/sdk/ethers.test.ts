// Signers of ethers that sign with keys of the service. ethers or a chain verifies what they sign.

import { InvalidField, PolicyDenied } from "@keyhearth/sdk";
import { KeyhearthEthersSigner } from "@keyhearth/sdk/ethers";
import {
  AbstractSigner,
  ContractFactory,
  hashAuthorization,
  JsonRpcProvider,
  recoverAddress,
  Transaction,
  verifyMessage,
  verifyTypedData,
  Wallet,
} from "ethers";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GWEI } from "../chains/evm.ts";
import { createContract, domain, type EvmKeys, newEvmKeys, recipient, word } from "./evm-keys.ts";

let keys: EvmKeys;
let provider: JsonRpcProvider;
let signer: KeyhearthEthersSigner;

beforeAll(async () => {
  keys = await newEvmKeys();
  // The test node does not know the methods that ethers would send in one batch.
  provider = new JsonRpcProvider(keys.node.url, 1, { batchMaxCount: 1, cacheTimeout: -1 });
  signer = new KeyhearthEthersSigner({ connection: keys.root, signWith: keys.payer, provider });
});

afterAll(() => {
  provider?.destroy();
  keys?.node.stop();
});

const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
const payment = { chainId: 1, to: recipient, gasLimit: 50_000, value: 1n };
const types = {
  Order: [
    { name: "amount", type: "uint256" },
    { name: "lines", type: "Line[]" },
  ],
  Line: [
    { name: "to", type: "address" },
    { name: "note", type: "string" },
  ],
};
const order = { amount: 2n ** 200n, lines: [{ to: recipient, note: "é" }] };

test("it has every method that a wallet of ethers has, besides those that need the key itself", () => {
  expect(signer).toBeInstanceOf(AbstractSigner);
  const needsKey = ["authorizeSync", "signMessageSync", "encrypt", "encryptSync"];
  const methods = (value: object): string[] => {
    const parent = Object.getPrototypeOf(value);
    if (parent === null || parent === Object.prototype) return [];
    const own = Object.entries(Object.getOwnPropertyDescriptors(parent));
    return [...own.flatMap(([name, { get }]) => (get ? [] : [name])), ...methods(parent)];
  };
  const expected = methods(new Wallet(word(1n))).filter(
    (name) => !needsKey.includes(name) && name !== "constructor",
  );
  expect(expected).toContain("populateAuthorization");
  for (const name of expected) expect(signer, name).toHaveProperty(name, expect.any(Function));
});

test("getAddress has the checksum; a private key is asked for its address once", async () => {
  const { root: connection, payer, privateKeyId, privateKeyAddress } = keys;
  const lower = new KeyhearthEthersSigner({ connection, signWith: payer.toLowerCase() });
  expect(await lower.getAddress()).toBe(payer);
  const hot = new KeyhearthEthersSigner({ connection, signWith: privateKeyId });
  expect(await hot.getAddress()).toBe(privateKeyAddress);
  expect(await hot.connect(provider).getAddress()).toBe(privateKeyAddress);
  const wrong = new KeyhearthEthersSigner({ connection, signWith: "treasury" });
  await expect(wrong.getAddress()).rejects.toThrow(InvalidField);
});

test("connect gives a signer with the same key and another provider", async () => {
  const offline = signer.connect(null);
  expect(offline.provider).toBeNull();
  expect(await offline.getAddress()).toBe(keys.payer);
  await expect(offline.sendTransaction({ to: recipient })).rejects.toThrow(/missing provider/);
  expect(await offline.connect(provider).getNonce()).toBe(await signer.getNonce());
});

test.each([
  ["text", "hello, wörld\n\u0000"],
  ["no text", ""],
  ["bytes", Uint8Array.of(0, 255, 254, 10)],
])("signMessage signs %s", async (_, message) => {
  expect(verifyMessage(message, await signer.signMessage(message))).toBe(keys.payer);
});

describe("signTypedData signs", () => {
  test("typed data, and policies read it", async () => {
    const clerk = new KeyhearthEthersSigner({ connection: keys.clerk, signWith: keys.payer });
    const signature = await clerk.signTypedData(domain, types, order);
    expect(verifyTypedData(domain, types, order, signature)).toBe(keys.payer);
    const { Line } = types;
    const line = { to: recipient, note: "" };
    await expect(clerk.signTypedData(domain, { Line }, line)).rejects.toThrow(PolicyDenied);
  });

  test("names only if a provider resolves them", async () => {
    const named = { amount: 1n, lines: [{ to: "ada.eth", note: "" }] };
    const offline = signer.connect(null);
    await expect(offline.signTypedData(domain, types, named)).rejects.toMatchObject({
      code: "UNSUPPORTED_OPERATION",
    });
    const resolved = { ...named, lines: [{ to: recipient, note: "" }] };
    const knowing = new (class extends JsonRpcProvider {
      override resolveName = async (name: string) => (name === "ada.eth" ? recipient : null);
    })(keys.node.url, 1);
    const online = signer.connect(knowing);
    expect(await online.resolveName("ada.eth")).toBe(recipient);
    const signature = await online.signTypedData(domain, types, named);
    expect(verifyTypedData(domain, types, resolved, signature)).toBe(keys.payer);
    const unknown = { ...named, lines: [{ to: "bob.eth", note: "" }] };
    await expect(online.signTypedData(domain, types, unknown)).rejects.toMatchObject({
      code: "UNCONFIGURED_NAME",
    });
    knowing.destroy();
  });
});

describe("signTransaction signs", () => {
  test.each([
    [0, { gasPrice: 5n * GWEI }],
    [1, { gasPrice: 5n * GWEI, accessList: [{ address: recipient, storageKeys: [word(1n)] }] }],
    [2, fees],
    [3, { ...fees, maxFeePerBlobGas: GWEI, blobVersionedHashes: [`0x01${"ab".repeat(31)}`] }],
  ])("a transaction of type %i", async (type, more) => {
    const { evm, payer } = keys;
    const before = await evm.balanceOf(recipient);
    const nonce = Number(await evm.nonceOf(payer));
    const signed = await signer.signTransaction({ ...payment, type, nonce, from: payer, ...more });
    expect(await evm.execute(signed as Hex)).toMatchObject({ type, sender: payer.toLowerCase() });
    expect(await evm.balanceOf(recipient)).toBe(before + 1n);
  });

  test("a transaction of type 4, with an authorization of another account", async () => {
    const { evm, root: connection, other: signWith, payer } = keys;
    const nonce = async () => Number(await evm.nonceOf(payer));
    const contract = await createContract(evm, async (data) =>
      signer.signTransaction({
        chainId: 1,
        nonce: await nonce(),
        data,
        gasLimit: 200_000,
        ...fees,
      }),
    );
    const second = new KeyhearthEthersSigner({ connection, signWith, provider });
    const authorization = await second.authorize({ address: contract });
    expect(authorization).toMatchObject({ chainId: 1n, nonce: 0n });
    const hash = hashAuthorization(authorization);
    expect(recoverAddress(hash, authorization.signature)).toBe(signWith);
    const signed = await signer.signTransaction({
      ...fees,
      type: 4,
      chainId: 1,
      nonce: await nonce(),
      to: signWith,
      gasLimit: 200_000,
      data: word(7702n),
      authorizationList: [authorization],
    });
    expect(await evm.execute(signed as Hex)).toMatchObject({ type: 4, isReverted: false });
    expect(await evm.wordOf(signWith, 0n)).toBe(7702n);
  });

  test("nothing from another account, and nothing that a policy denies", async () => {
    const { clerk: connection, payer: signWith, other } = keys;
    const foreign = signer.signTransaction({ ...payment, ...fees, nonce: 9, from: other });
    await expect(foreign).rejects.toThrow(/from address mismatch/);
    const clerk = new KeyhearthEthersSigner({ connection, signWith });
    const allowed = await clerk.signTransaction({ ...payment, ...fees, nonce: 9 });
    expect(Transaction.from(allowed).from).toBe(signWith);
    const denied = clerk.signTransaction({ ...payment, ...fees, nonce: 9, value: 1001n });
    await expect(denied).rejects.toThrow(PolicyDenied);
  });
});

test("it populates, estimates and sends by its provider", async () => {
  const { evm, payer } = keys;
  const before = await evm.balanceOf(recipient);
  const nonce = Number(await evm.nonceOf(payer));
  const request = { to: recipient, value: 5n };
  expect(await signer.estimateGas(request)).toBe(200_000n);
  expect(await signer.populateTransaction(request)).toMatchObject({
    from: payer,
    nonce,
    chainId: 1n,
    type: 2,
  });
  expect(await signer.populateCall(request)).toMatchObject({ from: payer, to: recipient });
  expect(await signer.populateAuthorization({ address: recipient })).toMatchObject({
    chainId: 1n,
    nonce,
  });
  const sent = await signer.sendTransaction(request);
  expect(sent.from).toBe(payer);
  expect(await provider.send("eth_getTransactionReceipt", [sent.hash])).toMatchObject({
    status: "0x1",
  });
  expect(await evm.balanceOf(recipient)).toBe(before + 5n);
});

test("contracts of ethers are created through it", async () => {
  const factory = new ContractFactory([], "0x645f355f55005f526005601bf3", signer);
  const contract = await factory.deploy();
  expect(await keys.evm.codeOf(await contract.getAddress())).toBe("0x5f355f5500");
});
