import fc from "fast-check";
import { expect, test } from "vitest";
import type { User } from "../../consensus.ts";
import { compilePolicy, type DecisionInput, decide, type PolicyText } from "../../decide.ts";
import { type Input, makeEnvironment, unread } from "../../environment.ts";
import { compile } from "../../evaluate.ts";
import { expression, roots } from "../../generate.testing.ts";
import { environmentOf } from "../../vectors.testing.ts";
import { type Comparison, comparePolicies, type Organization } from "../comparison.ts";
import type { Example } from "./example.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";

/** A value of a request: every form that its tests can tell apart, and the tests. */
type Subject = {
  root: "activity" | "wallet" | "wallet_account" | "private_key" | "eth.tx" | "solana.tx";
  field: string;
  values: Input[];
  tests: string[];
};

const SUBJECTS: Subject[] = [
  {
    root: "wallet",
    field: "id",
    values: ["a", "A", "b", "c"],
    tests: [
      "wallet.id == 'a'",
      "'b' != wallet.id",
      "wallet.id in ['a', 'b']",
      "['A', 'b'].contains(wallet.id)",
      "CaseInsensitiveString(wallet.id) == 'a'",
    ],
  },
  {
    root: "wallet",
    field: "imported",
    values: [true, false],
    tests: ["wallet.imported", "wallet.imported == false", "wallet.imported in [true]"],
  },
  {
    root: "wallet_account",
    field: "address",
    values: ["x", "X"],
    tests: ["wallet_account.address == 'x'", "wallet_account.address in []"],
  },
  {
    root: "private_key",
    field: "id",
    values: ["p", "q"],
    tests: ["private_key.id == 'p'", "private_key.id != 'p'"],
  },
  {
    root: "private_key",
    field: "tags",
    values: [[], ["s"], ["t"], ["s", "t"]],
    tests: ["private_key.tags.contains('s')", "'t' in private_key.tags"],
  },
  {
    root: "eth.tx",
    field: "value",
    values: [0, 1, 2, 3, 4],
    tests: [
      "eth.tx.value < 2",
      "3 <= eth.tx.value",
      "eth.tx.value == 1",
      "eth.tx.value in [0, 3]",
      "eth.tx.value >= 0",
      "eth.tx.value != 2",
    ],
  },
  {
    root: "eth.tx",
    field: "to",
    values: ["a", "B", "c"],
    tests: [
      "eth.tx.to == 'A'",
      "eth.tx.to in ['a', 'b']",
      "CaseInsensitiveString(eth.tx.to) != 'b'",
    ],
  },
  {
    root: "eth.tx",
    field: "contract_call_args",
    values: [
      { wad: 0 },
      { wad: 1 },
      { wad: 2 },
      { wad: "1" },
      { wad: "2" },
      { wad: [] },
      { wad: unread("odd") },
      {},
      undefined,
    ],
    tests: [
      "eth.tx.contract_call_args['wad'] < 2",
      "eth.tx.contract_call_args['wad'] == '1'",
      "!(eth.tx.contract_call_args['wad'] == 1)",
    ],
  },
  {
    root: "wallet",
    field: "label",
    values: ["", "x", "o", "xo", "oo", "xyz", "xyz+", "oyz", "xoo", "ooo"],
    tests: [
      "wallet.label[0..1] == 'x'",
      "wallet.label[1..3] in ['yz']",
      "wallet.label == 'x'",
      "'xyz' != wallet.label",
      "wallet.label[0..1] == 'xy'",
    ],
  },
  {
    root: "solana.tx",
    field: "recent_blockhash",
    values: ["h", "i"],
    tests: ["solana.tx.recent_blockhash == 'h'"],
  },
  {
    root: "activity",
    field: "action",
    values: ["SIGN", "EXPORT", "x"],
    tests: ["activity.action == 'SIGN'", "activity.action in ['SIGN', 'EXPORT']"],
  },
];

const TRANSFERS = [
  { to: "a", amount: 1 },
  { to: "b", amount: 2 },
  { to: "a", amount: 3 },
];

