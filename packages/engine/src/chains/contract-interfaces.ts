import { decodeBase58 } from "@keyhearth/crypto/encoding";
import { type ContractAbi, parseContractAbi } from "@keyhearth/crypto/transactions/abi";
import { type AnchorIdl, parseAnchorIdl } from "@keyhearth/crypto/transactions/anchor-idl";
import { addressOf } from "@keyhearth/crypto/transactions/ethereum-json";
import { MalformedError } from "@keyhearth/crypto/transactions/malformed";
import { ApiError, invalid, shorten } from "../errors.ts";
import type { SmartContractInterfaceLine } from "../records/organization.ts";
import type { SmartContractInterface } from "../records/smart-contract-interface.ts";

// Interfaces of smart contracts: their texts are checked when they are created, and parsed for the
// policies that read calls by them.

type InterfaceType = SmartContractInterfaceLine["type"];

/** Bytes of UTF-8. */
export const MAX_INTERFACE_BYTES = 400_000;

/**
 * Refuses an address that no contract of this type can have. An Ethereum address may be written in
 * lower or upper case; where the case is mixed it has to be the checksum of EIP-55.
 */
export function checkContractAddress(type: InterfaceType, address: string) {
  const field = "parameters.smartContractAddress";
  switch (type) {
    case "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM":
      orInvalid(field, () => addressOf(address, `invalid contract address: \`${field}\``));
      return;
    case "SMART_CONTRACT_INTERFACE_TYPE_SOLANA":
      if (isSolanaAddress(address)) return;
      throw invalid(
        field,
        `invalid program address: expected 32 bytes in base58, got \`${shorten(address)}\``,
      );
  }
}

/** Refuses a text that is no interface of this type, saying where and what would be one. */
export function checkInterfaceText(type: InterfaceType, text: string) {
  const field = "parameters.smartContractInterface";
  switch (type) {
    case "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM":
      orInvalid(field, () => parseContractAbi(text), EXPECTED_ABI);
      return;
    case "SMART_CONTRACT_INTERFACE_TYPE_SOLANA":
      orInvalid(field, () => parseAnchorIdl(text), EXPECTED_IDL);
      return;
  }
}

/** The interface of an Ethereum contract. Parsed once, as long as it is among those in use. */
export function contractAbiOf(record: SmartContractInterface): ContractAbi {
  return parsedOnce(abis, record, parseContractAbi);
}

/** The interface of a Solana program. Parsed once, as long as it is among those in use. */
export function anchorIdlOf(record: SmartContractInterface): AnchorIdl {
  return parsedOnce(idls, record, parseAnchorIdl);
}

/** By digest of the text. What is parsed takes a multiple of its text's memory, so it is bounded. */
type Parsed<T> = { values: Map<string, { value: T; length: number }>; length: number };

const abis: Parsed<ContractAbi> = { values: new Map(), length: 0 };
const idls: Parsed<AnchorIdl> = { values: new Map(), length: 0 };
const MAX_PARSED_LENGTH = 4_000_000;

function parsedOnce<T>(
  parsed: Parsed<T>,
  { smartContractInterfaceId, text, digest }: SmartContractInterface,
  parse: (text: string) => T,
): T {
  const known = parsed.values.get(digest);
  if (known) {
    parsed.values.delete(digest);
    parsed.values.set(digest, known);
    return known.value;
  }
  const value = readable(smartContractInterfaceId, () => parse(text));
  parsed.values.set(digest, { value, length: text.length });
  parsed.length += text.length;
  for (const [oldest, { length }] of parsed.values) {
    if (parsed.length <= MAX_PARSED_LENGTH) break;
    parsed.values.delete(oldest);
    parsed.length -= length;
  }
  return value;
}

/** An interface was readable when it was created; a later version may be stricter. */
function readable<T>(smartContractInterfaceId: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    const message = `smart contract interface \`${smartContractInterfaceId}\` cannot be read any more: ${cause.message}; delete it and create it anew`;
    throw new ApiError("INVALID_ARGUMENT", "FIELD_INVALID", message, { cause });
  }
}

function orInvalid(field: string, parse: () => unknown, expected = "") {
  try {
    parse();
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    throw invalid(field, `${cause.message}${expected}`);
  }
}

/** The bound comes first: reading base58 is quadratic. Programs may be off the curve. */
function isSolanaAddress(address: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return false;
  return decodeBase58(address).length === 32;
}

const EXPECTED_ABI =
  "; expected the contract's ABI as JSON, the list that compilers write under `abi`";
const EXPECTED_IDL =
  "; expected the program's Anchor IDL as JSON, which `anchor build` writes below target/idl";
