import { CLAUSES, type Clause } from "./ast.ts";
import { derivedParams } from "./generated/activity-params.ts";
import {
  anyCase,
  bool,
  dynamic,
  int,
  list,
  map,
  type Param,
  paramObject,
  type StructType,
  string,
  struct,
  type Type,
  timestamp,
  uint,
} from "./types.ts";

const User = struct("User", {
  id: string,
  /** Ids of the tags. */
  tags: list(string),
  email: string,
  alias: string,
});

const Credential = struct("Credential", {
  id: string,
  user_id: string,
  type: string,
  /** Set for passkeys; otherwise ''. */
  credential_id: string,
  public_key: string,
});

const Wallet = struct("Wallet", { id: string, imported: bool, exported: bool, label: string });

const WalletAccount = struct("WalletAccount", {
  address: string,
  /** Without the hardened bit. Both lists exist for the export of an account only. */
  path_indexes: list(int),
  path_hardened: list(bool),
});

const PrivateKey = struct("PrivateKey", {
  id: string,
  tags: list(string),
  imported: bool,
  exported: bool,
  label: string,
});

const Secret = struct("Secret", { static_properties: map(string) });

const Activity = struct("Activity", {
  type: string,
  resource: string,
  action: string,
  params: paramObject,
  kind: string,
});

const EthereumTransaction = struct("EthereumTransaction", {
  from: anyCase,
  to: anyCase,
  data: string,
  value: int,
  gas: int,
  gas_price: int,
  chain_id: int,
  nonce: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  max_fee_per_blob_gas: int,
  type: string,
  function_name: string,
  function_signature: string,
  contract_call_args: map({ kind: "dynamic", objects: "maps", addresses: true }),
});

const Eip712TypedData = struct("Eip712TypedData", {
  primary_type: string,
  domain: struct("Eip712Domain", {
    name: string,
    version: string,
    chain_id: uint,
    verifying_contract: anyCase,
  }),
  message: map(dynamic),
});

const Eip7702Authorization = struct("Eip7702Authorization", {
  address: anyCase,
  chain_id: int,
  nonce: int,
});

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

const TronPermission = struct("TronPermission", {
  type: string,
  id: int,
  permission_name: string,
  threshold: int,
  parent_id: int,
  operations: string,
  keys: list(struct("TronKey", { address: string, weight: int })),
});

const TronTransaction = struct("TronTransaction", {
  ref_block_bytes: string,
  ref_block_hash: string,
  expiration: int,
  timestamp: int,
  data: string,
  fee_limit: int,
  /** One struct for all contract types. Fields of other types are missing. */
  contract: list(
    struct("TronContract", {
      type: string,
      owner_address: string,
      permission_id: int,
      to_address: string,
      amount: int,
      contract_address: string,
      data: string,
      call_value: int,
      call_token_value: int,
      token_id: int,
      resource: string,
      balance: int,
      receiver_address: string,
      lock: bool,
      lock_period: int,
      frozen_balance: int,
      unfreeze_balance: int,
      owner: TronPermission,
      witness: TronPermission,
      actives: list(TronPermission),
    }),
  ),
});

const BitcoinTransaction = struct("BitcoinTransaction", {
  version: string,
  inputs: list(struct("BitcoinTxInput", { tx_id: string, vout: int, sequence: int })),
  outputs: list(
    struct("BitcoinTxOutput", {
      value: int,
      script_pubkey: string,
      address: string,
      address_type: anyCase,
    }),
  ),
  locktime: struct("BitcoinTxLocktime", { amount: int, type: string }),
  fee: int,
});

const TempoTransaction = struct("TempoTransaction", {
  chain_id: int,
  nonce: int,
  gas_limit: int,
  max_fee_per_gas: int,
  max_priority_fee_per_gas: int,
  from: anyCase,
  fee_token: anyCase,
  valid_before: int,
  valid_after: int,
  calls: list(struct("TempoCall", { to: anyCase, input: anyCase, function_signature: string })),
});

