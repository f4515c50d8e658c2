// A provider (EIP-1193) with keys of the service, as viem, ethers and pages use one.

import { ConsensusNeeded, PolicyDenied, Unavailable } from "@keyhearth/sdk";
import {
  createEip1193Provider,
  type Eip1193ProviderOptions,
  type KeyhearthEip1193Provider,
} from "@keyhearth/sdk/eip-1193";
import { BrowserProvider, verifyTypedData as verifyEthersTypedData } from "ethers";
import {
  createPublicClient,
  createWalletClient,
  custom,
  type EIP1193Provider,
  type Hex,
  parseTransaction,
  verifyMessage,
  verifyTypedData,
} from "viem";
import { mainnet } from "viem/chains";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { GWEI } from "../chains/evm.ts";
import { type Rpc, serveRpc } from "../chains/rpc.ts";
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
let second: Rpc;
let provider: KeyhearthEip1193Provider;
let events: [string, unknown][];

beforeAll(async () => {
  keys = await newEvmKeys();
  second = await serveRpc(keys.evm, "0xa");
});

afterAll(() => {
  keys?.node.stop();
  second?.stop();
});

function newProvider(more: Partial<Eip1193ProviderOptions> = {}): KeyhearthEip1193Provider {
  return createEip1193Provider({
    connection: keys.root,
    signWith: keys.payer,
    chains: [
      { chainId: 1, rpcUrl: keys.node.url },
      { chainId: 10, rpcUrl: second.url },
    ],
    ...more,
  });
}

const names = ["connect", "disconnect", "chainChanged", "accountsChanged"] as const;

function record(of: KeyhearthEip1193Provider): [string, unknown][] {
  const seen: [string, unknown][] = [];
  for (const name of names) of.on(name, (value: unknown) => seen.push([name, value]));
  return seen;
}

beforeEach(() => {
  provider = newProvider();
  events = record(provider);
});

const ask = (method: string, ...params: unknown[]) => provider.request({ method, params });
const rejected = (request: Promise<unknown>) =>
  request.then(
    () => expect.fail("it succeeded"),
    (error: unknown) => error,
  );

test("it is the provider that viem and ethers take", async () => {
  // The types of viem list the results of every method.
  const taken = provider as unknown as EIP1193Provider;
  const client = createWalletClient({ chain: mainnet, transport: custom(taken) });
  expect(await client.requestAddresses()).toEqual([keys.payer]);
  expect(await client.getAddresses()).toEqual([keys.payer]);
  const wrapped = new BrowserProvider(taken);
  expect(await (await wrapped.getSigner()).getAddress()).toBe(keys.payer);
  wrapped.destroy();
});

describe("accounts", () => {
  test("are shown after they were requested, until permission is revoked", async () => {
    const signing = ask("personal_sign", "0x00", keys.payer);
    expect(await rejected(signing)).toMatchObject({ code: 4100 });
    expect(await ask("eth_accounts")).toEqual([]);
    expect(await ask("eth_requestAccounts")).toEqual([keys.payer]);
    expect(await ask("eth_requestAccounts")).toEqual([keys.payer]);
    expect(await ask("eth_accounts")).toEqual([keys.payer]);
    expect(await ask("wallet_revokePermissions", { eth_accounts: {} })).toBeNull();
    expect(await ask("eth_accounts")).toEqual([]);
    expect(events).toEqual([
      ["accountsChanged", [keys.payer]],
      ["accountsChanged", []],
    ]);
  });

  test("can be several, also private keys by their id", async () => {
    const { other, privateKeyId, privateKeyAddress } = keys;
    provider = newProvider({ signWith: [other, privateKeyId] });
    expect(await ask("eth_requestAccounts")).toEqual([other, privateKeyAddress]);
    const signature = await ask("personal_sign", "0x6869", privateKeyAddress.toLowerCase());
    const signed = { address: privateKeyAddress, message: "hi", signature: signature as Hex };
    expect(await verifyMessage(signed)).toBe(true);
    expect(await rejected(ask("personal_sign", "0x00", keys.payer))).toMatchObject({ code: 4100 });
  });
});

