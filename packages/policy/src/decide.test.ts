import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Credential, User } from "./consensus.ts";
import { cpuTime } from "./cpu-time.testing.ts";
import {
  compilePolicies,
  compilePolicy,
  type DecisionInput,
  decide,
  mayReject,
  mayVote,
  type PolicyOutcome,
  type PolicyText,
} from "./decide.ts";
import { makeEnvironment, unread } from "./environment.ts";
import { compile } from "./evaluate.ts";
import { type DecisionCase, environmentOf, vectors } from "./vectors.testing.ts";

describe("published decisions", () => {
  test.each(vectors.decision_cases)("$name", (example) => {
    const { outcome, evaluations } = decide(requestOf(example));
    const policyOutcomes = Object.fromEntries(
      evaluations.map((evaluation) => [evaluation.policyId, evaluation.outcome]),
    );
    expect({ outcome, policyOutcomes }).toEqual(example.expected);
  });
});

function requestOf({ users, approvedBy, policies, context, ...rest }: DecisionCase): DecisionInput {
  return {
    policies: policies.map(compilePolicy),
    environment: environmentOf(context),
    users,
    approvals: approvedBy.map((userId) => ({ userId })),
    rootQuorum: rest.rootQuorum,
    now: rest.now,
    isOwnCredentialChange: rest.ownCredentialChange,
  };
}

describe("every combination", () => {
  const conditions = {
    true: undefined,
    false: "false",
    absent: "private_key.id == 'k'",
    error: "activity.type[9] == 'k'",
  };
  const consensuses = {
    true: "approvers.count() >= 1",
    open: "approvers.count() >= 2",
    false: "false",
    error: "approvers[9].id == ''",
  };
  const times = { true: "", false: "time.now != time.now", error: "time.now == time.now" };
  type Row = {
    effect: PolicyText["effect"];
    condition: keyof typeof conditions;
    consensus: keyof typeof consensuses;
    time: keyof typeof times;
  };

  const rows: Row[] = [];
  for (const effect of ["EFFECT_ALLOW", "EFFECT_DENY"] as const)
    for (const condition of keys(conditions))
      for (const consensus of keys(consensuses))
        for (const time of keys(times)) rows.push({ effect, condition, consensus, time });

  /** The table of outcomes, row by row. */
  function expected({ effect, condition, consensus, time }: Row): PolicyOutcome {
    if (condition === "absent") return "OUTCOME_ERROR";
    if ([condition, consensus, time].includes("error")) {
      if (effect === "EFFECT_ALLOW") return "OUTCOME_ERROR";
      const isOfOther = condition === "false" || consensus === "false" || consensus === "open";
      return isOfOther || time === "false" ? "OUTCOME_DENY_IMPLICIT" : "OUTCOME_DENY_EXPLICIT";
    }
    if (condition === "false") return "OUTCOME_DENY_IMPLICIT";
    if (consensus === "true" && time === "false") return "OUTCOME_TIME_INACTIVE";
    if (consensus === "true") {
      return effect === "EFFECT_DENY" ? "OUTCOME_DENY_EXPLICIT" : "OUTCOME_ALLOW";
    }
    const waits = effect === "EFFECT_ALLOW" && consensus === "open" && time === "true";
    return waits ? "OUTCOME_REQUIRES_CONSENSUS" : "OUTCOME_DENY_IMPLICIT";
  }

  // Without a trusted time a clause about it errs, so each row brings the time it needs.
  function decideRows(...some: Row[]) {
    const policies = some.map(({ effect, ...row }, i) => ({
      policyId: `p${i}`,
      effect,
      condition: conditions[row.condition],
      consensus: consensuses[row.consensus],
      time: times[row.time],
    }));
    const hasError = some.some(({ time }) => time === "error");
    const request = newRequest({ policies, by: ["ann"] });
    return decide({ ...request, now: hasError ? undefined : request.now });
  }

  test.each(rows)("$effect with condition $condition, consensus $consensus, time $time", (row) => {
    const { outcome, evaluations } = decideRows(row);
    expect(evaluations.map((one) => one.outcome)).toEqual([expected(row)]);
    expect(outcome).toBe(combined([expected(row)]));
  });

  test("among three policies a denial wins, then an allowance, then waiting, then nothing", () => {
    const usable = rows.filter(({ time }) => time !== "error");
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...usable), { maxLength: 3 }), (some) => {
        const { outcome, evaluations } = decideRows(...some);
        expect(evaluations.map((one) => one.outcome)).toEqual(some.map(expected));
        expect(outcome).toBe(combined(some.map(expected)));
      }),
      { numRuns: 500 },
    );
  });

  function combined(outcomes: PolicyOutcome[]): PolicyOutcome {
    const order = ["OUTCOME_DENY_EXPLICIT", "OUTCOME_ALLOW", "OUTCOME_REQUIRES_CONSENSUS"] as const;
    return order.find((outcome) => outcomes.includes(outcome)) ?? "OUTCOME_DENY_IMPLICIT";
  }

  function keys<T extends object>(object: T): (keyof T)[] {
    // The object is a literal of this test, so it has no other keys.
    return Object.keys(object) as (keyof T)[];
  }
});

