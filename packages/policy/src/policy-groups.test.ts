import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicies, type DecisionInput, decide, type PolicyText } from "./decide.ts";
import { type Input, makeEnvironment } from "./environment.ts";
import type { Work } from "./evaluate.ts";
import { expression, roots, tryCompile } from "./generate.testing.ts";
import { MAX_DECISION_STEPS, MAX_STEPS } from "./limits.ts";
import { groupPolicies, MAX_MATCHER_STEPS } from "./policy-groups.ts";

const transfer = {
  eth: { tx: { to: "0xAA", value: 50n, nonce: 3, data: "0x" } },
  activity: { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", params: { text: "b", l: [1, 2, 3] } },
} satisfies Record<string, Input>;

function allow(condition: string, index = 0): PolicyText {
  return { policyId: `p${index}`, effect: "EFFECT_ALLOW", condition };
}

function policiesOf(conditions: readonly string[], more: Partial<PolicyText> = {}): PolicyText[] {
  return conditions.map((condition, index) => ({ ...allow(condition, index), ...more }));
}

function placesIn(policies: readonly PolicyText[]) {
  return compilePolicies(policies).groups?.map(({ places }) => places);
}

describe("policies are alike", () => {
  const numbers = [1, 2, 3, 4];

  test("if they compare the same with different numbers", () => {
    const conditions = numbers.map((n) => `eth.tx.to == '0xaa' && eth.tx.value < ${n}`);
    expect(placesIn(policiesOf(["true", ...conditions, "false"]))).toEqual([[1, 2, 3, 4]]);
  });

  test("or texts, in an operand anywhere", () => {
    const conditions = numbers.map((n) => `eth.tx.to == '0x${n}' && eth.tx.value < 10`);
    expect(placesIn(policiesOf(conditions))).toEqual([[0, 1, 2, 3]]);
    expect(placesIn(policiesOf(numbers.map((n) => `eth.tx.to != '0x${n}'`)))).toHaveLength(1);
  });

  test.each([
    ["three of them", [1, 2, 3].map((n) => `eth.tx.value < ${n}`)],
    ["other operators", ["<", ">", "<=", ">="].map((sign) => `eth.tx.value ${sign} 1`)],
    ["other parts", ["value", "nonce", "gas", "chain_id"].map((name) => `eth.tx.${name} == 1`)],
    ["numbers and texts", ["1", "'1'", "2", "'2'"].map((n) => `activity.params.a == ${n}`)],
    ["long texts", numbers.map((n) => `eth.tx.data == '${`${n}`.repeat(128)}'`)],
    ["lists", numbers.map((n) => `eth.tx.value in [${n}]`)],
    ["the literal first", numbers.map((n) => `${n} < eth.tx.value`)],
    ["another number of operands", numbers.map((n) => "1 == 1".concat(" && 1 == 1".repeat(n)))],
    ["equal conditions", numbers.map(() => "eth.tx.value < 1")],
  ])("but not %s", (_, conditions) => {
    expect(placesIn(policiesOf(conditions))).toEqual([]);
  });

  test("nor with another effect or another consensus", () => {
    const policies = policiesOf([1, 2, 3, 4, 5, 6].map((n) => `eth.tx.value < ${n}`));
    const half = (more: Partial<PolicyText>) =>
      policies.map((policy, i) => (i < 3 ? policy : { ...policy, ...more }));
    expect(placesIn(policies)).toHaveLength(1);
    expect(placesIn(half({ effect: "EFFECT_DENY" }))).toEqual([]);
    expect(placesIn(half({ consensus: "approvers.count() > 1" }))).toEqual([]);
    expect(placesIn(half({ time: "time.now > Timestamp('2026-01-01T00:00:00Z')" }))).toEqual([]);
  });
});

function request(policies: DecisionInput["policies"], input: Record<string, Input>): DecisionInput {
  const users = ["ann", "bob"].map((id) => ({ id, tags: [], email: "", alias: "" }));
  return {
    policies,
    environment: makeEnvironment(input),
    users,
    approvals: [{ userId: "ann" }],
    rootQuorum: { threshold: 1, userIds: [] },
    now: "2026-06-01T00:00:00Z",
  };
}

/** Decides with the knowledge of which policies are alike, and without. */
function decideBoth(policies: readonly PolicyText[], input: Record<string, Input>) {
  const list = compilePolicies(policies);
  const [work, plainWork]: [Work, Work] = [{ steps: 0 }, { steps: 0 }];
  const decision = decide(request(list, input), work);
  const plain = decide(request([...list], input), plainWork);
  return { groups: list.groups ?? [], decision, plain, work, plainWork };
}

describe("a decision is the same as if each policy were evaluated by itself", () => {
  const literal = fc.oneof(
    fc.bigInt(0n, 5n).map(String),
    fc.constantFrom("'0xa9'", "'0xA9'", "'a'", "'A'", "'1'", "''", "'\u212a'", "'k'", "'K'"),
    fc.constantFrom(
      "'0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'",
      "'0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'",
    ),
  );
  const left = fc.constantFrom(
    ...["eth.tx.to", "eth.tx.value", "eth.tx.nonce", "eth.tx.data[0..4]", "wallet.id"],
    ...["eth.tx.contract_call_args['dst']", "eth.tx.contract_call_args['wad']"],
    ...["activity.params.ids", "activity.params.flag", "private_key.tags.count()"],
    ...["eth.eip_712.message['label']", "private_key.tags[0]", "(1 == 1 || wallet.imported)"],
  );
  const operator = fc.constantFrom("==", "!=", "<", ">", "<=", ">=");
  /** The conditions of one family, with other literals in each. */
  const family = fc
    .tuple(
      fc.array(expression, { maxLength: 2 }),
      fc.array(fc.tuple(left, operator), { minLength: 1, maxLength: 2 }),
      fc.array(fc.array(literal, { minLength: 2, maxLength: 2 }), { minLength: 4, maxLength: 8 }),
      fc.record({
        effect: fc.constantFrom("EFFECT_ALLOW" as const, "EFFECT_DENY" as const),
        consensus: fc.constantFrom(
          undefined,
          "approvers.count() > 1",
          "approvers.any(u, u.id == 'ann')",
          "approvers[1].id == 'ann'",
        ),
        time: fc.constantFrom(undefined, "time.now > Timestamp('2027-01-01T00:00:00Z')"),
      }),
    )
    .map(([same, compared, literals, more]) =>
      literals.map((row): PolicyText => {
        const operands = compared.map(([path, sign], i) => `${path} ${sign} ${row[i]}`);
        const condition = [...same.map((one) => `(${one})`), ...operands].join(" && ");
        return { policyId: "", condition, ...more };
      }),
    );

  test("for generated policies and requests", () => {
    let met = 0;
    fc.assert(
      fc.property(fc.array(family, { minLength: 1, maxLength: 3 }), roots, (families, input) => {
        const texts = families.flat().filter(({ condition = "" }) => tryCompile(condition));
        // Families that take turns, as in a list that grew.
        const policies = texts
          .map((text, i) => ({ ...text, policyId: `p${i}` }))
          .sort((a, b) => (a.condition ?? "").length - (b.condition ?? "").length);
        const { groups, decision, plain, work, plainWork } = decideBoth(policies, input);
        if (groups.length > 0) met++;
        expect(decision).toEqual(plain);
        expect(work.steps).toBeGreaterThanOrEqual(plainWork.steps);
      }),
      { numRuns: 2000 },
    );
    // The text of most others does not compile.
    expect(met).toBeGreaterThan(50);
  });

  test("for a number of cases in which only some match", () => {
    const conditions = [10, 49, 50, 51, 100].map((n) => `eth.tx.value < ${n}`);
    const { decision, plain } = decideBoth(policiesOf(conditions), transfer);
    expect(decision).toEqual(plain);
    expect(decision.evaluations.map(({ outcome }) => outcome)).toEqual([
      "OUTCOME_DENY_IMPLICIT",
      "OUTCOME_DENY_IMPLICIT",
      "OUTCOME_DENY_IMPLICIT",
      "OUTCOME_ALLOW",
      "OUTCOME_ALLOW",
    ]);
  });

  test("if the case of letters does not count, and if it does", () => {
    const folded = ["0xab", "0xAA", "0xaa", "0xac"].map((to) => `eth.tx.to == '${to}'`);
    const exact = ["a", "B", "b", "c"].map((text) => `activity.params.text != '${text}'`);
    for (const conditions of [folded, exact]) {
      const { groups, decision, plain } = decideBoth(policiesOf(conditions), transfer);
      expect(groups).toHaveLength(1);
      expect(decision).toEqual(plain);
    }
  });

  test("if an operand errs, for an ALLOW and a DENY", () => {
    const conditions = [1, 2, 3, 4].map((n) => `eth.tx.value < ${n} && private_key.id == 'k'`);
    for (const effect of ["EFFECT_ALLOW", "EFFECT_DENY"] as const) {
      const { decision, plain } = decideBoth(policiesOf(conditions, { effect }), transfer);
      expect(decision).toEqual(plain);
      expect(decision.evaluations.map(({ outcome }) => outcome)).toEqual(
        Array(4).fill("OUTCOME_ERROR"),
      );
    }
  });

  test("if the consensus errs although no condition is true", () => {
    const conditions = [1, 2, 3, 4].map((n) => `eth.tx.value < ${n}`);
    const policies = policiesOf(conditions, { consensus: "approvers[5].id == 'ann'" });
    const { decision, plain } = decideBoth(policies, transfer);
    expect(decision).toEqual(plain);
    expect(decision.evaluations[0]?.outcome).toBe("OUTCOME_ERROR");
  });

  test("if the policies take more than the limit together, which stops the last ones", () => {
    const slow = "activity.params.l.all(x, activity.params.l.all(y, x == y || x != y))";
    const conditions = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0 ? `eth.tx.value < ${n}` : `${slow} && ${n} == ${n + 1}`,
    );
    const l = Array.from({ length: 100 }, (_, index) => index);
    const activity = { ...transfer.activity, params: { l } };
    const { groups, decision, plain } = decideBoth(policiesOf(conditions), {
      ...transfer,
      activity,
    });
    expect(groups).toHaveLength(1);
    expect(decision).toEqual(plain);
    expect(decision.evaluations[0]?.failures).toEqual([]);
    expect(decision.evaluations[38]?.outcome).toBe("OUTCOME_ERROR");
    expect(decision.evaluations[1]?.outcome).toBe("OUTCOME_DENY_IMPLICIT");
  });
});

