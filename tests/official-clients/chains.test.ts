// The official clients of single chains, unmodified. What they sign is executed or verified by other
// people's software.

import { Secp256k1, Secp256k1Signature, sha256 } from "@cosmjs/crypto";
import { fromBase64, fromHex } from "@cosmjs/encoding";
import { makeSignBytes } from "@cosmjs/proto-signing";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { TurnkeyDirectWallet } from "@turnkey/cosmjs";
import { createEIP1193Provider } from "@turnkey/eip-1193-provider";
import { TurnkeySigner as EthersSigner } from "@turnkey/ethers";
import { TurnkeyClient } from "@turnkey/http";
import { TurnkeySigner as SolanaSigner } from "@turnkey/solana";
import { createAccount } from "@turnkey/viem";
import {
  verifyMessage as verifyEthersMessage,
  verifyTypedData as verifyEthersTypedData,
} from "ethers";
import { TurnkeyClient as TurnkeyClient2 } from "turnkey-http-2";
import {
  type Hex,
  hashMessage,
  recoverAddress,
  type TransactionSerializable,
  verifyMessage,
  verifyTypedData,
} from "viem";
import { verifyAuthorization } from "viem/utils";
import { beforeAll, describe, expect, test } from "vitest";
import { type Evm, GWEI, startEvm } from "../chains/evm.ts";
import { serveRpc } from "../chains/rpc.ts";
import { type Runtime, startRuntime } from "../chains/svm.ts";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { releases } from "./clients.ts";

let product: SharedProduct;
let evm: Evm;
let runtime: Runtime;
let walletId: string;
let ethereum: Hex;
let solana: PublicKey;
let publicKey: string;
let privateKeyId: string;
let privateKeyAddress: string;

beforeAll(async () => {
  product = await sharedProduct();
  evm = await startEvm();
  runtime = startRuntime();
  const client = clientOf(product, product.root);
  const wallet = await client.createWallet({
    walletName: "official clients, ethereum",
    accounts: [account("CURVE_SECP256K1", "m/44'/60'/0'/0/0", "ADDRESS_FORMAT_ETHEREUM")],
  });
  const others = await client.createWallet({
    walletName: "official clients, others",
    accounts: [
      account("CURVE_ED25519", "m/44'/501'/0'/0'", "ADDRESS_FORMAT_SOLANA"),
      account("CURVE_SECP256K1", "m/44'/118'/0'/0/0", "ADDRESS_FORMAT_UNCOMPRESSED"),
    ],
  });
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: "official clients, hot",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  });
  walletId = wallet.walletId;
  // Addresses of this format start with 0x.
  ethereum = wallet.addresses[0] as Hex;
  solana = new PublicKey(others.addresses[0] ?? "");
  publicKey = others.addresses[1] ?? "";
  privateKeyId = privateKeys[0]?.privateKeyId ?? "";
  privateKeyAddress = privateKeys[0]?.addresses?.[0]?.address ?? "";
  await evm.fund(ethereum);
  runtime.fund(solana);
});

function account<F extends string>(
  curve: "CURVE_SECP256K1" | "CURVE_ED25519",
  path: string,
  addressFormat: F,
) {
  return { curve, pathFormat: "PATH_FORMAT_BIP32", path, addressFormat } as const;
}

/** The clients by which the adapters can send: the wire's own, and that for servers. */
const transports = [
  {
    name: "@turnkey/http",
    connect: () => new TurnkeyClient({ baseUrl: product.url }, stamperOf(product)),
  },
  {
    name: "@turnkey/sdk-server",
    connect() {
      const { organizationId, apiPublicKey, apiPrivateKey } = product.root;
      const key = { apiPublicKey, apiPrivateKey };
      const [release] = releases;
      if (!release) throw new Error("no release");
      return release.connect(product.url, organizationId, key);
    },
  },
];

function stamperOf({ root: { apiPublicKey, apiPrivateKey } }: SharedProduct) {
  return new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
}

