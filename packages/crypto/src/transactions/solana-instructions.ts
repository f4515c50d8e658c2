import { decodeUtf8, encodeHex } from "../encoding/bytes.ts";
import { MalformedError } from "./malformed.ts";
import {
  assertEnd,
  bytesLeft,
  type Cursor,
  count,
  takeByte,
  takeBytes,
  takeFlag,
  takeUint,
  takeUint32,
} from "./solana-cursor.ts";

// The published instructions of the five base programs of Solana: System, Token, Token-2022,
// Associated Token Account and Compute Budget. Most policies are about these, so an instruction
// that does not decode to its last byte is refused. A kind that is not in the tables is refused
// too: if kinds of a later release passed unread, policies would miss them.
//
// An instruction may have more accounts than it needs. The programs ignore them, and payment
// references (Solana Pay), transfer hooks and guards against front running use them.

/** An instruction of one of the five programs. */
export type KnownInstruction = {
  /** The published name, such as `TransferChecked`. */
  readonly name: string;
  /** Set if the instruction is a transfer. */
  readonly transfer?: LamportTransfer | TokenTransfer;
};

/** A transfer of the System program; `from` and `to` are positions among the accounts. */
export type LamportTransfer = {
  readonly kind: "lamports";
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
};

/** A transfer of Token or Token-2022 between token accounts, by positions among the accounts. */
export type TokenTransfer = {
  readonly kind: "tokens";
  readonly from: number;
  readonly to: number;
  /** The owner or delegate of `from`. The signers of a multisig come after it. */
  readonly owner: number;
  /** Undefined if the instruction does not name the mint. */
  readonly mint?: number;
  readonly amount: bigint;
};

/** The bytes of an instruction and the number of its accounts. */
export type InstructionSource = {
  readonly program: string;
  readonly data: Uint8Array;
  readonly accountCount: number;
  /** The start of error messages, such as `instruction 2`. */
  readonly where: string;
};

/**
 * Decodes an instruction of one of the five programs. Returns undefined for any other program.
 * Throws a MalformedError.
 */
export function decodeKnownInstruction(source: InstructionSource): KnownInstruction | undefined {
  const program = PROGRAMS.get(source.program);
  if (program === undefined) return undefined;
  const cursor: Cursor = {
    bytes: source.data,
    offset: 0,
    refuse: (problem) => new MalformedError(`${source.where}, of the ${program.name}: ${problem}`),
  };
  const kind = program.takeKind(cursor);
  const named: Cursor = {
    bytes: source.data,
    offset: cursor.offset,
    refuse: (problem) => cursor.refuse(`${kind.name}: ${problem}`),
  };
  if (kind.refusal !== undefined) throw named.refuse(kind.refusal);
  const amount = kind.transfer && takeUint(named, 8, "the amount");
  for (const [name, take] of kind.fields) take(named, name);
  assertEnd(named, "its data");
  const { accounts } = kind;
  if (source.accountCount < accounts.length) {
    throw named.refuse(
      `${count(source.accountCount, "account")}, where it needs ${count(accounts.length, "account")}: ${accounts.join(", ")}`,
    );
  }
  if (!kind.transfer || amount === undefined) return { name: kind.name };
  return { name: kind.name, transfer: { ...kind.transfer, amount } };
}

type Program = {
  /** The name in messages. */
  readonly name: string;
  /** Reads the discriminator. */
  readonly takeKind: (cursor: Cursor) => Kind;
};

type Positions = Omit<LamportTransfer, "amount"> | Omit<TokenTransfer, "amount">;

type Kind = {
  readonly name: string;
  /** The accounts that it needs, in order. */
  readonly accounts: readonly string[];
  /** The fields after the discriminator and, in a transfer, after the amount. */
  readonly fields: readonly (readonly [name: string, take: Take])[];
  readonly transfer?: Positions;
  /** Why the kind is refused, although it is published. */
  readonly refusal?: string;
};

/** Kinds by the first byte, and the kinds of an extension by the second byte. */
type Kinds = { readonly [discriminator: number]: Kind | readonly Kind[] };

/** Reads the field called `what`, or throws. */
type Take = (cursor: Cursor, what: string) => unknown;

