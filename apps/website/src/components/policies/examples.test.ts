import { lintPolicies } from "@keyhearth/policy/advice/lints";
import { compilePolicy, decide, type PolicyOutcome } from "@keyhearth/policy/decide";
import { type Input, makeEnvironment } from "@keyhearth/policy/environment";
import { expect, test } from "vitest";
import { type ExampleId, examples } from "./examples.ts";

/** A request to decide with an example, and the outcome of the policy. */
type Case = {
  roots: Record<string, Input>;
  by?: { id?: string; tags?: string[]; publicKey?: string }[];
  now?: string;
  outcome: PolicyOutcome;
};

const ALLOW = "OUTCOME_ALLOW";
const DENY = "OUTCOME_DENY_EXPLICIT";
const MISS = "OUTCOME_DENY_IMPLICIT";
const WAIT = "OUTCOME_REQUIRES_CONSENSUS";
const ERROR = "OUTCOME_ERROR";

const bot = [{ id: "BOT_USER_ID" }];
const ada = [{ id: "USER_ID" }];
const wallet = { id: "WALLET_ID", imported: false, exported: false, label: "Main" };
const friend = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";
const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

const does = (resource: string, action: string, kind: string, params: Input = {}) => ({
  activity: { resource, action, kind, params },
});
const sign = (roots: Record<string, Input>) => ({
  ...does("PRIVATE_KEY", "SIGN", "SIGN_TRANSACTION"),
  wallet,
  ...roots,
});
const raw = (roots: Record<string, Input>, encoding = "PAYLOAD_ENCODING_EIP712") => ({
  ...does("PRIVATE_KEY", "SIGN", "SIGN_RAW_PAYLOAD", { encoding }),
  wallet,
  ...roots,
});
const eth = (tx: Record<string, Input>) =>
  sign({
    eth: {
      tx: {
        ...{ type: "TYPE_2", chain_id: 1n, to: friend, data: "0x" },
        ...{ value: 0n, gas: 21_000n, gas_price: 1n },
        ...tx,
      },
    },
  });
const solana = (tx: Record<string, Input>) =>
  sign({ solana: { tx: { address_table_lookups: [], transfers: [], spl_transfers: [], ...tx } } });
const solTransfer = (to: string, amount = 5n) => ({ from: "ME", to, amount });
const splTransfer = (to: string, token_mint = "MINT") => ({
  ...{ from: "MY_TOKENS", to, amount: 5n, owner: "ME", signers: [], token_mint },
});
const call = (program_key: string, more: Record<string, Input> = {}) => ({
  ...{ program_key, accounts: [], instruction_data_hex: "02", address_table_lookups: [] },
  ...more,
});
const transferData = (to: string) => `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, "0")}`;
const transferCall = (to: string, amount: bigint) =>
  eth({ to: usdc, function_name: "transfer", contract_call_args: { to, amount } });
const typedData = (primary_type: string, verifying_contract: string, message: Input) =>
  raw({
    eth: {
      eip_712: {
        primary_type,
        domain: { name: "", version: "", chain_id: 1n, verifying_contract },
        message,
      },
    },
  });
const permit = (value: Input) => typedData("Permit", usdc, { spender: friend, value });
const batchPermit = (...permitted: Input[]) =>
  typedData("PermitBatchTransferFrom", "0x000000000022d473030f116ddee9f6b43ac78ba3", {
    spender: friend,
    permitted,
  });
const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";

