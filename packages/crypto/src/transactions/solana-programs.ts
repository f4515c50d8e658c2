import { encodeBase58 } from "../encoding/base58.ts";
import { encodeHex } from "../encoding/bytes.ts";
import type { SolanaInstruction, SolanaTransaction } from "./solana.ts";
import {
  decodeKnownInstruction,
  type LamportTransfer,
  type TokenTransfer,
} from "./solana-instructions.ts";

// A transaction as policies read it. They see only what the transaction itself says, not the calls
// that programs make to each other or the contents of lookup tables.

/** What policies read as `solana.tx`. Keys are base58. Amounts are lamports or atomic units. */
export type SolanaTransactionView = {
  /** The static keys in their order. */
  readonly accountKeys: readonly string[];
  /** The keys of the invoked programs, each once, in the order of `accountKeys`. */
  readonly programKeys: readonly string[];
  readonly instructions: readonly SolanaInstructionView[];
  /** The transfers of the System program, in the order of the instructions. */
  readonly transfers: readonly SolanaTransferView[];
  /** The transfers of Token and Token-2022, in the order of the instructions. */
  readonly splTransfers: readonly SolanaSplTransferView[];
  readonly recentBlockhash: string;
  readonly addressTableLookups: readonly SolanaAddressTableLookupView[];
  /** The accounts that the lookups load, in the order of the runtime: all writable ones first. */
  readonly addressTableLookupReferences: readonly SolanaAddressTableLookupReferenceView[];
};

export type SolanaInstructionView = {
  readonly programKey: string;
  /** In order. An account from a lookup table has the key `ADDRESS_TABLE_LOOKUP`. */
  readonly accounts: readonly SolanaAccountView[];
  /** In lower case, without 0x. */
  readonly instructionDataHex: string;
  /** The lookups of the transaction, reduced to what this instruction uses. */
  readonly addressTableLookups: readonly SolanaAddressTableLookupView[];
};

export type SolanaAccountView = {
  readonly accountKey: string;
  readonly signer: boolean;
  readonly writable: boolean;
};

export type SolanaTransferView = {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
};

/** `from` and `to` are token accounts. `owner` is the owner or the delegate of `from`. */
export type SolanaSplTransferView = SolanaTransferView & {
  readonly owner: string;
  /** The accounts after `owner` that sign: the signers of a multisig. */
  readonly signers: readonly string[];
  /** Empty if the instruction does not name it. */
  readonly tokenMint: string;
};

export type SolanaAddressTableLookupView = {
  readonly addressTableKey: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
};

export type SolanaAddressTableLookupReferenceView = {
  readonly addressTableKey: string;
  readonly index: number;
  readonly writable: boolean;
};

/**
 * Describes a transaction to policies. Throws a MalformedError if an instruction of a base program
 * does not decode. Its message counts instructions from 0, as policies do.
 */
export function describeSolanaTransaction(transaction: SolanaTransaction): SolanaTransactionView {
  const loaded = loadedAccounts(transaction);
  const accounts = [...staticAccounts(transaction), ...loaded.map(asAccount)];
  const transfers: SolanaTransferView[] = [];
  const splTransfers: SolanaSplTransferView[] = [];
  const instructions = transaction.instructions.map((instruction, i): SolanaInstructionView => {
    const view = describeInstruction(instruction, transaction, accounts, loaded);
    const transfer = decodeKnownInstruction({
      program: view.programKey,
      data: instruction.data,
      accountCount: view.accounts.length,
      where: `instruction ${i}`,
    })?.transfer;
    if (transfer?.kind === "lamports") transfers.push(lamportTransfer(transfer, view.accounts));
    if (transfer?.kind === "tokens") splTransfers.push(tokenTransfer(transfer, view.accounts));
    return view;
  });
  const invoked = new Set(transaction.instructions.map(({ programIndex }) => programIndex));
  const accountKeys = accounts
    .slice(0, transaction.accountKeys.length)
    .map(({ accountKey }) => accountKey);
  return {
    accountKeys,
    programKeys: accountKeys.filter((_, i) => invoked.has(i)),
    instructions,
    transfers,
    splTransfers,
    recentBlockhash: encodeBase58(transaction.recentBlockhash),
    addressTableLookups: groupByLookup(loaded),
    addressTableLookupReferences: loaded.map(({ addressTableKey, index, writable }) => ({
      addressTableKey,
      index,
      writable,
    })),
  };
}