function kind(
  name: string,
  accounts: string,
  fields: { readonly [name: string]: Take } = {},
): Kind {
  return {
    name,
    accounts: accounts === "" ? [] : accounts.split(", "),
    fields: Object.entries(fields),
  };
}

/** A kind whose first field is the amount it transfers. */
function transfer(
  name: string,
  accounts: string,
  positions: Positions,
  fields: { readonly [name: string]: Take } = {},
): Kind {
  return { ...kind(name, accounts, fields), transfer: positions };
}

function refused(name: string, refusal: string): Kind {
  return { ...kind(name, ""), refusal };
}

function takeSystemKind(cursor: Cursor): Kind {
  const discriminator = takeUint32(cursor, "the discriminator");
  const found = SYSTEM_KINDS[discriminator];
  if (found === undefined) throw cursor.refuse(`no instruction has discriminator ${discriminator}`);
  return found;
}

function takeKindOf(kinds: Kinds): (cursor: Cursor) => Kind {
  return (cursor) => {
    const discriminator = takeByte(cursor, "the discriminator");
    const found = kinds[discriminator];
    if (found === undefined) {
      throw cursor.refuse(`no instruction has discriminator ${discriminator}`);
    }
    if ("name" in found) return found;
    const inner = takeByte(cursor, `the second byte of discriminator ${discriminator}`);
    const extension = found[inner];
    if (extension === undefined) {
      throw cursor.refuse(`no instruction has discriminator ${discriminator}, ${inner}`);
    }
    return extension;
  };
}

/** Token-2022 has kinds that begin with one byte, and those of interfaces begin with eight. */
function takeToken2022Kind(cursor: Cursor): Kind {
  if (bytesLeft(cursor) >= 8) {
    const discriminator = encodeHex(cursor.bytes.subarray(cursor.offset, cursor.offset + 8));
    const found = TOKEN_INTERFACE_KINDS.get(discriminator);
    if (found !== undefined) {
      cursor.offset += 8;
      return found;
    }
  }
  return takeToken2022OwnKind(cursor);
}

/** The program took no data when it had only one instruction, so no data still means that one. */
function takeAssociatedTokenKind(cursor: Cursor): Kind {
  return bytesLeft(cursor) === 0 ? CREATE_ASSOCIATED : takeAssociatedTokenOwnKind(cursor);
}

function bytes(length: number): Take {
  return (cursor, what) => takeBytes(cursor, length, what);
}

function upTo(most: number): Take {
  return (cursor, what) => {
    const byte = takeByte(cursor, what);
    if (byte > most) throw cursor.refuse(`${what} is ${byte}: 0 to ${most} are known`);
  };
}

function takeUtf8(cursor: Cursor, length: number, what: string): string {
  const encoded = takeBytes(cursor, length, what);
  try {
    return decodeUtf8(encoded);
  } catch {
    throw cursor.refuse(`${what} is not UTF-8`);
  }
}

function option(take: Take): Take {
  return (cursor, what) => {
    if (takeFlag(cursor, `the option ${what}`)) take(cursor, what);
  };
}

/** An optional key at the end. If it is absent, some clients write zeros in its place. */
function lastKeyOption(cursor: Cursor, what: string): void {
  const isPresent = takeFlag(cursor, `the option ${what}`);
  if (!isPresent && bytesLeft(cursor) === 0) return;
  const key = takeBytes(cursor, 32, what);
  if (!isPresent && key.some((byte) => byte !== 0)) {
    throw cursor.refuse(`${what} is absent, but its place does not hold zeros`);
  }
}

/** Text of at most 32 bytes (MAX_SEED_LEN), from which the System program derives addresses. */
function seed(cursor: Cursor, what: string): void {
  const length = takeUint(cursor, 8, `the length of ${what}`);
  if (length > 32n) throw cursor.refuse(`${what} has ${length} bytes: at most 32 are allowed`);
  takeUtf8(cursor, Number(length), what);
}

function text(cursor: Cursor, what: string): void {
  takeUtf8(cursor, takeUint32(cursor, `the length of ${what}`), what);
}

function textToTheEnd(cursor: Cursor, what: string): void {
  takeUtf8(cursor, bytesLeft(cursor), what);
}