const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
const domain = { name: "Orders", version: "1", chainId: 1, verifyingContract: recipient } as const;
const declared = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ],
  Order: [{ name: "amount", type: "uint256" }],
} as const;
const types = { Order: [{ name: "amount", type: "uint256" }] } as const;
const order = { domain, primaryType: "Order", message: { amount: 5n } } as const;

/** Executes a payment and returns what arrived. */
async function execute(signed: string, sender: string = ethereum): Promise<bigint> {
  const before = await evm.balanceOf(recipient);
  expect(await evm.execute(signed as Hex)).toMatchObject({ sender: sender.toLowerCase() });
  return (await evm.balanceOf(recipient)) - before;
}

async function nextNonce(): Promise<number> {
  return Number(await evm.nonceOf(ethereum));
}

describe.each(transports)("over $name", ({ connect }) => {
  function organizationId() {
    return product.root.organizationId;
  }

  describe("@turnkey/viem", () => {
    const viemAccount = (signWith: string = ethereum) =>
      createAccount({ client: connect(), organizationId: organizationId(), signWith });

    test("signs messages, digests and typed data", async () => {
      for (const [signWith, address] of [
        [ethereum, ethereum],
        [privateKeyId, privateKeyAddress as Hex],
      ] as const) {
        const signer = await viemAccount(signWith);
        expect(signer.address).toBe(address);
        const signature = await signer.signMessage({ message: "hello" });
        expect(await verifyMessage({ address, message: "hello", signature })).toBe(true);
        const hash = hashMessage("hello");
        const ofHash = await signer.sign?.({ hash });
        expect(await recoverAddress({ hash, signature: ofHash ?? "0x" })).toBe(address);
        const ofOrder = await signer.signTypedData({
          ...order,
          domain: { ...domain, chainId: 1n },
          types: declared,
        });
        expect(await verifyTypedData({ ...order, types, address, signature: ofOrder })).toBe(true);
      }
    });

    test("is refused typed data without the domain that it drops", async () => {
      const signer = await viemAccount();
      await expect(signer.signTypedData({ ...order, types })).rejects.toThrow(
        /domain: has no members: expected at least one of name, version, chainId/,
      );
    });

    test("signs transactions of all types", async () => {
      const signer = await viemAccount();
      const payment = { chainId: 1, to: recipient, value: 3n, gas: 100_000n } as const;
      const hashes: Hex[] = [`0x01${"cd".repeat(31)}`];
      const authorization = await signer.signAuthorization?.({
        chainId: 1,
        address: recipient,
        nonce: (await nextNonce()) + 5,
      });
      if (!authorization) throw new Error("no authorization");
      expect(await verifyAuthorization({ address: ethereum, authorization })).toBe(true);
      const transactions: TransactionSerializable[] = [
        { ...payment, type: "legacy", gasPrice: 5n * GWEI },
        { ...payment, type: "eip2930", gasPrice: 5n * GWEI, accessList: [] },
        { ...payment, type: "eip1559", ...fees },
        {
          ...payment,
          type: "eip4844",
          ...fees,
          maxFeePerBlobGas: GWEI,
          blobVersionedHashes: hashes,
        },
        // Its sender's nonce is one more when the authorization is checked.
        { ...payment, type: "eip7702", ...fees, authorizationList: [authorization] },
      ];
      for (const transaction of transactions) {
        const nonce = await nextNonce();
        const signed = await signer.signTransaction({ ...transaction, nonce });
        expect(await execute(signed)).toBe(3n);
      }
      expect(await evm.codeOf(ethereum)).toBe(`0xef0100${recipient.slice(2).toLowerCase()}`);
    });
  });

  describe("@turnkey/ethers", () => {
    const signer = (signWith: string = ethereum) =>
      new EthersSigner({ client: connect(), organizationId: organizationId(), signWith });

    test("signs messages and typed data", async () => {
      for (const [signWith, address] of [
        [ethereum, ethereum],
        [privateKeyId, privateKeyAddress],
      ] as const) {
        expect(await signer(signWith).getAddress()).toBe(address);
        const signature = await signer(signWith).signMessage("hello");
        expect(verifyEthersMessage("hello", signature)).toBe(address);
        const { message } = order;
        const ordered = { Order: [...types.Order] };
        const ofOrder = await signer(signWith).signTypedData(domain, ordered, message);
        expect(verifyEthersTypedData(domain, ordered, message, ofOrder)).toBe(address);
      }
    });

    test("signs transactions", async () => {
      const payment = { chainId: 1, to: recipient, value: 4n, gasLimit: 100_000n };
      for (const transaction of [
        { type: 0, gasPrice: 5n * GWEI },
        { type: 1, gasPrice: 5n * GWEI, accessList: [{ address: recipient, storageKeys: [] }] },
        { type: 2, ...fees },
      ]) {
        const nonce = await nextNonce();
        const request = { ...payment, ...transaction, nonce, from: ethereum };
        expect(await execute(await signer().signTransaction(request))).toBe(4n);
      }
    });
  });

  describe("@turnkey/solana", () => {
    const signer = () => new SolanaSigner({ client: connect(), organizationId: organizationId() });
    const address = () => solana.toBase58();
    const pay = (to: PublicKey) =>
      SystemProgram.transfer({ fromPubkey: solana, toPubkey: to, lamports: 5_000_000 });
    const newAddress = () => Keypair.generate().publicKey;
    const legacy = (to: PublicKey) =>
      new Transaction({ feePayer: solana, recentBlockhash: runtime.latestBlockhash() }).add(
        pay(to),
      );
    const version0 = (to: PublicKey) =>
      new VersionedTransaction(
        new TransactionMessage({
          payerKey: solana,
          recentBlockhash: runtime.latestBlockhash(),
          instructions: [pay(to)],
        }).compileToV0Message(),
      );

    test("signs transactions, whole and by their message", async () => {
      const to = [0, 1, 2, 3, 4].map(newAddress);
      const [first, second, third, fourth, fifth] = to as [
        PublicKey,
        PublicKey,
        PublicKey,
        PublicKey,
        PublicKey,
      ];
      const added = [legacy(third), version0(fourth)];
      for (const transaction of added) await signer().addSignature(transaction, address());
      const all = [
        await signer().signTransaction(legacy(first), address()),
        await signer().signTransaction(version0(second), address()),
        ...added,
        ...(await signer().signAllTransactions([legacy(fifth)], address(), organizationId())),
      ];
      for (const transaction of all) {
        expect(runtime.send(transaction.serialize())).toBeUndefined();
      }
      for (const key of to) expect(runtime.balanceOf(key)).toBe(5_000_000n);
    });

    test("signs messages", async () => {
      const message = Buffer.from("hello");
      const signature = await signer().signMessage(message, address(), organizationId());
      const key = await crypto.subtle.importKey(
        "raw",
        Uint8Array.from(solana.toBytes()),
        "Ed25519",
        false,
        ["verify"],
      );
      expect(await crypto.subtle.verify("Ed25519", key, Uint8Array.from(signature), message)).toBe(
        true,
      );
    });
  });
});

