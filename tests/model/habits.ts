import type { Random } from "../fuzz/random.ts";
import type { Rules } from "./plan.ts";

// Each plan has only some kinds of requests, and only some habits of its host. Then the few that it has meet
// often.

/** One that is named more often happens more often. The last ones need many steps, so there are more of them. */
const kindsByTheme: string[][] = [
  ["create_user_tag", "delete_user_tags", "update_user_name"],
  ["create_policy", "delete_policy", "create_user_tag"],
  ["update_root_quorum", "create_user_tag", "update_user_name"],
  ["update_root_quorum", "delete_users", "create_user_tag", "create_users"],
  ["create_users", "delete_users", "create_api_keys", "create_user_tag"],
  ["create_api_keys", "delete_api_keys", "stamp_login"],
  ["stamp_login", "log_out_everywhere", "create_read_write_session"],
  ["create_private_keys", "delete_private_keys", "sign_raw_payload", "export_private_key"],
  ["create_wallet", "create_wallet_accounts", "delete_wallet_accounts", "sign_raw_payload"],
  ["create_wallet", "delete_wallets", "create_wallet_accounts"],
  ["create_wallet", "create_wallet_accounts", "sign_raw_payload"],
  ["create_sub_organization", "create_user_tag"],
  ["create_sub_organization", "stamp_login", "create_user_tag"],
  ["create_sub_organization", "delete_sub_organization", "create_user_tag"],
  ["delete_organization", "create_policy", "create_user_tag", "create_user_tag", "stamp_login"],
  ["init_otp", "verify_otp", "otp_login", "update_user_email", "log_out_everywhere"],
  ["init_otp", "verify_otp", "verify_otp", "verify_otp", "verify_otp"],
  ["create_invitations", "accept_invitation", "delete_invitation", "create_user_tag"],
  ["create_invitations", "accept_invitation", "delete_users", "create_api_keys"],
  ["init_otp", "verify_otp", "otp_login", "otp_login"],
  ["init_otp", "verify_otp", "verify_otp", "verify_otp", "verify_otp"],
  ["create_users", "delete_users", "create_user_tag", "update_user_name"],
  ["create_api_keys", "delete_api_keys", "create_user_tag"],
  ["create_wallet", "create_wallet_accounts", "delete_wallet_accounts", "sign_raw_payload"],
  ["create_wallet", "create_wallet_accounts", "sign_raw_payload"],
];

export function chooseRules(random: Random, { kinds, threshold }: Habits): Rules {
  // Codes end soon, so few of their requests wait.
  const isAboutCodes = kinds.includes("verify_otp");
  return {
    threshold: threshold ?? random.pick(isAboutCodes ? [1, 1, 1, 2] : [1, 1, 2, 2, 3]),
    allowed: random.pick([
      ...(isAboutCodes ? [] : (["nobody else", "nobody else", "any two users"] as const)),
      "nobody else",
      "ada and the clerk",
      "the clerk",
    ] as const),
  };
}

export type Habits = {
  kinds: string[];
  /** How often of a hundred times the host does each. */
  resends: number;
  keepsBack: number;
  brings: number;
  forgets: number;
  waits: number;
  restarts: number;
  votes: number;
  /** The same for requests for codes and tokens that it has decided again. */
  decidesAgain: number;
  /** It has votes reject these under other rules, after they were decided at once. */
  otherRoad: string[];
  /** Of how many codes that are typed one is right. */
  guesses: number;
  ahead: boolean;
  organizations: string[];
  /** How many root users must agree, if that matters. */
  threshold?: number;
};

export function chooseHabits(random: Random, isHonest: boolean): Habits {
  if (random.oneIn(3)) return stubborn(random, isHonest);
  const themes = [
    random.pick(kindsByTheme),
    ...(random.oneIn(2) ? [random.pick(kindsByTheme)] : []),
  ];
  const kinds = [...themes.flat(), ...(random.oneIn(4) ? ["create_policy"] : [])];
  // The signer forgets codes when it starts again, and soon anyway.
  const isAboutCodes = kinds.includes("verify_otp");
  const often = (numbers: number[]) => (isHonest ? 0 : random.pick(numbers));
  return {
    kinds,
    resends: random.pick([5, 20, 35]),
    keepsBack: often([0, 10, 30]),
    brings: often(isAboutCodes ? [0, 0, 15] : [0, 15, 40]),
    forgets: often([0, 15, 40]),
    waits: random.pick(isAboutCodes ? [1, 1, 5, 10] : [1, 5, 10, 20]),
    restarts: random.pick(isAboutCodes ? [0, 0, 2] : [0, 2, 5]),
    votes: random.pick([5, 20, 30]),
    decidesAgain: isAboutCodes ? often([0, 0, 15]) : 0,
    otherRoad: [],
    guesses: random.pick([1, 2, 10]),
    ahead: !isHonest && random.oneIn(3),
    organizations: !isHonest && random.oneIn(4) ? ["acme", "acme", "beta"] : ["acme"],
  };
}