/** The names an expression starts from, by the clause that sees them. */
export const ROOTS: Readonly<Record<Clause, Readonly<Record<string, Type>>>> = {
  condition: {
    activity: Activity,
    wallet: Wallet,
    wallet_account: WalletAccount,
    private_key: PrivateKey,
    wallets: list(Wallet),
    secret: Secret,
    eth: struct("eth", {
      tx: EthereumTransaction,
      eip_712: Eip712TypedData,
      eip_7702_authorization: Eip7702Authorization,
    }),
    solana: struct("solana", { tx: SolanaTransaction }),
    tron: struct("tron", { tx: TronTransaction }),
    bitcoin: struct("bitcoin", { tx: BitcoinTransaction }),
    tempo: struct("tempo", { tx: TempoTransaction }),
  },
  consensus: { approvers: list(User), credentials: list(Credential) },
  time: { time: struct("time", { now: timestamp }) },
};

const SparkKeyDerivation = filled("SparkKeyDerivation", {
  type: string,
  signing_leaf: filled("SparkSigningLeaf", { leaf_id: string }),
  static_deposit: filled("SparkStaticDeposit", { index: int }),
});

const SparkOperatorRecipient = filled("SparkOperatorRecipient", {
  operator_id: string,
  encryption_public_key: string,
});

/** Parameters of kinds that neither a declaration nor the facts of the wire describe yet. */
const laterParams: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  SPARK_SIGN_FROST: {
    sign_with: string,
    signatures: list(
      filled("SparkSignatureRequest", {
        derivation: SparkKeyDerivation,
        message: string,
        verifying_key: string,
        operator_commitments: list(
          filled("SparkFrostCommitment", { id: string, hiding: string, binding: string }),
        ),
        adaptor_public_key: string,
      }),
    ),
  },
  SPARK_PREPARE_TRANSFER: {
    sign_with: string,
    transfer: filled("SparkTransferPackage", {
      transfer_id: string,
      leaves: list(
        filled("SparkTransferLeaf", {
          leaf_id: string,
          old_leaf_derivation: SparkKeyDerivation,
          new_leaf_derivation: SparkKeyDerivation,
          refund_signature: string,
          direct_refund_signature: string,
          direct_from_cpfp_refund_signature: string,
        }),
      ),
      threshold: int,
      operator_recipients: list(SparkOperatorRecipient),
      receiver_public_key: string,
    }),
  },
  SPARK_CLAIM_TRANSFER: {
    sign_with: string,
    claim: filled("SparkClaimPackage", {
      leaves: list(
        filled("SparkClaimLeaf", {
          leaf_id: string,
          ciphertext: string,
          sender_signature: string,
        }),
      ),
      threshold: int,
      operator_recipients: list(SparkOperatorRecipient),
      transfer_id: string,
      sender_identity_public_key: string,
    }),
  },
  SPARK_PREPARE_LIGHTNING_RECEIVE: {
    sign_with: string,
    lightning_receive: filled("SparkLightningReceivePackage", {
      threshold: int,
      operator_recipients: list(SparkOperatorRecipient),
    }),
  },
};

/**
 * Fields of `activity.params` by kind of activity, the same for every version of the kind. Policies
 * see any other field as the environment has it.
 */
export const ACTIVITY_PARAMS: Readonly<Record<string, Readonly<Record<string, Param>>>> = {
  ...derivedParams,
  ...Object.fromEntries(
    Object.entries(laterParams).map(([kind, fields]) => [kind, required(fields)]),
  ),
};

/** The clause whose root has this name. */
export function clauseOf(root: string): Clause | undefined {
  return CLAUSES.find((clause) => Object.hasOwn(ROOTS[clause], root));
}

/** Dotted paths an expression of the clause may start with, for suggestions and completion. */
export function pathsOf(clause: Clause): string[] {
  const paths: string[] = [];
  const walk = (path: string, type: Type) => {
    paths.push(path);
    if (type.kind !== "struct") return;
    for (const [name, field] of Object.entries(type.fields)) walk(`${path}.${name}`, field);
  };
  for (const [name, type] of Object.entries(ROOTS[clause])) walk(name, type);
  return paths;
}

function required(fields: Readonly<Record<string, Type>>): Record<string, Param> {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }]));
}

function filled(name: string, fields: Record<string, Type>): StructType {
  return { ...struct(name, fields), filled: true };
}
