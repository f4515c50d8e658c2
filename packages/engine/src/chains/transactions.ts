import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { PrivateKey } from "@keyhearth/crypto/keys/keys";
import * as z from "zod";
import { checkAll, invalid } from "../errors.ts";
import { type KeyHolder, readWithKey } from "../keys/key-holder.ts";
import { type Roots, signingRoots } from "../keys/policy-roots.ts";
import type { Want } from "../records/kinds.ts";
import type { OrganizationDocument } from "../records/organization.ts";
import { findInterfaceLine } from "../records/smart-contract-interface.ts";
import type { Chain, InterfaceFormat } from "./chain.ts";
import { interfacesOf } from "./contract-interfaces.ts";
import { chains } from "./index.ts";
import { parseField } from "./parse-field.ts";
import type { Sources } from "./sources.ts";

/** Policies know Tempo, but no chain here signs for it. */
const TEMPO = "TRANSACTION_TYPE_TEMPO";

export const TransactionType = z
  .enum([...chains.keys(), TEMPO], "invalid transaction type")
  .describe("The chain of the transaction.")
  .meta({ id: "TransactionType", examples: ["TRANSACTION_TYPE_ETHEREUM"] });

/** The longest transaction of a supported chain: its hexadecimal digits and `0x`. */
const MAX_LENGTH = 2 * 128 * 1024 + 2;

export const UnsignedTransaction = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_LENGTH, `must have at most ${MAX_LENGTH} characters`)
  .describe(
    `The transaction in hexadecimal digits, with or without \`0x\`. ${[...chains.values()].map(({ format }) => format).join(" ")}`,
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

/** A transaction that decoded completely, with its chain. */
type Decoded = { chain: Chain; transaction: unknown };

/** A transaction and the key that will sign it. */
export type ReadTransaction = Decoded & { key: KeyHolder; sources: Sources };

const FIELD = "parameters.unsignedTransaction";

/** Reads the transaction and its key. Refuses everything that a client can get wrong about them. */
export function readTransaction(
  sources: Sources,
  intent: UnsignedParams & { signWith: string },
): ReadTransaction {
  const { key, chain, transaction } = readWithKey(sources, intent.signWith, () => decode(intent));
  if (key.curve !== chain.curve) {
    throw invalid(
      "parameters.signWith",
      `invalid curve: ${intent.type} needs a key of ${chain.curve}, but \`signWith\` names a key of ${key.curve}`,
    );
  }
  chain.assertSigner(transaction, key);
  return { chain, transaction, key, sources };
}

/** The interfaces of the contracts that a transaction calls, so that policies can read the calls. */
export function contractWants(intent: UnsignedParams, document: OrganizationDocument): Want[] {
  if (document.smartContractInterfaces.length === 0) return [];
  const interfaces = chains.get(intent.type)?.interfaces;
  if (!interfaces) return [];
  return tryContractsOf(intent, interfaces).flatMap((address) => {
    const line = findInterfaceLine(document, interfaces.type, address);
    if (!line) return [];
    const { smartContractInterfaceId } = line;
    return [{ type: "smart-contract-interface" as const, smartContractInterfaceId }];
  });
}

/** What policies see of a transaction and of the key that signs it. */
export function transactionRoots({ chain, transaction, key, sources }: ReadTransaction): Roots {
  const { interfaces } = chain;
  const interfaceOf = interfaces
    ? interfacesOf(sources, interfaces, sources.interfaces)
    : () => null;
  return { ...signingRoots(key), ...chain.roots(transaction, key, interfaceOf) };
}

/** Signs deterministically. Returns the signed transaction in hexadecimal digits, without `0x`. */
export function signTransaction(
  { chain, transaction, key }: ReadTransaction,
  privateKey: PrivateKey,
): string {
  return encodeHex(chain.sign(transaction, key, privateKey));
}

/** None for a transaction that does not decode. `readTransaction` refuses it. */
function tryContractsOf(intent: UnsignedParams, interfaces: InterfaceFormat): readonly string[] {
  try {
    return interfaces.calledContracts(bytesOf(intent));
  } catch {
    return [];
  }
}

function decode(intent: UnsignedParams): Decoded {
  const chain = chains.get(intent.type);
  if (!chain) throw unsupported(intent);
  const bytes = bytesOf(intent);
  const transaction = parseField(
    { field: FIELD, before: "failed to parse transaction: ", reason: "TRANSACTION_INVALID" },
    () => chain.decode(bytes),
  );
  return { chain, transaction };
}

function unsupported(intent: UnsignedParams) {
  const error = invalid(
    "parameters.type",
    `invalid transaction type: \`${intent.type}\` is not supported by this version of the service; \`parameters.type\` accepts ${[...chains.keys()].join(", ")}`,
    "FIELD_UNSUPPORTED",
  );
  checkAll(
    () => {
      throw error;
    },
    () => void bytesOf(intent),
  );
  return error;
}

/**
 * The signer needs the bytes of an intent twice: to find the called contracts, and to decode the
 * transaction for policies and the signature. Nothing changes them in between.
 */
const bytesOfIntents = new WeakMap<UnsignedParams, Uint8Array>();

function bytesOf(intent: UnsignedParams): Uint8Array {
  const known = bytesOfIntents.get(intent);
  if (known) return known;
  const bytes = decodeBytes(intent.unsignedTransaction);
  bytesOfIntents.set(intent, bytes);
  return bytes;
}

function decodeBytes(unsignedTransaction: string): Uint8Array {
  const digits = unsignedTransaction.startsWith("0x")
    ? unsignedTransaction.slice(2)
    : unsignedTransaction;
  try {
    return decodeHex(digits);
  } catch {
    throw invalid(
      FIELD,
      `failed to parse transaction: \`${FIELD}\` is not hexadecimal text: expected two digits for each byte, with or without \`0x\``,
      "TRANSACTION_INVALID",
    );
  }
}
