import { ROOTS } from "@keyhearth/policy/schema";
import { nameOf, type StructType, type Type } from "@keyhearth/policy/types";

/** Structs that expressions can reach, by their name, in the order of the roots. */
export function structsOf(roots: Readonly<Record<string, Type>>): StructType[] {
  const found = new Map<string, StructType>();
  const visit = (type: Type) => {
    if (type.kind === "list") visit(type.element);
    if (type.kind === "map") visit(type.value);
    if (type.kind !== "struct" || found.has(type.name)) return;
    found.set(type.name, type);
    for (const field of Object.values(type.fields)) visit(field);
  };
  for (const type of Object.values(roots)) visit(type);
  return [...found.values()];
}

/** The type as the tables show it: text that compares without regard to case is marked there. */
export function shownType(type: Type): string {
  if (type.kind === "dynamic" && type.objects === "structs") return "struct, by activity";
  return nameOf(type);
}

/** When each root is part of a request. */
export const rootNotes: Record<string, string> = {
  activity: "Always.",
  wallet: "It signs with a wallet account, or exports a wallet or one of its accounts.",
  wallet_account: "It signs with a wallet account, or exports one.",
  private_key: "It signs with a private key, or exports one.",
  wallets: "It names several wallets, such as those to delete.",
  secret: "It exports a secret.",
  eth: "By the field: an Ethereum transaction, typed data or an authorization is signed.",
  solana: "A Solana transaction is signed.",
  tron: "A Tron transaction is signed.",
  bitcoin: "A Bitcoin transaction is signed.",
  tempo: "A Tempo transaction is signed.",
  approvers: "The users whose approvals count, the sender of the request included.",
  credentials: "The credentials with which they approved.",
  time: "The signer’s clock, once for each request: `time.now`.",
};