/** Subjects that are not exact. Answers about them must still not be wrong. */
const OPAQUE: Subject[] = [
  {
    root: "solana.tx",
    field: "transfers",
    values: [[], TRANSFERS.slice(0, 1), TRANSFERS.slice(1, 2), TRANSFERS.slice(0, 2), TRANSFERS],
    tests: [
      "solana.tx.transfers.all(t, t.to == 'a')",
      "solana.tx.transfers.any(x, x.amount > 1)",
      "solana.tx.transfers.filter(t, t.to == 'a').count() == 1",
      "solana.tx.transfers.count() <= 1",
      "solana.tx.transfers[0].to == 'a'",
      "solana.tx.transfers[1].amount in [2]",
    ],
  },
  {
    root: "eth.tx",
    field: "to",
    values: ["a", "A", "b", ""],
    tests: [
      "eth.tx.to == eth.tx.from",
      "eth.tx.to == 'a'",
      "eth.tx.to[0] == 'a'",
      "eth.tx.to in [eth.tx.from]",
    ],
  },
  {
    root: "eth.tx",
    field: "data",
    values: ["", "0", "0x", "1x", "0xa9", "0xb0", "00a9", "00b0"],
    tests: [
      "eth.tx.data[0..2] == '0x'",
      "eth.tx.data[2..4] == 'a9'",
      "eth.tx.data == '0x'",
      "eth.tx.data[0..2] == '0xa'",
    ],
  },
  { root: "eth.tx", field: "from", values: ["a", "b"], tests: ["eth.tx.from != 'b'"] },
  {
    root: "private_key",
    field: "tags",
    values: [[], ["s"], ["t"], ["s", "t"], ["t", "s"]],
    tests: [
      "private_key.tags.contains('s')",
      "private_key.tags.count() == 1",
      "private_key.tags[0] == 't'",
      "private_key.tags[0..1].contains('s')",
      "private_key.tags.all(tag, tag != 's')",
    ],
  },
  {
    root: "wallet",
    field: "label",
    values: ["", "x", "xy", "X", "yx"],
    tests: [
      "wallet.label[0..1] == 'x'",
      "wallet.label[1..2] == 'y'",
      "wallet.label == 'xy'",
      "wallet.label == wallet.label",
    ],
  },
];

const TIMES = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"];

const TIME_TESTS = [
  "time.now < Timestamp('2026-02-01T00:00:00Z')",
  "!(time.now == Timestamp('2026-02-01T00:00:00Z'))",
];

const VOTE_TESTS = [
  "approvers.count() >= 2",
  "1 < approvers.count",
  "approvers.count() in [1, 3]",
  "approvers.count() != 2",
  "approvers.any(u, u.id == 'ann')",
  "approvers.all(u, u.id in ['ann', 'bob'])",
  "approvers.any(user, 'ops' in user.tags)",
  "approvers.filter(u, u.tags.contains('ops')).count() >= 2",
  "approvers.filter(u, u.tags.contains('ops') || u.id == 'bob').count() == 1",
  "approvers.all(u, !u.tags.contains('sec'))",
  "approvers.filter(u, u.tags.contains('sec')).any(u, u.id != 'ann')",
  "approvers.filter(u, u.tags.count() == 1).count() < 1",
];

const USERS: User[] = [
  newUser("ann", ["ops"]),
  newUser("bob", ["ops", "sec"]),
  newUser("cid", ["sec"]),
];

/** Tests joined by operators; errors and values of the parts mix in every way. */
function clauseOf(tests: readonly string[]): fc.Arbitrary<string> {
  return fc.letrec<{ clause: string }>((tie) => ({
    clause: fc.oneof(
      { maxDepth: 2 },
      { arbitrary: fc.constantFrom(...tests), weight: 3 },
      { arbitrary: fc.constantFrom("true", "false", "1 == 1"), weight: 1 },
      {
        arbitrary: fc
          .tuple(tie("clause"), fc.constantFrom("&&", "||", "==", "!="), tie("clause"))
          .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
        weight: 4,
      },
      { arbitrary: tie("clause").map((inner) => `!(${inner})`), weight: 1 },
    ),
  })).clause;
}

function policiesOf(clauses: {
  condition?: fc.Arbitrary<string>;
  consensus?: fc.Arbitrary<string>;
  time?: fc.Arbitrary<string>;
}): fc.Arbitrary<PolicyText[]> {
  const optional = (clause: fc.Arbitrary<string> | undefined) => {
    return clause ? fc.option(clause, { nil: undefined, freq: 3 }) : fc.constant(undefined);
  };
  const policy = fc.record({
    effect: fc.constantFrom<PolicyText["effect"]>("EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY"),
    condition: optional(clauses.condition),
    consensus: optional(clauses.consensus),
    time: optional(clauses.time),
  });
  return fc
    .array(policy, { minLength: 1, maxLength: 3 })
    .map((some) => some.map((one, i) => ({ ...one, policyId: `p${i}` })));
}