describe("looking for policies that are alike is bounded", () => {
  const slow = "activity.params.l.all(x, activity.params.l.any(y, x == y))";
  const policies = Array.from({ length: 80 }, (_, index) =>
    allow(`${slow} && ${index >> 2} == ${100 + index} && 1 == 1`, index),
  );
  const steps = (length: number) => {
    const l = Array.from({ length }, (_, index) => index);
    const activity = { ...transfer.activity, params: { l } };
    const { groups, decision, plain, work, plainWork } = decideBoth(policies, { activity });
    expect(groups).toHaveLength(20);
    expect(decision).toEqual(plain);
    return [work.steps, plainWork.steps] as const;
  };

  test("by its limit and one part", () => {
    const [taken, plain] = steps(30);
    expect(plain).toBeGreaterThan(MAX_DECISION_STEPS / 10);
    expect(plain).toBeLessThan(MAX_DECISION_STEPS);
    expect(taken - plain).toBeLessThan(MAX_MATCHER_STEPS + plain / 80);
  });

  test("and beyond the limit of a decision, to as much again", () => {
    const [taken, plain] = steps(120);
    expect(plain).toBeGreaterThan(MAX_DECISION_STEPS);
    expect(taken).toBeLessThan(2 * plain + MAX_MATCHER_STEPS + MAX_STEPS);
  });
});

test("policies that are alike are known only for the list that they were found in", () => {
  const list = compilePolicies(policiesOf([1, 2, 3, 4].map((n) => `eth.tx.value < ${n}`)));
  expect(list.groups).toHaveLength(1);
  for (const other of [list.slice(1), [...list], list.filter(() => true)]) {
    expect(other).not.toHaveProperty("policy-groups");
  }
  expect(groupPolicies([...list]).map(({ places }) => places)).toEqual([[0, 1, 2, 3]]);
});
