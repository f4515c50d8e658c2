import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding";
import { signEd25519, signSecp256k1 } from "@keyhearth/crypto/keys";
import {
  decodeEthereumTransaction,
  type EthereumTransaction,
  encodeSignedTransaction,
  ethereumSigningDigest,
} from "@keyhearth/crypto/transactions/ethereum";
import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import {
  decodeSolanaTransaction,
  encodeSignedSolanaTransaction,
  type SolanaTransaction,
  solanaMessage,
} from "@keyhearth/crypto/transactions/solana";
import {
  describeSolanaTransaction,
  type SolanaTransactionView,
} from "@keyhearth/crypto/transactions/solana-programs";
import * as z from "zod";
import { type ApiError, invalid } from "../errors.ts";
import type { KeyHolder } from "../keys/key-holder.ts";
import { type Roots, senderOf, signingRoots } from "../policies/environment.ts";
import type { Facts } from "../records/facts.ts";
import type { Want } from "../records/kinds.ts";
import type { OrganizationDocument, SmartContractInterfaceLine } from "../records/organization.ts";
import { findInterfaceLine } from "../records/smart-contract-interface.ts";
import type { SigningKey } from "../submission/execution.ts";
import { calledContract, ethereumRoots } from "./ethereum-roots.ts";
import { calledPrograms, solanaRoots } from "./solana-roots.ts";

export const TransactionType = z
  .enum(
    [
      "TRANSACTION_TYPE_ETHEREUM",
      "TRANSACTION_TYPE_SOLANA",
      "TRANSACTION_TYPE_TRON",
      "TRANSACTION_TYPE_BITCOIN",
      "TRANSACTION_TYPE_TEMPO",
    ],
    "invalid transaction type",
  )
  .describe("Chain that the transaction is for.")
  .meta({ id: "TransactionType", examples: ["TRANSACTION_TYPE_ETHEREUM"] });

/** The longest transaction of a supported chain, in hexadecimal digits, and `0x`. */
const MAX_LENGTH = 2 * 128 * 1024 + 2;

export const UnsignedTransaction = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_LENGTH, `must have at most ${MAX_LENGTH} characters`)
  .describe(
    "The transaction in hexadecimal digits, `0x` before them or not. Ethereum: the unsigned serialization of a legacy, EIP-2930, EIP-1559, EIP-4844 (without blobs) or EIP-7702 transaction. Solana: the whole legacy or v0 transaction with empty signature slots.",
  )
  .meta({
    examples: [
      "02ed0180830f4240843b9aca0082520894d8da6bf26964af9d7eed9e03e53415d37aa96045872386f26fc1000080c0",
    ],
  });

export type UnsignedParams = {
  unsignedTransaction: string;
  type: z.output<typeof TransactionType>;
};

export type Decoded =
  | { kind: "ethereum"; transaction: EthereumTransaction }
  | { kind: "solana"; transaction: SolanaTransaction; view: SolanaTransactionView };

const FIELD = "parameters.unsignedTransaction";

/** One intent is checked, shown to policies and signed: it is decoded once. */
const decodedIntents = new WeakMap<UnsignedParams, Decoded>();

/** The transaction of an intent, whole. What does not decode to the last byte is refused. */
export function decodeTransaction(intent: UnsignedParams): Decoded {
  let decoded = decodedIntents.get(intent);
  if (!decoded) {
    decoded = decode(intent);
    decodedIntents.set(intent, decoded);
  }
  return decoded;
}

/** Everything that a client can get wrong about transaction and key. */
export function checkTransaction(key: KeyHolder, intent: UnsignedParams) {
  const decoded = decodeTransaction(intent);
  const curve = decoded.kind === "ethereum" ? "CURVE_SECP256K1" : "CURVE_ED25519";
  if (key.curve !== curve) {
    throw invalid(
      "parameters.signWith",
      `invalid curve: ${intent.type} needs a key of ${curve}, \`signWith\` names one of ${key.curve}`,
    );
  }
  if (decoded.kind === "solana") assertSigner(key, decoded.transaction);
}

/** The interfaces of the contracts that a transaction calls, so that policies can read the calls. */
export function contractWants(intent: UnsignedParams, document: OrganizationDocument): Want[] {
  return calledLines(intent, document).map(({ smartContractInterfaceId }) => ({
    type: "smart-contract-interface",
    smartContractInterfaceId,
  }));
}

