import { describe, expect, test } from "vitest";
import { keyhearth, temporaryFiles, vectors } from "../keyhearth.testing.ts";

const write = temporaryFiles();

const users = [
  { id: "u1", tags: ["ops"], alias: "Ada" },
  { id: "u2", tags: ["ops"], email: "bob@example.org" },
  { id: "u3", tags: ["ops"] },
  { id: "u4", alias: "Root" },
];

const request = {
  users,
  rootQuorum: { threshold: 1, userIds: ["u4"] },
  approvedBy: ["u1"],
  context: { activity: { action: "SIGN" }, eth: { tx: { value: 7, data: "0x" } } },
};

const policies = [
  {
    policyName: "two of ops",
    effect: "EFFECT_ALLOW",
    condition: "eth.tx.value < 10 || eth.tx.value == 100",
    consensus: "approvers.filter(u, u.tags.contains('ops')).count() >= 2",
    notes: "",
  },
  {
    policyName: "no approvals of tokens",
    effect: "EFFECT_DENY",
    condition: "eth.tx.data != '0x' && eth.tx.data[0..10] == '0x095ea7b3'",
  },
];

async function explainRequest(ownPolicies: unknown, ownRequest: unknown, ...args: string[]) {
  const files = [
    "--policies",
    write("policies.json", ownPolicies),
    "--request",
    write("request.json", ownRequest),
  ];
  return keyhearth(["policy", "explain", ...files, ...args]);
}

describe("keyhearth policy explain", () => {
  test("shows the decision, each policy, what decided its clauses, and who can complete it", async () => {
    expect(await explainRequest({ policies }, request)).toEqual({
      status: 0,
      stderr: "",
      stdout: [
        "OUTCOME_REQUIRES_CONSENSUS: two of ops would allow it with more approvals",
        "",
        "two of ops (ALLOW) -> OUTCOME_REQUIRES_CONSENSUS",
        "  condition: true",
        "    eth.tx.value < 10 || eth.tx.value == 100",
        "    ^^^^^^^^^^^^^^^^^",
        "      └─ eth.tx.value < 10 -> true",
        "         └─ eth.tx.value -> 7",
        "  consensus: false",
        "    approvers.filter(u, u.tags.contains('ops')).count() >= 2",
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "      └─ approvers.filter(u, u.tags.contains('ops')).count() -> 1",
        "         └─ approvers.filter(u, u.tags.contains('ops')) -> [{ id: 'u1', tags: ['ops'], email: '', alias: 'Ada' }]",
        "            ├─ approvers -> [{ id: 'u1', tags: ['ops'], email: '', alias: 'Ada' }]",
        "            └─ u.tags.contains('ops') -> true with u = { id: 'u1', tags: ['ops'], email: '', alias: 'Ada' }",
        "               └─ u.tags -> ['ops']",
        "",
        "no approvals of tokens (DENY) -> OUTCOME_DENY_IMPLICIT",
        "  condition: false",
        "    eth.tx.data != '0x' && eth.tx.data[0..10] == '0x095ea7b3'",
        "    ^^^^^^^^^^^^^^^^^^^",
        "      └─ eth.tx.data != '0x' -> false",
        "         └─ eth.tx.data -> '0x'",
        "",
        "Approvals that would complete it, each line on its own:",
        "  - bob@example.org",
        "  - u3",
        "  - Root",
        "",
      ].join("\n"),
    });
  });

  test.each([
    ["eth.tx.data[0..10] == '0x095ea7b3'", "this DENY denies because of the error"],
    ["private_key.id == 'k'", "skipped, because it reads what this kind of request does not have"],
  ])("says what an error in a DENY means: %s: %s", async (condition, consequence) => {
    const { stdout } = await explainRequest([{ ...policies[1], condition }], request);
    expect(stdout).toContain(`\n  ${consequence}\n`);
  });

  test("names the sets of several users", async () => {
    const three = [{ ...policies[0], consensus: "approvers.count() >= 3" }];
    const one = { ...request, rootQuorum: { threshold: 1, userIds: [] } };
    const { stdout } = await explainRequest(three, one);
    expect(stdout.split("\n\n").at(-1)).toBe(
      [
        "Approvals that would complete it, each line on its own:",
        "  - bob@example.org and u3",
        "  - bob@example.org and Root",
        "  - u3 and Root",
        "",
      ].join("\n"),
    );
  });

  test.each<[string, object, string]>([
    [
      "the root quorum",
      { approvedBy: ["u4"] },
      "OUTCOME_ALLOW: the root quorum approved, so no policy is evaluated\n",
    ],
    [
      "no policy",
      { approvedBy: ["u1"], context: { eth: { tx: { value: 50, data: "0x095ea7b2ff" } } } },
      "OUTCOME_DENY_IMPLICIT: no policy allows it\n",
    ],
    ["an allowing policy", { approvedBy: ["u1", "u2"] }, "OUTCOME_ALLOW: allowed by two of ops\n"],
    [
      "a denying policy",
      { approvedBy: ["u1", "u2"], context: { eth: { tx: { value: 5, data: "0x095ea7b3ff" } } } },
      "OUTCOME_DENY_EXPLICIT: denied by no approvals of tokens\n",
    ],
    [
      "users' right to change their own credentials",
      { ownCredentialChange: true, context: { eth: { tx: { value: 50, data: "0x095ea7b2ff" } } } },
      "OUTCOME_ALLOW: users may change their own credentials unless a policy denies it\n",
    ],
    [
      "root users who could still approve",
      {
        rootQuorum: { threshold: 2, userIds: ["u1", "u4"] },
        context: { eth: { tx: { value: 50, data: "0x095ea7b2ff" } } },
      },
      "OUTCOME_REQUIRES_CONSENSUS: approvals of root users can still complete the root quorum\n",
    ],
  ])("says that a decision is due to %s", async (_, change, line) => {
    const { status, stdout } = await explainRequest(policies, { ...request, ...change });
    expect(`${stdout.split("\n")[0]}\n`).toBe(line);
    expect(status).toBe(0);
  });

  test("writes JSON for programs", async () => {
    const denial = { ...policies[1], condition: "eth.tx.data[0..10] == '0x095ea7b3'" };
    const { status, stdout } = await explainRequest([denial], request, "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      outcome: "OUTCOME_DENY_EXPLICIT",
      reason: "policies",
      policies: [
        {
          policyId: "no approvals of tokens",
          policyName: "no approvals of tokens",
          effect: "EFFECT_DENY",
          outcome: "OUTCOME_DENY_EXPLICIT",
          clauses: {
            condition: {
              source: "eth.tx.data[0..10] == '0x095ea7b3'",
              error: { message: "position 10 is outside the text", start: 0, end: 18 },
              trace: [
                {
                  text: "eth.tx.data[0..10] == '0x095ea7b3'",
                  start: 0,
                  end: 34,
                  depth: 0,
                  error: "position 10 is outside the text",
                },
                {
                  text: "eth.tx.data[0..10]",
                  start: 0,
                  end: 18,
                  depth: 1,
                  error: "position 10 is outside the text",
                },
                { text: "eth.tx.data", start: 0, end: 11, depth: 2, value: "'0x'" },
              ],
              isCut: false,
            },
          },
        },
      ],
      neededApprovals: { sets: [], isCut: false },
    });
  });

  test("explains a case in a file, whether expression or decision", async () => {
    expect(await keyhearth(["policy", "explain", vectors, "--case", "and-false"])).toEqual({
      status: 0,
      stderr: "",
      stdout: [
        "condition: false",
        "  true && false",
        "          ^^^^^",
        "    └─ false -> false",
        "",
      ].join("\n"),
    });
    const { stdout } = await keyhearth([
      "policy",
      "explain",
      vectors,
      "--case",
      "deny-beats-allow",
    ]);
    expect(stdout.split("\n")[0]).toBe("OUTCOME_DENY_EXPLICIT: denied by p-deny");
  });

  test("explains why an expression cannot be parsed", async () => {
    const { status, stdout } = await keyhearth([
      "policy",
      "explain",
      vectors,
      "--case",
      "type-activity-in-consensus",
    ]);
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        "consensus, line 1, column 1:",
        "  `activity` exists only in a policy's condition, but this is its consensus",
        "    activity.action == 'SIGN'",
        "    ^^^^^^^^",
        "  expected one of `approvers`, `credentials`",
        "",
      ].join("\n"),
    );
  });

  test("needs no name if a file has only one case", async () => {
    const one = {
      cases: [{ name: "a", kind: "condition", expression: "true", context: {}, expected: true }],
    };
    expect((await keyhearth(["policy", "explain", write("one.json", one)])).stdout).toBe(
      "condition: true\n  true\n  ^^^^\n",
    );
  });
});

