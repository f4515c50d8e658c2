import { type Connection, signRawPayload, signTransaction } from "@keyhearth/sdk";
import {
  getBase58Decoder,
  getPublicKeyFromAddress,
  signatureBytes,
  address as solanaAddress,
  verifySignature,
} from "@solana/kit";
import {
  type Address,
  hexToBytes,
  isAddress,
  keccak256,
  parseEther,
  parseGwei,
  recoverMessageAddress,
  recoverTransactionAddress,
  serializeSignature,
  serializeTransaction,
  type TransactionSerializedEIP1559,
  toPrefixedMessage,
} from "viem";
import type { Account } from "./accounts.ts";

/** Something that was signed, and checked again in this page. */
export type Signed = {
  what: string;
  account: Account;
  /** A signature of a message, or a whole transaction. */
  label: "Signature" | "Signed transaction";
  value: string;
};

/** Signs a message as the chain's wallets do, and checks the signature. */
export async function signMessage(
  connection: Connection,
  account: Account,
  message: string,
): Promise<Signed> {
  const sign = account.chain === "Ethereum" ? signEthereumMessage : signSolanaMessage;
  const value = await sign(connection, account.address, message);
  return { what: `“${message}”`, account, label: "Signature", value };
}

/** EIP-191: the message with its prefix, hashed by Keccak-256. */
async function signEthereumMessage(connection: Connection, signWith: string, message: string) {
  const { r, s, v } = await signRawPayload(connection, {
    signWith,
    payload: toPrefixedMessage(message),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  const signature = serializeSignature({
    r: `0x${r}`,
    s: `0x${s}`,
    yParity: Number.parseInt(v, 16),
  });
  const signer = await recoverMessageAddress({ message, signature });
  return checked(signature, signer.toLowerCase() === signWith.toLowerCase());
}

/** Ed25519 signs the message itself. */
async function signSolanaMessage(connection: Connection, signWith: string, message: string) {
  const { r, s } = await signRawPayload(connection, {
    signWith,
    payload: message,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
  });
  const bytes = signatureBytes(hexToBytes(`0x${r}${s}`));
  const publicKey = await getPublicKeyFromAddress(solanaAddress(signWith));
  const isValid = await verifySignature(publicKey, bytes, new TextEncoder().encode(message));
  return checked(getBase58Decoder().decode(bytes), isValid);
}

/** Signs a transfer of ether. The page shows it and sends it nowhere. */
export async function signTransfer(
  connection: Connection,
  account: Account,
  { to, amount }: { to: string; amount: string },
): Promise<Signed> {
  const unsignedTransaction = serializeTransaction({
    type: "eip1559",
    chainId: 1,
    // A wallet that sends transactions asks a node for these four.
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: parseGwei("30"),
    maxPriorityFeePerGas: parseGwei("1"),
    to: parseRecipient(to),
    value: parseAmount(amount),
  });
  const { signedTransaction } = await signTransaction(connection, {
    signWith: account.address,
    type: "TRANSACTION_TYPE_ETHEREUM",
    unsignedTransaction,
  });
  const serializedTransaction: TransactionSerializedEIP1559 = `0x02${signedTransaction.slice(2)}`;
  const signer = await recoverTransactionAddress({ serializedTransaction });
  const isOwn = signer.toLowerCase() === account.address.toLowerCase();
  const value = checked(serializedTransaction, isOwn);
  const what = `${amount} ETH to ${to}, hash ${keccak256(value)}`;
  return { what, account, label: "Signed transaction", value };
}

/** A field that people have to correct. */
export class FieldError extends Error {
  readonly field: "to" | "amount";

  constructor(field: "to" | "amount", message: string) {
    super(message);
    this.field = field;
  }
}

function parseRecipient(to: string): Address {
  if (isAddress(to)) return to;
  throw new FieldError(
    "to",
    "This isn’t an Ethereum address. It begins with 0x and has 40 more characters.",
  );
}

function parseAmount(amount: string): bigint {
  if (/^\d{1,9}(\.\d{1,18})?$/.test(amount)) return parseEther(amount);
  throw new FieldError("amount", "Write an amount of ether, such as 0.05.");
}

function checked<Text extends string>(signature: Text, isValid: boolean): Text {
  if (!isValid) throw new Error("The signature does not belong to this account.");
  return signature;
}
