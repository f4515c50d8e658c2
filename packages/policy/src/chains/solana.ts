import { bool, dynamic, int, list, map, string, struct } from "../types.ts";
import type { Chain } from "./chain.ts";

const AddressTableLookup = struct("AddressTableLookup", {
  address_table_key: string,
  writable_indexes: list(int),
  readonly_indexes: list(int),
});

const Instruction = struct("Instruction", {
  program_key: string,
  accounts: list(struct("Account", { account_key: string, signer: bool, writable: bool })),
  instruction_data_hex: string,
  address_table_lookups: list(AddressTableLookup),
  /** Set only if an interface matches. */
  parsed_instruction_data: struct("SolanaParsedInstructionData", {
    instruction_name: string,
    discriminator: string,
    named_accounts: map(string),
    program_call_args: map(dynamic),
  }),
});

const SolanaTransaction = struct("SolanaTransaction", {
  account_keys: list(string),
  program_keys: list(string),
  instructions: list(Instruction),
  transfers: list(struct("Transfer", { from: string, to: string, amount: int })),
  spl_transfers: list(
    struct("SPLTransfer", {
      from: string,
      to: string,
      amount: int,
      owner: string,
      signers: list(string),
      token_mint: string,
    }),
  ),
  recent_blockhash: string,
  address_table_lookups: list(AddressTableLookup),
  static_account_keys: list(string),
  top_level_program_keys: list(string),
  top_level_instructions: list(Instruction),
  address_table_lookup_references: list(
    struct("AddressTableLookupReference", {
      address_table_key: string,
      index: int,
      writable: bool,
    }),
  ),
});

export const solana: Chain = {
  name: "solana",
  signed: {
    tx: {
      type: SolanaTransaction,
      saidBy: { param: "type", value: "TRANSACTION_TYPE_SOLANA" },
      kinds: ["SOL_SEND_TRANSACTION"],
      unset: [
        "instructions[].parsed_instruction_data",
        "top_level_instructions[].parsed_instruction_data",
      ],
      batches: /^((top_level_)?instructions|transfers|spl_transfers)$/,
      neverEmpty: /^(static_)?account_keys$/,
      idleIfEmpty: /^(\w*program_keys|(top_level_)?instructions|\w*lookup\w*|\w+\[\].*)$/,
    },
  },
};