function extensionTypesToTheEnd(cursor: Cursor, what: string): void {
  while (bytesLeft(cursor) > 0) {
    const [low = 0, high = 0] = takeBytes(cursor, 2, what);
    const type = low | (high << 8);
    if (type > LAST_EXTENSION_TYPE) {
      throw cursor.refuse(`${what}: ${type} is not a known extension type`);
    }
  }
}

/** The name, the symbol, the URI, or a custom key. */
function metadataField(cursor: Cursor, what: string): void {
  const field = takeByte(cursor, what);
  if (field > 3) throw cursor.refuse(`${what} is ${field}: 0 to 3 are known`);
  if (field === 3) text(cursor, "the key of the field");
}

const u8 = bytes(1);
const i8 = bytes(1);
const u16 = bytes(2);
const i16 = bytes(2);
const u32 = bytes(4);
const u64 = bytes(8);
const i64 = bytes(8);
const f64 = bytes(8);
const key = bytes(32);
const flag = takeFlag;
/** A balance that its owner can decrypt (AES-GCM-SIV). */
const decryptable = bytes(36);
/** A balance or amount under an ElGamal key. */
const ciphertext = bytes(64);
const accountState = upTo(2);

const LAST_EXTENSION_TYPE = 28;

const SYSTEM_KINDS: { readonly [discriminator: number]: Kind } = {
  0: kind("CreateAccount", "payer, new account", { lamports: u64, space: u64, owner: key }),
  1: kind("Assign", "account", { owner: key }),
  2: transfer("Transfer", "from, to", { kind: "lamports", from: 0, to: 1 }),
  // The base account is left out if it is the payer.
  3: kind("CreateAccountWithSeed", "payer, new account", {
    base: key,
    seed,
    lamports: u64,
    space: u64,
    owner: key,
  }),
  4: kind("AdvanceNonceAccount", "nonce account, recent blockhashes, authority"),
  5: kind("WithdrawNonceAccount", "nonce account, recipient, recent blockhashes, rent, authority", {
    lamports: u64,
  }),
  6: kind("InitializeNonceAccount", "nonce account, recent blockhashes, rent", { authority: key }),
  7: kind("AuthorizeNonceAccount", "nonce account, authority", { "new authority": key }),
  8: kind("Allocate", "account", { space: u64 }),
  9: kind("AllocateWithSeed", "account, base", { base: key, seed, space: u64, owner: key }),
  10: kind("AssignWithSeed", "account, base", { base: key, seed, owner: key }),
  11: transfer(
    "TransferWithSeed",
    "from, base, to",
    { kind: "lamports", from: 0, to: 2 },
    { "seed of from": seed, "owner of from": key },
  ),
  12: kind("UpgradeNonceAccount", "nonce account"),
  13: kind("CreateAccountAllowPrefund", "new account", { lamports: u64, space: u64, owner: key }),
};

// Policies would not see the transfers in a batch. If these counted as transfers of the one
// instruction, policies that compare the two counts would break.
const BATCH = refused(
  "Batch",
  "instructions inside another one are not supported: send them as instructions of the transaction",
);

const CHECKED = { kind: "tokens", from: 0, mint: 1, to: 2, owner: 3 } as const;

