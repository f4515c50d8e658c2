import { activityKinds } from "@keyhearth/policy/activity-kinds";
import type { Decision } from "@keyhearth/policy/decide";
import { neat } from "./neat.ts";
import type { Draft } from "./read-policies.ts";

export type SampleId =
  | "payment"
  | "smallPayment"
  | "treasurerPayment"
  | "tokenTransfer"
  | "rawPayload"
  | "solanaTransfer"
  | "createUsers"
  | "deleteWallets";

const users = [
  { id: "root", alias: "Rosa" },
  { id: "ada", alias: "Ada", tags: ["treasurers"] },
  { id: "bob", alias: "Bob", tags: ["treasurers"] },
  { id: "bot", alias: "Payout bot", tags: ["programs"] },
  { id: "ivo", alias: "Ivo", tags: ["interns"] },
];
const wallet = { id: "treasury", label: "Treasury", imported: false, exported: true };
const account = { address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" };
const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";

/** Requests to try policies on, as JSON. */
export const samples: Record<SampleId, string> = {
  payment: request("bot", ethereum({ to: supplier, value: "5000000000000000000" })),
  smallPayment: request("bot", ethereum({ to: supplier, value: "500000000000000000" })),
  treasurerPayment: request("ada", ethereum({ to: supplier, value: "5000000000000000000" })),
  tokenTransfer: request(
    "bot",
    ethereum({
      to: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      value: 0,
      data: "0xa9059cbb0000000000000000000000008ba1f109551bd432803012645ac136ddd64dba7200000000000000000000000000000000000000000000000000000000000f4240",
      function_name: "transfer",
      function_signature: "0xa9059cbb",
      contract_call_args: { to: { $ci: supplier }, value: 1_000_000 },
    }),
  ),
  rawPayload: request("bot", {
    activity: activity("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {
      sign_with: account.address,
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hash_function: "HASH_FUNCTION_KECCAK256",
    }),
    wallet,
    wallet_account: account,
  }),
  solanaTransfer: request("bot", {
    activity: activity("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", {
      sign_with: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
      type: "TRANSACTION_TYPE_SOLANA",
    }),
    wallet,
    wallet_account: { address: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk" },
    solana: {
      tx: {
        account_keys: [
          "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
          "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM",
          "11111111111111111111111111111111",
        ],
        program_keys: ["11111111111111111111111111111111"],
        transfers: [
          {
            from: "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
            to: "4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM",
            amount: 1_000_000_000,
          },
        ],
        spl_transfers: [],
      },
    },
  }),
  createUsers: request("ada", {
    activity: activity("ACTIVITY_TYPE_CREATE_USERS_V3", {
      users: [{ user_name: "Eve", user_email: "eve@example.com", user_tags: ["treasurers"] }],
    }),
  }),
  deleteWallets: request("ivo", {
    activity: activity("ACTIVITY_TYPE_DELETE_WALLETS", { wallet_ids: ["treasury"] }),
    wallets: [wallet],
  }),
};

function ethereum(tx: Record<string, unknown>): object {
  return {
    activity: activity("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", {
      sign_with: account.address,
      type: "TRANSACTION_TYPE_ETHEREUM",
    }),
    wallet,
    wallet_account: account,
    eth: {
      tx: { from: account.address, data: "0x", chain_id: 1, nonce: 7, gas: 21_000, ...tx },
    },
  };
}

function activity(type: string, params: object): object {
  const known = activityKinds.find((each) => each.type === type);
  if (!known) throw new Error(`a sample has the type ${type}, which does not exist`);
  const { kind, resource, action } = known;
  return { type, kind, resource, action, params };
}

function request(submitter: string, context: object): string {
  const whole = {
    users,
    rootQuorum: { threshold: 1, userIds: ["root"] },
    approvedBy: [submitter],
    now: "2026-07-06T08:30:00Z",
    context,
  };
  // Amounts are too large for JavaScript numbers.
  return neat(whole).replace(/("value": )"(\d+)"/g, "$1$2");
}

export type PresetId =
  | "treasury"
  | "fourEyes"
  | "denyWins"
  | "tokens"
  | "guard"
  | "unknownName"
  | "officeHours"
  | "interns";

export type Preset = {
  id: PresetId;
  policies: Draft[];
  sample: SampleId;
  /** What a test expects. `refused` if a clause does not compile. */
  outcome: Decision["outcome"] | "refused";
};

const absent = { consensus: "", condition: "", time: "" };
const isSigning = "activity.kind == 'SIGN_TRANSACTION'";

/** Sets of policies that the playground offers. */
export const presets: readonly [Preset, ...Preset[]] = [
  {
    id: "treasury",
    policies: [
      allow("the bot pays up to 1 ETH to the supplier", {
        consensus: "approvers.any(user, user.id == 'bot')",
        condition: [
          isSigning,
          "&& wallet.id == 'treasury'",
          "&& eth.tx.chain_id == 1",
          `&& eth.tx.to == '${supplier}'`,
          "&& eth.tx.value <= 1000000000000000000",
        ].join("\n"),
      }),
      allow("two treasurers pay anything", {
        consensus: "approvers.filter(user, user.tags.contains('treasurers')).count() >= 2",
        condition: `${isSigning}\n&& wallet.id == 'treasury'`,
      }),
      deny("nothing that nobody can read", {
        condition: "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
      }),
    ],
    sample: "payment",
    outcome: "OUTCOME_DENY_IMPLICIT",
  },
  {
    id: "fourEyes",
    policies: [
      allow("two treasurers pay", {
        consensus: "approvers.filter(user, user.tags.contains('treasurers')).count() >= 2",
        condition: `${isSigning}\n&& wallet.id == 'treasury'`,
      }),
    ],
    sample: "treasurerPayment",
    outcome: "OUTCOME_REQUIRES_CONSENSUS",
  },
  {
    id: "denyWins",
    policies: [
      allow("the bot signs with the treasury", {
        consensus: "approvers.any(user, user.id == 'bot')",
        condition: "activity.action == 'SIGN' && wallet.id == 'treasury'",
      }),
      deny("no raw payloads", {
        condition: "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
      }),
    ],
    sample: "rawPayload",
    outcome: "OUTCOME_DENY_EXPLICIT",
  },
  {
    id: "tokens",
    policies: [
      allow("the bot sends USDC to the supplier", {
        consensus: "approvers.any(user, user.id == 'bot')",
        condition: [
          `${isSigning} && wallet.id == 'treasury'`,
          "&& eth.tx.chain_id == 1",
          "&& eth.tx.to == '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'",
          "&& eth.tx.value == 0",
          "&& eth.tx.function_name == 'transfer'",
          `&& eth.tx.contract_call_args['to'] == '${supplier}'`,
          "&& eth.tx.contract_call_args['value'] <= 5000000",
        ].join("\n"),
      }),
    ],
    sample: "tokenTransfer",
    outcome: "OUTCOME_ALLOW",
  },
  {
    id: "guard",
    policies: [
      allow("a guard that doesn't prevent an error", {
        condition: "eth.tx.data != '0x'\n&& eth.tx.data[0..10] == '0xa9059cbb'",
      }),
    ],
    sample: "smallPayment",
    outcome: "OUTCOME_DENY_IMPLICIT",
  },
  {
    id: "unknownName",
    policies: [allow("a name that does not exist", { condition: "wallet.name == 'Treasury'" })],
    sample: "smallPayment",
    outcome: "refused",
  },
  {
    id: "officeHours",
    policies: [
      allow("the bot pays in office hours", {
        consensus: "approvers.any(user, user.id == 'bot')",
        condition: `${isSigning} && wallet.id == 'treasury'`,
        time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')",
      }),
    ],
    sample: "smallPayment",
    outcome: "OUTCOME_ALLOW",
  },
  {
    id: "interns",
    policies: [
      allow("everybody changes wallets", { condition: "activity.resource == 'WALLET'" }),
      deny("interns delete nothing", {
        consensus: "approvers.any(user, user.tags.contains('interns'))",
        condition: "activity.action == 'DELETE'",
      }),
    ],
    sample: "deleteWallets",
    outcome: "OUTCOME_DENY_EXPLICIT",
  },
];

type Clauses = Partial<Pick<Draft, "consensus" | "condition" | "time">>;

function allow(name: string, clauses: Clauses): Draft {
  return { name, effect: "EFFECT_ALLOW", ...absent, ...clauses };
}

function deny(name: string, clauses: Clauses): Draft {
  return { name, effect: "EFFECT_DENY", ...absent, ...clauses };
}
