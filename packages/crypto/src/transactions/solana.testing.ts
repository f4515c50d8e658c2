import * as spl from "@solana/spl-token";
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  type MessageV0,
  NONCE_ACCOUNT_LENGTH,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import fc from "fast-check";

import { encodeBase58 } from "../encoding/base58.ts";
import { concatBytes, encodeHex } from "../encoding/bytes.ts";
import type { SolanaTransaction } from "./solana.ts";
import type { SolanaTransactionView } from "./solana-programs.ts";

// Transactions by Solana's own libraries, and what policies must read in them.

/** Any of them may sign, so any of them may be at any position. */
export const keypairs = Array.from({ length: 16 }, (_, i) =>
  Keypair.fromSeed(new Uint8Array(32).fill(i + 1)),
);

type Transfer = { from: PublicKey; to: PublicKey; amount: bigint };

type TokenTransfer = Transfer & {
  owner: PublicKey;
  mint: PublicKey | null;
  /** How many accounts come before the signers of a multisig. */
  fixedAccounts: number;
};

type Sample = {
  instruction: TransactionInstruction;
  transfer?: Transfer;
  tokenTransfer?: TokenTransfer;
};

const key = fc.constantFrom(...keypairs.map(({ publicKey }) => publicKey));
const maybeKey = fc.option(key, { nil: null });
const signers = fc.uniqueArray(key, { maxLength: 3, selector: String });
const u64 = fc.bigInt(0n, 2n ** 64n - 1n);
const decimals = fc.nat({ max: 255 });
const u32 = fc.nat({ max: 2 ** 32 - 1 });
const i16 = fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 });
const seed = fc
  .string({ unit: "grapheme", maxLength: 8 })
  .filter((s) => Buffer.from(s).length <= 32);
/** Lamports that web3.js can encode: it loses precision beyond 2^53. */
const lamports = fc.nat({ max: Number.MAX_SAFE_INTEGER });

const plain = (instruction: TransactionInstruction): Sample => ({ instruction });

const systemSample: fc.Arbitrary<Sample> = fc
  .record({ a: key, b: key, c: key, d: key, lamports, space: u32, seed })
  .chain(({ a, b, c, d, lamports, space, seed }) =>
    fc.constantFrom<() => Sample>(
      () => ({
        instruction: SystemProgram.transfer({ fromPubkey: a, toPubkey: b, lamports }),
        transfer: { from: a, to: b, amount: BigInt(lamports) },
      }),
      () => ({
        instruction: SystemProgram.transfer({
          fromPubkey: a,
          basePubkey: b,
          toPubkey: c,
          lamports,
          seed,
          programId: d,
        }),
        transfer: { from: a, to: c, amount: BigInt(lamports) },
      }),
      () =>
        plain(
          SystemProgram.createAccount({
            fromPubkey: a,
            newAccountPubkey: b,
            lamports,
            space,
            programId: c,
          }),
        ),
      () =>
        plain(
          SystemProgram.createAccountWithSeed({
            fromPubkey: a,
            newAccountPubkey: b,
            basePubkey: c,
            seed,
            lamports,
            space,
            programId: d,
          }),
        ),
      () =>
        plain(
          SystemProgram.createAccountWithSeed({
            fromPubkey: a,
            newAccountPubkey: b,
            basePubkey: a,
            seed,
            lamports,
            space,
            programId: d,
          }),
        ),
      () => plain(SystemProgram.assign({ accountPubkey: a, programId: b })),
      () => plain(SystemProgram.assign({ accountPubkey: a, basePubkey: b, seed, programId: c })),
      () => plain(SystemProgram.allocate({ accountPubkey: a, space })),
      () =>
        plain(
          SystemProgram.allocate({ accountPubkey: a, basePubkey: b, seed, space, programId: c }),
        ),
      () => plain(SystemProgram.nonceInitialize({ noncePubkey: a, authorizedPubkey: b })),
      () => plain(SystemProgram.nonceAdvance({ noncePubkey: a, authorizedPubkey: b })),
      () =>
        plain(
          SystemProgram.nonceWithdraw({
            noncePubkey: a,
            authorizedPubkey: b,
            toPubkey: c,
            lamports: NONCE_ACCOUNT_LENGTH,
          }),
        ),
      () =>
        plain(
          SystemProgram.nonceAuthorize({
            noncePubkey: a,
            authorizedPubkey: b,
            newAuthorizedPubkey: c,
          }),
        ),
    ),
  )
  .map((make) => make());