/** The kinds that Token and Token-2022 share. Authority types go up to `lastAuthorityType`. */
function tokenKinds(lastAuthorityType: number) {
  const checked = { amount: u64, decimals: u8 };
  const mintFields = {
    decimals: u8,
    "mint authority": key,
    "freeze authority": lastKeyOption,
  };
  return {
    0: kind("InitializeMint", "mint, rent", mintFields),
    1: kind("InitializeAccount", "account, mint, owner, rent"),
    2: kind("InitializeMultisig", "multisig, rent, signer", { m: u8 }),
    3: transfer("Transfer", "source, destination, owner", {
      kind: "tokens",
      from: 0,
      to: 1,
      owner: 2,
    }),
    4: kind("Approve", "source, delegate, owner", { amount: u64 }),
    5: kind("Revoke", "source, owner"),
    6: kind("SetAuthority", "mint or account, authority", {
      "authority type": upTo(lastAuthorityType),
      "new authority": lastKeyOption,
    }),
    7: kind("MintTo", "mint, account, authority", { amount: u64 }),
    8: kind("Burn", "account, mint, owner", { amount: u64 }),
    9: kind("CloseAccount", "account, destination, owner"),
    10: kind("FreezeAccount", "account, mint, authority"),
    11: kind("ThawAccount", "account, mint, authority"),
    12: transfer("TransferChecked", "source, mint, destination, owner", CHECKED, { decimals: u8 }),
    13: kind("ApproveChecked", "source, mint, delegate, owner", checked),
    14: kind("MintToChecked", "mint, account, authority", checked),
    15: kind("BurnChecked", "account, mint, owner", checked),
    16: kind("InitializeAccount2", "account, mint, rent", { owner: key }),
    17: kind("SyncNative", "account"),
    18: kind("InitializeAccount3", "account, mint", { owner: key }),
    19: kind("InitializeMultisig2", "multisig, signer", { m: u8 }),
    20: kind("InitializeMint2", "mint", mintFields),
    21: kind("GetAccountDataSize", "mint"),
    22: kind("InitializeImmutableOwner", "account"),
    23: kind("AmountToUiAmount", "mint", { amount: u64 }),
    24: kind("UiAmountToAmount", "mint", { amount: textToTheEnd }),
    38: kind("WithdrawExcessLamports", "source, destination, authority"),
    45: kind("UnwrapLamports", "source, destination, owner", { amount: option(u64) }),
    255: BATCH,
  };
}

const TOKEN_KINDS: Kinds = tokenKinds(3);

/** Initializing a mint extension with an authority and an address, and updating the address. */
function pointer(name: string): Kind[] {
  return [
    kind(`Initialize${name}`, "mint", { authority: key, address: key }),
    kind(`Update${name}`, "mint, authority", { address: key }),
  ];
}

