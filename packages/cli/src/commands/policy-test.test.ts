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

async function run(content: unknown, ...args: string[]) {
  const { status, stdout, stderr } = await keyhearth([
    "policy",
    "test",
    write("cases.json", content),
    ...args,
  ]);
  const shorten = (text: string) => text.replaceAll(/[^\s"]*\/(?=cases\.json)/g, "");
  return { status, stdout: shorten(stdout), stderr: shorten(stderr) };
}

describe("keyhearth policy test", () => {
  test("passes every published case", async () => {
    const { cases, decision_cases } = JSON.parse(readFileSync(vectors, "utf8"));
    const count = cases.length + decision_cases.length;
    expect(count).toBeGreaterThanOrEqual(295);
    expect(await keyhearth(["policy", "test", vectors])).toEqual({
      status: 0,
      stdout: `${count} passed, 0 failed\n`,
      stderr: "",
    });
  });

  test("fails every published case whose expectation is changed", async () => {
    const file = JSON.parse(readFileSync(vectors, "utf8"));
    for (const one of file.cases) one.expected = one.expected === false;
    for (const { expected } of file.decision_cases) {
      const isAllowed = expected.outcome === "OUTCOME_ALLOW";
      expected.outcome = isAllowed ? "OUTCOME_DENY_IMPLICIT" : "OUTCOME_ALLOW";
    }
    const count = file.cases.length + file.decision_cases.length;
    const { status, stdout } = await run(file);
    expect(stdout.split("\n").at(-2)).toBe(`0 passed, ${count} failed`);
    expect(stdout.split("\n").filter((line) => line.startsWith("FAIL ")).length).toBe(count);
    expect(status).toBe(1);
  });

  test("shows the expected value of an expression, and the parts that decided the real one", async () => {
    expect(await run({ cases: [{ ...expression, expected: true, note: "as agreed" }] })).toEqual({
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

  test("points to the part that has no value, and says why", async () => {
    const failing = { ...expression, expression: "eth.tx.data[0..10] == '0x'", expected: true };
    expect((await run({ cases: [failing] })).stdout).toBe(
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

  test("points to the part that cannot be parsed", async () => {
    const failing = { ...expression, expression: "walet.id == 'w1'", expected: "error(runtime)" };
    expect((await run({ cases: [failing] })).stdout).toContain(
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

  test("shows a decision that differs with the policies that differ", async () => {
    const expected = { outcome: "OUTCOME_ALLOW", policyOutcomes: { "p-two": "OUTCOME_ALLOW" } };
    expect(await run({ decision_cases: [{ ...decision, expected }] })).toEqual({
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

  test("says which clause of a policy cannot be parsed, and runs the other cases", async () => {
    const policies = [{ ...decision.policies[0], condition: "activity.acton == 'SIGN'" }];
    const { status, stdout } = await run({
      cases: [expression],
      decision_cases: [{ ...decision, policies }],
    });
    expect(stdout).toBe(
      [
        "FAIL two-must-approve cases.json decision_cases[0]",
        "  the policies cannot be parsed, so there is no decision",
        "",
        "  p-two, condition, line 1, column 1:",
        "    field does not exist: `activity.acton`; did you mean `activity.action`?",
        "      activity.acton == 'SIGN'",
        "      ^^^^^^^^^^^^^^",
        "    expected one of `type`, `resource`, `action`, `params`, `kind`",
        "",
        "1 passed, 1 failed",
        "",
      ].join("\n"),
    );
    expect(status).toBe(1);
  });

  test("runs only the cases whose name contains the text of --filter", async () => {
    const cases = [expression, { ...expression, name: "small-transfer" }];
    expect((await run({ cases }, "--filter", "small")).stdout).toBe("1 passed, 0 failed\n");
    expect(await run({ cases }, "--filter", "none")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: "keyhearth: none of 2 cases has `none` in its name\n",
    });
  });

  test("accepts several files and standard input", async () => {
    const one = write("one.json", { cases: [expression] });
    const two = JSON.stringify({ decision_cases: [decision] });
    expect(await keyhearth(["policy", "test", one, "-"], { stdin: two })).toEqual({
      status: 0,
      stdout: "2 passed, 0 failed\n",
      stderr: "",
    });
  });

  test("writes JSON for programs", async () => {
    const failing = { ...expression, expected: true };
    const { status, stdout, stderr } = await run(
      { cases: [failing, { ...expression, name: "b" }] },
      "--json",
    );
    expect(status).toBe(1);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      passed: 1,
      failed: 1,
      cases: [
        {
          file: "cases.json",
          path: "cases[0]",
          name: "large-transfer",
          kind: "expression",
          passed: false,
          expected: true,
          got: false,
          source: expression.expression,
          value: false,
          trace: [
            { text: expression.expression, start: 0, end: 41, depth: 0, value: "false" },
            { text: "eth.tx.value <= 1000", start: 21, end: 41, depth: 1, value: "false" },
            { text: "eth.tx.value", start: 21, end: 33, depth: 2, value: "5000" },
          ],
          isCut: false,
        },
        { file: "cases.json", path: "cases[1]", name: "b", kind: "expression", passed: true },
      ],
    });
  });

  test("reads integers of any size exactly", async () => {
    const large =
      '{"cases":[{"name":"wei","kind":"condition","context":{"eth":{"tx":{"value":VALUE}}},';
    const text = `${large}"expression":"eth.tx.value == 1000000000000000000001","expected":true}]}`;
    expect((await run(text.replace("VALUE", "1000000000000000000001"))).stdout).toBe(
      "1 passed, 0 failed\n",
    );
    expect((await run(text.replace("VALUE", "1000000000000000000002"))).stdout).toContain(
      "eth.tx.value -> 1000000000000000000002",
    );
  });

  test("counts approvals with the credentials that were used for them", async () => {
    const passkey = { id: "c1", type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR" };
    const one = {
      ...decision,
      users: [
        { id: "u1", credentials: [passkey, { id: "c2", type: "CREDENTIAL_TYPE_API_KEY_P256" }] },
      ],
      approvedBy: [{ userId: "u1", credentialId: "c1" }],
      policies: [
        {
          policyId: "passkeys",
          effect: "EFFECT_ALLOW",
          consensus: `credentials.any(c, c.type == '${passkey.type}' && c.user_id == 'u1')`,
        },
      ],
      expected: { outcome: "OUTCOME_ALLOW", policyOutcomes: { passkeys: "OUTCOME_ALLOW" } },
    };
    expect((await run({ decision_cases: [one] })).stdout).toBe("1 passed, 0 failed\n");
    const approvedBy = [{ userId: "u1", credentialId: "c2" }];
    expect((await run({ decision_cases: [{ ...one, approvedBy }] })).status).toBe(1);
    const unknown = await run({
      decision_cases: [{ ...one, approvedBy: [{ userId: "u1", credentialId: "c3" }] }],
    });
    expect(unknown.status).toBe(2);
    expect(unknown.stderr).toContain(
      '`decision_cases[0].approvedBy[0].credentialId` ("two-must-approve") must be the id of a ' +
        'credential of this user, and is "c3"',
    );
  });

  test("shows no control characters from a file", async () => {
    const name = "\u001b[2J\u202evil";
    const { stdout } = await run({ cases: [{ ...expression, name, expected: true }] });
    expect(stdout).toContain("FAIL \\u{1b}[2J\\u{202e}vil cases.json");
  });
});

describe("a file in the wrong format", () => {
  const [policy] = decision.policies;

  test.each<[string, unknown, string]>([
    ["is empty", "", "cases.json:1:1: the file is not JSON: it is empty"],
    ["is not JSON", '{"cases": [}', "cases.json:1:12: the file is not JSON: a value was expected"],
    [
      "has a comment",
      "{} // none",
      "cases.json:1:4: the file is not JSON: comments are not allowed",
    ],
    [
      "is a list",
      [],
      "cases.json:1:1: the file must be an object with `cases` and `decision_cases`, and is []",
    ],
    ["has no list", {}, "cases.json:1:1: the file has neither `cases` nor `decision_cases`"],
    ["has no case", { cases: [] }, "cases.json:1:1: the file has no case"],
    [
      "is of another version",
      { format_version: 2, cases: [expression] },
      "cases.json:2:21: `format_version` must be 1, and is 2",
    ],
    [
      "has an unknown member",
      { case: [expression] },
      "cases.json:2:11: `case` is unknown: did you mean `cases`?",
    ],
    [
      "has no expectation",
      { cases: [expression, { ...expression, expected: undefined }] },
      'cases.json:19:5: `cases[1].expected` ("large-transfer") is missing',
    ],
    [
      "has another expectation",
      { cases: [{ ...expression, expected: "yes" }] },
      '`cases[0].expected` ("large-transfer") must be true, false or one of `error(parse)`, ' +
        '`error(type)`, `error(runtime)`, and is "yes"',
    ],
    [
      "names another clause",
      { cases: [{ ...expression, kind: "conditon" }] },
      '`cases[0].kind` ("large-transfer") must be one of `condition`, `consensus`, `time`, ' +
        'and is "conditon"',
    ],
    [
      "has a misspelt member",
      { cases: [{ ...expression, expresion: "true" }] },
      '`cases[0].expresion` ("large-transfer") is unknown: did you mean `expression`?',
    ],
    [
      "gives a field another type",
      { cases: [{ ...expression, context: { eth: { tx: { value: "5" } } } }] },
      '`cases[0].context` ("large-transfer") does not describe a request: eth.tx.value is not int',
    ],
    [
      "has an unknown root",
      { cases: [{ ...expression, context: { walet: {} } }] },
      "does not describe a request: there is no root walet",
    ],
    [
      "gives a member twice",
      '{"cases":[{"name":"a","expected":true,"expected":false}]}',
      "cases.json:1:50: `cases[0].expected` is given twice",
    ],
    [
      "has an approval of nobody",
      { decision_cases: [{ ...decision, approvedBy: ["u3"] }] },
      '`decision_cases[0].approvedBy[0]` ("two-must-approve") must be the id of one of `users`, ' +
        'and is "u3"',
    ],
    [
      "has a policy with an unknown clause",
      { decision_cases: [{ ...decision, policies: [{ ...policy, consensuss: "false" }] }] },
      '`decision_cases[0].policies[0].consensuss` ("two-must-approve") is unknown: did you mean `consensus`?',
    ],
    [
      "has an unknown effect",
      { decision_cases: [{ ...decision, policies: [{ ...policy, effect: "ALLOW" }] }] },
      'must be one of `EFFECT_ALLOW`, `EFFECT_DENY`, and is "ALLOW"',
    ],
    [
      "expects an outcome of a policy that it does not have",
      {
        decision_cases: [
          {
            ...decision,
            expected: { outcome: "OUTCOME_ALLOW", policyOutcomes: { p: "OUTCOME_ALLOW" } },
          },
        ],
      },
      '`decision_cases[0].expected.policyOutcomes.p` ("two-must-approve") is not a policy of this case',
    ],
    [
      "has an unknown outcome",
      { decision_cases: [{ ...decision, expected: { ...decision.expected, outcome: "ALLOW" } }] },
      "must be one of `OUTCOME_ALLOW`, `OUTCOME_DENY_EXPLICIT`, `OUTCOME_DENY_IMPLICIT`, " +
        '`OUTCOME_REQUIRES_CONSENSUS`, and is "ALLOW"',
    ],
    [
      "has a malformed time",
      { decision_cases: [{ ...decision, now: "2026-02-30T00:00:00Z" }] },
      "must be a date and time in UTC such as `2026-01-31T08:00:00Z`, and is",
    ],
    [
      "has a threshold of zero",
      { decision_cases: [{ ...decision, rootQuorum: { threshold: 0, userIds: [] } }] },
      "`decision_cases[0].rootQuorum.threshold`",
    ],
    ["is nested without end", "[".repeat(100_000), "cases.json is nested deeper than 256 levels"],
    ["is not text", new Uint8Array([0x7b, 0xff, 0x7d]), "cases.json is not UTF-8 text"],
  ])("that %s: exit code 2", async (_, content, message) => {
    const { status, stdout, stderr } = await run(content);
    expect(stderr.split("\n")[0]).toContain(message);
    expect(stderr).toMatch(/^keyhearth: /);
    expect(stderr).not.toMatch(/ at .*:\d+:\d+/);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  test("is reported to programs in JSON", async () => {
    const { status, stdout, stderr } = await run({ cases: [{ ...expression, kind: 5 }] }, "--json");
    expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      error: {
        message:
          'cases.json:5:15: `cases[0].kind` ("large-transfer") must be one of `condition`, ' +
          "`consensus`, `time`, and is 5",
        file: "cases.json",
        member: "cases[0].kind",
        of: "large-transfer",
        line: 5,
        column: 15,
      },
    });
  });

  test("that does not exist or is a directory: exit code 2", async () => {
    expect(await keyhearth(["policy", "test", "/nowhere/cases.json"])).toEqual({
      status: 2,
      stdout: "",
      stderr: "keyhearth: cannot read /nowhere/cases.json: there is no such file\n",
    });
    expect((await keyhearth(["policy", "test", "/"])).stderr).toBe(
      "keyhearth: cannot read /: it is a directory\n",
    );
  });
});
