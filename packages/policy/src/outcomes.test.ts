import { describe, expect, test } from "vitest";
import type { Credential, User } from "./consensus.ts";
import {
  type CompiledPolicy,
  compilePolicies,
  compilePolicy,
  type DecisionInput,
  decide,
  mayReject,
  mayVote,
  type PolicyText,
  stateOfDenial,
} from "./decide.ts";
import { type Input, makeEnvironment } from "./environment.ts";
import type { Absence, Failure } from "./values.ts";

const USERS = [newUser("ann", ["ops"]), newUser("bob", ["ops"]), newUser("cid", ["sec"])];

const ALLOW: PolicyText = { policyId: "allow", effect: "EFFECT_ALLOW", condition: "true" };
const DENY: PolicyText = { policyId: "deny", effect: "EFFECT_DENY", condition: "true" };
const OTHER: PolicyText = { policyId: "other", effect: "EFFECT_ALLOW", condition: "false" };
const TWO: PolicyText = {
  policyId: "two",
  effect: "EFFECT_ALLOW",
  consensus: "approvers.count() >= 2",
};

function newUser(id: string, tags: string[]): User {
  return { id, tags, email: "", alias: "" };
}

function newCredential(user: string, type: string): Credential {
  return { id: `${user} ${type}`, user_id: user, type, credential_id: "", public_key: "" };
}

function newRequest(
  texts: readonly PolicyText[],
  by: readonly string[],
  rest: Partial<DecisionInput> = {},
): DecisionInput {
  return {
    policies: texts.map(compilePolicy),
    environment: makeEnvironment({ wallet: { id: "w" } }),
    users: USERS,
    approvals: by.map((userId) => ({ userId })),
    rootQuorum: { threshold: 2, userIds: ["ann", "bob"] },
    now: "2026-01-05T15:00:00Z",
    ...rest,
  };
}

describe("what decided", () => {
  const own = { isOwnCredentialChange: true };
  const reserved = { isRootQuorumOnly: true };
  test.each<[string, PolicyText[], string[], Partial<DecisionInput>, string]>([
    ["the root quorum", [DENY], ["ann", "bob"], {}, "ALLOW by rootQuorum"],
    [
      "the root quorum that joins another user",
      [],
      ["cid", "ann", "bob"],
      {},
      "ALLOW by rootQuorum",
    ],
    [
      "the root quorum, if reserved to it",
      [ALLOW],
      ["ann", "bob"],
      reserved,
      "ALLOW by rootQuorum",
    ],
    ["part of it, if reserved", [ALLOW], ["ann"], reserved, "REQUIRES_CONSENSUS by rootQuorum"],
    ["others, if reserved", [ALLOW], ["cid", "ann"], reserved, "DENY_IMPLICIT by rootQuorum"],
    ["nobody, if reserved", [ALLOW], [], reserved, "DENY_IMPLICIT by rootQuorum"],
    ["a denial", [ALLOW, DENY], ["cid"], {}, "DENY_EXPLICIT by policies: ALLOW, DENY_EXPLICIT"],
    [
      "a denial, over own credentials",
      [DENY],
      ["cid"],
      own,
      "DENY_EXPLICIT by policies: DENY_EXPLICIT",
    ],
    [
      "a denial of a root user",
      [DENY],
      ["ann"],
      {},
      "REQUIRES_CONSENSUS by rootQuorum: DENY_EXPLICIT",
    ],
    ["an allowance", [OTHER, ALLOW], ["cid"], {}, "ALLOW by policies: DENY_IMPLICIT, ALLOW"],
    ["an allowance of a root user", [ALLOW], ["ann"], {}, "ALLOW by policies: ALLOW"],
    ["an allowance, over own credentials", [ALLOW], ["cid"], own, "ALLOW by policies: ALLOW"],
    ["a rule that waits", [TWO], ["cid"], {}, "REQUIRES_CONSENSUS by policies: REQUIRES_CONSENSUS"],
    [
      "a rule that waits, for a root user",
      [TWO],
      ["ann"],
      {},
      "REQUIRES_CONSENSUS by policies: REQUIRES_CONSENSUS",
    ],
    [
      "a rule that waits, over own credentials",
      [TWO],
      ["cid"],
      own,
      "REQUIRES_CONSENSUS by policies: REQUIRES_CONSENSUS",
    ],
    ["own credentials", [OTHER], ["cid"], own, "ALLOW by ownCredentials: DENY_IMPLICIT"],
    ["own credentials of a root user", [], ["ann"], own, "ALLOW by ownCredentials"],
    ["own credentials, but nobody asked", [], [], own, "DENY_IMPLICIT by default"],
    ["nothing", [OTHER], ["cid"], {}, "DENY_IMPLICIT by default: DENY_IMPLICIT"],
    [
      "nothing, with an approval of a root user",
      [],
      ["cid", "ann"],
      {},
      "DENY_IMPLICIT by default",
    ],
    [
      "nothing, for a root user",
      [OTHER],
      ["ann", "cid"],
      {},
      "REQUIRES_CONSENSUS by rootQuorum: DENY_IMPLICIT",
    ],
  ])("%s", (_, policies, by, rest, expected) => {
    const { outcome, reason, evaluations } = decide(newRequest(policies, by, rest));
    const each = evaluations.map((one) => one.outcome).join(", ");
    const text = `${outcome} by ${reason}${each && `: ${each}`}`;
    expect(text.replaceAll("OUTCOME_", "")).toBe(expected);
    if (evaluations.length > 0) {
      expect(evaluations.map(({ policyId }) => policyId)).toEqual(policies.map((p) => p.policyId));
    }
  });

  test("one root user of a threshold of one is enough, of a threshold of zero is not", () => {
    const of = (threshold: number) =>
      decide(newRequest([], ["ann"], { rootQuorum: { threshold, userIds: ["ann"] } }));
    expect(of(1)).toEqual({ outcome: "OUTCOME_ALLOW", reason: "rootQuorum", evaluations: [] });
    expect(of(0)).toEqual({
      outcome: "OUTCOME_REQUIRES_CONSENSUS",
      reason: "rootQuorum",
      evaluations: [],
    });
  });
});