const TOKEN_2022_KINDS: Kinds = {
  ...tokenKinds(17),
  21: kind("GetAccountDataSize", "mint", { "extension types": extensionTypesToTheEnd }),
  25: kind("InitializeMintCloseAuthority", "mint", { "close authority": lastKeyOption }),
  26: [
    kind("InitializeTransferFeeConfig", "mint", {
      "config authority": option(key),
      "withdraw authority": option(key),
      "basis points": u16,
      "maximum fee": u64,
    }),
    transfer("TransferCheckedWithFee", "source, mint, destination, owner", CHECKED, {
      decimals: u8,
      fee: u64,
    }),
    kind("WithdrawWithheldTokensFromMint", "mint, receiver, authority"),
    kind("WithdrawWithheldTokensFromAccounts", "mint, receiver, authority", { accounts: u8 }),
    kind("HarvestWithheldTokensToMint", "mint"),
    kind("SetTransferFee", "mint, authority", { "basis points": u16, "maximum fee": u64 }),
  ],
  // Confidential kinds have optional accounts that are not counted here: the instructions sysvar
  // and the accounts of verified proofs.
  27: [
    kind("InitializeConfidentialTransferMint", "mint", {
      authority: key,
      "auto approval": flag,
      "auditor's key": key,
    }),
    kind("UpdateConfidentialTransferMint", "mint, authority", {
      "auto approval": flag,
      "auditor's key": key,
    }),
    kind("ConfigureConfidentialTransferAccount", "account, mint, proof, owner", {
      "zero balance": decryptable,
      "maximum credits": u64,
      "proof offset": i8,
    }),
    kind("ApproveConfidentialTransferAccount", "account, mint, authority"),
    kind("EmptyConfidentialTransferAccount", "account, proof, owner", { "proof offset": i8 }),
    kind("ConfidentialDeposit", "account, mint, owner", { amount: u64, decimals: u8 }),
    kind("ConfidentialWithdraw", "account, mint, owner", {
      amount: u64,
      decimals: u8,
      "new balance": decryptable,
      "equality proof offset": i8,
      "range proof offset": i8,
    }),
    kind("ConfidentialTransfer", "source, mint, destination, owner", {
      "new balance": decryptable,
      "amount's low half": ciphertext,
      "amount's high half": ciphertext,
      "equality proof offset": i8,
      "validity proof offset": i8,
      "range proof offset": i8,
    }),
    kind("ApplyConfidentialPendingBalance", "account, owner", {
      "expected credits": u64,
      "new balance": decryptable,
    }),
    kind("EnableConfidentialCredits", "account, owner"),
    kind("DisableConfidentialCredits", "account, owner"),
    kind("EnableNonConfidentialCredits", "account, owner"),
    kind("DisableNonConfidentialCredits", "account, owner"),
    kind("ConfidentialTransferWithFee", "source, mint, destination, owner", {
      "new balance": decryptable,
      "amount's low half": ciphertext,
      "amount's high half": ciphertext,
      "equality proof offset": i8,
      "amount validity proof offset": i8,
      "fee proof offset": i8,
      "fee validity proof offset": i8,
      "range proof offset": i8,
    }),
    kind("ConfigureConfidentialTransferAccountWithRegistry", "account, mint, registry"),
  ],
  28: [
    kind("InitializeDefaultAccountState", "mint", { state: accountState }),
    kind("UpdateDefaultAccountState", "mint, authority", { state: accountState }),
  ],
  29: kind("Reallocate", "account, payer, system program, owner", {
    "extension types": extensionTypesToTheEnd,
  }),
  30: [
    kind("EnableMemoTransfers", "account, owner"),
    kind("DisableMemoTransfers", "account, owner"),
  ],
  31: kind("CreateNativeMint", "payer, native mint, system program"),
  32: kind("InitializeNonTransferableMint", "mint"),
  33: [
    kind("InitializeInterestBearingMint", "mint", { authority: key, rate: i16 }),
    kind("UpdateRateInterestBearingMint", "mint, authority", { rate: i16 }),
  ],
  34: [kind("EnableCpiGuard", "account, owner"), kind("DisableCpiGuard", "account, owner")],
  35: kind("InitializePermanentDelegate", "mint", { delegate: key }),
  36: pointer("TransferHook"),
  37: [
    kind("InitializeConfidentialTransferFee", "mint", { authority: key, "withdraw key": key }),
    kind(
      "WithdrawWithheldTokensFromMintForConfidentialTransferFee",
      "mint, destination, proof, authority",
      { "proof offset": i8, "new balance": decryptable },
    ),
    kind(
      "WithdrawWithheldTokensFromAccountsForConfidentialTransferFee",
      "mint, destination, proof, authority",
      { accounts: u8, "proof offset": i8, "new balance": decryptable },
    ),
    kind("HarvestWithheldTokensToMintForConfidentialTransferFee", "mint"),
    kind("EnableHarvestToMint", "mint, authority"),
    kind("DisableHarvestToMint", "mint, authority"),
  ],
  39: pointer("MetadataPointer"),
  40: pointer("GroupPointer"),
  41: pointer("GroupMemberPointer"),
  42: [
    kind("InitializeConfidentialMintBurn", "mint", { "supply key": key, supply: decryptable }),
    kind("RotateSupplyElgamalPubkey", "mint, proof, authority", {
      "new supply key": key,
      "proof offset": i8,
    }),
    kind("UpdateConfidentialMintBurnDecryptableSupply", "mint, authority", {
      "new supply": decryptable,
    }),
    kind("ConfidentialMint", "account, mint, authority", {
      "new supply": decryptable,
      "amount's low half": ciphertext,
      "amount's high half": ciphertext,
      "equality proof offset": i8,
      "validity proof offset": i8,
      "range proof offset": i8,
    }),
    kind("ConfidentialBurn", "account, mint, owner", {
      "new balance": decryptable,
      "amount's low half": ciphertext,
      "amount's high half": ciphertext,
      "equality proof offset": i8,
      "validity proof offset": i8,
      "range proof offset": i8,
    }),
    kind("ApplyConfidentialPendingBurn", "mint, authority"),
  ],
  43: [
    kind("InitializeScaledUiAmountMint", "mint", { authority: key, multiplier: f64 }),
    kind("UpdateMultiplierScaledUiMint", "mint, authority", {
      multiplier: f64,
      "effective timestamp": i64,
    }),
  ],
  44: [
    kind("InitializePausableConfig", "mint", { authority: key }),
    kind("Pause", "mint, authority"),
    kind("Resume", "mint, authority"),
  ],
  46: [
    kind("InitializePermissionedBurn", "mint", { authority: key }),
    kind("PermissionedBurn", "account, mint, burn authority, owner", { amount: u64 }),
    kind("PermissionedBurnChecked", "account, mint, burn authority, owner", {
      amount: u64,
      decimals: u8,
    }),
    kind("PermissionedConfidentialBurn", "account, mint, burn authority, owner", {
      "new balance": decryptable,
      "amount's low half": ciphertext,
      "amount's high half": ciphertext,
      "equality proof offset": i8,
      "validity proof offset": i8,
      "range proof offset": i8,
    }),
  ],
};