describe("root quorum", () => {
  const DENY: PolicyText = { policyId: "deny", effect: "EFFECT_DENY", condition: "true" };

  test("a root user below the threshold waits for the others even under a denial", () => {
    const quorum = { threshold: 2, userIds: ["ann", "bob"] };
    const request = newRequest({ policies: [DENY], by: ["ann"], quorum });
    expect(decide(request)).toMatchObject({
      outcome: "OUTCOME_REQUIRES_CONSENSUS",
      reason: "rootQuorum",
      evaluations: [{ policyId: "deny", outcome: "OUTCOME_DENY_EXPLICIT" }],
    });
    expect(decide(newRequest({ policies: [DENY], by: ["ann", "bob"], quorum })).outcome).toBe(
      "OUTCOME_ALLOW",
    );
  });

  test("a policy never allows what is reserved to the root quorum", () => {
    const policies: PolicyText[] = [{ policyId: "all", effect: "EFFECT_ALLOW" }];
    const quorum = { threshold: 2, userIds: ["ann", "bob"] };
    const reserved = (by: string[]) => {
      return decide({ ...newRequest({ policies, by, quorum }), isRootQuorumOnly: true }).outcome;
    };
    expect(reserved(["cid"])).toBe("OUTCOME_DENY_IMPLICIT");
    expect(reserved(["ann"])).toBe("OUTCOME_REQUIRES_CONSENSUS");
    expect(reserved(["ann", "bob"])).toBe("OUTCOME_ALLOW");
  });

  test("a user's second vote and a threshold of nothing do not make a quorum", () => {
    const twice = newRequest({ by: ["ann", "ann"], quorum: { threshold: 2, userIds: ["ann"] } });
    expect(decide(twice).outcome).toBe("OUTCOME_REQUIRES_CONSENSUS");
    const nothing = newRequest({ by: ["cid"], quorum: { threshold: 0, userIds: [] } });
    expect(decide(nothing).outcome).toBe("OUTCOME_DENY_IMPLICIT");
  });
});

describe("errors", () => {
  test("a consensus or time that errs makes the policy an error and allows nothing", () => {
    const policies: PolicyText[] = [
      { policyId: "consensus", effect: "EFFECT_ALLOW", consensus: "approvers[5].id == 'ann'" },
      {
        policyId: "time",
        effect: "EFFECT_ALLOW",
        time: "time.now > Timestamp('2026-01-01T00:00:00Z')",
      },
    ];
    const { outcome, evaluations } = decide({
      ...newRequest({ policies, by: ["ann"] }),
      now: undefined,
    });
    expect(outcome).toBe("OUTCOME_DENY_IMPLICIT");
    expect(
      evaluations.map((one) => [one.outcome, one.failures.map(({ clause }) => clause)]),
    ).toEqual([
      ["OUTCOME_ERROR", ["consensus"]],
      ["OUTCOME_ERROR", ["time"]],
    ]);
  });
});