describe("failures", () => {
  const failing = {
    condition: "'a'[5] == 'b'",
    consensus: "true && approvers[1].id == 'x'",
    time: "time.now == time.now",
  };
  const failures = [
    {
      clause: "condition",
      failure: { kind: "failure", reason: "position 5 is outside the text", start: 0, end: 6 },
    },
    {
      clause: "consensus",
      failure: {
        kind: "failure",
        reason: "position 1 is outside the list of 1",
        start: 8,
        end: 20,
      },
    },
    {
      clause: "time",
      failure: { kind: "failure", reason: "`now` is not set", start: 0, end: 8 },
    },
  ];

  test("of all clauses are reported, with the reason and the place", () => {
    for (const [effect, outcome] of [
      ["EFFECT_ALLOW", "OUTCOME_ERROR"],
      ["EFFECT_DENY", "OUTCOME_DENY_EXPLICIT"],
    ] as const) {
      const policy = { policyId: "p", effect, ...failing };
      const { evaluations } = decide(newRequest([policy], ["cid"], { now: undefined }));
      expect(evaluations).toEqual([{ policyId: "p", outcome, failures }]);
    }
  });

  test.each(["condition", "consensus", "time"] as const)("of the %s alone", (clause) => {
    const policy: PolicyText = { policyId: "p", effect: "EFFECT_ALLOW", [clause]: failing[clause] };
    const { evaluations } = decide(newRequest([policy], ["cid"], { now: undefined }));
    const expected = failures.filter((failure) => failure.clause === clause);
    expect(evaluations).toEqual([{ policyId: "p", outcome: "OUTCOME_ERROR", failures: expected }]);
  });

  test("are not reported for a policy that has an outcome without them", () => {
    const deny: PolicyText = { ...DENY, condition: failing.condition, consensus: "false" };
    const { evaluations } = decide(newRequest([ALLOW, deny], ["cid"]));
    expect(evaluations).toEqual([
      { policyId: "allow", outcome: "OUTCOME_ALLOW", failures: [] },
      { policyId: "deny", outcome: "OUTCOME_DENY_IMPLICIT", failures: [] },
    ]);
  });

  test("of a skipped DENY are reported", () => {
    const deny: PolicyText = { ...DENY, condition: "private_key.id == 'k'", consensus: "false" };
    const { outcome, evaluations } = decide(newRequest([ALLOW, deny], ["cid"]));
    expect(outcome).toBe("OUTCOME_ALLOW");
    expect(evaluations[1]).toEqual({
      policyId: "deny",
      outcome: "OUTCOME_ERROR",
      failures: [
        {
          clause: "condition",
          failure: {
            kind: "failure",
            reason: "this request has no `private_key`",
            start: 0,
            end: 11,
            absent: "root",
          },
        },
      ],
    });
  });

  const error = failureOf();
  const field = failureOf("field");
  const root = failureOf("root");
  test.each([
    [true, true, true, "denies"],
    [true, false, true, "does not match"],
    [error, true, true, "denies"],
    [true, true, error, "denies"],
    [error, false, true, "does not match"],
    [error, true, false, "does not match"],
    [field, true, true, "skipped"],
    [field, field, true, "skipped"],
    [field, error, true, "denies"],
    [field, false, true, "does not match"],
    [root, true, true, "skipped"],
    [root, false, true, "skipped"],
    [root, error, true, "skipped"],
    [error, root, true, "skipped"],
  ])("a DENY with %o, %o and %o: %s", (condition, consensus, time, expected) => {
    expect(stateOfDenial({ condition, consensus, time })).toBe(expected);
  });

  function failureOf(absent?: Absence): Failure {
    return { kind: "failure", reason: "why", start: 0, end: 1, ...(absent && { absent }) };
  }
});

