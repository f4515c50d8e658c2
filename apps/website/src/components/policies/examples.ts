import type { exampleNames } from "./example-names.ts";

export type ExampleId = keyof typeof exampleNames;

/** A policy of the examples page, without its name. Readers replace the names in capitals. */
export type Example = {
  effect: "EFFECT_ALLOW" | "EFFECT_DENY";
  consensus?: string;
  condition?: string;
  time?: string;
  /** What the policy needs from the service, if this version does not have it yet. */
  needs?: Need;
};

/** A kind of activity, by its version-free name, or transactions of a chain. */
export type Need = { kind: string } | { chain: "tempo" };

const isSigningTransactions = "activity.kind == 'SIGN_TRANSACTION'";

export const examples = {
  "wallets-by-one-user": allow({
    consensus: "approvers.any(user, user.id == 'USER_ID')",
    condition: all("activity.resource == 'WALLET'", "activity.action == 'CREATE'"),
  }),
  "users-by-a-team": allow({
    consensus: "approvers.any(user, user.tags.contains('SUPPORT_TAG_ID'))",
    condition: all(
      "activity.kind == 'CREATE_USERS'",
      "activity.params.users.count() > 0",
      "activity.params.users.all(user, user.user_tags.count() == 0)",
    ),
  }),
  "two-change-policies": allow({
    consensus: "approvers.filter(user, user.tags.contains('ADMIN_TAG_ID')).count() >= 2",
    condition: "activity.resource == 'POLICY'",
  }),
  "minimum-of-each-team": allow({
    consensus: all(
      "approvers.filter(user, user.tags.contains('SECURITY_TAG_ID')).count() >= 1",
      "approvers.filter(user, user.tags.contains('OPERATIONS_TAG_ID')).count() >= 2",
    ),
    condition: "activity.resource == 'USER'",
  }),
  "never-delete": deny({
    consensus: "approvers.any(user, user.tags.contains('INTERN_TAG_ID'))",
    condition: "activity.action == 'DELETE'",
  }),
  "backend-creates-sub-organizations": allow({
    consensus: "approvers.any(user, user.id == 'BACKEND_USER_ID')",
    condition: "activity.kind == 'CREATE_SUB_ORGANIZATION'",
  }),
  "backend-starts-logins": allow({
    consensus: "approvers.any(user, user.id == 'BACKEND_USER_ID')",
    condition: "activity.kind in ['INIT_OTP', 'VERIFY_OTP', 'OTP_LOGIN']",
  }),
  "one-credential": allow({
    consensus: broken(
      "credentials.any(key,",
      "key.user_id == 'BACKEND_USER_ID' && key.public_key == 'PUBLIC_KEY')",
    ),
    condition: all(isSigningTransactions, "wallet.id == 'WALLET_ID'"),
  }),
  "delete-only-oneself": allow({
    consensus: "approvers.any(user, user.id == 'USER_ID')",
    condition: all(
      "activity.kind == 'DELETE_USERS'",
      "activity.params.user_ids.count() == 1",
      "activity.params.user_ids.contains('USER_ID')",
    ),
    needs: { kind: "DELETE_USERS" },
  }),

  "one-wallet": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(isSigningTransactions, "wallet.id == 'WALLET_ID'"),
  }),
  "one-account": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet_account.address == '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'",
    ),
  }),
  "tagged-private-keys": allow({
    consensus: "approvers.any(user, user.tags.contains('OPERATIONS_TAG_ID'))",
    condition: all(isSigningTransactions, "private_key.tags.contains('OPERATING_KEY_TAG_ID')"),
  }),
  "business-hours": allow({
    consensus: "approvers.any(user, user.id == 'PAYROLL_USER_ID')",
    condition: all(isSigningTransactions, "wallet.id == 'WALLET_ID'"),
    time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')",
  }),

  "no-raw-payloads": deny({
    condition: all(
      "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
      "wallet.id == 'WALLET_ID'",
    ),
  }),
  "no-unread-payloads": deny({
    condition: all(
      "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
      broken(
        "!(activity.params.encoding in [",
        "'PAYLOAD_ENCODING_EIP712',",
        "'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'])",
      ),
    ),
  }),

  "ether-to-known-addresses": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "eth.tx.chain_id == 1",
      broken(
        "eth.tx.to in [",
        "'0x8ba1f109551bD432803012645Ac136ddd64DBA72',",
        "'0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045']",
      ),
      "eth.tx.data == '0x'",
      "eth.tx.value <= 1000000000000000000",
    ),
  }),
  "more-approvals-above": allow({
    consensus: "approvers.filter(user, user.tags.contains('TREASURER_TAG_ID')).count() >= 2",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "eth.tx.chain_id == 1",
      "eth.tx.data == '0x'",
    ),
  }),
  "bounded-fee": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "eth.tx.chain_id == 1",
      "eth.tx.to == '0x8ba1f109551bD432803012645Ac136ddd64DBA72'",
      "eth.tx.data == '0x'",
      "eth.tx.type != 'TYPE_3'",
      "eth.tx.gas <= 21000",
      "eth.tx.gas_price <= 100000000000",
    ),
  }),
  "bounded-nonce": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet_account.address == '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'",
      "eth.tx.chain_id == 1",
      "eth.tx.to == '0x8ba1f109551bD432803012645Ac136ddd64DBA72'",
      "eth.tx.data == '0x'",
      "eth.tx.value <= 1000000000000000000",
      "eth.tx.nonce < 100",
    ),
  }),
  "token-transfer-by-bytes": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "eth.tx.chain_id == 1",
      "eth.tx.to == '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'",
      "eth.tx.value == 0",
      "eth.tx.data[0..10] == '0xa9059cbb'",
      broken(
        "eth.tx.data[10..74] ==",
        "'0000000000000000000000008ba1f109551bd432803012645ac136ddd64dba72'",
      ),
    ),
  }),
  "token-transfer-by-interface": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "eth.tx.chain_id == 1",
      "eth.tx.to == '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'",
      "eth.tx.value == 0",
      "eth.tx.function_name == 'transfer'",
      broken("eth.tx.contract_call_args['to'] ==", "'0x8ba1f109551bD432803012645Ac136ddd64DBA72'"),
      "eth.tx.contract_call_args['amount'] <= 25000000",
    ),
  }),
  "batched-calls": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "eth.tx.chain_id == 1",
      "eth.tx.to == '0x52908400098527886E0F7030069857D2E4169EE7'",
      "eth.tx.function_name == 'execute'",
      "eth.tx.contract_call_args['calls'].count() > 0",
      broken(
        "eth.tx.contract_call_args['calls'].all(call,",
        "call[0] == '0x8ba1f109551bD432803012645Ac136ddd64DBA72'",
        "&& call[1] == 0)",
      ),
    ),
  }),
  "no-contract-creation": deny({
    condition: all(isSigningTransactions, "eth.tx.to == ''"),
  }),
  "typed-data": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      "activity.kind == 'SIGN_RAW_PAYLOAD'",
      "wallet.id == 'WALLET_ID'",
      "eth.eip_712.primary_type == 'Permit'",
      "eth.eip_712.domain.chain_id == 1",
      "eth.eip_712.domain.verifying_contract == '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'",
      "eth.eip_712.message['spender'] == '0x8ba1f109551bD432803012645Ac136ddd64DBA72'",
      "eth.eip_712.message['value'] <= 25000000",
    ),
  }),
  "typed-data-lists": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      "activity.kind == 'SIGN_RAW_PAYLOAD'",
      "wallet.id == 'WALLET_ID'",
      "eth.eip_712.primary_type == 'PermitBatchTransferFrom'",
      "eth.eip_712.domain.chain_id == 1",
      "eth.eip_712.domain.verifying_contract == '0x000000000022D473030F116dDEE9F6B43aC78BA3'",
      "eth.eip_712.message['spender'] == '0x8ba1f109551bD432803012645Ac136ddd64DBA72'",
      "eth.eip_712.message['permitted'].count() > 0",
      broken(
        "eth.eip_712.message['permitted'].all(item,",
        "item['token'] == '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')",
      ),
    ),
  }),
  authorization: allow({
    consensus: "approvers.any(user, user.id == 'USER_ID')",
    condition: all(
      "activity.kind == 'SIGN_RAW_PAYLOAD'",
      "wallet.id == 'WALLET_ID'",
      "eth.eip_7702_authorization.chain_id == 1",
      "eth.eip_7702_authorization.address == '0x8ba1f109551bD432803012645Ac136ddd64DBA72'",
    ),
  }),

  "solana-one-transfer": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "solana.tx.instructions.count() == 1",
      "solana.tx.transfers.count() == 1",
      broken(
        "solana.tx.transfers.all(transfer,",
        "transfer.to == 'RECIPIENT' && transfer.amount <= 1000000000)",
      ),
    ),
  }),
  "solana-one-sender": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "solana.tx.transfers.count() > 0",
      "solana.tx.instructions.count() == solana.tx.transfers.count()",
      broken(
        "solana.tx.transfers.all(transfer,",
        "transfer.from == 'SENDER' && transfer.amount <= 1000000000)",
      ),
    ),
  }),
  "solana-exact-instruction": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "solana.tx.instructions.count() == 1",
      broken(
        "solana.tx.instructions.all(call,",
        "call.program_key == 'YOUR_PROGRAM'",
        "&& call.instruction_data_hex == 'a1b2c3d4e5f60718'",
        "&& call.accounts.count() == 2",
        "&& call.accounts[0].account_key == 'FIRST_ACCOUNT'",
        "&& call.accounts[1].account_key == 'SECOND_ACCOUNT')",
      ),
    ),
  }),
  "solana-no-payments-to": deny({
    condition: all(
      isSigningTransactions,
      broken(
        "(solana.tx.address_table_lookups.count() > 0",
        "|| solana.tx.account_keys.any(key, key in ['THIEF', 'ANOTHER_THIEF']))",
      ),
    ),
  }),
  "solana-one-token": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "solana.tx.spl_transfers.count() > 0",
      "solana.tx.instructions.count() == solana.tx.spl_transfers.count()",
      broken(
        "solana.tx.spl_transfers.all(transfer,",
        "transfer.token_mint == 'MINT'",
        "&& transfer.to == 'TOKEN_ACCOUNT'",
        "&& transfer.amount <= 25000000)",
      ),
    ),
  }),
  "solana-tokens-of-owner": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "solana.tx.spl_transfers.count() > 0",
      "solana.tx.instructions.count() == solana.tx.spl_transfers.count()",
      broken(
        "solana.tx.spl_transfers.all(transfer,",
        "transfer.from == 'TOKEN_ACCOUNT'",
        "&& transfer.owner == 'OWNER'",
        "&& transfer.amount <= 25000000)",
      ),
    ),
  }),
  "solana-token-multisig": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "solana.tx.instructions.count() == 1",
      "solana.tx.spl_transfers.count() == 1",
      broken(
        "solana.tx.spl_transfers.all(transfer,",
        "transfer.owner == 'MULTISIG'",
        "&& transfer.signers.contains('OTHER_SIGNER')",
        "&& transfer.to == 'TOKEN_ACCOUNT'",
        "&& transfer.amount <= 25000000)",
      ),
    ),
  }),
  "solana-known-programs": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      broken(
        "solana.tx.program_keys.all(program,",
        "program in ['11111111111111111111111111111111', 'YOUR_PROGRAM'])",
      ),
      "solana.tx.address_table_lookups.count() == 0",
    ),
  }),
  "solana-program-arguments": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "solana.tx.instructions.count() == 1",
      broken(
        "solana.tx.instructions.all(call,",
        "call.program_key == 'YOUR_PROGRAM'",
        "&& call.parsed_instruction_data.instruction_name == 'stake'",
        "&& call.parsed_instruction_data.program_call_args['amount'] <= 1000000000)",
      ),
    ),
  }),
  "solana-no-closing": deny({
    condition: all(
      isSigningTransactions,
      broken(
        "solana.tx.instructions.any(call,",
        "call.program_key in [",
        "  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',",
        "  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb']",
        "&& call.instruction_data_hex == '09')",
      ),
    ),
  }),

  "bitcoin-outputs": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "bitcoin.tx.outputs.all(output, output.address in ['RECIPIENT', 'CHANGE_ADDRESS'])",
      "bitcoin.tx.fee <= 10000",
    ),
  }),
  "tron-token": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "tron.tx.contract.count() == 1",
      broken(
        "tron.tx.contract.all(call,",
        "call.type == 'TriggerSmartContract'",
        "&& call.contract_address == 'TOKEN'",
        "&& call.call_value == 0",
        "&& call.data[0..8] == 'a9059cbb')",
      ),
    ),
  }),
  "tempo-calls": allow({
    consensus: "approvers.any(user, user.id == 'BOT_USER_ID')",
    condition: all(
      isSigningTransactions,
      "wallet.id == 'WALLET_ID'",
      "tempo.tx.calls.count() > 0",
      "tempo.tx.calls.all(call, call.to == '0x8ba1f109551bD432803012645Ac136ddd64DBA72')",
      "tempo.tx.gas_limit <= 100000",
    ),
    needs: { chain: "tempo" },
  }),
  "export-one-subtree": allow({
    consensus: "approvers.any(user, user.id == 'USER_ID')",
    condition: all(
      "activity.kind == 'EXPORT_WALLET_ACCOUNT'",
      "wallet.id == 'WALLET_ID'",
      "wallet_account.path_indexes[0] == 44",
      "wallet_account.path_indexes[1] == 60",
      "wallet_account.path_hardened[1]",
    ),
    needs: { kind: "EXPORT_WALLET_ACCOUNT" },
  }),
} satisfies Record<ExampleId, Example>;

type Clauses = Omit<Example, "effect">;

function allow(clauses: Clauses): Example {
  return { effect: "EFFECT_ALLOW", ...clauses };
}

function deny(clauses: Clauses): Example {
  return { effect: "EFFECT_DENY", ...clauses };
}

/** One term per line. The language ignores line breaks. */
function all(...terms: string[]): string {
  return terms.join("\n&& ");
}

/** A term that takes several lines. */
function broken(...lines: string[]): string {
  return lines.join("\n     ");
}