/** Two sets: unrelated ones, or one and a copy with a policy changed, added or taken away. */
function pairOf(policies: fc.Arbitrary<PolicyText[]>): fc.Arbitrary<[PolicyText[], PolicyText[]]> {
  const edited = fc
    .tuple(policies, policies, fc.nat(2), fc.constantFrom("change", "add", "remove", "flip"))
    .map(([set, [other], at, edit]): [PolicyText[], PolicyText[]] => {
      const i = at % set.length;
      if (edit === "add") return [set, [...set, ...(other ? [other] : [])]];
      if (edit === "remove") return [set, set.filter((_, j) => j !== i)];
      return [
        set,
        set.map((one, j) => {
          if (j !== i || !other) return one;
          if (edit === "change") return { ...other, effect: one.effect };
          return { ...one, effect: one.effect === "EFFECT_DENY" ? "EFFECT_ALLOW" : "EFFECT_DENY" };
        }),
      ];
    });
  return fc.oneof(fc.tuple(policies, policies), edited);
}

type Request = Pick<DecisionInput, "environment" | "users" | "approvals" | "now">;

function isAllowed(policies: readonly PolicyText[], request: Request): boolean {
  const rootQuorum = { threshold: 1, userIds: [] };
  const compiled = policies.map(compilePolicy);
  return decide({ ...request, policies: compiled, rootQuorum }).outcome === "OUTCOME_ALLOW";
}

/** Compares by deciding about every request. */
function hasMore(before: PolicyText[], after: PolicyText[], requests: readonly Request[]): boolean {
  const rootQuorum = { threshold: 1, userIds: [] };
  const [old, now] = [before.map(compilePolicy), after.map(compilePolicy)];
  return requests.some((request) => {
    const outcomeOf = (policies: typeof old) =>
      decide({ ...request, policies, rootQuorum }).outcome;
    return outcomeOf(now) === "OUTCOME_ALLOW" && outcomeOf(old) !== "OUTCOME_ALLOW";
  });
}

/** Every request that has some of the roots, with every value of these subjects. */
function environmentsOf(subjects: readonly Subject[]): Request["environment"][] {
  const environments: Request["environment"][] = [];
  for (const key of ["none", "wallet", "wallet_account", "private_key"]) {
    for (const signed of ["none", "eth.tx", "solana.tx"]) {
      if (signed !== "none" && key !== "wallet_account" && key !== "private_key") continue;
      const roots = ["activity", key, signed, ...(key === "wallet_account" ? ["wallet"] : [])];
      const fields = subjects.filter(({ root }) => roots.includes(root));
      for (const values of product(fields.map((subject) => subject.values))) {
        const structs: Record<string, Record<string, Input>> = {};
        for (const root of roots) if (root !== "none") structs[root] = {};
        for (const [i, { root, field }] of fields.entries()) {
          const struct = structs[root];
          if (struct) struct[field] = values[i];
        }
        const { "eth.tx": eth, "solana.tx": solana, ...others } = structs;
        environments.push(
          makeEnvironment({
            ...others,
            ...(eth && { eth: { tx: eth } }),
            ...(solana && { solana: { tx: solana } }),
          }),
        );
      }
    }
  }
  return environments;
}

function product<T>([first, ...rest]: readonly (readonly T[])[]): T[][] {
  if (!first) return [[]];
  const others = product(rest);
  return first.flatMap((value) => others.map((values) => [value, ...values]));
}

function subsets<T>([first, ...rest]: readonly T[]): T[][] {
  if (first === undefined) return [[]];
  const others = subsets(rest);
  return [...others, ...others.map((some) => [first, ...some])];
}

function newUser(id: string, tags: string[]): User {
  return { id, tags, email: "", alias: "" };
}

/** An answer has to be exact, and its example has to be one. */
function agree(
  [before, after]: readonly [PolicyText[], PolicyText[]],
  requests: readonly Request[],
  organization?: Organization,
): Comparison["answer"] {
  const comparison = comparePolicies(before, after, organization);
  expect(comparison.answer).toBe(hasMore(before, after, requests) ? "more" : "no more");
  if (comparison.answer === "more") expectExample(comparison.example, before, after);
  return comparison.answer;
}

function expectExample(
  { context, approvers, now }: Example,
  before: PolicyText[],
  after: PolicyText[],
) {
  const request = {
    environment: environmentOf(context),
    users: approvers.map(({ userId, tags, email, alias }) => ({ id: userId, tags, email, alias })),
    approvals: approvers.map(({ userId }) => ({ userId })),
    now,
  };
  expect(isAllowed(after, request)).toBe(true);
  expect(isAllowed(before, request)).toBe(false);
}