describe("messages:", () => {
  beforeEach(() => ask("eth_requestAccounts"));

  test("personal_sign signs bytes in hex, and text", async () => {
    for (const [data, message] of [
      ["0xdeadbeef", { raw: "0xdeadbeef" }],
      ["hello", "hello"],
      ["", ""],
    ] as const) {
      const signature = (await ask("personal_sign", data, keys.payer)) as Hex;
      expect(await verifyMessage({ address: keys.payer, message, signature })).toBe(true);
    }
    for (const data of ["0xabc", "0xzz", 5, undefined]) {
      const error = await rejected(ask("personal_sign", data, keys.payer));
      expect(error).toMatchObject({ code: -32602 });
    }
  });

  test("eth_signTypedData_v4 signs JSON text and objects, but not for another chain", async () => {
    const client = createWalletClient({
      account: keys.payer,
      chain: mainnet,
      transport: custom(provider),
    });
    const definition = { domain, types, primaryType: "Order", message } as const;
    const { payer: address } = keys;
    const signature = await client.signTypedData(definition);
    expect(await verifyTypedData({ address, signature, ...definition })).toBe(true);

    const EIP712Domain = [{ name: "chainId", type: "uint256" }];
    const Note = [{ name: "text", type: "string" }];
    const note = {
      domain: { chainId: 1 },
      types: { EIP712Domain, Note },
      primaryType: "Note",
      message: { text: "é" },
    };
    const signed = (await ask("eth_signTypedData_v4", address, note)) as Hex;
    expect(verifyEthersTypedData(note.domain, { Note }, note.message, signed)).toBe(address);
    const foreign = { ...note, domain: { chainId: 10 } };
    for (const data of [foreign, JSON.stringify(foreign)]) {
      const error = await rejected(ask("eth_signTypedData_v4", address, data));
      expect(error).toMatchObject({ code: 4901 });
    }
    for (const data of ["{", 5, null, { ...note, message: { text: "é", more: 1 } }]) {
      const error = await rejected(ask("eth_signTypedData_v4", address, data));
      expect(error).toMatchObject({ code: -32602 });
    }
  });

  test("what nobody can read is refused", async () => {
    const { payer } = keys;
    expect(await rejected(ask("eth_sign", payer, word(1n)))).toMatchObject({ code: 4200 });
    for (const method of ["eth_signTypedData", "eth_signTypedData_v1", "eth_signTypedData_v3"]) {
      expect(await rejected(ask(method, payer, {}))).toMatchObject({ code: 4200 });
    }
  });
});