describe("exit code 2 for", () => {
  const usage =
    "keyhearth: explain needs FILE and --case NAME, or --policies FILE and --request FILE\n";

  test.each<[string, string[], string]>([
    [
      "a name that is close to an existing one",
      [vectors, "--case", "deny-beats-alow"],
      `keyhearth: ${vectors} has no case called \`deny-beats-alow\`; did you mean \`deny-beats-allow\`?\n`,
    ],
    [
      "a file with several cases and no name",
      [vectors],
      `keyhearth: ${vectors} has 295 cases: choose one with --case\n`,
    ],
    ["nothing to explain", [], usage],
    ["policies without a request", ["--policies", vectors], usage],
    ["a case and policies", [vectors, "--policies", vectors, "--request", vectors], usage],
  ])("%s", async (_, args, stderr) => {
    expect(await keyhearth(["policy", "explain", ...args])).toEqual({
      status: 2,
      stdout: "",
      stderr,
    });
  });

  test("policies that cannot be parsed, and lists all of them", async () => {
    const wrong = [
      { ...policies[0], condition: "eth.tx.valu < 10", consensus: "approvers.count() > " },
      { ...policies[1], condition: "eth.tx.data" },
    ];
    const { status, stdout, stderr } = await explainRequest(wrong, request);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("policies.json: 3 clauses cannot be parsed\n");
    expect(stderr).toContain(
      "did you mean `eth.tx.value`?\n      eth.tx.valu < 10\n      ^^^^^^^^^^^\n",
    );
    expect(stderr).toContain("  two of ops, consensus, line 1, column 21:\n");
    expect(stderr).toContain("  no approvals of tokens, condition, line 1, column 1:\n");
  });

  test("two policies of one name", async () => {
    const { status, stderr } = await explainRequest([policies[0], policies[0]], request);
    expect(status).toBe(2);
    expect(stderr).toMatch(/policies\.json:9:3: `\[1\]` has the name of `\[0\]`: "two of ops"\n$/);
  });

  test("a request that lacks a member", async () => {
    const { status, stderr } = await explainRequest(policies, {
      ...request,
      approvedBy: undefined,
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/request\.json:1:1: `approvedBy` is missing\n$/);
  });
});