/** The kinds of the token metadata and token group interfaces, by discriminators of eight bytes. */
const TOKEN_INTERFACE_KINDS: ReadonlyMap<string, Kind> = new Map([
  [
    "d2e11ea258b84d8d",
    kind("InitializeTokenMetadata", "metadata, update authority, mint, mint authority", {
      name: text,
      symbol: text,
      uri: text,
    }),
  ],
  [
    "dde9312db5cadcc8",
    kind("UpdateTokenMetadataField", "metadata, authority", { field: metadataField, value: text }),
  ],
  [
    "ea122038598d25b5",
    kind("RemoveTokenMetadataKey", "metadata, authority", { idempotent: flag, key: text }),
  ],
  [
    "d7e4a6e45464567b",
    kind("UpdateTokenMetadataUpdateAuthority", "metadata, authority", { "new authority": key }),
  ],
  [
    "faa6b4fa0d0cb846",
    kind("EmitTokenMetadata", "metadata", { start: option(u64), end: option(u64) }),
  ],
  [
    "79716c2736330004",
    kind("InitializeTokenGroup", "group, mint, mint authority", {
      authority: key,
      "max size": u64,
    }),
  ],
  ["6c25ab8ff81e126e", kind("UpdateTokenGroupMaxSize", "group, authority", { "max size": u64 })],
  [
    "a1695801edddd8cb",
    kind("UpdateTokenGroupUpdateAuthority", "group, authority", { "new authority": key }),
  ],
  [
    "9820deb0dfed7486",
    kind("InitializeTokenGroupMember", "member, mint, mint authority, group, group authority"),
  ],
]);

const CREATE_ASSOCIATED = kind(
  "Create",
  "payer, associated account, wallet, mint, system program, token program",
);

const ASSOCIATED_TOKEN_KINDS: Kinds = {
  0: CREATE_ASSOCIATED,
  1: { ...CREATE_ASSOCIATED, name: "CreateIdempotent" },
  2: kind(
    "RecoverNested",
    "nested account, nested mint, destination, owner's account, owner's mint, wallet, token program",
  ),
  3: {
    ...CREATE_ASSOCIATED,
    name: "CreateWithArgs",
    fields: [
      ["mode", upTo(1)],
      ["bump", u8],
      ["account length", u32],
    ],
  },
};

const COMPUTE_BUDGET_KINDS: Kinds = {
  0: refused("RequestUnits", "the runtime refuses it: use SetComputeUnitLimit"),
  1: kind("RequestHeapFrame", "", { bytes: u32 }),
  2: kind("SetComputeUnitLimit", "", { units: u32 }),
  3: kind("SetComputeUnitPrice", "", { "micro-lamports": u64 }),
  4: kind("SetLoadedAccountsDataSizeLimit", "", { bytes: u32 }),
};

const takeToken2022OwnKind = takeKindOf(TOKEN_2022_KINDS);
const takeAssociatedTokenOwnKind = takeKindOf(ASSOCIATED_TOKEN_KINDS);

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ["11111111111111111111111111111111", { name: "System program", takeKind: takeSystemKind }],
  [
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
    { name: "Token program", takeKind: takeKindOf(TOKEN_KINDS) },
  ],
  [
    "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
    { name: "Token-2022 program", takeKind: takeToken2022Kind },
  ],
  [
    "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
    { name: "Associated Token Account program", takeKind: takeAssociatedTokenKind },
  ],
  [
    "ComputeBudget111111111111111111111111111111",
    { name: "Compute Budget program", takeKind: takeKindOf(COMPUTE_BUDGET_KINDS) },
  ],
]);