describe("votes", () => {
  const outcomeOf = (consensus: string, approvals: DecisionInput["approvals"]) => {
    const policy: PolicyText = { policyId: "p", effect: "EFFECT_ALLOW", consensus };
    const request = newRequest([policy], [], { approvals, rootQuorum: NOBODY });
    return decide(request).outcome.replace("OUTCOME_", "");
  };
  const by = (...ids: string[]) => ids.map((userId) => ({ userId }));

  test("of one user count once, with the credential of the first", () => {
    const approvals = ["PASS", "KEY"].map((type) => {
      return { userId: "ann", credential: newCredential("ann", type) };
    });
    expect(outcomeOf("credentials.all(c, c.type == 'PASS')", approvals)).toBe("ALLOW");
    expect(outcomeOf("credentials.all(c, c.type == 'KEY')", approvals)).toBe("DENY_IMPLICIT");
    expect(outcomeOf("credentials.count() == 1 && approvers.count() == 1", approvals)).toBe(
      "ALLOW",
    );
  });

  test("are waited for only if the user who submitted has a part in the rule", () => {
    const rule = "approvers.filter(u, 'ops' in u.tags).count() >= 2";
    expect(outcomeOf(rule, by("ann", "cid"))).toBe("REQUIRES_CONSENSUS");
    expect(outcomeOf(rule, by("cid", "ann"))).toBe("DENY_IMPLICIT");
  });

  test("are not waited for if no others can make up for those that were given", () => {
    const rule = "approvers.filter(u, 'ops' in u.tags).count() == 1";
    expect(outcomeOf(rule, by("ann"))).toBe("ALLOW");
    expect(outcomeOf(rule, by("ann", "bob"))).toBe("DENY_IMPLICIT");
  });

  test("are not waited for by a rule that is about other times or requests", () => {
    const early = "time.now < Timestamp('2025-01-01T00:00:00Z')";
    for (const rest of [{ time: early }, { condition: "false" }, { effect: DENY.effect }]) {
      const { evaluations } = decide(newRequest([{ ...TWO, ...rest }], ["cid"]));
      expect(evaluations[0]?.outcome).toBe("OUTCOME_DENY_IMPLICIT");
    }
  });

  test.each([mayVote, mayReject])(
    "a root user has one only as a user of the organization",
    (may) => {
      const rootQuorum = { threshold: 2, userIds: ["ann", "gone"] };
      for (const isRootQuorumOnly of [true, false]) {
        const request = newRequest([], ["cid"], { rootQuorum, isRootQuorumOnly });
        expect(["ann", "bob", "gone"].map((id) => may(request, id))).toEqual([true, false, false]);
      }
    },
  );

  test.each([mayVote, mayReject])("a user has one if any of the rules waits for it", (may) => {
    const sec: PolicyText = { ...TWO, consensus: "approvers.any(u, 'sec' in u.tags)" };
    const request = newRequest([OTHER, sec, TWO], ["ann"], { rootQuorum: NOBODY });
    expect(["bob", "cid"].map((id) => may(request, id))).toEqual([true, true]);
    const alone = newRequest([OTHER, sec], ["ann"], { rootQuorum: NOBODY });
    expect(["bob", "cid"].map((id) => may(alone, id))).toEqual([false, true]);
  });
});

