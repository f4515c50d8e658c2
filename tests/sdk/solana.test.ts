// What the adapter for Solana signs is executed by the chain's runtime and verified by the libraries.

import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { addUser, newQuorum, startWaiting } from "@keyhearth/engine/organization.testing";
import type { Connection, KeyhearthClient } from "@keyhearth/sdk";
import {
  createSolanaSigner,
  createSolanaWeb3Signer,
  type SolanaSigner,
} from "@keyhearth/sdk/solana";
import {
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  blockhash,
  createSignableMessage,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getPublicKeyFromAddress,
  getTransactionEncoder,
  isMessagePartialSigner,
  isTransactionPartialSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  verifySignature,
} from "@solana/kit";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { beforeAll, describe, expect, test } from "vitest";
import { type Runtime, startRuntime } from "../chains/svm.ts";
import { tampering } from "./tampering.ts";

let organization: TestOrganization;
let client: KeyhearthClient;
let runtime: Runtime;
let walletId: string;
let payer: string;
let owner: string;

beforeAll(async () => {
  organization = await newOrganization();
  client = organization.root;
  runtime = startRuntime();
  const made = await client.createWallet({
    walletName: "treasury",
    accounts: [0, 1].map((index) => ({
      curve: "CURVE_ED25519",
      pathFormat: "PATH_FORMAT_BIP32",
      path: `m/44'/501'/${index}'/0'`,
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    })),
  });
  walletId = made.walletId;
  [payer = "", owner = ""] = made.addresses;
  for (const each of [payer, owner]) runtime.fund(new PublicKey(each));
});

const newAddress = () => Keypair.generate().publicKey;
const invalid = (field: string) => ({ name: "InvalidField", field });

/** A connection to a service that changes its answers. */
function lyingConnection(change: (answer: string, path: string) => string): Connection {
  return tampering(organization, change);
}