describe("@turnkey/cosmjs", () => {
  /**
   * One document in a hundred has a signature that begins with a zero byte in r or s. The client hands r and s to its
   * library as they are padded in the answer, and that refuses it, so another document is signed.
   */
  async function signAny(wallet: TurnkeyDirectWallet, address: string, accountNumber = 7n) {
    const signDoc = {
      bodyBytes: Uint8Array.of(1, 2, 3),
      authInfoBytes: Uint8Array.of(4, 5, 6),
      chainId: "cosmoshub-4",
      accountNumber,
    };
    try {
      return { signDoc, signature: (await wallet.signDirect(address, signDoc)).signature };
    } catch (error) {
      const isPadded = error instanceof Error && error.message.includes("unpadded big endian");
      if (!isPadded || accountNumber > 12n) throw error;
      return signAny(wallet, address, accountNumber + 1n);
    }
  }

  async function sign(
    client: ReturnType<(typeof transports)[number]["connect"]>,
    signWith: string,
  ) {
    const { organizationId } = product.root;
    const wallet = await TurnkeyDirectWallet.init({ config: { client, organizationId, signWith } });
    const [{ address, pubkey } = { address: "", pubkey: new Uint8Array() }] =
      await wallet.getAccounts();
    const { signDoc, signature } = await signAny(wallet, address);
    const parts = Secp256k1Signature.fromFixedLength(fromBase64(signature.signature));
    const digest = sha256(makeSignBytes(signDoc));
    return {
      pubkey,
      isValid: await Secp256k1.verifySignature(parts, digest, pubkey),
      isOverDigestOfDigest: await Secp256k1.verifySignature(parts, sha256(digest), pubkey),
    };
  }

  test("signs over @turnkey/sdk-server, by public key and by the id of a private key", async () => {
    const client = transports[1]?.connect();
    if (!client) throw new Error("no client");
    const byKey = await sign(client, publicKey);
    expect(byKey).toMatchObject({ isValid: true, isOverDigestOfDigest: false });
    expect(byKey.pubkey).toEqual(Secp256k1.compressPubkey(fromHex(publicKey)));
    expect(await sign(client, privateKeyId)).toMatchObject({ isValid: true });
  });

  // It hashes the document and asks the service to hash the digest again. A chain refuses this
  // signature. The service signs what it is asked for.
  test("hashes twice over @turnkey/http", async () => {
    const client = transports[0]?.connect();
    if (!client) throw new Error("no client");
    expect(await sign(client, publicKey)).toMatchObject({
      isValid: false,
      isOverDigestOfDigest: true,
    });
  });
});