const runs = isLong ? 20_000 : 500;

const minutes = (count: number) => ({ timeout: count * 60_000 });

test("conditions over a few values agree with deciding about every request", minutes(60), () => {
  const answers = { more: 0, "no more": 0, unknown: 0 };
  const nobody = { users: [newUser("ann", [])], approvals: [{ userId: "ann" }], now: TIMES[0] };
  const example = fc
    .shuffledSubarray(SUBJECTS, { minLength: 1, maxLength: 3 })
    .chain((subjects) => {
      const condition = clauseOf(subjects.flatMap(({ tests }) => tests));
      return fc.tuple(fc.constant(subjects), pairOf(policiesOf({ condition })));
    });
  fc.assert(
    fc.property(example, ([subjects, pair]) => {
      const requests = environmentsOf(subjects).map((environment) => ({ environment, ...nobody }));
      answers[agree(pair, requests)]++;
    }),
    { numRuns: runs },
  );
  expect(Math.min(answers.more, answers["no more"])).toBeGreaterThan(runs / 10);
});

test("approvals of known users agree with deciding about every set of them", minutes(60), () => {
  const answers = { more: 0, "no more": 0, unknown: 0 };
  const requests = subsets(USERS).flatMap((some) => {
    const approvals = some.map(({ id }) => ({ userId: id }));
    return [{ id: "a" }, { id: "b" }, undefined].flatMap((wallet) => {
      const environment = makeEnvironment({ activity: {}, wallet });
      return TIMES.map((now) => ({ environment, users: USERS, approvals, now }));
    });
  });
  const submitted = requests.filter(({ approvals }) => approvals.length > 0);
  const clauses = {
    condition: fc.constantFrom("wallet.id == 'a'", "wallet.id != 'a'", "true"),
    consensus: clauseOf([...VOTE_TESTS, "approvers.any(u, u.tags[1] == 'sec')"]),
    time: fc.constantFrom(...TIME_TESTS),
  };
  fc.assert(
    fc.property(pairOf(policiesOf(clauses)), (pair) => {
      answers[agree(pair, submitted, { users: USERS })]++;
    }),
    { numRuns: runs },
  );
  expect(Math.min(answers.more, answers["no more"])).toBeGreaterThan(runs / 10);
});

test("approvals of anybody agree with deciding about all kinds of users", minutes(60), () => {
  const answers = { more: 0, "no more": 0, unknown: 0 };
  const tags = [[], ["ops"], ["sec"], ["ops", "sec"]];
  // Three of each kind: more than any test of the list above counts to.
  const strangers = tags.flatMap((some, kind) => {
    return [1, 2, 3].map((number) => newUser(`${kind}${number}`, some));
  });
  const named = ["ann", "bob"].map((id) => [undefined, ...tags.map((some) => newUser(id, some))]);
  const counts = product(tags.map(() => [0, 1, 2, 3])).map((numbers) => {
    return strangers.filter(({ id }) => Number(id[1]) <= (numbers[Number(id[0])] ?? 0));
  });
  const environment = makeEnvironment({ activity: {} });
  const requests = product<User | undefined>(named).flatMap((known) => {
    return counts.flatMap((others) => {
      const users = [...known.filter((user) => user !== undefined), ...others];
      const approvals = users.map(({ id }) => ({ userId: id }));
      return users.length > 0 && users.length <= 4 ? { environment, users, approvals } : [];
    });
  });
  const tests = VOTE_TESTS.filter((text) => !text.includes("tags.count"));
  fc.assert(
    fc.property(pairOf(policiesOf({ consensus: clauseOf(tests) })), (pair) => {
      answers[agree(pair, requests)]++;
    }),
    { numRuns: isLong ? 2000 : 150 },
  );
  expect(Math.min(answers.more, answers["no more"])).toBeGreaterThan(10);
});

