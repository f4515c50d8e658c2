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

/** The type as the tables show it. They mark text that compares in any case separately. */
export function shownType(type: Type): string {
  if (type.kind === "dynamic" && type.objects === "structs") return "struct, by activity";
  return nameOf(type);
}

/** When a request has each root. */
export const rootNotes: Record<string, string> = {
  activity: "Always.",
  wallet: "The request signs with a wallet account, or exports a wallet or one of its accounts.",
  wallet_account: "The request signs with a wallet account, or exports one.",
  private_key: "The request signs with a private key, or exports one.",
  wallets: "The request names several wallets, for example to delete them.",
  secret: "The request exports a secret.",
  eth: "Depending on the field: the request signs an Ethereum transaction, typed data or an authorization.",
  solana: "The request signs a Solana transaction.",
  tron: "The request signs a Tron transaction.",
  bitcoin: "The request signs a Bitcoin transaction.",
  tempo: "The request signs a Tempo transaction.",
  approvers: "The users whose approvals count, including the sender of the request.",
  credentials: "The credentials that these users approved with.",
  time: "The signer’s clock, read once per request.",
};

/** What each field means, by struct. */
export const fieldNotes: Record<string, Record<string, string>> = {
  User: {
    id: "The user’s id.",
    tags: "The ids of the user’s tags, not their names.",
    email: "`''` if the user has none.",
    alias: "The user’s name.",
  },
  Credential: {
    id: "The id of the API key or authenticator.",
    user_id: "The id of the user it belongs to.",
    type: "For example `'CREDENTIAL_TYPE_API_KEY_P256'`.",
    credential_id: "The passkey’s credential id; `''` for API keys.",
    public_key: "The public key in hex, compressed.",
  },
  Activity: {
    type: "The full type with its version, for example `'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'`.",
    resource: "What the activity is about.",
    action: "What the activity does to the resource.",
    params: "The activity’s parameters, with names in snake_case.",
    kind: "The type without prefix and version. Not set for activities that only the root quorum can allow.",
  },
  Wallet: {
    id: "The wallet’s id.",
    imported: "Whether the wallet was imported, so that someone else may know its seed.",
    exported: "Whether the wallet was exported, so that someone else may know its seed.",
    label: "The wallet’s name, which can be changed. Prefer the id.",
  },
  WalletAccount: {
    address: "The address as the service stores it. Compares exactly.",
    path_indexes: "For `m/44'/60'/0'/0/0`, `[44, 60, 0, 0, 0]`. Set when an account is exported.",
    path_hardened:
      "For each step of the path, whether it is hardened. Set when an account is exported.",
  },
  PrivateKey: {
    id: "The key’s id.",
    tags: "The ids of the key’s tags.",
    imported: "Whether the key was imported, so that someone else may know it.",
    exported: "Whether the key was exported, so that someone else may know it.",
    label: "The key’s name, which can be changed. Prefer the id.",
  },
  Secret: { static_properties: "The properties that the secret was stored with." },
  eth: {
    tx: "The request signs an Ethereum transaction.",
    eip_712: "The request signs a payload with `PAYLOAD_ENCODING_EIP712`.",
    eip_7702_authorization:
      "The request signs a payload with `PAYLOAD_ENCODING_EIP7702_AUTHORIZATION`.",
  },
  EthereumTransaction: {
    from: "The address of the key that signs.",
    to: "The recipient; `''` if the transaction creates a contract.",
    data: "The calldata in lower-case hex with `0x`; `'0x'` if there is none.",
    value: "In wei. 1 ETH is `1000000000000000000`.",
    gas: "The gas limit.",
    gas_price: "The maximum price of a unit of gas in wei, whatever the transaction type.",
    chain_id:
      "The chain; 1 is Ethereum’s mainnet. If a `'LEGACY'` transaction names no chain, reading this is an error.",
    nonce: "The sender’s next transaction number.",
    max_fee_per_gas: "For `TYPE_2` and later types. Otherwise, reading this is an error.",
    max_priority_fee_per_gas: "For `TYPE_2` and later types. Otherwise, reading this is an error.",
    max_fee_per_blob_gas: "Set only for `TYPE_3`.",
    type: "`'LEGACY'`, `'TYPE_1'`, `'TYPE_2'`, `'TYPE_3'` or `'TYPE_4'`.",
    function_name: "From the stored interface of the contract; `''` if no function matches.",
    function_signature:
      "The four bytes of the selector with `0x` if a function of the stored interface matches; otherwise `''`.",
    contract_call_args: "The arguments by name. Absent if no function matches.",
  },
  Eip712TypedData: {
    primary_type: "The type of the message.",
    domain: "The contract and chain that the message is for.",
    message: "The members by name. Objects are maps, and arrays are lists.",
  },
  Eip712Domain: {
    name: "`''` if the domain has none.",
    version: "`''` if the domain has none.",
    chain_id: "If the domain has none, reading this is an error.",
    verifying_contract: "`''` if the domain has none.",
  },
  Eip7702Authorization: {
    address: "The code that the account will run.",
    chain_id: "The chain. An authorization with `0` is valid on every chain.",
    nonce: "The account’s next transaction number.",
  },
  SolanaTransaction: {
    account_keys: "The accounts that the message itself names.",
    program_keys: "The programs that the transaction calls.",
    instructions: "The instructions in order.",
    transfers: "SOL transfers in top-level instructions of the System Program.",
    spl_transfers: "Token transfers in top-level instructions of Token and Token-2022.",
    recent_blockhash: "The recent blockhash in base58.",
    address_table_lookups: "The accounts that the message takes from lookup tables.",
    static_account_keys: "The same as `account_keys`.",
    top_level_program_keys: "The same as `program_keys`.",
    top_level_instructions: "The same as `instructions`.",
    address_table_lookup_references:
      "The looked-up accounts one by one, in the order in which the runtime has them.",
  },
  Instruction: {
    program_key: "The program that the instruction calls.",
    accounts: "The accounts that the instruction passes to the program, in order.",
    instruction_data_hex: "The data in lower-case hex without `0x`.",
    address_table_lookups: "The lookups that this instruction uses.",
    parsed_instruction_data:
      "The data as read with the stored IDL of the program. Not set if the IDL doesn’t match.",
  },
  Account: {
    account_key: "The address; `'ADDRESS_TABLE_LOOKUP'` for an account from a lookup table.",
    signer: "Whether the account signs the transaction.",
    writable: "Whether the transaction may change the account.",
  },
  AddressTableLookup: {
    address_table_key: "The lookup table.",
    writable_indexes: "The entries that the transaction may change.",
    readonly_indexes: "The entries that the transaction only reads.",
  },
  AddressTableLookupReference: {
    address_table_key: "The lookup table.",
    index: "The entry in the lookup table.",
    writable: "Whether the transaction may change the account.",
  },
  SolanaParsedInstructionData: {
    instruction_name: "The name in the IDL.",
    discriminator: "The discriminator in lower-case hex.",
    named_accounts: "The addresses, by their names in the IDL.",
    program_call_args: "The arguments, by their names in the IDL.",
  },
  Transfer: {
    from: "The account that pays.",
    to: "The account that receives the SOL.",
    amount: "In lamports. 1 SOL is `1000000000`.",
  },
  SPLTransfer: {
    from: "The token account that pays.",
    to: "The token account that receives the tokens, not the wallet that owns it.",
    amount: "In the token’s smallest units.",
    owner: "The account that authorizes the transfer.",
    signers: "The signers of a multisig owner; otherwise `[]`.",
    token_mint: "The mint; `''` for the plain Transfer instruction, which doesn’t name it.",
  },
  TronTransaction: {
    ref_block_bytes: "Two bytes of the number of the reference block, in hex.",
    ref_block_hash: "Eight bytes of the hash of the reference block, in hex.",
    expiration: "The time at which the transaction expires, in milliseconds.",
    timestamp: "The time at which the transaction was created, in milliseconds.",
    data: "The memo in hex; `''` without one.",
    fee_limit: "The fee limit in sun.",
    contract: "The contracts of the transaction. Tron currently allows one.",
  },
  TronContract: {
    type: "The type, which decides which other fields are set.",
    owner_address: "The account that acts. It belongs to the key that signs.",
    permission_id: "The permission that the account uses; `0` is the owner’s.",
    to_address: "The recipient. Only `TransferContract`.",
    amount: "The amount in sun. Only `TransferContract`.",
    contract_address: "The contract. Only `TriggerSmartContract`.",
    data: "The calldata in hex without `0x`. Only `TriggerSmartContract`.",
    call_value: "The amount in sun. Only `TriggerSmartContract`.",
    call_token_value: "The amount of the token. Only `TriggerSmartContract`.",
    token_id: "The token. Only `TriggerSmartContract`.",
    resource: "`'ENERGY'` or `'BANDWIDTH'`. Only when delegating, freezing or unfreezing.",
    balance: "Only `DelegateResourceContract` and `UnDelegateResourceContract`.",
    receiver_address: "Only `DelegateResourceContract` and `UnDelegateResourceContract`.",
    lock: "Only `DelegateResourceContract`.",
    lock_period: "Only `DelegateResourceContract`.",
    frozen_balance: "Only `FreezeBalanceV2Contract`.",
    unfreeze_balance: "Only `UnfreezeBalanceV2Contract`.",
    owner: "Only `AccountPermissionUpdateContract`.",
    witness: "Only `AccountPermissionUpdateContract`.",
    actives: "Only `AccountPermissionUpdateContract`.",
  },
  TronPermission: {
    type: "`'Owner'`, `'Witness'` or `'Active'`.",
    id: "The permission’s number.",
    permission_name: "The permission’s name.",
    threshold: "The total weight that the signatures must reach.",
    parent_id: "The permission above it.",
    operations: "The allowed operations, 32 bytes in hex.",
    keys: "The keys that can sign, at most 5.",
  },
  TronKey: { address: "The address that can sign.", weight: "How much its signature counts." },
  BitcoinTransaction: {
    version: "The version field, such as `'2'`.",
    inputs: "The outputs of earlier transactions that this one spends.",
    outputs: "The amounts and who receives them.",
    locktime: "When the transaction becomes valid.",
    fee: "The fee in satoshi: inputs minus outputs. Reading it is an error if the amounts of the inputs aren’t certain.",
  },
  BitcoinTxInput: {
    tx_id: "The transaction whose output this input spends, as explorers show it.",
    vout: "The index of that output.",
    sequence: "The sequence field.",
  },
  BitcoinTxOutput: {
    value: "The amount in satoshi.",
    script_pubkey: "The script in hex.",
    address:
      "The address that the script pays, on the network of `signWith`; `''` if there is none.",
    address_type:
      "`'P2PKH'`, `'P2SH'`, `'P2WPKH'`, `'P2WSH'` or `'P2TR'`, in any case; otherwise `''`.",
  },
  BitcoinTxLocktime: {
    amount: "A time or a number of blocks.",
    type: "`'Seconds'` or `'Blocks'`.",
  },
  TempoTransaction: {
    chain_id: "The chain.",
    nonce: "The sender’s next transaction number.",
    gas_limit: "The gas limit.",
    max_fee_per_gas: "The maximum price of a unit of gas.",
    max_priority_fee_per_gas: "The maximum tip, which is part of that price.",
    from: "The address of the key that signs.",
    fee_token: "The token that pays the fee.",
    valid_before: "`0` if it is not set.",
    valid_after: "`0` if it is not set.",
    calls: "The calls in order.",
  },
  TempoCall: {
    to: "The recipient; `''` if the call creates a contract.",
    input: "The input in hex with `0x`.",
    function_signature: "The first four bytes of the input; `''` if it has fewer.",
  },
  time: { now: "The signer’s clock, read once per request." },
};

/** These structs only contain a transaction, which the table of roots already shows. */
const CONTAINERS = new Set(["solana", "tron", "bitcoin", "tempo"]);

export function shownStructs(clause: keyof typeof ROOTS): StructType[] {
  return structsOf(ROOTS[clause]).filter(({ name }) => !CONTAINERS.has(name));
}