describe("transactions:", () => {
  beforeEach(() => ask("eth_requestAccounts"));
  const gasPrice = `0x${(5n * GWEI).toString(16)}`;
  const accessList = [{ address: recipient, storageKeys: [word(1n)] }];

  test.each([
    [2, {}],
    [0, { gasPrice }],
    [0, { type: "0x0" }],
    [1, { gasPrice, accessList }],
    [1, { type: "0x01", accessList }],
    [2, { accessList, input: "0x" }],
    [2, { maxFeePerGas: gasPrice, chainId: "0x01", to: recipient.toLowerCase() }],
    [2, { maxPriorityFeePerGas: "0x1", gas: "0xc350", nonce: null }],
  ])("eth_sendTransaction sends one of type %i, %j", async (type, more) => {
    const { evm, payer } = keys;
    const before = await evm.balanceOf(recipient);
    const transaction = { from: payer, to: recipient, value: "0x5", ...more };
    const signed = await ask("eth_signTransaction", transaction);
    expect(await evm.execute(signed as Hex)).toMatchObject({ type, sender: payer.toLowerCase() });
    const hash = await ask("eth_sendTransaction", transaction);
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    expect(await evm.balanceOf(recipient)).toBe(before + 10n);
  });

  test("several at the same time get one nonce each", async () => {
    const before = await keys.evm.balanceOf(recipient);
    const transaction = { from: keys.payer, to: recipient, value: "0x1" };
    const refused = { ...transaction, value: "0xz" };
    const all = [transaction, refused, transaction, transaction];
    const sent = await Promise.allSettled(all.map((each) => ask("eth_sendTransaction", each)));
    expect(sent.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(await keys.evm.balanceOf(recipient)).toBe(before + 3n);
  });

  test("viem and ethers send through it, create contracts and set code", async () => {
    const { evm, payer, root, other } = keys;
    const before = await evm.balanceOf(recipient);
    const transport = custom(provider);
    const client = createWalletClient({ account: payer, chain: mainnet, transport });
    const reader = createPublicClient({ chain: mainnet, transport });
    const hash = await client.sendTransaction({ to: recipient, value: 3n });
    expect(await reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: "success" });
    const wrapped = new BrowserProvider(provider);
    const signer = await wrapped.getSigner();
    await signer.sendUncheckedTransaction({ to: recipient, value: 4n });
    wrapped.destroy();
    expect(await evm.balanceOf(recipient)).toBe(before + 7n);

    const contract = await createContract(evm, async (data) =>
      String(await ask("eth_signTransaction", { from: payer, data })),
    );
    const authorization = { chainId: "0x1", address: contract, nonce: "0x0" };
    const { r, s, v } = await root.signRawPayload({
      signWith: other,
      payload: JSON.stringify({ ...authorization, chainId: 1, nonce: 0 }),
      encoding: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
    const signed = { ...authorization, yParity: `0x${v}`, r: `0x${r}`, s: `0x${s}` };
    await ask("eth_sendTransaction", {
      from: payer,
      to: other,
      data: word(7702n),
      authorizationList: [signed],
    });
    expect(await evm.wordOf(other, 0n)).toBe(7702n);
  });

  test.each([
    [4100, { from: recipient }],
    [4901, { chainId: "0xa" }],
    [-32602, { from: undefined }],
    [-32602, { gasLimit: "0x5208" }],
    [-32602, { to: "ada.eth" }],
    [-32602, { value: 5 }],
    [-32602, { value: "5" }],
    [-32602, { nonce: "0x" }],
    [-32602, { data: "0xabc" }],
    [-32602, { data: "0x00", input: "0x01" }],
    [-32602, { type: "0x3" }],
    [-32602, { type: "0x2", gasPrice: "0x1" }],
    [-32602, { type: "0x0", maxFeePerGas: "0x1" }],
    [-32602, { type: "0x0", accessList: [] }],
    [-32602, { type: "0x2", authorizationList: [] }],
    [-32602, { accessList: [{ address: recipient, storageKeys: ["0x01"] }] }],
    [-32602, { accessList: [{ address: recipient, storageKeys: [], more: 1 }] }],
    [-32602, { __proto__: null, constructor: "0x1" }],
  ])("one is refused with %i: %j", async (code, more) => {
    const { length } = keys.node.calls.filter((each) => each === "eth_sendRawTransaction");
    const transaction = { from: keys.payer, to: recipient, value: "0x1", ...more };
    expect(await rejected(ask("eth_sendTransaction", transaction))).toMatchObject({ code });
    const sent = keys.node.calls.filter((each) => each === "eth_sendRawTransaction");
    expect(sent).toHaveLength(length);
  });
});

describe("errors", () => {
  const asClerk = async () => {
    provider = newProvider({ connection: keys.clerk });
    await ask("eth_requestAccounts");
  };
  const large = () => ({ from: keys.payer, to: recipient, value: "0x3e9" });

  test("of the SDK have a code of EIP-1193, and are its cause", async () => {
    await asClerk();
    const error = await rejected(ask("eth_sendTransaction", large()));
    expect(error).toMatchObject({
      name: "Eip1193Error",
      code: 4100,
      data: { code: "POLICY_DENIED" },
      cause: expect.any(PolicyDenied),
    });
    const { userId } = await keys.clerk.whoami();
    const { userId: rootId } = await keys.root.whoami();
    await keys.root.createPolicy({
      policyName: "two people for large payments",
      effect: "EFFECT_ALLOW",
      condition: "eth.tx.value > 1000",
      consensus: `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${rootId}')`,
      notes: "",
    });
    const waiting = await rejected(ask("eth_sendTransaction", large()));
    expect(waiting).toMatchObject({
      code: 4100,
      data: { code: "CONSENSUS_NEEDED", activityId: expect.any(String) },
      cause: expect.any(ConsensusNeeded),
    });
    const gone = async () => {
      throw new Unavailable("gone", { code: "NETWORK" });
    };
    provider = newProvider({ connection: connectionTo(keys.root, { perform: gone }) });
    await ask("eth_requestAccounts");
    const lost = await rejected(ask("personal_sign", "0x00", keys.payer));
    expect(lost).toMatchObject({ code: -32002, data: { code: "NETWORK" } });
  });

  test("of the node keep its code and data", async () => {
    await ask("eth_requestAccounts");
    const refused = await rejected(ask("eth_sendRawTransaction", "0x00"));
    expect(refused).toMatchObject({ code: -32000, data: "0x08" });
    expect(await rejected(ask("eth_getWork"))).toMatchObject({ code: -32601 });
  });

  test("are 4200 for methods that the provider does not know, and the node is not asked", async () => {
    const { length } = keys.node.calls;
    for (const method of [
      "eth_subscribe",
      "eth_sendUserOperation",
      "personal_unlockAccount",
      "wallet_sendCalls",
      "debug_traceTransaction",
      "constructor",
      "eth_getBalance\neth_sign",
    ]) {
      expect(await rejected(ask(method))).toMatchObject({ code: 4200 });
    }
    expect(keys.node.calls).toHaveLength(length);
  });

  test("are -32600 for anything but a request", async () => {
    for (const request of [undefined, null, "eth_accounts", [], {}, { method: 5 }]) {
      const error = await rejected(provider.request(request as never));
      expect(error).toMatchObject({ code: -32600 });
    }
    const malformed = provider.request({ method: "eth_accounts", params: "0x" as never });
    expect(await rejected(malformed)).toMatchObject({ code: -32600 });
  });
});

describe("what the user confirms:", () => {
  test("accounts, every signature, and a transaction with all that is signed", async () => {
    const seen: { method: string; params?: unknown }[] = [];
    let answer: unknown = true;
    provider = newProvider({
      confirm: (request) => {
        seen.push(request);
        return answer as boolean;
      },
    });
    await ask("eth_requestAccounts");
    const { payer } = keys;
    const transaction = { from: payer, to: recipient, value: "0x1" };
    const signed = await ask("eth_signTransaction", transaction);
    const parsed = parseTransaction(signed as Hex);
    expect(seen).toEqual([
      { method: "eth_requestAccounts" },
      {
        method: "eth_signTransaction",
        params: [
          {
            ...transaction,
            data: "0x",
            type: "0x2",
            chainId: "0x1",
            nonce: `0x${(parsed.nonce ?? 0).toString(16)}`,
            gas: `0x${parsed.gas?.toString(16)}`,
            maxFeePerGas: `0x${parsed.maxFeePerGas?.toString(16)}`,
            maxPriorityFeePerGas: `0x${parsed.maxPriorityFeePerGas?.toString(16)}`,
          },
        ],
      },
    ]);
    const typedData = { types: {}, domain: {}, primaryType: "A", message: {} };
    for (answer of [false, undefined, "yes"]) {
      for (const request of [
        () => ask("personal_sign", "0x00", payer),
        () => ask("eth_signTypedData_v4", payer, typedData),
        () => ask("eth_signTransaction", transaction),
        () => ask("eth_sendTransaction", transaction),
      ]) {
        expect(await rejected(request())).toMatchObject({ code: 4001 });
      }
    }
    provider = newProvider({ confirm: () => false });
    expect(await rejected(ask("eth_requestAccounts"))).toMatchObject({ code: 4001 });
    expect(await ask("eth_accounts")).toEqual([]);
  });

  test("and nothing that a page changed while they read it", async () => {
    const transaction = {
      from: keys.payer,
      to: recipient,
      type: "0x1",
      nonce: "0x0",
      gas: "0xffff",
      gasPrice: "0x1",
      accessList: [{ address: recipient, storageKeys: [] }],
    };
    const provider = newProvider({
      confirm({ method }) {
        const [entry] = transaction.accessList;
        if (method === "eth_signTransaction" && entry) entry.address = keys.payer;
        return true;
      },
    });
    await provider.request({ method: "eth_requestAccounts" });
    const signed = await provider.request({ method: "eth_signTransaction", params: [transaction] });
    const { accessList } = parseTransaction(signed as Hex);
    expect(accessList?.[0]?.address.toLowerCase()).toBe(recipient.toLowerCase());
  });

  test("on the chain that was the current one when the page asked", async () => {
    const chains: unknown[] = [];
    const provider = newProvider({
      confirm({ method, params }) {
        if (method !== "eth_sendTransaction") return true;
        chains.push((params as { chainId: Hex }[])[0]?.chainId);
        return false;
      },
    });
    await provider.request({ method: "eth_requestAccounts" });
    const payment = { from: keys.payer, to: recipient, gas: "0x5208" };
    const send = () => provider.request({ method: "eth_sendTransaction", params: [payment] });
    const sent = [send(), send()];
    const switched = provider.request({
      method: "wallet_switchEthereumChain",
      params: [{ chainId: "0xa" }],
    });
    await Promise.allSettled([...sent, switched]);
    expect(chains).toEqual(["0x1", "0x1"]);
  });

  test("a chain that a page adds, whose node must be on it", async () => {
    const third = await serveRpc(keys.evm, "0x64");
    try {
      const chain = { chainId: "0x64", rpcUrls: ["ftp://x", third.url], chainName: "Third" };
      expect(await rejected(ask("wallet_addEthereumChain", chain))).toMatchObject({ code: 4200 });
      const given: unknown[] = [];
      provider = newProvider({ confirm: (request) => given.push(request) > 0 });
      events = record(provider);
      expect(await ask("wallet_addEthereumChain", chain)).toBeNull();
      expect(given).toEqual([{ method: "wallet_addEthereumChain", params: [chain] }]);
      expect(await ask("wallet_addEthereumChain", chain)).toBeNull();
      expect(given).toHaveLength(1);
      await ask("wallet_switchEthereumChain", { chainId: "0x64" });
      expect(await ask("eth_chainId")).toBe("0x64");
      const other = { ...chain, chainId: "0x65" };
      const adding = rejected(ask("wallet_addEthereumChain", other));
      expect(await adding).toMatchObject({ code: 4901 });
      const unsafe = { ...other, rpcUrls: ["http://example.com"] };
      expect(await rejected(ask("wallet_addEthereumChain", unsafe))).toMatchObject({
        code: -32602,
      });
      provider = newProvider({ confirm: () => false });
      expect(await rejected(ask("wallet_addEthereumChain", chain))).toMatchObject({ code: 4001 });
    } finally {
      third.stop();
    }
  });
});

describe("chains and events:", () => {
  test("it starts on the first chain, and switches to others that it has", async () => {
    expect(await ask("eth_chainId")).toBe("0x1");
    expect(await ask("net_version")).toBe("1");
    expect(await ask("wallet_switchEthereumChain", { chainId: "0xA" })).toBeNull();
    expect(await ask("wallet_switchEthereumChain", { chainId: "0xa" })).toBeNull();
    expect(await ask("eth_chainId")).toBe("0xa");
    const calls = second.calls.length;
    await ask("eth_getBalance", keys.payer, "latest");
    expect(second.calls).toHaveLength(calls + 1);
    const unknown = ask("wallet_switchEthereumChain", { chainId: "0x5" });
    expect(await rejected(unknown)).toMatchObject({ code: 4902 });
    const malformed = ask("wallet_switchEthereumChain", { chainId: 5 });
    expect(await rejected(malformed)).toMatchObject({ code: -32602 });
    expect(events).toEqual([
      ["connect", { chainId: "0x1" }],
      ["chainChanged", "0xa"],
    ]);
  });

  test("a lost chain is 4901, and the last one 4900 with `disconnect`; then it connects again", async () => {
    const lost = new Set<string>();
    provider = newProvider({
      fetch: (url, init) => {
        if (lost.has(url)) throw new TypeError("fetch failed");
        return fetch(url, init);
      },
    });
    events = record(provider);
    await ask("eth_blockNumber");
    await ask("wallet_switchEthereumChain", { chainId: "0xa" });
    lost.add(second.url);
    expect(await rejected(ask("eth_blockNumber"))).toMatchObject({ code: 4901 });
    lost.add(keys.node.url);
    const switching = ask("wallet_switchEthereumChain", { chainId: "0x1" });
    expect(await rejected(switching)).toMatchObject({ code: 4900 });
    expect(await ask("eth_chainId")).toBe("0xa");
    expect(await rejected(ask("eth_blockNumber"))).toMatchObject({ code: 4900 });
    lost.clear();
    expect(await ask("eth_blockNumber")).toBe("0x1");
    expect(events).toEqual([
      ["connect", { chainId: "0x1" }],
      ["chainChanged", "0xa"],
      ["disconnect", expect.objectContaining({ code: 4900 })],
      ["connect", { chainId: "0xa" }],
    ]);
  });

  test("a node of another chain is not used", async () => {
    provider = newProvider({ chains: [{ chainId: 1, rpcUrl: second.url }] });
    await ask("eth_requestAccounts");
    const transaction = { from: keys.payer, to: recipient };
    const error = await rejected(ask("eth_sendTransaction", transaction));
    expect(error).toMatchObject({ code: 4900, message: expect.stringMatching(/another chain/) });
  });

  test("an answer without JSON-RPC means an unreachable node, and 429 a busy one", async () => {
    const answering = (body: string, status: number) =>
      newProvider({ fetch: async () => new Response(body, { status }) });
    provider = answering("<html>", 200);
    expect(await rejected(ask("eth_blockNumber"))).toMatchObject({ code: 4901 });
    provider = answering("slow down", 429);
    expect(await rejected(ask("eth_blockNumber"))).toMatchObject({ code: -32005 });
    provider = newProvider({
      timeoutMs: 20,
      fetch: (_, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
        }),
    });
    expect(await rejected(ask("eth_blockNumber"))).toMatchObject({ code: 4901 });
  });

  test("a node is not followed to where it redirects", async () => {
    const fetch = (_: string, init: RequestInit) => {
      if (init.redirect === "manual") return Promise.resolve(new Response(null, { status: 307 }));
      return Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" }));
    };
    const redirected = newProvider({ fetch }).request({ method: "eth_blockNumber" });
    await expect(redirected).rejects.toMatchObject({ message: expect.stringContaining("307") });
  });

  test("a listener can be removed", async () => {
    const seen: string[] = [];
    const listener = (chainId: string) => seen.push(chainId);
    expect(provider.on("chainChanged", listener)).toBe(provider);
    await ask("wallet_switchEthereumChain", { chainId: "0xa" });
    expect(provider.removeListener("chainChanged", listener)).toBe(provider);
    await ask("wallet_switchEthereumChain", { chainId: "0x1" });
    expect(seen).toEqual(["0xa"]);
  });
});

test.each([
  ["chains", { chains: [] }],
  ["chains[0].chainId", { chains: [{ chainId: 0, rpcUrl: "https://example.com" }] }],
  ["chains[0].rpcUrl", { chains: [{ chainId: 1, rpcUrl: "http://example.com" }] }],
  [
    "chains[1].chainId",
    {
      chains: [
        { chainId: 1, rpcUrl: "https://a.example" },
        { chainId: 1, rpcUrl: "https://b.example" },
      ],
    },
  ],
  ["signWith", { signWith: [] }],
])("an option that is wrong is named: %s", (field, more) => {
  expect(() => newProvider(more)).toThrow(expect.objectContaining({ field }));
});

afterEach(() => {
  events.length = 0;
});