const computeBudgetSample: fc.Arbitrary<Sample> = fc
  .record({ n: u32, price: u64 })
  .chain(({ n, price }) =>
    fc.constantFrom(
      () => ComputeBudgetProgram.requestHeapFrame({ bytes: n }),
      () => ComputeBudgetProgram.setComputeUnitLimit({ units: n }),
      () => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
    ),
  )
  .map((make) => plain(make()));

const tokenArguments = fc.record({
  program: fc.constantFrom(spl.TOKEN_PROGRAM_ID, spl.TOKEN_2022_PROGRAM_ID),
  a: key,
  b: key,
  c: key,
  d: key,
  maybe: maybeKey,
  signers,
  amount: u64,
  decimals,
});

const tokenSample: fc.Arbitrary<Sample> = tokenArguments
  .chain(({ program, a, b, c, d, maybe, signers, amount, decimals }) =>
    fc.constantFrom<() => Sample>(
      () => ({
        instruction: spl.createTransferInstruction(a, b, c, amount, signers, program),
        tokenTransfer: { from: a, to: b, owner: c, mint: null, amount, fixedAccounts: 3 },
      }),
      () => ({
        instruction: spl.createTransferCheckedInstruction(
          a,
          d,
          b,
          c,
          amount,
          decimals,
          signers,
          program,
        ),
        tokenTransfer: { from: a, to: b, owner: c, mint: d, amount, fixedAccounts: 4 },
      }),
      ...[
        () => spl.createApproveInstruction(a, b, c, amount, signers, program),
        () => spl.createApproveCheckedInstruction(a, b, c, d, amount, decimals, signers, program),
        () => spl.createRevokeInstruction(a, b, signers, program),
        () =>
          spl.createSetAuthorityInstruction(
            a,
            b,
            spl.AuthorityType.AccountOwner,
            maybe,
            signers,
            program,
          ),
        () => spl.createMintToInstruction(a, b, c, amount, signers, program),
        () => spl.createMintToCheckedInstruction(a, b, c, amount, decimals, signers, program),
        () => spl.createBurnInstruction(a, b, c, amount, signers, program),
        () => spl.createBurnCheckedInstruction(a, b, c, amount, decimals, signers, program),
        () => spl.createCloseAccountInstruction(a, b, c, signers, program),
        () => spl.createFreezeAccountInstruction(a, b, c, signers, program),
        () => spl.createThawAccountInstruction(a, b, c, signers, program),
        () => spl.createSyncNativeInstruction(a, program),
        () => spl.createInitializeMintInstruction(a, decimals, b, maybe, program),
        () => spl.createInitializeMint2Instruction(a, decimals, b, maybe, program),
        () => spl.createInitializeAccountInstruction(a, b, c, program),
        () => spl.createInitializeAccount2Instruction(a, b, c, program),
        () => spl.createInitializeAccount3Instruction(a, b, c, program),
        () => spl.createInitializeImmutableOwnerInstruction(a, program),
        () => spl.createInitializeMultisigInstruction(a, [b, c, d], 2, program),
        () => spl.createAmountToUiAmountInstruction(a, amount, program),
        () => spl.createUiAmountToAmountInstruction(a, String(amount), program),
        () => spl.createAssociatedTokenAccountInstruction(a, b, c, d, program),
        () => spl.createAssociatedTokenAccountIdempotentInstruction(a, b, c, d, program),
        () => spl.createRecoverNestedInstruction(a, b, c, d, a, b, program),
      ].map((make) => () => plain(make())),
    ),
  )
  .map((make) => make());