describe("consensus", () => {
  const outcome = (consensus: string, by: string[]) => {
    const policies: PolicyText[] = [{ policyId: "p", effect: "EFFECT_ALLOW", consensus }];
    return decide(newRequest({ policies, by })).outcome.replace("OUTCOME_", "");
  };

  test.each([
    ["approvers.count() >= 5", ["ann"], "REQUIRES_CONSENSUS"],
    ["approvers.count() >= 6", ["ann"], "DENY_IMPLICIT"],
    ["approvers.count() == 1 && approvers.any(u, u.id == 'bob')", ["ann"], "DENY_IMPLICIT"],
    ["2 <= approvers.filter(u, 'ops' in u.tags).count()", ["ann"], "REQUIRES_CONSENSUS"],
    ["approvers.count() in [3, 4]", ["ann"], "REQUIRES_CONSENSUS"],
    ["approvers.any(u, u.id == 'bob')", ["ann"], "DENY_IMPLICIT"],
    ["approvers.any(u, u.id == 'bob') || approvers.count() >= 3", ["ann"], "REQUIRES_CONSENSUS"],
    ["approvers.all(u, u.id == 'bob')", ["ann"], "DENY_IMPLICIT"],
    ["!(approvers.count() < 2) == true", ["ann"], "REQUIRES_CONSENSUS"],
    ["approvers.count() == approvers.filter(u, u.alias == 'x').count()", ["ann"], "DENY_IMPLICIT"],
    [
      "approvers.filter(u, 'ops' in u.tags).count() > approvers.filter(u, 'sec' in u.tags).count()",
      ["dan"],
      "DENY_IMPLICIT",
    ],
    [
      "approvers.any(u, approvers.any(v, u.id == 'ann' && v.id == 'bob'))",
      ["ann"],
      "REQUIRES_CONSENSUS",
    ],
    ["false", ["ann"], "DENY_IMPLICIT"],
  ])("%s by %s: %s", (consensus, by, expected) => {
    expect(outcome(consensus, by)).toBe(expected);
  });

  test("credentials that users hold decide what votes could still do", () => {
    const consensus =
      "credentials.filter(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR').count() >= 2";
    const policies: PolicyText[] = [{ policyId: "p", effect: "EFFECT_ALLOW", consensus }];
    const withPasskeys = (...ids: string[]) => {
      const users = USERS.map((user) => ({
        ...user,
        credentials: [apiKey(user.id), ...(ids.includes(user.id) ? [passkey(user.id)] : [])],
      }));
      const approvals = [{ userId: "ann", credential: passkey("ann") }];
      return decide({ ...newRequest({ policies, by: [] }), users, approvals }).outcome;
    };
    expect(withPasskeys("ann", "bob")).toBe("OUTCOME_REQUIRES_CONSENSUS");
    expect(withPasskeys("ann")).toBe("OUTCOME_DENY_IMPLICIT");
  });

  test("only users whom a matching rule waits for may vote", () => {
    const policies: PolicyText[] = [
      {
        policyId: "p",
        effect: "EFFECT_ALLOW",
        consensus: "approvers.filter(u, 'ops' in u.tags).count() >= 2",
      },
      {
        policyId: "q",
        effect: "EFFECT_ALLOW",
        condition: "false",
        consensus: "approvers.any(u, u.id == 'dan')",
      },
    ];
    const request = newRequest({ policies, by: ["ann"] });
    expect(USERS.map(({ id }) => mayVote(request, id))).toEqual([true, true, true, false, true]);
    expect(mayVote(request, "nobody")).toBe(false);
  });

  test("only root users vote on what no policy can allow", () => {
    const policies: PolicyText[] = [
      { policyId: "p", effect: "EFFECT_ALLOW", consensus: "approvers.count() >= 2" },
    ];
    const request = { ...newRequest({ policies, by: ["ann"] }), isRootQuorumOnly: true };
    for (const may of [mayVote, mayReject]) {
      expect(USERS.map(({ id }) => may(request, id))).toEqual([false, false, false, false, true]);
    }
  });

  test("a rule that has no votes to wait for gives nobody a vote", () => {
    const always: PolicyText = { policyId: "p", effect: "EFFECT_ALLOW", condition: "true" };
    const errs: PolicyText = {
      policyId: "q",
      effect: "EFFECT_ALLOW",
      consensus: "approvers[9].id == 'dan'",
    };
    const denial: PolicyText = {
      ...always,
      effect: "EFFECT_DENY",
      consensus: "approvers.count() > 1",
    };
    const late: PolicyText = {
      ...always,
      consensus: "approvers.count() > 1",
      time: "time.now < Timestamp('2025-01-01T00:00:00Z')",
    };
    const request = newRequest({ policies: [always, errs, denial, late], by: ["ann"] });
    for (const may of [mayVote, mayReject]) {
      expect(USERS.map(({ id }) => may(request, id))).toEqual([false, false, false, false, true]);
    }
  });

  test("a user who is perhaps awaited may approve but not reject", () => {
    const users = Array.from({ length: 60 }, (_, i) => newUser(`u${i}`, []));
    const consensus = "approvers[0].id == 'u1' && approvers.any(u, u.id == 'u2')";
    const request: DecisionInput = {
      ...newRequest({ policies: [{ policyId: "p", effect: "EFFECT_ALLOW", consensus }], by: [] }),
      users,
      approvals: [{ userId: "u1" }],
    };
    expect([mayVote(request, "u2"), mayReject(request, "u2")]).toEqual([true, true]);
    expect([mayVote(request, "u9"), mayReject(request, "u9")]).toEqual([true, false]);
  });

  test("work is counted for decisions and votes, for clauses and for who could vote", () => {
    const policies: PolicyText[] = [
      { policyId: "p", effect: "EFFECT_ALLOW", consensus: "approvers.count() >= 2" },
    ];
    const request = newRequest({ policies, by: ["ann"] });
    const stepsOf = (ask: (work: { steps: number }) => unknown) => {
      const work = { steps: 1000 };
      ask(work);
      return work.steps - 1000;
    };
    const bare = { ...request, policies: [] };
    expect(stepsOf((work) => decide(bare, work))).toBe(0);
    const alone = stepsOf((work) => {
      const [policy] = policies as [PolicyText];
      decide({ ...request, policies: [compilePolicy({ ...policy, condition: "false" })] }, work);
    });
    expect(alone).toBeGreaterThan(0);
    // This one also looks for users whose votes it waits for.
    expect(stepsOf((work) => decide(request, work))).toBeGreaterThan(alone);
    expect(stepsOf((work) => mayVote(request, "bob", work))).toBeGreaterThan(0);
    expect(stepsOf((work) => mayReject(request, "bob", work))).toBeGreaterThan(0);
  });

  test("an approval of somebody who is not a user is an error", () => {
    const request = newRequest({ by: ["ann", "zoe"] });
    expect(() => decide(request)).toThrow("the user zoe of an approval is not in the organization");
  });

  test("an organization of 100 users and a rule of many parts is answered at once", () => {
    const users = Array.from({ length: 100 }, (_, i) => newUser(`u${i}`, [`t${i % 10}`]));
    const parts = Array.from({ length: 10 }, (_, i) => {
      return `approvers.filter(u, 't${i}' in u.tags).count() >= 3`;
    });
    const policies = [
      compilePolicy({ policyId: "p", effect: "EFFECT_ALLOW", consensus: parts.join(" && ") }),
    ];
    const request: DecisionInput = {
      ...newRequest({ by: [] }),
      users,
      approvals: [{ userId: "u0" }],
      policies,
    };
    const spent = cpuTime();
    expect(decide(request).outcome).toBe("OUTCOME_REQUIRES_CONSENSUS");
    expect(spent()).toBeLessThan(500);
  });
});

