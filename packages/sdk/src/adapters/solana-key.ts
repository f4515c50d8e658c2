import { decodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { decodeHex, encodeHex, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { signRawPayload, signRawPayloads, signTransaction } from "../calls/generated/calls.ts";
import { pageOf } from "../connection/answers.ts";
import type { Connection } from "../connection/connection.ts";
import type { QueryOptions } from "../connection/options.ts";
import { asObject } from "../errors/as-object.ts";
import { Cancelled, Unverified } from "../errors/errors.ts";
import { checkConnection, invalidFields } from "../errors/invalid-fields.ts";
import { isEd25519Signature } from "./ed25519.ts";
import { findKey, type KeyOptions, type KeySource } from "./found-key.ts";

/** The key of a Solana address. A Solana address is the public key itself, in base58. */
export type SolanaKey = {
  connection: Connection;
  address: string;
  publicKey: Uint8Array;
  signWith: string;
  organizationId: string | undefined;
};

/** The address of an account or a private key, or where to look it up. */
export type SolanaKeySource = ({ address: string; walletId?: never } | KeySource) & KeyOptions;

export async function findSolanaKey(
  connection: Connection,
  given: SolanaKeySource,
): Promise<SolanaKey> {
  checkConnection(connection);
  const source = asObject(given);
  const { organizationId } = source;
  if ("address" in source && source.address !== undefined && source.walletId === undefined) {
    const { address } = source;
    return { connection, address, publicKey: keyOf(address), signWith: address, organizationId };
  }
  if (!("privateKeyId" in source) && source.walletId === undefined) {
    throw invalidFields({
      field: "address",
      message: "is missing. Give the address, a walletId with a path, or a privateKeyId",
    });
  }
  // The union above: a source without an address alone names one of the other two.
  const found = await findKey(connection, source as KeySource, { organizationId });
  const shown = found.addresses.find(({ format }) => format === "ADDRESS_FORMAT_SOLANA");
  if (!shown) {
    throw invalidFields({
      field: "privateKeyId" in source ? "privateKeyId" : "walletId",
      message: `names a key without a Solana address. Create one with CURVE_ED25519 and ADDRESS_FORMAT_SOLANA`,
    });
  }
  const publicKey = keyOf(shown.address);
  if (found.publicKey !== undefined && found.publicKey !== encodeHex(publicKey)) {
    throw unverified(connection, "the address of the key is not its public key");
  }
  const { signWith } = found;
  return { connection, address: shown.address, publicKey, signWith, organizationId };
}

/**
 * The key's signature over a transaction message. The service gets the transaction, so that policies
 * can read it. Its answer must be the same transaction with nothing but a valid signature of this key.
 */
export async function signSolanaTransaction(
  key: SolanaKey,
  message: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const signers = signersOf(message);
  if (!signers) {
    throw invalidFields({
      field: "transaction",
      message: "must be a legacy or version 0 transaction",
    });
  }
  const slot = signers.findIndex((signer) => equalBytes(signer, key.publicKey));
  if (slot === -1) {
    throw invalidFields({
      field: "transaction",
      message: `does not need a signature of ${key.address}. Make it the fee payer or a signer of an instruction`,
    });
  }
  // Signatures of others stay here: a signature is over the message alone.
  const start = 1 + 64 * signers.length;
  const wire = new Uint8Array(start + message.length);
  wire[0] = signers.length;
  wire.set(message, start);
  const { signedTransaction } = await signTransaction(
    key.connection,
    {
      signWith: key.signWith,
      type: "TRANSACTION_TYPE_SOLANA",
      unsignedTransaction: encodeHex(wire),
    },
    optionsOf(key, signal),
  );
  const at = 1 + 64 * slot;
  const answer = bytesOf(signedTransaction);
  const signature = answer.slice(at, at + 64);
  wire.set(signature, at);
  if (!equalBytes(answer, wire)) {
    throw unverified(key.connection, "the service answered with another transaction");
  }
  await assertSigned(key, message, signature);
  return signature;
}

/** The key's signatures over messages that are not transactions, in one activity. */
export async function signSolanaMessages(
  key: SolanaKey,
  messages: readonly Uint8Array[],
  { signal, ...time }: { timestampMs?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Uint8Array[]> {
  if (messages.length === 0) return [];
  messages.forEach((message, index) => {
    assertMessage(key, message, `messages[${index}]`);
  });
  const payloads = messages.map(encodeHex);
  const results = await signPayloads(key, payloads, { ...time, ...optionsOf(key, signal) });
  const signatures = results.map(({ r, s }) => bytesOf(r + s));
  if (signatures.length !== messages.length) {
    throw unverified(key.connection, "the service answered with another number of signatures");
  }
  for (const [index, message] of messages.entries()) {
    await assertSigned(key, message, signatures[index] ?? new Uint8Array());
  }
  return signatures;
}

async function signPayloads(
  { connection, signWith }: SolanaKey,
  payloads: string[],
  options: QueryOptions & { timestampMs?: string | undefined },
): Promise<{ r: string; s: string }[]> {
  const how = {
    signWith,
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
  } as const;
  const [payload = "", ...others] = payloads;
  if (others.length === 0) return [await signRawPayload(connection, { ...how, payload }, options)];
  return (await signRawPayloads(connection, { ...how, payloads }, options)).signatures ?? [];
}

/**
 * Refuses a message that is a transaction which this key could send: signed as a message, it would pass
 * by the policies about transactions. Text never has the key's 32 bytes at this place.
 */
function assertMessage(key: SolanaKey, message: Uint8Array, field: string): void {
  if (message.length === 0) throw invalidFields({ field, message: "must not be empty" });
  if (!signersOf(message)?.some((signer) => equalBytes(signer, key.publicKey))) return;
  throw invalidFields({
    field,
    message: "is a transaction. Sign it as one, so that policies can read it",
  });
}

/** The keys that have to sign a message, or undefined if it is not a legacy or version 0 message. */
function signersOf(message: Uint8Array): Uint8Array[] | undefined {
  const [first = 0] = message;
  if (first > 0x80) return undefined;
  const header = first === 0x80 ? 1 : 0;
  const count = message[header] ?? 0;
  // A message that fits into a packet has fewer than 128 keys, so their number is one byte.
  const [keys = 0, start] = [message[header + 3], header + 4];
  if (count === 0 || count > keys || keys > 127 || message.length < start + 32 * keys) {
    return undefined;
  }
  return Array.from({ length: count }, (_, index) =>
    message.subarray(start + 32 * index, start + 32 * (index + 1)),
  );
}

async function assertSigned(
  { connection, address, publicKey }: SolanaKey,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<void> {
  const isSigned =
    signature.length === 64 && (await isEd25519Signature(publicKey, message, signature));
  if (!isSigned) throw unverified(connection, `the signature of ${address} is not valid`);
}

function optionsOf({ organizationId }: SolanaKey, signal: AbortSignal | undefined) {
  // Before a stamper asks a person for a passkey.
  if (signal?.aborted) {
    throw new Cancelled("Signing was aborted by its signal before anything was sent", {
      code: "ABORTED",
      cause: signal.reason,
    });
  }
  return {
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(signal ? { signal } : {}),
  };
}

function keyOf(address: string): Uint8Array {
  // The length first, because decoding base58 is quadratic.
  const isBase58 = typeof address === "string" && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address);
  const publicKey = isBase58 ? decodeBase58(address) : undefined;
  if (publicKey?.length === 32) return publicKey;
  throw invalidFields({
    field: "address",
    message: "must be a Solana address: 32 bytes in base58",
  });
}

/** No bytes for a text that is not hex, so that what is compared with it does not agree. */
function bytesOf(hex: string): Uint8Array {
  try {
    return decodeHex(hex);
  } catch {
    return new Uint8Array();
  }
}

function unverified({ baseUrl }: Connection, problem: string): Unverified {
  return new Unverified(
    `Nothing was signed that you can use: ${problem}. Do not send it, and ask your operator`,
    { code: "UNVERIFIED", docsUrl: pageOf(baseUrl, "UNVERIFIED") },
  );
}