/** What the fields mean, by struct. */
export const fieldNotes: Record<string, Record<string, string>> = {
  User: {
    id: "The user’s id.",
    tags: "Ids of the user’s tags, not their names.",
    email: "`''` if the user has none.",
    alias: "The user’s name.",
  },
  Credential: {
    id: "Id of the API key or authenticator.",
    user_id: "The user it belongs to.",
    type: "Such as `'CREDENTIAL_TYPE_API_KEY_P256'`.",
    credential_id: "Of passkeys; otherwise `''`.",
    public_key: "In hex, compressed.",
  },
  Activity: {
    type: "The full type with its version, such as `'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'`.",
    resource: "What the activity is about.",
    action: "What it does to it.",
    params: "Its parameters, with names in snake_case.",
    kind: "The type without prefix and version. Not set for what only the root quorum may do.",
  },
  Wallet: {
    id: "The wallet’s id.",
    imported: "It came from elsewhere, so somebody else may know it.",
    exported: "It was exported, so somebody else may know it.",
    label: "The wallet’s name.",
  },
  WalletAccount: {
    address: "As it is stored; compared exactly.",
    path_indexes: "`m/44'/60'/0'/0/0` reads `[44, 60, 0, 0, 0]`. Set when an account is exported.",
    path_hardened: "At the same places, whether the step is hardened.",
  },
  PrivateKey: {
    id: "The key’s id.",
    tags: "Ids of the key’s tags.",
    imported: "As of a wallet.",
    exported: "As of a wallet.",
    label: "The key’s name.",
  },
  Secret: { static_properties: "What the secret was stored with." },
  eth: {
    tx: "An Ethereum transaction is signed.",
    eip_712: "A payload with `PAYLOAD_ENCODING_EIP712` is signed.",
    eip_7702_authorization: "A payload with `PAYLOAD_ENCODING_EIP7702_AUTHORIZATION` is signed.",
  },
  EthereumTransaction: {
    from: "Address of the key that signs.",
    to: "`''` when the transaction makes a contract.",
    data: "The calldata, lower-case hex with `0x`; `'0x'` if there is none.",
    value: "In wei. 1 ETH is `1000000000000000000`.",
    gas: "The gas limit.",
    gas_price: "In wei, the most that a unit of gas may cost, whatever the type.",
    chain_id: "The chain; 1 is Ethereum’s mainnet.",
    nonce: "The sender’s next transaction number.",
    max_fee_per_gas: "From `TYPE_2` on.",
    max_priority_fee_per_gas: "From `TYPE_2` on.",
    max_fee_per_blob_gas: "`TYPE_3` only.",
    type: "`'LEGACY'`, `'TYPE_1'`, `'TYPE_2'`, `'TYPE_3'` or `'TYPE_4'`.",
    function_name: "By the stored interface of the contract; `''` without a match.",
    function_signature:
      "The four bytes of the selector with `0x`, if an interface matches; otherwise `''`.",
    contract_call_args: "Arguments by name. Not set where no interface fits.",
  },
  Eip712TypedData: {
    primary_type: "The type of the message.",
    domain: "Which contract, on which chain, it is for.",
    message: "Members by name. Objects are maps, arrays are lists.",
  },
  Eip712Domain: {
    name: "`''` if the domain has none.",
    version: "`''` if the domain has none.",
    chain_id: "Not set if the domain has none.",
    verifying_contract: "Not set if the domain has none.",
  },
  Eip7702Authorization: {
    address: "The code that the account will run.",
    chain_id: "`0` is valid on every chain.",
    nonce: "The account’s next transaction number.",
  },
  SolanaTransaction: {
    account_keys: "The accounts that the message itself names.",
    program_keys: "The programs that it calls.",
    instructions: "In their order.",
    transfers: "SOL transfers, by top-level instructions of the System Program.",
    spl_transfers: "Token transfers, by top-level instructions of Token and Token-2022.",
    recent_blockhash: "In base58.",
    address_table_lookups: "What the message takes from lookup tables.",
    static_account_keys: "The same as `account_keys`.",
    top_level_program_keys: "The same as `program_keys`.",
    top_level_instructions: "The same as `instructions`.",
    address_table_lookup_references:
      "The looked-up accounts one by one, in the order of the runtime.",
  },
  Instruction: {
    program_key: "The program it calls.",
    accounts: "The accounts it hands over, in their order.",
    instruction_data_hex: "Lower-case hex without `0x`.",
    address_table_lookups: "The lookups that this instruction uses.",
    parsed_instruction_data: "By the stored IDL of the program. Not set where it does not fit.",
  },
  Account: {
    account_key: "`'ADDRESS_TABLE_LOOKUP'` for an account from a lookup table.",
    signer: "Whether it signs the transaction.",
    writable: "Whether it may be changed.",
  },
  AddressTableLookup: {
    address_table_key: "The lookup table.",
    writable_indexes: "Entries that may be changed.",
    readonly_indexes: "Entries that are only read.",
  },
  AddressTableLookupReference: {
    address_table_key: "The lookup table.",
    index: "The entry in it.",
    writable: "Whether it may be changed.",
  },
  SolanaParsedInstructionData: {
    instruction_name: "As in the IDL.",
    discriminator: "Lower-case hex.",
    named_accounts: "Addresses by the names of the IDL.",
    program_call_args: "Arguments by the names of the IDL.",
  },
  Transfer: {
    from: "The account that pays.",
    to: "The account that is paid.",
    amount: "In lamports. 1 SOL is `1000000000`.",
  },
  SPLTransfer: {
    from: "The token account that pays.",
    to: "The token account that is paid, not the wallet that owns it.",
    amount: "In the token’s smallest units.",
    owner: "Who may move the tokens.",
    signers: "Of a multisig owner; otherwise `[]`.",
    token_mint: "`''` for the plain Transfer instruction, which does not name it.",
  },
  TronTransaction: {
    ref_block_bytes: "The block it refers to.",
    ref_block_hash: "The block it refers to.",
    expiration: "In milliseconds.",
    timestamp: "In milliseconds.",
    data: "The memo.",
    fee_limit: "In sun.",
    contract: "One, today.",
  },
  TronContract: {
    type: "It decides which of the other fields are set.",
    owner_address: "The account that acts.",
    permission_id: "The permission it uses.",
    to_address: "TransferContract",
    amount: "TransferContract, in sun",
    contract_address: "TriggerSmartContract",
    data: "TriggerSmartContract, hex without 0x",
    call_value: "TriggerSmartContract",
    call_token_value: "TriggerSmartContract",
    token_id: "TriggerSmartContract",
    resource: "Of delegating, freezing and unfreezing: `'ENERGY'` or `'BANDWIDTH'`",
    balance: "DelegateResourceContract and UnDelegateResourceContract",
    receiver_address: "DelegateResourceContract and UnDelegateResourceContract",
    lock: "DelegateResourceContract",
    lock_period: "DelegateResourceContract",
    frozen_balance: "FreezeBalanceV2Contract",
    unfreeze_balance: "UnfreezeBalanceV2Contract",
    owner: "AccountPermissionUpdateContract",
    witness: "AccountPermissionUpdateContract",
    actives: "AccountPermissionUpdateContract",
  },
  TronPermission: {
    type: "`'Owner'`, `'Witness'` or `'Active'`.",
    id: "The permission’s number.",
    permission_name: "Its name.",
    threshold: "The weight that must sign.",
    parent_id: "The permission above it.",
    operations: "32 bytes in hex.",
    keys: "At most 5.",
  },
  TronKey: { address: "Who may sign.", weight: "How much the signature counts." },
  BitcoinTransaction: {
    version: "The version field.",
    inputs: "What is spent.",
    outputs: "Who is paid.",
    locktime: "From when it is valid.",
    fee: "In satoshi: inputs minus outputs.",
  },
  BitcoinTxInput: {
    tx_id: "The transaction whose output is spent.",
    vout: "Which of its outputs.",
    sequence: "The sequence field.",
  },
  BitcoinTxOutput: {
    value: "In satoshi.",
    script_pubkey: "The script, in hex.",
    address: "The address that the script pays.",
    address_type: "Its kind.",
  },
  BitcoinTxLocktime: {
    amount: "A time or a number of blocks.",
    type: "`'Seconds'` or `'Blocks'`.",
  },
  TempoTransaction: {
    chain_id: "The chain.",
    nonce: "The sender’s next transaction number.",
    gas_limit: "The gas limit.",
    max_fee_per_gas: "The most that a unit of gas may cost.",
    max_priority_fee_per_gas: "Of it, the tip.",
    from: "Address of the key that signs.",
    fee_token: "The token that pays the fee.",
    valid_before: "`0` if it is not set.",
    valid_after: "`0` if it is not set.",
    calls: "The calls, in their order.",
  },
  TempoCall: {
    to: "`''` when the call makes a contract.",
    input: "Hex with `0x`.",
    function_signature: "The first four bytes of the input; `''` if it has fewer.",
  },
  time: { now: "The signer’s clock, once for each request." },
};

/** Structs of the containers of one transaction each say nothing that the roots do not. */
const CONTAINERS = new Set(["solana", "tron", "bitcoin", "tempo"]);

export function shownStructs(clause: keyof typeof ROOTS): StructType[] {
  return structsOf(ROOTS[clause]).filter(({ name }) => !CONTAINERS.has(name));
}