describe("a signer of kit", () => {
  /** The System program's transfer, with signers in its accounts as kit's programs have them. */
  function transfer(from: SolanaSigner, to: string, lamports = 5_000_000n) {
    const data = new Uint8Array(12);
    const view = new DataView(data.buffer);
    view.setUint32(0, 2, true);
    view.setBigUint64(4, lamports, true);
    return {
      programAddress: address(SystemProgram.programId.toBase58()),
      accounts: [
        { address: from.address, role: 3, signer: from },
        { address: address(to), role: 1 },
      ],
      data,
    } as const;
  }

  function messageOf(
    feePayer: SolanaSigner,
    version: "legacy" | 0,
    ...instructions: ReturnType<typeof transfer>[]
  ) {
    const recent = {
      blockhash: blockhash(runtime.latestBlockhash()) as Blockhash,
      lastValidBlockHeight: 1_000n,
    };
    const empty = pipe(
      createTransactionMessage({ version }),
      (message) => setTransactionMessageFeePayerSigner(feePayer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
    );
    return instructions.reduce(
      (message, instruction) => appendTransactionMessageInstruction(instruction, message),
      empty as Parameters<typeof signTransactionMessageWithSigners>[0],
    );
  }

  test("has every member of both interfaces, and cannot be changed", async () => {
    const signer = await createSolanaSigner(client, { address: payer });
    expect(isMessagePartialSigner(signer)).toBe(true);
    expect(isTransactionPartialSigner(signer)).toBe(true);
    expect(Object.keys(signer).sort()).toEqual(["address", "signMessages", "signTransactions"]);
    expect(signer.address).toBe(payer);
    expect(Object.isFrozen(signer)).toBe(true);
  });

  test.each(["legacy", 0] as const)(
    "signs a transaction of version %s, which is executed",
    async (version) => {
      const signer = await createSolanaSigner(client, { address: payer });
      const to = newAddress();
      const message = messageOf(signer, version, transfer(signer, to.toBase58()));
      const signed = await signTransactionMessageWithSigners(message);
      expect(runtime.send(new Uint8Array(getTransactionEncoder().encode(signed)))).toBeUndefined();
      expect(runtime.balanceOf(to)).toBe(5_000_000n);
    },
  );

  test("signs beside other signers, of Keyhearth and of other keys", async () => {
    const signer = await createSolanaSigner(client, { address: payer });
    const second = await createSolanaSigner(client, { address: owner });
    const stranger = await generateKeyPairSigner();
    runtime.fund(new PublicKey(stranger.address));
    const to = newAddress();
    const message = messageOf(
      signer,
      0,
      transfer(second, to.toBase58()),
      transfer(stranger as unknown as SolanaSigner, to.toBase58()),
    );
    const signed = await signTransactionMessageWithSigners(message);
    expect(Object.keys(signed.signatures)).toHaveLength(3);
    expect(runtime.send(new Uint8Array(getTransactionEncoder().encode(signed)))).toBeUndefined();
    expect(runtime.balanceOf(to)).toBe(10_000_000n);
  });

  test("signs batches: a signature for each transaction and each message, in order", async () => {
    const signer = await createSolanaSigner(client, { address: payer });
    const transactions = await Promise.all(
      [1n, 2n].map(async (lamports) => {
        const instruction = transfer(signer, newAddress().toBase58(), lamports);
        const { messageBytes, signatures } = await partiallySignTransactionMessageWithSigners(
          messageOf(signer, 0, instruction),
        );
        return { messageBytes, expected: signatures[signer.address], signatures: {} };
      }),
    );
    const signed = await signer.signTransactions(transactions as never);
    // Ed25519 signatures are deterministic.
    expect(signed.map((each) => each[signer.address])).toEqual(
      transactions.map(({ expected }) => expected),
    );
    const messages = ["one", "two", "three"].map((text) => createSignableMessage(text));
    const publicKey = await getPublicKeyFromAddress(signer.address);
    for (const batch of [messages, messages.slice(0, 1), []]) {
      const dictionaries = await signer.signMessages(batch);
      expect(dictionaries).toHaveLength(batch.length);
      for (const [index, { content }] of batch.entries()) {
        const signature = dictionaries[index]?.[signer.address];
        expect(signature && (await verifySignature(publicKey, signature, content))).toBe(true);
      }
    }
    expect(await signer.signTransactions([])).toEqual([]);
  });

  test("stops when its signal aborts, and sends nothing if it had aborted before", async () => {
    const asked: string[] = [];
    const connection = lyingConnection((answer, path) => {
      asked.push(path);
      return answer;
    });
    const signer = await createSolanaSigner(connection, { address: payer });
    const abortSignal = AbortSignal.abort("enough");
    const cancelled = { name: "Cancelled", code: "ABORTED", cause: "enough" };
    const message = createSignableMessage("hello");
    await expect(signer.signMessages([message], { abortSignal })).rejects.toMatchObject(cancelled);
    const transaction = await partiallySignTransactionMessageWithSigners(
      messageOf(await createSolanaSigner(client, { address: payer }), 0),
    );
    const given = [transaction] as never;
    await expect(signer.signTransactions(given, { abortSignal })).rejects.toMatchObject(cancelled);
    expect(asked).toEqual([]);
    const controller = new AbortController();
    const later = signer.signTransactions(given, { abortSignal: controller.signal });
    controller.abort("enough");
    await expect(later).rejects.toMatchObject(cancelled);
  });

  test("is found by the path of an account, or the id of a private key", async () => {
    const privateKeyId = await createKey("ADDRESS_FORMAT_SOLANA");
    const path = "m/44'/501'/1'/0'";
    const byPath = await createSolanaSigner(client, { walletId, path });
    expect(byPath.address).toBe(owner);
    expect((await createSolanaSigner(client, { walletId, address: owner })).address).toBe(owner);
    const byId = await createSolanaSigner(client, { privateKeyId });
    for (const signer of [byPath, byId]) {
      const [dictionary] = await signer.signMessages([createSignableMessage("hello")]);
      const publicKey = await getPublicKeyFromAddress(signer.address);
      const signature = dictionary?.[signer.address];
      const content = new TextEncoder().encode("hello");
      expect(signature && (await verifySignature(publicKey, signature, content))).toBe(true);
    }
  });

  test("is refused for what is no key of Solana, with the field", async () => {
    const privateKeyId = await createKey("ADDRESS_FORMAT_APTOS");
    const create = (source: object) => createSolanaSigner(client, source as { address: string });
    await expect(create({ privateKeyId })).rejects.toMatchObject(invalid("privateKeyId"));
    await expect(create({ walletId: crypto.randomUUID(), path: "m/0'" })).rejects.toMatchObject({
      name: "NotFound",
    });
    for (const wrong of [
      "",
      "0x",
      payer.slice(4),
      `${payer}${payer.slice(0, 8)}`,
      "0".repeat(44),
      "1".repeat(44),
      7,
    ]) {
      await expect(create({ address: wrong })).rejects.toMatchObject(invalid("address"));
    }
    await expect(create({})).rejects.toMatchObject(invalid("address"));
  });

  test("refuses transactions without its signature, and bytes that are no transaction", async () => {
    const signer = await createSolanaSigner(client, { address: payer });
    const other = await createSolanaSigner(client, { address: owner });
    const { messageBytes } = await partiallySignTransactionMessageWithSigners(messageOf(other, 0));
    const empty = new Uint8Array();
    const version1 = Uint8Array.from(messageBytes);
    version1[0] = 0x81;
    for (const bytes of [
      messageBytes,
      empty,
      version1,
      messageBytes.slice(0, 30),
      new Uint8Array(99),
    ]) {
      const given = [{ messageBytes: bytes, signatures: {} }] as never;
      await expect(signer.signTransactions(given)).rejects.toMatchObject(invalid("transaction"));
    }
  });

  test("does not sign a transaction of its key as a message", async () => {
    const signer = await createSolanaSigner(client, { address: payer });
    for (const version of ["legacy", 0] as const) {
      const message = messageOf(signer, version, transfer(signer, owner));
      const { messageBytes } = await partiallySignTransactionMessageWithSigners(message);
      const given = [
        createSignableMessage("hello"),
        createSignableMessage(Uint8Array.from(messageBytes)),
      ];
      await expect(signer.signMessages(given)).rejects.toMatchObject(invalid("messages[1]"));
    }
    const empty = [createSignableMessage("")];
    await expect(signer.signMessages(empty)).rejects.toMatchObject(invalid("messages[0]"));
    // A transaction of others is a message like any other bytes.
    const bytes = getAddressEncoder().encode(signer.address);
    await signer.signMessages([createSignableMessage(Uint8Array.from(bytes))]);
  });

  test("passes on that others have to approve, and that policies deny", async () => {
    const quorum = await newQuorum();
    const parameters = {
      walletName: "treasury",
      accounts: [
        {
          curve: "CURVE_ED25519",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/501'/0'/0'",
          addressFormat: "ADDRESS_FORMAT_SOLANA",
        },
      ],
    };
    const type = "ACTIVITY_TYPE_CREATE_WALLET";
    const ask = { type, parameters };
    const { fingerprint } = await startWaiting(quorum.root, "create_wallet", ask);
    const { activity } = await quorum.second.client.approveActivity({ fingerprint });
    const [theirs = ""] = activity.result.createWalletResult?.addresses ?? [];
    const signer = await createSolanaSigner(quorum.root, { address: theirs });
    const message = createSignableMessage("hello");
    await expect(signer.signMessages([message])).rejects.toMatchObject({ name: "ConsensusNeeded" });
    const { client: clerk } = await addUser(organization);
    const denied = await createSolanaSigner(clerk, { address: payer });
    await expect(denied.signMessages([message])).rejects.toMatchObject({ name: "PolicyDenied" });
  });

  test("refuses answers that are another transaction or not signed by its key", async () => {
    const honest = await createSolanaSigner(client, { address: payer });
    const message = messageOf(honest, 0, transfer(honest, owner));
    const { messageBytes } = await partiallySignTransactionMessageWithSigners(message);
    const at = 2; // the first digit of the first signature, after the number of signatures
    const flip = (hex: string, index: number) =>
      `${hex.slice(0, index)}${hex[index] === "0" ? "1" : "0"}${hex.slice(index + 1)}`;
    const changes: ((hex: string) => string)[] = [
      (hex) => flip(hex, at),
      (hex) => flip(hex, hex.length - 1),
      (hex) => flip(hex, 1),
      (hex) => hex.slice(0, -2),
      (hex) => `${hex}00`,
      (hex) => `0x${hex}`,
      () => "",
      () => "zz",
      () => "00".repeat(64),
    ];
    for (const change of changes) {
      const connection = lyingConnection((answer) =>
        answer.replace(/("signedTransaction":")([0-9a-f]*)/g, (_, name, hex) => name + change(hex)),
      );
      const signer = await createSolanaSigner(connection, { address: payer });
      const given = [{ messageBytes, signatures: {} }] as never;
      await expect(signer.signTransactions(given)).rejects.toMatchObject({ name: "Unverified" });
    }
    const swapped = lyingConnection((answer) =>
      answer.replace(/"r":"([0-9a-f]*)","s":"([0-9a-f]*)"/g, '"r":"$2","s":"$1"'),
    );
    const signer = await createSolanaSigner(swapped, { address: payer });
    for (const count of [1, 2]) {
      const messages = Array.from({ length: count }, () => createSignableMessage("hello"));
      await expect(signer.signMessages(messages)).rejects.toMatchObject({ name: "Unverified" });
    }
  });

  test("is not made for an account that the service swaps, even with a proof of its own", async () => {
    const own = "m/44'/501'/0'/0'";
    const other = await client.createWallet({
      walletName: "decoy",
      accounts: [
        {
          curve: "CURVE_ED25519",
          pathFormat: "PATH_FORMAT_BIP32",
          path: own,
          addressFormat: "ADDRESS_FORMAT_SOLANA",
        },
      ],
    });
    const describe = organization.server.signer.handle({ call: "describe" });
    const { quorumPublicKey } = describe as { quorumPublicKey: string };
    expect(quorumPublicKey).toMatch(/^[0-9a-f]{260}$/);
    const decoy = await client.getWalletAccount({ walletId: other.walletId, path: own });
    const swapping = tampering(
      organization,
      (answer, path) => (path.endsWith("get_wallet_account") ? JSON.stringify(decoy) : answer),
      { quorumPublicKey },
    );
    const create = (connection: Connection) =>
      createSolanaSigner(connection, { walletId, path: own });
    await expect(create(swapping)).rejects.toMatchObject({ name: "Unverified" });
    const renamed = tampering(
      organization,
      (answer, path) =>
        path.endsWith("get_wallet_account")
          ? JSON.stringify(decoy).replaceAll(other.walletId, walletId)
          : answer,
      { quorumPublicKey },
    );
    await expect(create(renamed)).rejects.toMatchObject({ name: "Unverified" });
    const honest = tampering(organization, (answer) => answer, { quorumPublicKey });
    expect((await create(honest)).address).toBe(payer);
  });
});

describe("a wallet of web3.js", () => {
  const payment = (from: string, to: PublicKey) =>
    SystemProgram.transfer({ fromPubkey: new PublicKey(from), toPubkey: to, lamports: 5_000_000 });

  function legacy(feePayer: PublicKey, ...instructions: ReturnType<typeof payment>[]) {
    const recent = { feePayer, recentBlockhash: runtime.latestBlockhash() };
    return new Transaction(recent).add(...instructions);
  }

  function version0(payerKey: PublicKey, ...instructions: ReturnType<typeof payment>[]) {
    const recent = { payerKey, recentBlockhash: runtime.latestBlockhash() };
    return new VersionedTransaction(
      new TransactionMessage({ ...recent, instructions }).compileToV0Message(),
    );
  }

  /** What Anchor and the wallet adapters ask of a wallet. */
  type Wallet = {
    publicKey: PublicKey;
    signTransaction<T extends Transaction | VersionedTransaction>(transaction: T): Promise<T>;
    signAllTransactions<T extends Transaction | VersionedTransaction>(all: T[]): Promise<T[]>;
    signMessage(message: Uint8Array): Promise<Uint8Array>;
  };

  const walletOf = (owner: string): Promise<Wallet> =>
    createSolanaWeb3Signer(client, { PublicKey, address: owner });

  test("has every member of a wallet adapter", async () => {
    const wallet = await walletOf(payer);
    expect(Object.keys(wallet).sort()).toEqual([
      "publicKey",
      "signAllTransactions",
      "signMessage",
      "signTransaction",
    ]);
    expect(wallet.publicKey).toBeInstanceOf(PublicKey);
    expect(wallet.publicKey.toBase58()).toBe(payer);
    const found = await createSolanaWeb3Signer(client, {
      PublicKey,
      walletId,
      path: "m/44'/501'/1'/0'",
    });
    expect(found.publicKey.toBase58()).toBe(owner);
  });

  test("signs legacy and versioned transactions, which are executed", async () => {
    const wallet = await walletOf(payer);
    const to = newAddress();
    const first = legacy(wallet.publicKey, payment(payer, to));
    expect(await wallet.signTransaction(first)).toBe(first);
    expect(first.verifySignatures()).toBe(true);
    const second = version0(wallet.publicKey, payment(payer, to));
    expect(await wallet.signTransaction(second)).toBe(second);
    for (const signed of [first, second]) expect(runtime.send(signed.serialize())).toBeUndefined();
    expect(runtime.balanceOf(to)).toBe(10_000_000n);
  });

  test("adds its signature to those of a fee payer elsewhere and of other signers, in any order", async () => {
    const wallet = await walletOf(payer);
    const second = await walletOf(owner);
    const elsewhere = Keypair.generate();
    runtime.fund(elsewhere.publicKey);
    const sign = {
      elsewhere: async (transaction: Transaction | VersionedTransaction) => {
        if (transaction instanceof Transaction) transaction.partialSign(elsewhere);
        else transaction.sign([elsewhere]);
      },
      wallet: (transaction: Transaction | VersionedTransaction) =>
        wallet.signTransaction(transaction),
      second: (transaction: Transaction | VersionedTransaction) =>
        second.signTransaction(transaction),
    };
    for (const order of [
      [sign.elsewhere, sign.wallet, sign.second],
      [sign.second, sign.wallet, sign.elsewhere],
    ]) {
      for (const build of [legacy, version0]) {
        const to = newAddress();
        const transaction = build(elsewhere.publicKey, payment(payer, to), payment(owner, to));
        for (const next of order) await next(transaction);
        expect(runtime.send(transaction.serialize())).toBeUndefined();
        expect(runtime.balanceOf(to)).toBe(10_000_000n);
      }
    }
  });

  test("signs all transactions or none", async () => {
    const wallet = await walletOf(payer);
    const to = newAddress();
    const both = [
      legacy(wallet.publicKey, payment(payer, to)),
      version0(wallet.publicKey, payment(payer, to)),
    ];
    expect(await wallet.signAllTransactions(both)).toBe(both);
    for (const signed of both) expect(runtime.send(signed.serialize())).toBeUndefined();
    expect(await wallet.signAllTransactions([])).toEqual([]);
    const good = legacy(wallet.publicKey, payment(payer, to));
    const foreign = legacy(new PublicKey(owner), payment(owner, to));
    await expect(wallet.signAllTransactions([good, foreign])).rejects.toMatchObject(
      invalid("transaction"),
    );
    expect(good.signature).toBeNull();
  });

  test("adds nothing to a transaction that changed while it was being signed", async () => {
    const wallet = await walletOf(payer);
    const to = newAddress();
    const transaction = legacy(wallet.publicKey, payment(payer, to));
    const signing = wallet.signTransaction(transaction);
    transaction.add(payment(payer, newAddress()));
    await expect(signing).rejects.toMatchObject(invalid("transactions[0]"));
    expect(transaction.signature).toBeNull();
  });

  test("signs messages, but not transactions as messages", async () => {
    const wallet = await walletOf(payer);
    const message = new TextEncoder().encode("log in");
    const signature = await wallet.signMessage(message);
    const publicKey = await getPublicKeyFromAddress(address(payer));
    expect(await verifySignature(publicKey, signature as never, message)).toBe(true);
    const transaction = legacy(wallet.publicKey, payment(payer, newAddress()));
    await expect(wallet.signMessage(transaction.serializeMessage())).rejects.toMatchObject(
      invalid("messages[0]"),
    );
  });
});

test("a policy reads what the adapter signs", async () => {
  const { client: clerk, userId } = await addUser(organization);
  const allowed = newAddress();
  await client.createPolicy({
    policyName: "clerks pay one address",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.any(user, user.id == '${userId}')`,
    condition: `solana.tx.transfers.all(transfer, transfer.to == '${allowed.toBase58()}')`,
    notes: "",
  });
  const wallet = await createSolanaWeb3Signer(clerk, { PublicKey, address: payer });
  const pay = (to: PublicKey) => {
    const recent = { feePayer: wallet.publicKey, recentBlockhash: runtime.latestBlockhash() };
    const instruction = SystemProgram.transfer({
      fromPubkey: wallet.publicKey,
      toPubkey: to,
      lamports: 5_000_000,
    });
    return wallet.signTransaction(new Transaction(recent).add(instruction));
  };
  await expect(pay(newAddress())).rejects.toMatchObject({ name: "PolicyDenied" });
  expect(runtime.send((await pay(allowed)).serialize())).toBeUndefined();
});

async function createKey(format: "ADDRESS_FORMAT_SOLANA" | "ADDRESS_FORMAT_APTOS") {
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: format,
        curve: "CURVE_ED25519",
        privateKeyTags: [],
        addressFormats: [format],
      },
    ],
  });
  return privateKeys[0]?.privateKeyId ?? "";
}