/** What takes nearly all steps of a plan, so that nothing else gets in its way. */
function stubborn(random: Random, isHonest: boolean): Habits {
  const rest = {
    ...{ resends: 5, keepsBack: 0, brings: 0, forgets: 0, waits: 1, restarts: 0, votes: 5 },
    ...{ guesses: 1, ahead: false, organizations: ["acme"], decidesAgain: 0 },
    otherRoad: [],
  };
  const often = (number: number) => (isHonest ? 0 : number);
  const accounts = ["create_wallet", "create_wallet_accounts", "create_wallet_accounts"];
  // Deletes accounts and makes them again.
  const remaking = {
    ...rest,
    kinds: [...accounts, "delete_wallet_accounts", "sign_raw_payload"],
    forgets: often(15),
    brings: often(5),
    ahead: !isHonest,
    threshold: 1,
  };
  const early = { ...rest, brings: often(5), threshold: 1 };
  const otherRoad = (...kinds: string[]) => (isHonest ? [] : kinds);
  return random.pick<Habits>([
    // Keeps back what was decided at once until votes have rejected it.
    random.pick<Habits>([
      {
        ...early,
        kinds: [...accounts, "sign_raw_payload", "sign_raw_payload"],
        otherRoad: otherRoad("create_wallet_accounts"),
      },
      {
        ...early,
        kinds: ["stamp_login", "create_user_tag"],
        otherRoad: otherRoad("stamp_login"),
      },
      {
        ...early,
        kinds: ["init_otp", "verify_otp"],
        otherRoad: otherRoad("init_otp"),
      },
      {
        ...early,
        kinds: ["init_otp", "verify_otp", "otp_login", "otp_login"],
        otherRoad: otherRoad("verify_otp"),
      },
      {
        ...early,
        kinds: ["create_sub_organization", "create_user_tag"],
        otherRoad: otherRoad("create_sub_organization"),
      },
    ]),
    random.pick<Habits>([
      // Guesses codes.
      {
        ...rest,
        kinds: ["init_otp", "verify_otp", "verify_otp", "verify_otp", "verify_otp"],
        guesses: random.pick([10, 30]),
        threshold: 1,
      },
      // Deletes the keys that have approved something.
      {
        ...rest,
        kinds: ["create_api_keys", "delete_api_keys", "create_user_tag"],
        votes: 30,
        threshold: 2,
      },
    ]),
    // Has votes decide about logins with codes.
    {
      ...rest,
      kinds: ["init_otp", "verify_otp", "otp_login", "otp_login"],
      forgets: often(15),
      brings: often(5),
      votes: 45,
      threshold: 2,
    },
    // Has votes decide about codes, which others verify.
    {
      ...rest,
      kinds: ["init_otp", "init_otp", "verify_otp", "verify_otp", "otp_login"],
      forgets: often(15),
      brings: often(5),
      votes: 30,
      threshold: 2,
    },
    // Logs out those who log in with codes.
    {
      ...rest,
      kinds: ["init_otp", "verify_otp", "log_out_everywhere", "otp_login", "otp_login"],
      decidesAgain: often(20),
      threshold: 1,
    },
    // Proves contacts that others only state, and logs in with them.
    {
      ...rest,
      kinds: ["init_otp", "verify_otp", "update_user_email", "otp_login"],
      threshold: 1,
    },
    remaking,
    remaking,
    // Has votes decide about accounts.
    {
      ...rest,
      kinds: [...accounts, "sign_raw_payload"],
      forgets: often(5),
      brings: often(15),
      votes: 45,
      threshold: 2,
    },
  ]);
}