const token2022Sample: fc.Arbitrary<Sample> = fc
  .record({ arguments: tokenArguments, rate: i16, points: fc.nat({ max: 10_000 }), text: seed })
  .chain(({ arguments: { a, b, c, d, maybe, signers, amount, decimals }, rate, points, text }) => {
    const program = spl.TOKEN_2022_PROGRAM_ID;
    const fee = amount / 2n;
    // Not negative: without its native part, the library encodes such a time wrongly.
    const timestamp = BigInt.asUintN(63, amount);
    const types = [spl.ExtensionType.MemoTransfer, spl.ExtensionType.CpiGuard];
    return fc.constantFrom<() => Sample>(
      () => ({
        instruction: spl.createTransferCheckedWithFeeInstruction(
          a,
          d,
          b,
          c,
          amount,
          decimals,
          fee,
          signers,
          program,
        ),
        tokenTransfer: { from: a, to: b, owner: c, mint: d, amount, fixedAccounts: 4 },
      }),
      ...[
        () =>
          spl.createInitializeTransferFeeConfigInstruction(a, maybe, b, points, amount, program),
        () => spl.createWithdrawWithheldTokensFromMintInstruction(a, b, c, signers, program),
        () =>
          spl.createWithdrawWithheldTokensFromAccountsInstruction(a, b, c, signers, [d], program),
        () => spl.createHarvestWithheldTokensToMintInstruction(a, [b, c], program),
        () => spl.createSetTransferFeeInstruction(a, b, signers, points, amount, program),
        () => spl.createInitializeMintCloseAuthorityInstruction(a, maybe, program),
        () =>
          spl.createInitializeDefaultAccountStateInstruction(a, spl.AccountState.Frozen, program),
        () =>
          spl.createUpdateDefaultAccountStateInstruction(
            a,
            spl.AccountState.Initialized,
            b,
            signers,
            program,
          ),
        () => spl.createReallocateInstruction(a, b, types, c, signers, program),
        () => spl.createEnableRequiredMemoTransfersInstruction(a, b, signers, program),
        () => spl.createDisableRequiredMemoTransfersInstruction(a, b, signers, program),
        () => spl.createCreateNativeMintInstruction(a, b, program),
        () => spl.createInitializeNonTransferableMintInstruction(a, program),
        () => spl.createInitializeInterestBearingMintInstruction(a, b, rate, program),
        () => spl.createUpdateRateInterestBearingMintInstruction(a, b, rate, signers, program),
        () => spl.createEnableCpiGuardInstruction(a, b, signers, program),
        () => spl.createDisableCpiGuardInstruction(a, b, signers, program),
        () => spl.createInitializePermanentDelegateInstruction(a, b, program),
        () => spl.createInitializeTransferHookInstruction(a, b, c, program),
        () => spl.createUpdateTransferHookInstruction(a, b, c, signers, program),
        () => spl.createInitializeMetadataPointerInstruction(a, maybe, b, program),
        () => spl.createUpdateMetadataPointerInstruction(a, b, maybe, signers, program),
        () => spl.createInitializeGroupPointerInstruction(a, maybe, b, program),
        () => spl.createUpdateGroupPointerInstruction(a, b, maybe, signers, program),
        () => spl.createInitializeGroupMemberPointerInstruction(a, maybe, b, program),
        () => spl.createUpdateGroupMemberPointerInstruction(a, b, maybe, signers, program),
        () => spl.createInitializeScaledUiAmountConfigInstruction(a, maybe, 1.5, program),
        () => spl.createUpdateMultiplierDataInstruction(a, b, 0.5, timestamp, signers, program),
        () => spl.createInitializePausableConfigInstruction(a, maybe, program),
        () => spl.createPauseInstruction(a, b, signers, program),
        () => spl.createResumeInstruction(a, b, signers, program),
        () => spl.createInitializePermissionedBurnInstruction(a, b, program),
        () => spl.createPermissionedBurnInstruction(a, b, c, d, amount, signers, program),
        () =>
          spl.createPermissionedBurnCheckedInstruction(
            a,
            b,
            c,
            d,
            amount,
            decimals,
            signers,
            program,
          ),
        () =>
          spl.createInitializeInstruction({
            programId: program,
            metadata: a,
            updateAuthority: b,
            mint: c,
            mintAuthority: d,
            name: text,
            symbol: text,
            uri: text,
          }),
        () =>
          spl.createUpdateFieldInstruction({
            programId: program,
            metadata: a,
            updateAuthority: b,
            field: text,
            value: text,
          }),
        () =>
          spl.createRemoveKeyInstruction({
            programId: program,
            metadata: a,
            updateAuthority: b,
            key: text,
            idempotent: maybe === null,
          }),
        () =>
          spl.createUpdateAuthorityInstruction({
            programId: program,
            metadata: a,
            oldAuthority: b,
            newAuthority: maybe,
          }),
        () =>
          spl.createEmitInstruction({
            programId: program,
            metadata: a,
            ...(maybe && { start: amount, end: fee }),
          }),
        () =>
          spl.createInitializeGroupInstruction({
            programId: program,
            group: a,
            mint: b,
            mintAuthority: c,
            updateAuthority: maybe,
            maxSize: amount,
          }),
        () =>
          spl.createUpdateGroupMaxSizeInstruction({
            programId: program,
            group: a,
            updateAuthority: b,
            maxSize: amount,
          }),
        () =>
          spl.createUpdateGroupAuthorityInstruction({
            programId: program,
            group: a,
            currentAuthority: b,
            newAuthority: maybe,
          }),
        () =>
          spl.createInitializeMemberInstruction({
            programId: program,
            member: a,
            memberMint: b,
            memberMintAuthority: c,
            group: d,
            groupUpdateAuthority: a,
          }),
      ].map((make) => () => plain(make())),
    );
  })
  .map((make) => make());

