import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { keyhearth, temporaryFiles, vectors } from "../keyhearth.testing.ts";

const write = temporaryFiles();

const expression = {
  name: "large-transfer",
  kind: "condition",
  expression: "wallet.id == 'w1' && eth.tx.value <= 1000",
  context: { wallet: { id: "w1" }, eth: { tx: { value: 5000 } } },
  expected: false,
};

const decision = {
  name: "two-must-approve",
  users: [
    { id: "u1", tags: ["ops"], email: "", alias: "Ada" },
    { id: "u2", tags: ["ops"], email: "", alias: "Bob" },
  ],
  rootQuorum: { threshold: 1, userIds: [] as string[] },
  approvedBy: ["u1"],
  context: { activity: { action: "SIGN" } },
  policies: [
    {
      policyId: "p-two",
      effect: "EFFECT_ALLOW",
      condition: "activity.action == 'SIGN'",
      consensus: "approvers.count() >= 2",
    },
  ],
  expected: {
    outcome: "OUTCOME_REQUIRES_CONSENSUS",
    policyOutcomes: { "p-two": "OUTCOME_REQUIRES_CONSENSUS" },
  },
};

function run(content: unknown, ...args: string[]) {
  const { status, stdout, stderr } = keyhearth([
    "policy",
    "test",
    write("cases.json", content),
    ...args,
  ]);
  const shorten = (text: string) => text.replaceAll(/\S*\/(?=cases\.json)/g, "");
  return { status, stdout: shorten(stdout), stderr: shorten(stderr) };
}

describe("keyhearth policy test", () => {
  test("passes every published case", () => {
    const { cases, decision_cases } = JSON.parse(readFileSync(vectors, "utf8"));
    const count = cases.length + decision_cases.length;
    expect(count).toBeGreaterThanOrEqual(295);
    expect(keyhearth(["policy", "test", vectors])).toEqual({
      status: 0,
      stdout: `${count} passed, 0 failed\n`,
      stderr: "",
    });
  });

  test("fails every published case whose expectation is another one", () => {
    const file = JSON.parse(readFileSync(vectors, "utf8"));
    for (const one of file.cases) one.expected = one.expected === false;
    for (const { expected } of file.decision_cases) {
      const isAllowed = expected.outcome === "OUTCOME_ALLOW";
      expected.outcome = isAllowed ? "OUTCOME_DENY_IMPLICIT" : "OUTCOME_ALLOW";
    }
    const count = file.cases.length + file.decision_cases.length;
    const { status, stdout } = run(file);
    expect(stdout.split("\n").at(-2)).toBe(`0 passed, ${count} failed`);
    expect(stdout.split("\n").filter((line) => line.startsWith("FAIL ")).length).toBe(count);
    expect(status).toBe(1);
  });

  test("shows what an expression was expected to be, and the parts that made it otherwise", () => {
    expect(run({ cases: [{ ...expression, expected: true, note: "as agreed" }] })).toEqual({
      status: 1,
      stderr: "",
      stdout: [
        "FAIL large-transfer cases.json cases[0]",
        "  expected true, got false",
        "  condition:",
        "    wallet.id == 'w1' && eth.tx.value <= 1000",
        "                         ^^^^^^^^^^^^^^^^^^^^",
        "      └─ eth.tx.value <= 1000 -> false",
        "         └─ eth.tx.value -> 5000",
        "  note: as agreed",
        "",
        "0 passed, 1 failed",
        "",
      ].join("\n"),
    });
  });

  test("points to what has no value, and tells why", () => {
    const failing = { ...expression, expression: "eth.tx.data[0..10] == '0x'", expected: true };
    expect(run({ cases: [failing] }).stdout).toBe(
      [
        "FAIL large-transfer cases.json cases[0]",
        "  expected true, got error(runtime)",
        "  condition:",
        "    eth.tx.data[0..10] == '0x'",
        "    ^^^^^^^^^^^",
        "      └─ eth.tx.data[0..10] -> error",
        "         └─ eth.tx.data -> error: `data` is not set",
        "",
        "0 passed, 1 failed",
        "",
      ].join("\n"),
    );
  });

  test("points to what cannot be read", () => {
    const failing = { ...expression, expression: "walet.id == 'w1'", expected: "error(runtime)" };
    expect(run({ cases: [failing] }).stdout).toContain(
      [
        "  expected error(runtime), got error(type)",
        "  condition:",
        "    field does not exist: `walet.id`; did you mean `wallet.id`?",
        "      walet.id == 'w1'",
        "      ^^^^^^^^",
        "    expected one of `activity`, `wallet`,",
      ].join("\n"),
    );
  });

  test("shows a decision that differs with the policies that differ", () => {
    const expected = { outcome: "OUTCOME_ALLOW", policyOutcomes: { "p-two": "OUTCOME_ALLOW" } };
    expect(run({ decision_cases: [{ ...decision, expected }] })).toEqual({
      status: 1,
      stderr: "",
      stdout: [
        "FAIL two-must-approve cases.json decision_cases[0]",
        "                expected       got",
        "  the activity  OUTCOME_ALLOW  OUTCOME_REQUIRES_CONSENSUS",
        "  p-two         OUTCOME_ALLOW  OUTCOME_REQUIRES_CONSENSUS",
        "  The decision: p-two would allow it with more approvals.",
        "",
        "  p-two (ALLOW) -> OUTCOME_REQUIRES_CONSENSUS",
        "    condition: true",
        "      activity.action == 'SIGN'",
        "      ^^^^^^^^^^^^^^^^^^^^^^^^^",
        "        └─ activity.action -> 'SIGN'",
        "    consensus: false",
        "      approvers.count() >= 2",
        "      ^^^^^^^^^^^^^^^^^^^^^^",
        "        └─ approvers.count() -> 1",
        "           └─ approvers -> [{ id: 'u1', tags: ['ops'], email: '', alias: 'Ada' }]",
        "",
        "0 passed, 1 failed",
        "",
      ].join("\n"),
    });
  });
});