const USERS = [
  newUser("ann", ["ops"]),
  newUser("bob", ["ops"]),
  newUser("cid", ["ops", "sec"]),
  newUser("dan", ["sec"]),
  newUser("eve", []),
];

function newUser(id: string, tags: string[]): User {
  return { id, tags, email: "", alias: "" };
}

function passkey(user: string): Credential {
  const type = "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR";
  return { id: `${user}-passkey`, user_id: user, type, credential_id: "c", public_key: "02" };
}

function apiKey(user: string): Credential {
  const type = "CREDENTIAL_TYPE_API_KEY_P256";
  return { id: `${user}-key`, user_id: user, type, credential_id: "", public_key: "03" };
}

function newRequest(options: {
  policies?: PolicyText[];
  by: string[];
  quorum?: DecisionInput["rootQuorum"];
}): DecisionInput {
  return {
    policies: (options.policies ?? []).map(compilePolicy),
    environment: makeEnvironment({ activity: { type: "T", resource: "WALLET", action: "CREATE" } }),
    users: USERS,
    approvals: options.by.map((userId) => ({ userId })),
    rootQuorum: options.quorum ?? { threshold: 1, userIds: ["eve"] },
    now: "2026-01-05T15:00:00Z",
  };
}

describe("work that a request makes", () => {
  const users = [{ id: "u1", tags: [], email: "", alias: "" }];
  const many = Array.from({ length: 60_000 }, (_, i) => `${i}`);
  const allow: PolicyText = { policyId: "allow", effect: "EFFECT_ALLOW", condition: "true" };

  function decideAbout(items: string[], policies: PolicyText[]) {
    return decide({
      policies: policies.map(compilePolicy),
      environment: makeEnvironment({ eth: { eip_712: { message: { items } } } }),
      users,
      approvals: [{ userId: "u1" }],
      rootQuorum: { threshold: 1, userIds: [] },
      now: "2026-01-01T00:00:00Z",
    });
  }

  function outcomes(items: string[], policies: PolicyText[]) {
    const { outcome, evaluations } = decideAbout(items, policies);
    return [outcome, ...evaluations.map((each) => each.outcome)];
  }

  const condition = "eth.eip_712.message['items'].any(i, i == 'forbidden')";
  const deny: PolicyText = { policyId: "deny", effect: "EFFECT_DENY", condition };

  test("a request too large for a DENY does not slip past it", () => {
    expect(outcomes(["a"], [allow, deny])).toEqual([
      "OUTCOME_ALLOW",
      "OUTCOME_ALLOW",
      "OUTCOME_DENY_IMPLICIT",
    ]);
    expect(outcomes(many, [allow, deny])).toEqual([
      "OUTCOME_DENY_EXPLICIT",
      "OUTCOME_ALLOW",
      "OUTCOME_DENY_EXPLICIT",
    ]);
    const [, evaluation] = decideAbout(many, [allow, deny]).evaluations;
    expect(evaluation?.failures).toMatchObject([
      { clause: "condition", failure: { reason: "the evaluation takes more than 100000 steps" } },
    ]);
  });

  test("a DENY that is cut short does not match if its other clauses do not hold", () => {
    const others = [
      { ...deny, consensus: "approvers.count() > 1" },
      { ...deny, time: "time.now < Timestamp('2025-01-01T00:00:00Z')" },
    ];
    for (const other of others) {
      expect(outcomes(many, [allow, other])).toEqual([
        "OUTCOME_ALLOW",
        "OUTCOME_ALLOW",
        "OUTCOME_DENY_IMPLICIT",
      ]);
    }
  });

  test("an ALLOW that is cut short allows nothing", () => {
    expect(outcomes(many, [{ ...deny, effect: "EFFECT_ALLOW" }])).toEqual([
      "OUTCOME_DENY_IMPLICIT",
      "OUTCOME_ERROR",
    ]);
  });

  test("all policies together take a bounded time, and the limit allows nothing", () => {
    const some = many.slice(0, 30_000);
    const policies = Array.from({ length: 100 }, (_, i): PolicyText => {
      return { ...deny, policyId: `deny ${i}` };
    });
    const spent = cpuTime();
    const { outcome, evaluations } = decideAbout(some, [...policies, allow]);
    expect(spent()).toBeLessThan(2000);
    expect(outcome).toBe("OUTCOME_DENY_EXPLICIT");
    expect(evaluations[0]?.outcome).toBe("OUTCOME_DENY_IMPLICIT");
    expect(evaluations[99]).toMatchObject({
      outcome: "OUTCOME_DENY_EXPLICIT",
      failures: [{ failure: { reason: "the policies take more than 1000000 steps together" } }],
    });
  });
});