/** An instruction of an unknown program. */
const foreignSample: fc.Arbitrary<Sample> = fc
  .record({
    programId: key,
    keys: fc.array(fc.record({ pubkey: key, isSigner: fc.boolean(), isWritable: fc.boolean() }), {
      maxLength: 6,
    }),
    data: fc.uint8Array({ maxLength: 200 }),
  })
  .map(({ programId, keys, data }) =>
    plain(new TransactionInstruction({ programId, keys, data: Buffer.from(data) })),
  );

/** Extra accounts of an instruction, such as payment references. */
const referencedSample: fc.Arbitrary<Sample> = fc
  .record({
    sample: fc.oneof(systemSample, tokenSample, computeBudgetSample),
    references: fc.array(key, { maxLength: 2 }),
  })
  .map(({ sample, references }) => {
    const { programId, keys, data } = sample.instruction;
    const more = references.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false }));
    return {
      ...sample,
      instruction: new TransactionInstruction({ programId, keys: [...keys, ...more], data }),
    };
  });

const sample = fc.oneof(
  systemSample,
  tokenSample,
  token2022Sample,
  computeBudgetSample,
  foreignSample,
  referencedSample,
);

export type TransactionSample = {
  transaction: VersionedTransaction;
  view: SolanaTransactionView;
};

export const transactionSample: fc.Arbitrary<TransactionSample> = fc
  .record({
    samples: fc.array(sample, { minLength: 0, maxLength: 5 }),
    payer: key,
    recentBlockhash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeBase58),
    isLegacy: fc.boolean(),
    tables: fc.array(fc.uniqueArray(key, { maxLength: 8, selector: String }), { maxLength: 2 }),
  })
  .map(({ samples, payer, recentBlockhash, isLegacy, tables }) => {
    const instructions = samples.map(({ instruction }) => instruction);
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions });
    const compiled = isLegacy
      ? message.compileToLegacyMessage()
      : message.compileToV0Message(tables.map(lookupTable));
    return { transaction: new VersionedTransaction(compiled), samples };
  })
  // The payer must not be a program, and everything must fit a packet.
  .filter(({ transaction }) => isSendable(transaction))
  .map(({ transaction, samples }) => ({ transaction, view: expectedView(transaction, samples) }));

function lookupTable(addresses: PublicKey[], i: number): AddressLookupTableAccount {
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses,
  };
  return new AddressLookupTableAccount({
    key: new PublicKey(new Uint8Array(32).fill(200 + i)),
    state,
  });
}

function isSendable({ message, signatures }: VersionedTransaction): boolean {
  if (message.compiledInstructions.some(({ programIdIndex }) => programIdIndex === 0)) return false;
  try {
    return 1 + 64 * signatures.length + message.serialize().length <= 1232;
  } catch (error) {
    if (error instanceof RangeError) return false; // too large for web3.js
    throw error;
  }
}

