import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CaseError, caseOf, readCases, runCase, withCase } from "./cases.ts";
import { explain, type Situation } from "./decide.ts";

const policies = [
  {
    policyId: "p1",
    policyName: "Two treasurers pay",
    effect: "EFFECT_ALLOW",
    condition: "eth.tx.value <= 2000000000000000000",
    consensus: "approvers.filter(user, user.tags.contains('treasurers')).count() >= 2",
  },
] as const;

const situation: Situation = {
  users: ["ada", "bob"].map((id) => ({ id, tags: ["treasurers"], email: "", alias: id })),
  rootQuorum: { threshold: 1, userIds: [] },
  approvedBy: ["ada"],
  now: "2026-07-06T08:30:00Z",
  context: { eth: { tx: { value: { $uint: "1000000000000000000" } } } },
};

test("a decision becomes a case, which holds until a policy changes", () => {
  const decided = explain(policies, situation);
  expect(decided.outcome).toBe("OUTCOME_REQUIRES_CONSENSUS");
  const text = withCase("", caseOf("Ada pays", policies, situation, decided));
  const both = withCase(text, caseOf("Ada pays again", policies, situation, decided));
  const cases = readCases(both);
  expect(cases.map((one) => runCase(one))).toMatchObject([
    { name: "Ada pays", hasPassed: true },
    { name: "Ada pays again", hasPassed: true },
  ]);
  const edited = [{ ...policies[0], consensus: "approvers.count() >= 1" }];
  expect(cases.map((one) => runCase(one, edited))[0]).toMatchObject({
    hasPassed: false,
    expected: "OUTCOME_REQUIRES_CONSENSUS",
    got: "OUTCOME_ALLOW",
  });
  const broken = [{ ...policies[0], condition: "eth.tx.valu" }];
  expect(cases.map((one) => runCase(one, broken))[0]).toMatchObject({
    hasPassed: false,
    got: "no decision",
  });
});

test("the published cases of the language have the results that they name", () => {
  const path = "../../../../packages/policy/src/vectors/policy-cases.json";
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  const ran = readCases(text).map((one) => runCase(one));
  expect(ran.length).toBeGreaterThan(250);
  expect(ran.filter(({ hasPassed }) => !hasPassed)).toEqual([]);
});

const whole = {
  name: "a",
  policies: [],
  users: [{ id: "ada" }],
  rootQuorum: { threshold: 1, userIds: [] },
  approvedBy: ["ada"],
  context: {},
  expected: { outcome: "OUTCOME_DENY_IMPLICIT", policyOutcomes: {} },
};
const file = (changes: object) => JSON.stringify({ decision_cases: [{ ...whole, ...changes }] });

test.each([
  ["", "The file is empty."],
  ["[1", /^The file is not JSON: /],
  ["[]", "The file must be an object, and is []."],
  ["{}", "The file has no case: it needs some in `cases` or in `decision_cases`."],
  ['{"format_version": 2}', "`format_version` must be 1, and is 2."],
  ['{"tests": []}', /^`tests` is unknown\. Known here are cases, /],
  [file({ name: 1 }), "`decision_cases[0].name` must be a text, and is 1."],
  [
    file({ approvedBy: ["bob"] }),
    /^`decision_cases\[0\]\.approvedBy\[0\]` must be the id of one of/,
  ],
  [file({ rootQuorum: { threshold: 0, userIds: [] } }), /must be a whole number from 1, and is 0/],
  [file({ context: { eth: { tx: { value: "much" } } } }), /does not describe a request/],
  [file({ now: "today" }), /`decision_cases\[0\]\.now` must be /],
  [
    file({ expected: { outcome: "OUTCOME_MAYBE", policyOutcomes: {} } }),
    /must be one of OUTCOME_ALLOW/,
  ],
  [
    file({ expected: { outcome: "OUTCOME_ALLOW", policyOutcomes: { p: "OUTCOME_ALLOW" } } }),
    /is not a policy of this case/,
  ],
  [" ".repeat(1_000_001), "The file is larger than a megabyte: split it into several."],
])("%.60j is refused", (text, message) => {
  const refused = () => readCases(text);
  expect(refused).toThrow(CaseError);
  expect(refused).toThrow(message);
});

test("a large whole number that is written as one is exact", () => {
  const text = `{"cases": [{"name": "exact", "kind": "condition", "expression": "eth.tx.value == 9007199254740993",
    "context": {"eth": {"tx": {"value": 9007199254740993}}}, "expected": true}]}`;
  expect(readCases(text).map((one) => runCase(one))).toMatchObject([{ hasPassed: true }]);
  const fraction = text.replace('"value": 9007199254740993', '"value": 1.5');
  expect(() => readCases(fraction)).toThrow("The number 1.5 is not exact here");
});
