/** Keys of Keyhearth as signers of `@solana/kit` and of `@solana/web3.js` version 1. */
import { equalBytes } from "@keyhearth/crypto/encoding/bytes";
import type {
  Address,
  MessagePartialSigner,
  SignatureBytes,
  SignatureDictionary,
  TransactionPartialSigner,
} from "@solana/kit";
import type { Connection } from "../connection/connection.ts";
import { asObject } from "../errors/as-object.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import {
  findSolanaKey,
  type SolanaKey,
  type SolanaKeySource,
  signSolanaMessages,
  signSolanaTransaction,
} from "./solana-key.ts";

/** A signer of `@solana/kit` for transactions and messages. */
export type SolanaSigner<TAddress extends string = string> = MessagePartialSigner<TAddress> &
  TransactionPartialSigner<TAddress>;

/**
 * A signer for `@solana/kit`. The signatures of a batch of messages are one activity. The transactions
 * of a batch are one activity each, one after the other, so that policies can read each of them.
 *
 * Every signature is verified before it is returned. Throws the SDK's errors, such as `ConsensusNeeded`.
 * A message that is itself a transaction of this key is refused with `InvalidField`.
 */
export async function createSolanaSigner<const TAddress extends string = string>(
  connection: Connection,
  source: SolanaKeySource & { address?: TAddress },
): Promise<SolanaSigner<TAddress>> {
  const key = await findSolanaKey(connection, source);
  // `findSolanaKey` has decoded it: 32 bytes in base58.
  const address = key.address as Address<TAddress>;
  const dictionaryOf = (signature: Uint8Array): SignatureDictionary =>
    // The signature has been verified, so it has 64 bytes.
    Object.freeze({ [address]: signature as SignatureBytes });
  return Object.freeze({
    address,
    async signMessages(messages, { abortSignal } = {}) {
      const contents = messages.map(({ content }) => content);
      const signatures = await signSolanaMessages(key, contents, { signal: abortSignal });
      return Object.freeze(signatures.map(dictionaryOf));
    },
    async signTransactions(transactions, { abortSignal } = {}) {
      const dictionaries: SignatureDictionary[] = [];
      for (const { messageBytes } of transactions) {
        const message = new Uint8Array(messageBytes);
        dictionaries.push(dictionaryOf(await signSolanaTransaction(key, message, abortSignal)));
      }
      return Object.freeze(dictionaries);
    },
  } satisfies SolanaSigner<TAddress>);
}

/** The part of `PublicKey` of `@solana/web3.js` that a signer needs. */
export type Web3PublicKey = { toBytes(): Uint8Array };

/** The part of `Transaction` of `@solana/web3.js` that a signer needs. */
export type Web3Transaction = {
  serializeMessage(): Uint8Array;
  addSignature(publicKey: Web3PublicKey, signature: Uint8Array): void;
};

/** The part of `VersionedTransaction` of `@solana/web3.js` that a signer needs. */
export type Web3VersionedTransaction = {
  readonly message: { serialize(): Uint8Array };
  addSignature(publicKey: Web3PublicKey, signature: Uint8Array): void;
};

/** The shape of a Solana wallet adapter, which Anchor and other libraries take as their wallet. */
export type SolanaWeb3Signer<PublicKey extends Web3PublicKey> = {
  readonly publicKey: PublicKey;
  /** Adds this key's signature to the transaction, and leaves all others as they are. */
  signTransaction<T extends Web3Transaction | Web3VersionedTransaction>(transaction: T): Promise<T>;
  /** Signs one after the other. If one of them fails, no signature is added to any. */
  signAllTransactions<T extends Web3Transaction | Web3VersionedTransaction>(
    transactions: T[],
  ): Promise<T[]>;
  /** The signature over a message that is not a transaction, 64 bytes. */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
};

/**
 * A signer for `@solana/web3.js` version 1. Give it the class `PublicKey` of that library, so that this
 * entry does not load the library for programs that use kit.
 *
 * Every signature is verified before it is added. Throws the SDK's errors, such as `ConsensusNeeded`.
 */
export async function createSolanaWeb3Signer<PublicKey extends Web3PublicKey>(
  connection: Connection,
  options: SolanaKeySource & { PublicKey: new (bytes: Uint8Array) => PublicKey },
): Promise<SolanaWeb3Signer<PublicKey>> {
  const { PublicKey, ...source } = asObject(options);
  if (typeof PublicKey !== "function") {
    throw invalidFields({ field: "PublicKey", message: "must be the class of @solana/web3.js" });
  }
  const key = await findSolanaKey(connection, source);
  const publicKey = new PublicKey(key.publicKey);
  return Object.freeze({
    publicKey,
    async signTransaction<T extends Web3Transaction | Web3VersionedTransaction>(transaction: T) {
      await signAll(key, publicKey, [transaction]);
      return transaction;
    },
    async signAllTransactions<T extends Web3Transaction | Web3VersionedTransaction>(
      transactions: T[],
    ) {
      await signAll(key, publicKey, transactions);
      return transactions;
    },
    async signMessage(message: Uint8Array) {
      const [signature = new Uint8Array()] = await signSolanaMessages(key, [message]);
      return signature;
    },
  });
}

async function signAll(
  key: SolanaKey,
  publicKey: Web3PublicKey,
  transactions: readonly (Web3Transaction | Web3VersionedTransaction)[],
): Promise<void> {
  const signed: { message: Uint8Array; signature: Uint8Array }[] = [];
  for (const transaction of transactions) {
    const message = messageOf(transaction);
    signed.push({ message, signature: await signSolanaTransaction(key, message) });
  }
  const fields = transactions.flatMap((transaction, index) =>
    equalBytes(messageOf(transaction), signed[index]?.message ?? new Uint8Array())
      ? []
      : [{ field: `transactions[${index}]`, message: "was changed while it was being signed" }],
  );
  if (fields.length > 0) throw invalidFields(...fields);
  transactions.forEach((transaction, index) => {
    transaction.addSignature(publicKey, signed[index]?.signature ?? new Uint8Array());
  });
}

/** A copy of what a transaction's signatures are over. */
function messageOf(transaction: Web3Transaction | Web3VersionedTransaction): Uint8Array {
  const message =
    "serializeMessage" in transaction
      ? transaction.serializeMessage()
      : transaction.message.serialize();
  return new Uint8Array(message);
}