test("@turnkey/eip-1193-provider lists accounts, signs and sends", async () => {
  const rpc = await serveRpc(evm);
  try {
    // The release that it is made for. Its type comes from the newer one that is installed here.
    const client: unknown = new TurnkeyClient2({ baseUrl: product.url }, stamperOf(product));
    const provider = await createEIP1193Provider({
      turnkeyClient: client as TurnkeyClient,
      organizationId: product.root
        .organizationId as `${string}-${string}-${string}-${string}-${string}`,
      walletId: walletId as `${string}-${string}-${string}-${string}-${string}`,
      chains: [{ chainName: "Memory", chainId: "0x1", rpcUrls: [rpc.url] }],
    });
    expect(await provider.request({ method: "eth_requestAccounts" })).toEqual([ethereum]);
    const hash = hashMessage("hello");
    const signature = await provider.request({ method: "personal_sign", params: [hash, ethereum] });
    expect(await recoverAddress({ hash, signature })).toBe(ethereum);

    const typedData = { ...order, types: declared };
    const ofOrder = await provider.request({
      method: "eth_signTypedData_v4",
      params: [ethereum, typedData as never], // its type wants the JSON text, its code the object
    });
    expect(await verifyTypedData({ ...order, types, address: ethereum, signature: ofOrder })).toBe(
      true,
    );

    const before = await evm.balanceOf(recipient);
    const sent = await provider.request({
      method: "eth_sendTransaction",
      params: [
        {
          chainId: "0x1",
          from: ethereum,
          to: recipient,
          value: "0x5",
          gas: "0x186a0",
          nonce: `0x${(await nextNonce()).toString(16)}`,
          maxFeePerGas: `0x${fees.maxFeePerGas.toString(16)}`,
          maxPriorityFeePerGas: `0x${fees.maxPriorityFeePerGas.toString(16)}`,
        } as never, // its type has no chain, its code needs one
      ],
    });
    expect(sent).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await evm.balanceOf(recipient)) - before).toBe(5n);
  } finally {
    rpc.stop();
  }
});