describe("clauses that several policies share", () => {
  const shared = "activity.type == 'T'";
  const policies: PolicyText[] = [
    { policyId: "a", effect: "EFFECT_ALLOW", condition: shared },
    { policyId: "b", effect: "EFFECT_DENY", condition: shared, consensus: "approvers.count() > 9" },
    { policyId: "c", effect: "EFFECT_ALLOW", condition: "activity.type == 'U'", time: "" },
    { policyId: "d", effect: "EFFECT_ALLOW", consensus: "true" },
    { policyId: "e", effect: "EFFECT_ALLOW", condition: "true" },
  ];

  function compiledTexts() {
    const compiled: string[] = [];
    const list = compilePolicies(policies, (clause, source) => {
      compiled.push(`${clause} ${source}`);
      return compile(clause, source);
    });
    return { compiled, list };
  }

  test("are compiled once, for each kind of clause", () => {
    const { compiled, list } = compiledTexts();
    expect(compiled).toEqual([
      `condition ${shared}`,
      "consensus approvers.count() > 9",
      "condition activity.type == 'U'",
      "consensus true",
      "condition true",
    ]);
    expect(list[0]?.condition).toBe(list[1]?.condition);
    expect(list.map(({ condition }) => condition?.isShared)).toEqual([
      true,
      true,
      undefined,
      undefined,
      true,
    ]);
    expect(list[3]?.consensus?.isShared).toBe(true);
    expect(list[2]?.time).toBeUndefined();
  });

  test("are evaluated once for each effect", () => {
    const stepsOf = (count: number) => {
      const copies = Array.from({ length: count }, (_, i): PolicyText => {
        return { policyId: `p${i}`, effect: "EFFECT_ALLOW", condition: shared };
      });
      const work = { steps: 0 };
      const { outcome } = decide(
        { ...newRequest({ by: ["ann"] }), policies: compilePolicies(copies) },
        work,
      );
      expect(outcome).toBe("OUTCOME_ALLOW");
      return work.steps;
    };
    expect(stepsOf(50)).toBe(stepsOf(2));
  });
});