test("only the known activities count", minutes(60), () => {
  const answers = { more: 0, "no more": 0, unknown: 0 };
  const activities = [
    newActivity("SIGN_TRANSACTION", "_V2", "PRIVATE_KEY", "SIGN"),
    newActivity("SIGN_TRANSACTION", "", "PRIVATE_KEY", "SIGN"),
    newActivity("SIGN_RAW_PAYLOAD", "_V2", "PRIVATE_KEY", "SIGN"),
    newActivity("CREATE_WALLET", "", "WALLET", "CREATE"),
    newActivity("CREATE_USERS", "_V4", "USER", "CREATE"),
  ];
  const nobody = { users: [newUser("ann", [])], approvals: [{ userId: "ann" }], now: TIMES[0] };
  const requests = activities.flatMap((activity) => {
    const isTransaction = activity.kind === "SIGN_TRANSACTION";
    const values = isTransaction ? [0, 1, undefined] : [undefined];
    return values.map((value) => {
      const eth = value === undefined ? undefined : { tx: { value } };
      return { environment: makeEnvironment({ activity, eth }), ...nobody };
    });
  });
  const tests = [
    "activity.action == 'SIGN'",
    "activity.action != 'CREATE'",
    "activity.resource == 'PRIVATE_KEY'",
    "activity.resource in ['USER', 'POLICY']",
    "activity.kind == 'SIGN_TRANSACTION'",
    "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'",
    "activity.type in ['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_SIGN_TRANSACTION']",
    "eth.tx.value < 1",
    "eth.tx.value >= 0",
  ];
  fc.assert(
    fc.property(pairOf(policiesOf({ condition: clauseOf(tests) })), (pair) => {
      answers[agree(pair, requests, { activities })]++;
    }),
    { numRuns: runs },
  );
  expect(Math.min(answers.more, answers["no more"])).toBeGreaterThan(runs / 10);
});

function newActivity(kind: string, version: string, resource: string, action: string) {
  return { type: `ACTIVITY_TYPE_${kind}${version}`, kind, resource, action };
}

test("an answer about an inexact part is never wrong", minutes(60), () => {
  const answers = { more: 0, "no more": 0, unknown: 0 };
  const nobody = { users: [newUser("ann", [])], approvals: [{ userId: "ann" }], now: TIMES[0] };
  const example = fc.shuffledSubarray(OPAQUE, { minLength: 1, maxLength: 3 }).chain((subjects) => {
    const condition = clauseOf(subjects.flatMap(({ tests }) => tests));
    return fc.tuple(fc.constant(subjects), pairOf(policiesOf({ condition })));
  });
  fc.assert(
    fc.property(example, ([subjects, [before, after]]) => {
      // A test of `to` may read `from`, so both are there.
      const others = subjects.some(({ field }) => field === "to")
        ? OPAQUE.filter(({ field }) => field === "from")
        : [];
      const all = [...new Set([...subjects, ...others])];
      const requests = environmentsOf(all).map((environment) => ({ environment, ...nobody }));
      const comparison = comparePolicies(before, after);
      answers[comparison.answer]++;
      if (comparison.answer === "more") expectExample(comparison.example, before, after);
      if (comparison.answer === "no more") expect(hasMore(before, after, requests)).toBe(false);
      if (comparison.answer === "unknown") expect(comparison.reasons).not.toEqual([]);
    }),
    { numRuns: runs },
  );
  expect(Math.min(answers.more, answers["no more"], answers.unknown)).toBeGreaterThan(runs / 100);
});

test("no generated request contradicts an answer", minutes(60), () => {
  const answers = { more: 0, "no more": 0, unknown: 0 };
  const nobody = { users: [newUser("ann", [])], approvals: [{ userId: "ann" }], now: TIMES[0] };
  const policies = policiesOf({ condition: expression.filter(isReadable) });
  const requests = fc.array(roots.map(possible), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(pairOf(policies), requests, ([before, after], some) => {
      const comparison = comparePolicies(before, after);
      answers[comparison.answer]++;
      const tried = some.map((context) => ({ environment: makeEnvironment(context), ...nobody }));
      if (comparison.answer === "more") expectExample(comparison.example, before, after);
      if (comparison.answer === "no more") expect(hasMore(before, after, tried)).toBe(false);
    }),
    { numRuns: runs },
  );
  expect(Math.min(answers.more, answers["no more"])).toBeGreaterThan(runs / 50);
});

function isReadable(source: string): boolean {
  try {
    compile("condition", source);
    return true;
  } catch {
    return false;
  }
}

/** Signs an Ethereum transaction with an account, and has all that such a request has. */
function possible(request: Record<string, Input>): Record<string, Input> {
  const text = { id: "", label: "", imported: false, exported: false };
  const structOf = (value: Input) => value as Record<string, Input>;
  const { tx } = structOf(request.eth);
  return {
    ...request,
    private_key: undefined,
    activity: { resource: "", action: "", kind: "", ...structOf(request.activity) },
    wallet: { ...text, ...structOf(request.wallet) },
    wallet_account: { address: "", ...structOf(request.wallet_account ?? {}) },
    wallets: (request.wallets as Record<string, Input>[] | undefined)?.map((wallet) => {
      return { ...text, ...wallet };
    }),
    eth: { tx: { nonce: 0, ...structOf(tx) } },
  };
}