/** What policies must read, computed from the instructions before they are compiled. */
function expectedView(
  { message }: VersionedTransaction,
  samples: readonly Sample[],
): SolanaTransactionView {
  const accountKeys = message.staticAccountKeys.map(String);
  const lookups = message.addressTableLookups;
  const text = (key: PublicKey) =>
    accountKeys.includes(String(key)) ? String(key) : "ADDRESS_TABLE_LOOKUP";
  const isSigner = (key: PublicKey) =>
    accountKeys.indexOf(String(key)) >= 0 &&
    message.isAccountSigner(accountKeys.indexOf(String(key)));
  const compiled = message.compiledInstructions;
  const references = [
    ...lookups.flatMap(({ accountKey, writableIndexes }) =>
      writableIndexes.map((index) => ({
        addressTableKey: String(accountKey),
        index,
        writable: true,
      })),
    ),
    ...lookups.flatMap(({ accountKey, readonlyIndexes }) =>
      readonlyIndexes.map((index) => ({
        addressTableKey: String(accountKey),
        index,
        writable: false,
      })),
    ),
  ];
  return {
    accountKeys,
    programKeys: accountKeys.filter((_, i) =>
      compiled.some(({ programIdIndex }) => programIdIndex === i),
    ),
    instructions: samples.map(({ instruction: { programId, keys, data } }, i) => {
      const indexes = compiled[i]?.accountKeyIndexes ?? [];
      const used = (table: PublicKey, writable: boolean) =>
        references
          .filter((_, k) => indexes.includes(accountKeys.length + k))
          .filter((r) => r.addressTableKey === String(table) && r.writable === writable)
          .map(({ index }) => index);
      return {
        programKey: String(programId),
        accounts: keys.map(({ pubkey }, k) => ({
          accountKey: text(pubkey),
          signer: isSigner(pubkey),
          writable: (message as MessageV0).isAccountWritable(indexes[k] as number),
        })),
        instructionDataHex: encodeHex(data),
        addressTableLookups: lookups
          .map(({ accountKey }) => ({
            addressTableKey: String(accountKey),
            writableIndexes: used(accountKey, true),
            readonlyIndexes: used(accountKey, false),
          }))
          .filter((l) => l.writableIndexes.length + l.readonlyIndexes.length > 0),
      };
    }),
    transfers: samples.flatMap(({ transfer }) =>
      transfer
        ? [{ from: text(transfer.from), to: text(transfer.to), amount: transfer.amount }]
        : [],
    ),
    splTransfers: samples.flatMap(({ tokenTransfer, instruction }) => {
      if (!tokenTransfer) return [];
      const { from, to, owner, mint, amount, fixedAccounts } = tokenTransfer;
      const others = instruction.keys.slice(fixedAccounts).map(({ pubkey }) => pubkey);
      return [
        {
          from: text(from),
          to: text(to),
          amount,
          owner: text(owner),
          signers: others.filter(isSigner).map(String),
          tokenMint: mint ? text(mint) : "",
        },
      ];
    }),
    recentBlockhash: message.recentBlockhash,
    addressTableLookups: lookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
      addressTableKey: String(accountKey),
      writableIndexes,
      readonlyIndexes,
    })),
    addressTableLookupReferences: references,
  };
}

/** Encodes the decoded fields again. */
export function encodeMessage(transaction: SolanaTransaction): Uint8Array {
  const { version, instructions, accountKeys, addressTableLookups } = transaction;
  return concatBytes(
    version === 0 ? Uint8Array.of(0x80) : new Uint8Array(),
    Uint8Array.of(
      transaction.requiredSignatures,
      transaction.readonlySigned,
      transaction.readonlyUnsigned,
    ),
    compact(accountKeys.length),
    ...accountKeys,
    transaction.recentBlockhash,
    compact(instructions.length),
    ...instructions.flatMap(({ programIndex, accountIndexes, data }) => [
      Uint8Array.of(programIndex),
      counted(accountIndexes),
      counted(data),
    ]),
    ...(version === 0 ? [compact(addressTableLookups.length)] : []),
    ...addressTableLookups.flatMap(({ tableKey, writableIndexes, readonlyIndexes }) => [
      tableKey,
      counted(writableIndexes),
      counted(readonlyIndexes),
    ]),
  );
}

function counted(bytes: Uint8Array): Uint8Array {
  return concatBytes(compact(bytes.length), bytes);
}

/** A compact-u16. */
export function compact(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