describe("a part of a request that could not be read", () => {
  const tx = { to: "0xaa", value: 1n, contract_call_args: unread("an odd call") };
  const transfers = { program_key: "other" };
  const odd = { program_key: "program", parsed_instruction_data: unread("an odd instruction") };
  const environment = makeEnvironment({
    eth: { tx },
    solana: { tx: { instructions: [transfers, odd] } },
  });

  function outcomeOf(
    effect: PolicyText["effect"],
    condition: string,
    rest: Partial<PolicyText> = {},
  ) {
    const { evaluations } = decide({
      policies: [compilePolicy({ policyId: "p", effect, condition, ...rest })],
      environment,
      users: [],
      approvals: [],
      rootQuorum: { threshold: 1, userIds: [] },
    });
    return evaluations[0]?.outcome;
  }

  const args = "eth.tx.contract_call_args['amount'] > 5";
  test.each([
    [args],
    [`!(${args})`],
    [`eth.tx.to == '0xaa' && ${args}`],
    [`${args} && eth.tx.to == '0xaa'`],
    [`eth.tx.value > 5 || ${args}`],
    [`eth.tx.nonce == 0 && ${args}`],
    ["solana.tx.instructions.any(i, i.parsed_instruction_data.instruction_name == 'pay')"],
    [
      "solana.tx.instructions.filter(i, i.program_key == 'program').any(i, i.parsed_instruction_data.instruction_name == 'pay')",
    ],
  ])("denies where a DENY depends on it: %s", (condition) => {
    expect(outcomeOf("EFFECT_DENY", condition)).toBe("OUTCOME_DENY_EXPLICIT");
    expect(outcomeOf("EFFECT_ALLOW", condition)).toBe("OUTCOME_ERROR");
    const other = { consensus: "false" };
    expect(outcomeOf("EFFECT_DENY", condition, other)).toBe("OUTCOME_DENY_IMPLICIT");
  });

  const other =
    "solana.tx.instructions.any(i, i.program_key == 'third' && i.parsed_instruction_data.instruction_name == 'pay')";
  test.each([
    [`eth.tx.to == '0xbb' && ${args}`, "OUTCOME_DENY_IMPLICIT"],
    [`${args} && eth.tx.to == '0xbb'`, "OUTCOME_DENY_IMPLICIT"],
    [other, "OUTCOME_DENY_IMPLICIT"],
    [`eth.tx.value == 1 || ${args}`, "OUTCOME_DENY_EXPLICIT"],
    [`${args} && private_key.id == 'k'`, "OUTCOME_ERROR"],
  ])("does not matter where no DENY depends on it: %s: %s", (condition, outcome) => {
    expect(outcomeOf("EFFECT_DENY", condition)).toBe(outcome);
    expect(outcomeOf("EFFECT_ALLOW", condition)).toBe("OUTCOME_ERROR");
  });
});