/** An account from a lookup table. */
type Loaded = SolanaAddressTableLookupReferenceView & {
  /** The position of the lookup in the transaction. */
  readonly lookup: number;
};

/** The accounts that the lookups load, in the order in which instructions number them. */
function loadedAccounts({ addressTableLookups }: SolanaTransaction): Loaded[] {
  const writable: Loaded[] = [];
  const readonly: Loaded[] = [];
  addressTableLookups.forEach(({ tableKey, writableIndexes, readonlyIndexes }, lookup) => {
    const addressTableKey = encodeBase58(tableKey);
    for (const index of writableIndexes) {
      writable.push({ lookup, addressTableKey, index, writable: true });
    }
    for (const index of readonlyIndexes) {
      readonly.push({ lookup, addressTableKey, index, writable: false });
    }
  });
  return [...writable, ...readonly];
}

function asAccount({ writable }: Loaded): SolanaAccountView {
  return { accountKey: "ADDRESS_TABLE_LOOKUP", signer: false, writable };
}

function staticAccounts(transaction: SolanaTransaction): SolanaAccountView[] {
  const { accountKeys, requiredSignatures, readonlySigned, readonlyUnsigned } = transaction;
  return accountKeys.map((key, i) => {
    const signer = i < requiredSignatures;
    const writableEnd = signer
      ? requiredSignatures - readonlySigned
      : accountKeys.length - readonlyUnsigned;
    return { accountKey: encodeBase58(key), signer, writable: i < writableEnd };
  });
}

function describeInstruction(
  { programIndex, accountIndexes, data }: SolanaInstruction,
  transaction: SolanaTransaction,
  accounts: readonly SolanaAccountView[],
  loaded: readonly Loaded[],
): SolanaInstructionView {
  const staticCount = transaction.accountKeys.length;
  const used = new Set(accountIndexes);
  return {
    programKey: at(accounts, programIndex).accountKey,
    accounts: Array.from(accountIndexes, (index) => at(accounts, index)),
    instructionDataHex: encodeHex(data),
    addressTableLookups: groupByLookup(loaded.filter((_, i) => used.has(staticCount + i))),
  };
}

function groupByLookup(loaded: readonly Loaded[]): SolanaAddressTableLookupView[] {
  const lookups = new Map<number, { key: string; writable: number[]; readonly: number[] }>();
  for (const { lookup, addressTableKey, index, writable } of loaded) {
    const group = lookups.get(lookup) ?? { key: addressTableKey, writable: [], readonly: [] };
    lookups.set(lookup, group);
    (writable ? group.writable : group.readonly).push(index);
  }
  // Sorted back into the order of the transaction, because writable accounts load first.
  return [...lookups]
    .sort(([a], [b]) => a - b)
    .map(([, { key, writable, readonly }]) => ({
      addressTableKey: key,
      writableIndexes: writable,
      readonlyIndexes: readonly,
    }));
}

function lamportTransfer(
  { from, to, amount }: LamportTransfer,
  accounts: readonly SolanaAccountView[],
): SolanaTransferView {
  return { from: at(accounts, from).accountKey, to: at(accounts, to).accountKey, amount };
}

function tokenTransfer(
  { from, to, owner, mint, amount }: TokenTransfer,
  accounts: readonly SolanaAccountView[],
): SolanaSplTransferView {
  // The signers of a multisig come after the owner, but so do references and the accounts of
  // transfer hooks. A policy that looks for a signer must not find an account that does not sign.
  const signers = accounts.slice(owner + 1).filter(({ signer }) => signer);
  return {
    from: at(accounts, from).accountKey,
    to: at(accounts, to).accountKey,
    amount,
    owner: at(accounts, owner).accountKey,
    signers: signers.map(({ accountKey }) => accountKey),
    tokenMint: mint === undefined ? "" : at(accounts, mint).accountKey,
  };
}

function at(accounts: readonly SolanaAccountView[], index: number): SolanaAccountView {
  return accounts[index] as SolanaAccountView; // every index was checked while decoding
}