const NOBODY = { threshold: 1, userIds: [] };

describe("a clause that an ALLOW and a DENY share", () => {
  const condition = "false && 'a'[5] == 'b'";
  const allow: PolicyText = { ...ALLOW, condition };
  const deny: PolicyText = { ...DENY, condition };

  test.each([[[allow, deny]], [[deny, allow]]])("errs only in the ALLOW", (texts) => {
    const policies = compilePolicies(texts);
    expect(policies[0]?.condition).toBe(policies[1]?.condition);
    const { evaluations } = decide(newRequest([], ["cid"], { policies }));
    expect(Object.fromEntries(evaluations.map((one) => [one.policyId, one.outcome]))).toEqual({
      allow: "OUTCOME_ERROR",
      deny: "OUTCOME_DENY_IMPLICIT",
    });
  });

  test("is evaluated once for each of them", () => {
    const policies = compilePolicies([allow, deny, allow, deny, allow]);
    const stepsOf = (some: readonly CompiledPolicy[]) => {
      const work = { steps: 0 };
      decide(newRequest([], ["cid"], { policies: some }), work);
      return work.steps;
    };
    expect(stepsOf(policies)).toBe(stepsOf(policies.slice(0, 2)));
    expect(stepsOf(policies)).toBe(2 * stepsOf(policies.slice(0, 1)));
  });
});

describe("steps", () => {
  /** Takes this many steps: six for the list, and one for each item. */
  const taking = (steps: number) => {
    const items: Input = Array.from({ length: steps - 6 }, () => false);
    return makeEnvironment({ eth: { eip_712: { message: { items } } } });
  };
  const long: PolicyText = {
    ...DENY,
    condition: "eth.eip_712.message['items'].any(i, i)",
  };

  test("of all clauses and of the search for votes count, for a decision and for a vote", () => {
    const stepsOf = (ask: (work: { steps: number }) => unknown) => {
      const work = { steps: 1000 };
      ask(work);
      return work.steps - 1000;
    };
    const request = newRequest([{ ...TWO, condition: "true" }], ["cid"]);
    // Five for the clauses, and the others to find out whose votes could still matter.
    expect(stepsOf((work) => decide(newRequest([ALLOW], ["cid"]), work))).toBe(1);
    expect(stepsOf((work) => decide(newRequest([ALLOW, OTHER], ["cid"]), work))).toBe(2);
    expect(stepsOf((work) => decide(request, work))).toBe(13);
    expect(stepsOf((work) => mayVote(request, "cid", work))).toBe(11);
    expect(stepsOf((work) => mayReject(request, "cid", work))).toBe(11);
    expect(stepsOf((work) => mayVote(request, "ann", work))).toBe(0);
  });

  test("of one clause are at most 100000", () => {
    const at = (steps: number) =>
      decide(newRequest([long], ["cid"], { environment: taking(steps) })).evaluations;
    expect(at(100_000)).toEqual([
      { policyId: "deny", outcome: "OUTCOME_DENY_IMPLICIT", failures: [] },
    ]);
    expect(at(100_001)).toMatchObject([
      {
        outcome: "OUTCOME_DENY_EXPLICIT",
        failures: [
          {
            clause: "condition",
            failure: {
              reason: "the evaluation takes more than 100000 steps",
              start: 0,
              end: long.condition?.length,
            },
          },
        ],
      },
    ]);
  });

  test("of all policies are at most a million, and the clause that begins within it is evaluated", () => {
    const last: PolicyText = { ...OTHER, policyId: "last" };
    const after: PolicyText = { ...ALLOW, policyId: "after" };
    const texts = [...Array.from({ length: 10 }, () => long), last, after];
    const environment = taking(100_000);
    const { outcome, evaluations } = decide(newRequest(texts, ["cid"], { environment }));
    expect(outcome).toBe("OUTCOME_DENY_IMPLICIT");
    expect(evaluations.slice(9)).toEqual([
      { policyId: "deny", outcome: "OUTCOME_DENY_IMPLICIT", failures: [] },
      { policyId: "last", outcome: "OUTCOME_DENY_IMPLICIT", failures: [] },
      {
        policyId: "after",
        outcome: "OUTCOME_ERROR",
        failures: [
          {
            clause: "condition",
            failure: {
              kind: "failure",
              reason: "the policies take more than 1000000 steps together",
              start: 0,
              end: 4,
            },
          },
        ],
      },
    ]);
  });
});