/** What policies see of a transaction and of the key that signs it. */
export function transactionRoots(facts: Facts, key: KeyHolder, intent: UnsignedParams): Roots {
  const decoded = decodeTransaction(intent);
  const transaction =
    decoded.kind === "ethereum"
      ? ethereumRoots(facts, decoded.transaction, senderOf(key))
      : solanaRoots(facts, decoded.transaction, decoded.view);
  return { ...signingRoots(key), ...transaction };
}

/** Deterministic. Hexadecimal digits of the signed transaction, without `0x`. */
export function signTransaction(key: SigningKey, intent: UnsignedParams): string {
  const decoded = decodeTransaction(intent);
  if (decoded.kind === "ethereum") {
    const { transaction } = decoded;
    const signature = signSecp256k1(ethereumSigningDigest(transaction), key.privateKey());
    return encodeHex(encodeSignedTransaction(transaction, signature));
  }
  const { transaction } = decoded;
  const signature = signEd25519(solanaMessage(transaction), key.privateKey());
  return encodeHex(encodeSignedSolanaTransaction(transaction, decodeHex(key.publicKey), signature));
}

function calledLines(
  intent: UnsignedParams,
  document: OrganizationDocument,
): SmartContractInterfaceLine[] {
  if (document.smartContractInterfaces.length === 0) return [];
  const decoded = tryDecode(intent);
  if (!decoded) return [];
  if (decoded.kind === "ethereum") {
    const to = calledContract(decoded.transaction);
    const line = to && findInterfaceLine(document, "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM", to);
    return line ? [line] : [];
  }
  return calledPrograms(decoded.view).flatMap(
    (address) => findInterfaceLine(document, "SMART_CONTRACT_INTERFACE_TYPE_SOLANA", address) ?? [],
  );
}

/** What does not decode wants nothing; it is refused when it is checked. */
function tryDecode(intent: UnsignedParams): Decoded | null {
  try {
    return decodeTransaction(intent);
  } catch {
    return null;
  }
}

function decode({ unsignedTransaction, type }: UnsignedParams): Decoded {
  const bytes = bytesOf(unsignedTransaction);
  try {
    switch (type) {
      case "TRANSACTION_TYPE_ETHEREUM":
        return { kind: "ethereum", transaction: decodeEthereumTransaction(bytes) };
      case "TRANSACTION_TYPE_SOLANA": {
        const transaction = decodeSolanaTransaction(bytes);
        return { kind: "solana", transaction, view: describeSolanaTransaction(transaction) };
      }
      case "TRANSACTION_TYPE_TRON":
      case "TRANSACTION_TYPE_BITCOIN":
      case "TRANSACTION_TYPE_TEMPO":
        throw invalid(
          "parameters.type",
          `invalid transaction type: \`${type}\` is not supported by this version of the service; \`parameters.type\` accepts TRANSACTION_TYPE_ETHEREUM, TRANSACTION_TYPE_SOLANA`,
          "FIELD_UNSUPPORTED",
        );
    }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    throw Object.assign(malformed(error.message), { cause: error });
  }
}

function bytesOf(unsignedTransaction: string): Uint8Array {
  const digits = unsignedTransaction.startsWith("0x")
    ? unsignedTransaction.slice(2)
    : unsignedTransaction;
  try {
    return decodeHex(digits);
  } catch {
    throw malformed(
      `\`${FIELD}\` is not hexadecimal text: two digits a byte, \`0x\` before or not`,
    );
  }
}

function assertSigner({ publicKey }: KeyHolder, transaction: SolanaTransaction) {
  const { accountKeys, requiredSignatures } = transaction;
  const signers = accountKeys.slice(0, requiredSignatures);
  if (signers.some((key) => encodeHex(key) === publicKey)) return;
  throw invalid(
    "parameters.signWith",
    "the transaction does not ask for a signature of the key that `signWith` names: it must be the fee payer or another signer of the message",
    "TRANSACTION_INVALID",
  );
}

function malformed(why: string): ApiError {
  return invalid(FIELD, `failed to parse transaction: ${why}`, "TRANSACTION_INVALID");
}