const paymentWithNonce = (nonce: bigint) => ({
  ...eth({ nonce }),
  wallet_account: { address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" },
});
const exactCall = (...keys: string[]) =>
  solana({
    instructions: [
      call("YOUR_PROGRAM", {
        instruction_data_hex: "a1b2c3d4e5f60718",
        accounts: keys.map((account_key) => ({ account_key, signer: false, writable: false })),
      }),
    ],
  });
const multisigTransfer = (...signers: string[]) =>
  solana({
    instructions: [call(token)],
    spl_transfers: [{ ...splTransfer("TOKEN_ACCOUNT"), owner: "MULTISIG", signers }],
  });

const cases: Record<ExampleId, Case[]> = {
  "wallets-by-one-user": [
    { roots: does("WALLET", "CREATE", "CREATE_WALLET"), by: ada, outcome: ALLOW },
    { roots: does("WALLET", "CREATE", "CREATE_WALLET_ACCOUNTS"), by: ada, outcome: ALLOW },
    { roots: does("WALLET", "EXPORT", "EXPORT_WALLET"), by: ada, outcome: MISS },
    { roots: does("WALLET", "CREATE", "CREATE_WALLET"), by: bot, outcome: MISS },
  ],
  "users-by-a-team": [
    {
      roots: does("USER", "CREATE", "CREATE_USERS", { users: [{ user_tags: [] }] }),
      by: [{ tags: ["SUPPORT_TAG_ID"] }],
      outcome: ALLOW,
    },
    {
      roots: does("USER", "CREATE", "CREATE_USERS", { users: [{ user_tags: ["ADMIN"] }] }),
      by: [{ tags: ["SUPPORT_TAG_ID"] }],
      outcome: MISS,
    },
  ],
  "two-change-policies": [
    {
      roots: does("POLICY", "DELETE", "DELETE_POLICY"),
      by: [{ tags: ["ADMIN_TAG_ID"] }, { tags: ["ADMIN_TAG_ID"] }],
      outcome: ALLOW,
    },
    {
      roots: does("POLICY", "CREATE", "CREATE_POLICY"),
      by: [{ tags: ["ADMIN_TAG_ID"] }],
      outcome: WAIT,
    },
  ],
  "minimum-of-each-team": [
    {
      roots: does("USER", "CREATE", "CREATE_USERS"),
      by: [{ tags: ["SECURITY_TAG_ID", "OPERATIONS_TAG_ID"] }, { tags: ["OPERATIONS_TAG_ID"] }],
      // A user with both tags counts for both teams.
      outcome: ALLOW,
    },
    {
      roots: does("USER", "CREATE", "CREATE_USERS"),
      by: [{ tags: ["OPERATIONS_TAG_ID"] }, { tags: ["OPERATIONS_TAG_ID"] }],
      outcome: WAIT,
    },
  ],
  "never-delete": [
    {
      roots: does("POLICY", "DELETE", "DELETE_POLICY"),
      by: [{ id: "ADMIN" }, { tags: ["INTERN_TAG_ID"] }],
      outcome: DENY,
    },
    { roots: does("POLICY", "DELETE", "DELETE_POLICY"), by: ada, outcome: MISS },
  ],
  "backend-creates-sub-organizations": [
    {
      roots: does("ORGANIZATION", "CREATE", "CREATE_SUB_ORGANIZATION"),
      by: [{ id: "BACKEND_USER_ID" }],
      outcome: ALLOW,
    },
    { roots: does("USER", "CREATE", "CREATE_USERS"), by: ada, outcome: MISS },
  ],
  "backend-starts-logins": [
    {
      roots: does("AUTH", "CREATE", "OTP_LOGIN"),
      by: [{ id: "BACKEND_USER_ID" }],
      outcome: ALLOW,
    },
    {
      // A session for another user has the same resource and action.
      roots: does("AUTH", "CREATE", "CREATE_READ_WRITE_SESSION"),
      by: [{ id: "BACKEND_USER_ID" }],
      outcome: MISS,
    },
  ],
  "one-credential": [
    { roots: eth({}), by: [{ id: "BACKEND_USER_ID", publicKey: "PUBLIC_KEY" }], outcome: ALLOW },
    { roots: eth({}), by: [{ id: "BACKEND_USER_ID", publicKey: "OTHER" }], outcome: MISS },
  ],
  "delete-only-oneself": [
    {
      roots: does("USER", "DELETE", "DELETE_USERS", { user_ids: ["USER_ID"] }),
      by: ada,
      outcome: ALLOW,
    },
    {
      roots: does("USER", "DELETE", "DELETE_USERS", { user_ids: ["USER_ID", "OTHER"] }),
      by: ada,
      outcome: MISS,
    },
  ],
  "one-wallet": [
    { roots: eth({}), by: bot, outcome: ALLOW },
    { roots: raw({}), by: bot, outcome: MISS },
    { roots: { ...eth({}), wallet: { ...wallet, id: "OTHER" } }, by: bot, outcome: MISS },
  ],
  "one-account": [
    {
      roots: sign({ wallet_account: { address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" } }),
      by: bot,
      outcome: ALLOW,
    },
    {
      // The address compares exactly, so the same address in lower case does not match.
      roots: sign({ wallet_account: { address: "0x9858effd232b4033e47d90003d41ec34ecaeda94" } }),
      by: bot,
      outcome: MISS,
    },
  ],
  "tagged-private-keys": [
    {
      roots: {
        ...does("PRIVATE_KEY", "SIGN", "SIGN_TRANSACTION"),
        private_key: { tags: ["OPERATING_KEY_TAG_ID"] },
      },
      by: [{ tags: ["OPERATIONS_TAG_ID"] }],
      outcome: ALLOW,
    },
    { roots: eth({}), by: [{ tags: ["OPERATIONS_TAG_ID"] }], outcome: ERROR },
  ],
  "business-hours": [
    {
      roots: eth({}),
      by: [{ id: "PAYROLL_USER_ID" }],
      now: "2026-01-05T09:00:00Z",
      outcome: ALLOW,
    },
    {
      roots: eth({}),
      by: [{ id: "PAYROLL_USER_ID" }],
      now: "2026-01-04T09:00:00Z",
      outcome: "OUTCOME_TIME_INACTIVE",
    },
  ],
  "no-raw-payloads": [
    { roots: raw({}), by: bot, outcome: DENY },
    { roots: eth({}), by: bot, outcome: MISS },
    { roots: { ...raw({}), wallet: undefined, private_key: { id: "K" } }, outcome: ERROR },
  ],
  "no-unread-payloads": [
    { roots: raw({}, "PAYLOAD_ENCODING_HEXADECIMAL"), outcome: DENY },
    { roots: raw({}, "PAYLOAD_ENCODING_EIP712"), outcome: MISS },
    // The kind of the activity decides, although it has no encoding.
    { roots: eth({}), outcome: MISS },
  ],
  "ether-to-known-addresses": [
    { roots: eth({ to: friend.toLowerCase(), value: 10n ** 18n }), by: bot, outcome: ALLOW },
    { roots: eth({ value: 10n ** 18n + 1n }), by: bot, outcome: MISS },
    { roots: eth({ to: usdc }), by: bot, outcome: MISS },
    { roots: eth({ chain_id: 10n }), by: bot, outcome: MISS },
  ],
  "more-approvals-above": [
    {
      roots: eth({ value: 10n ** 20n }),
      by: [{ tags: ["TREASURER_TAG_ID"] }, { tags: ["TREASURER_TAG_ID"] }],
      outcome: ALLOW,
    },
    { roots: eth({ value: 10n ** 20n }), by: [{ tags: ["TREASURER_TAG_ID"] }], outcome: WAIT },
  ],
  "bounded-fee": [
    { roots: eth({}), by: bot, outcome: ALLOW },
    { roots: eth({ gas_price: 100_000_000_001n }), by: bot, outcome: MISS },
    { roots: eth({ type: "TYPE_3" }), by: bot, outcome: MISS },
  ],
  "bounded-nonce": [
    { roots: paymentWithNonce(99n), by: bot, outcome: ALLOW },
    { roots: paymentWithNonce(100n), by: bot, outcome: MISS },
  ],
  "token-transfer-by-bytes": [
    { roots: eth({ to: usdc, data: `${transferData(friend)}00` }), by: bot, outcome: ALLOW },
    { roots: eth({ to: usdc, data: `${transferData(usdc)}00` }), by: bot, outcome: MISS },
    { roots: eth({ to: usdc, data: "0x" }), by: bot, outcome: ERROR },
  ],
  "token-transfer-by-interface": [
    { roots: transferCall(friend.toLowerCase(), 25_000_000n), by: bot, outcome: ALLOW },
    { roots: transferCall(friend, 25_000_001n), by: bot, outcome: MISS },
    { roots: eth({ to: usdc, function_name: "" }), by: bot, outcome: ERROR },
  ],
  "batched-calls": [
    {
      roots: eth({
        to: "0x52908400098527886E0F7030069857D2E4169EE7",
        function_name: "execute",
        contract_call_args: { calls: [[friend, 0n, "0x"]] },
      }),
      by: bot,
      outcome: ALLOW,
    },
    {
      roots: eth({
        to: "0x52908400098527886E0F7030069857D2E4169EE7",
        function_name: "execute",
        contract_call_args: {
          calls: [
            [friend, 0n, "0x"],
            [usdc, 0n, "0x"],
          ],
        },
      }),
      by: bot,
      outcome: MISS,
    },
  ],
  "no-contract-creation": [
    { roots: eth({ to: "" }), outcome: DENY },
    { roots: eth({}), outcome: MISS },
    { roots: solana({}), outcome: ERROR },
  ],
  "typed-data": [
    { roots: permit(25_000_000n), by: bot, outcome: ALLOW },
    { roots: permit(26_000_000n), by: bot, outcome: MISS },
    // A message may declare the amount as text.
    { roots: permit("25000000"), by: bot, outcome: ERROR },
  ],
  "typed-data-lists": [
    { roots: batchPermit({ token: usdc }, { token: usdc }), by: bot, outcome: ALLOW },
    { roots: batchPermit({ token: usdc }, { token: friend }), by: bot, outcome: MISS },
    { roots: batchPermit(), by: bot, outcome: MISS },
  ],
  authorization: [
    {
      roots: raw({ eth: { eip_7702_authorization: { address: friend, chain_id: 1n, nonce: 0n } } }),
      by: ada,
      outcome: ALLOW,
    },
    {
      roots: raw({ eth: { eip_7702_authorization: { address: friend, chain_id: 0n, nonce: 0n } } }),
      by: ada,
      outcome: MISS,
    },
  ],
  "solana-one-transfer": [
    {
      roots: solana({ instructions: [call("1")], transfers: [solTransfer("RECIPIENT")] }),
      by: bot,
      outcome: ALLOW,
    },
    {
      roots: solana({
        instructions: [call("1"), call("X")],
        transfers: [solTransfer("RECIPIENT")],
      }),
      by: bot,
      outcome: MISS,
    },
  ],
  "solana-one-sender": [
    {
      roots: solana({
        instructions: [call("1"), call("1")],
        transfers: [
          { ...solTransfer("X"), from: "SENDER" },
          { ...solTransfer("Y"), from: "SENDER" },
        ],
      }),
      by: bot,
      outcome: ALLOW,
    },
    {
      roots: solana({ instructions: [call("1")], transfers: [solTransfer("X")] }),
      by: bot,
      outcome: MISS,
    },
  ],
  "solana-exact-instruction": [
    { roots: exactCall("FIRST_ACCOUNT", "SECOND_ACCOUNT"), by: bot, outcome: ALLOW },
    { roots: exactCall("FIRST_ACCOUNT", "OTHER"), by: bot, outcome: MISS },
    // Clauses read everything, so a position past the end of a list is an error.
    { roots: exactCall("FIRST_ACCOUNT"), by: bot, outcome: ERROR },
  ],
  "solana-no-payments-to": [
    { roots: solana({ account_keys: ["ME", "THIEF"] }), by: bot, outcome: DENY },
    { roots: solana({ account_keys: ["ME", "FRIEND"] }), by: bot, outcome: MISS },
    // Anybody may be behind a lookup.
    {
      roots: solana({ account_keys: ["ME"], address_table_lookups: [{ address_table_key: "T" }] }),
      by: bot,
      outcome: DENY,
    },
  ],
  "solana-one-token": [
    {
      roots: solana({
        instructions: [call(token)],
        spl_transfers: [splTransfer("TOKEN_ACCOUNT")],
      }),
      by: bot,
      outcome: ALLOW,
    },
    {
      // The plain Transfer instruction does not name the mint.
      roots: solana({
        instructions: [call(token)],
        spl_transfers: [splTransfer("TOKEN_ACCOUNT", "")],
      }),
      by: bot,
      outcome: MISS,
    },
  ],
  "solana-tokens-of-owner": [
    {
      roots: solana({
        instructions: [call(token)],
        spl_transfers: [{ ...splTransfer("X"), from: "TOKEN_ACCOUNT", owner: "OWNER" }],
      }),
      by: bot,
      outcome: ALLOW,
    },
    {
      roots: solana({
        instructions: [call(token)],
        spl_transfers: [{ ...splTransfer("X"), from: "TOKEN_ACCOUNT" }],
      }),
      by: bot,
      outcome: MISS,
    },
  ],
  "solana-token-multisig": [
    { roots: multisigTransfer("ME", "OTHER_SIGNER"), by: bot, outcome: ALLOW },
    { roots: multisigTransfer("ME"), by: bot, outcome: MISS },
  ],
  "solana-known-programs": [
    { roots: solana({ program_keys: ["YOUR_PROGRAM"] }), by: bot, outcome: ALLOW },
    { roots: solana({ program_keys: ["YOUR_PROGRAM", "X"] }), by: bot, outcome: MISS },
  ],
  "solana-program-arguments": [
    {
      roots: solana({
        instructions: [
          call("YOUR_PROGRAM", {
            parsed_instruction_data: {
              instruction_name: "stake",
              program_call_args: { amount: 5n },
            },
          }),
        ],
      }),
      by: bot,
      outcome: ALLOW,
    },
    { roots: solana({ instructions: [call("YOUR_PROGRAM")] }), by: bot, outcome: ERROR },
  ],
  "solana-no-closing": [
    {
      roots: solana({ instructions: [call(token, { instruction_data_hex: "09" })] }),
      outcome: DENY,
    },
    { roots: solana({ instructions: [call(token)] }), outcome: MISS },
  ],
  "bitcoin-outputs": [
    {
      roots: sign({ bitcoin: { tx: { fee: 1n, outputs: [{ address: "RECIPIENT" }] } } }),
      by: bot,
      outcome: ALLOW,
    },
    {
      roots: sign({ bitcoin: { tx: { fee: 1n, outputs: [{ address: "X" }] } } }),
      by: bot,
      outcome: MISS,
    },
  ],
  "tron-token": [
    {
      roots: sign({
        tron: {
          tx: {
            contract: [
              {
                ...{ type: "TriggerSmartContract", contract_address: "TOKEN", call_value: 0n },
                data: "a9059cbb00",
              },
            ],
          },
        },
      }),
      by: bot,
      outcome: ALLOW,
    },
    {
      roots: sign({ tron: { tx: { contract: [{ type: "TransferContract" }] } } }),
      by: bot,
      outcome: ERROR,
    },
  ],
  "tempo-calls": [
    {
      roots: sign({ tempo: { tx: { gas_limit: 1n, calls: [{ to: friend }] } } }),
      by: bot,
      outcome: ALLOW,
    },
    {
      roots: sign({ tempo: { tx: { gas_limit: 1n, calls: [{ to: usdc }] } } }),
      by: bot,
      outcome: MISS,
    },
  ],
  "export-one-subtree": [
    {
      roots: {
        ...does("WALLET", "EXPORT", "EXPORT_WALLET_ACCOUNT"),
        wallet,
        wallet_account: { path_indexes: [44n, 60n], path_hardened: [true, true] },
      },
      by: ada,
      outcome: ALLOW,
    },
    {
      roots: {
        ...does("WALLET", "EXPORT", "EXPORT_WALLET_ACCOUNT"),
        wallet,
        wallet_account: { path_indexes: [44n, 501n], path_hardened: [true, true] },
      },
      by: ada,
      outcome: MISS,
    },
  ],
};

test.each(
  Object.entries(cases).flatMap(([id, list]) =>
    list.map((one, index) => [id as ExampleId, index, one] as const),
  ),
)("example %s, request %i", (id, _, { roots, by = [{ id: "SOMEBODY" }], now, outcome }) => {
  const policy = compilePolicy({ policyId: id, ...examples[id] });
  const users = by.map(({ id = "", tags = [] }, index) => ({
    ...{ id: id || `USER_${index}`, tags, email: "", alias: "" },
  }));
  // A colleague with the same tags, who has not voted.
  const others = users.map((user) => ({ ...user, id: `${user.id}_COLLEAGUE` }));
  const { evaluations } = decide({
    policies: [policy],
    environment: makeEnvironment(roots),
    users: [
      ...users,
      ...others,
      { ...{ id: "SECURITY", email: "", alias: "" }, tags: ["SECURITY_TAG_ID"] },
    ],
    approvals: users.map(({ id }, index) => ({
      userId: id,
      credential: {
        id: "KEY",
        user_id: id,
        type: "CREDENTIAL_TYPE_API_KEY_P256",
        credential_id: "",
        public_key: by[index]?.publicKey ?? "",
      },
    })),
    rootQuorum: { threshold: 1, userIds: ["ROOT"] },
    now: now ?? "2026-01-05T09:00:00Z",
  });
  expect(evaluations[0]).toMatchObject({ outcome });
});

test("every example has a request that it applies to and one that it does not apply to", () => {
  for (const [id, list] of Object.entries(cases)) {
    const applies = list.filter(({ outcome }) => outcome === ALLOW || outcome === DENY);
    expect([id, applies.length > 0, applies.length < list.length]).toEqual([id, true, true]);
  }
});

test.each(Object.entries(examples))("example %s has no warnings", (id, example) => {
  expect(lintPolicies([{ policyId: id, ...example }])).toEqual([]);
});
