import type { AnchorIdl } from "@keyhearth/crypto/transactions/anchor-idl";
import {
  type AnchorValue,
  type Count,
  type DecodedAnchorInstruction,
  decodeAnchorInstruction,
} from "@keyhearth/crypto/transactions/anchor-idl-call";
import type { SolanaTransaction } from "@keyhearth/crypto/transactions/solana";
import type {
  SolanaAddressTableLookupView,
  SolanaInstructionView,
  SolanaTransactionView,
} from "@keyhearth/crypto/transactions/solana-programs";
import { type Input, unread } from "@keyhearth/policy/environment";
import type { Roots } from "../keys/policy-roots.ts";
import type { InterfaceOf } from "./chain.ts";

/** A transaction, and its view with resolved accounts. */
export type SolanaCall = { transaction: SolanaTransaction; view: SolanaTransactionView };

/** `solana.tx`. Only what the transaction itself says, not the calls that programs make. */
export function solanaRoots(
  { transaction, view }: SolanaCall,
  interfaceOf: InterfaceOf<AnchorIdl>,
): Roots {
  const { accountKeys, programKeys, transfers, splTransfers } = view;
  const reader: Reader = {
    interfaceOf,
    interfaces: new Map(),
    left: { characters: MAX_CHARACTERS, weight: MAX_WEIGHT },
    read: { values: 0 },
  };
  const instructions = view.instructions.map((instruction, index) => {
    const data = transaction.instructions[index]?.data;
    const parsed = data && parsedBy(reader, instruction, data);
    return { ...instructionOf(instruction), ...(parsed && { parsed_instruction_data: parsed }) };
  });
  return {
    solana: {
      tx: {
        account_keys: accountKeys,
        program_keys: programKeys,
        instructions,
        transfers,
        spl_transfers: splTransfers.map(({ from, to, amount, owner, signers, tokenMint }) => {
          return { from, to, amount, owner, signers, token_mint: tokenMint };
        }),
        recent_blockhash: view.recentBlockhash,
        address_table_lookups: view.addressTableLookups.map(lookupOf),
        static_account_keys: accountKeys,
        top_level_program_keys: programKeys,
        top_level_instructions: instructions,
        address_table_lookup_references: view.addressTableLookupReferences.map(
          ({ addressTableKey, index, writable }) => {
            return { address_table_key: addressTableKey, index, writable };
          },
        ),
      },
    },
  };
}

/** The state of reading one transaction. */
type Reader = {
  readonly interfaceOf: InterfaceOf<AnchorIdl>;
  /** The interfaces of the programs so far, null for a program without one. */
  readonly interfaces: Map<string, AnchorIdl | "too long" | null>;
  readonly left: { characters: number; weight: number };
  readonly read: Count;
};

/**
 * The limits for all interfaces of one transaction, because parsing them takes the most time. Those that are kept parsed
 * count too: a decision must not depend on what was asked before.
 */
export const MAX_CHARACTERS = 1_000_000;
const MAX_WEIGHT = 20_000;

function idlOf(reader: Reader, programKey: string): AnchorIdl | "too long" | null {
  const { interfaces, left } = reader;
  const known = interfaces.get(programKey);
  if (known !== undefined) return known;
  const kept = reader.interfaceOf(programKey);
  left.characters -= kept?.textLength ?? 0;
  const idl = left.characters < 0 || left.weight < 0 ? null : (kept?.parse() ?? null);
  left.weight -= idl?.weight ?? 0;
  const read = kept && (left.characters < 0 || left.weight < 0) ? "too long" : idl;
  interfaces.set(programKey, read);
  return read;
}

/**
 * The instruction, decoded by the interface of its program. Undefined if the interface does not
 * have it. If it does not decode, the program may still accept it.
 */
function parsedBy(
  reader: Reader,
  { programKey, accounts }: SolanaInstructionView,
  data: Uint8Array,
): Input {
  const idl = idlOf(reader, programKey);
  if (idl === null) return undefined;
  if (idl === "too long") {
    return unread("an instruction of a transaction whose interfaces are too long together");
  }
  const keys = accounts.map(({ accountKey }) => accountKey);
  const parsed = decodeAnchorInstruction(idl, data, keys, reader.read);
  if (!parsed) return undefined;
  if (parsed.kind === "undecodable") {
    return unread(`an instruction that is not encoded as the interface says (${parsed.reason})`);
  }
  return {
    instruction_name: parsed.instructionName,
    discriminator: parsed.discriminator,
    named_accounts: namedAccountsOf(parsed),
    program_call_args: fieldsOf(parsed.arguments),
  };
}

function namedAccountsOf({ namedAccounts }: DecodedAnchorInstruction): Input {
  const accounts: { [name: string]: Input } = Object.create(null);
  for (const { name, accountKey } of namedAccounts) accounts[name] = accountKey;
  return accounts;
}

function fieldsOf(fields: DecodedAnchorInstruction["arguments"]): { [name: string]: Input } {
  const values: { [name: string]: Input } = Object.create(null);
  for (const { name, value } of fields) values[name] = argumentOf(value);
  return values;
}

function argumentOf(argument: AnchorValue): Input {
  switch (argument.kind) {
    case "bool":
    case "uint":
    case "int":
      return argument.value;
    case "string":
      return argument.text;
    case "list":
      return argument.items.map(argumentOf);
    case "struct":
      return fieldsOf(argument.fields);
    case "none":
      return undefined;
  }
}

function instructionOf(instruction: SolanaInstructionView): { [name: string]: Input } {
  return {
    program_key: instruction.programKey,
    accounts: instruction.accounts.map(({ accountKey, signer, writable }) => {
      return { account_key: accountKey, signer, writable };
    }),
    instruction_data_hex: instruction.instructionDataHex,
    address_table_lookups: instruction.addressTableLookups.map(lookupOf),
  };
}

function lookupOf(lookup: SolanaAddressTableLookupView): Input {
  return {
    address_table_key: lookup.addressTableKey,
    writable_indexes: lookup.writableIndexes,
    readonly_indexes: lookup.readonlyIndexes,
  };
}
