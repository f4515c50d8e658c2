import { describe, expect, test } from "vitest";
import { keyhearth, temporaryFiles } from "../keyhearth.testing.ts";

const write = temporaryFiles();

const sound = {
  policyName: "small transfers",
  effect: "EFFECT_ALLOW",
  condition:
    "activity.kind == 'SIGN_TRANSACTION' && wallet.id == 'w1' && eth.tx.value <= 1000000000000000",
  consensus: "approvers.any(u, u.id == 'u1')",
  notes: "",
};

async function check(content: unknown, ...args: string[]) {
  const file = write("policies.json", content);
  const { status, stdout, stderr } = await keyhearth(["policy", "check", file, ...args]);
  const shorten = (text: string) => text.replaceAll(/[^\s"]*\/(?=policies\.json)/g, "");
  return { status, stdout: shorten(stdout), stderr: shorten(stderr) };
}

describe("keyhearth policy check", () => {
  test.each<[string, unknown]>([
    ["the parameters of create_policies", { policies: [sound] }],
    ["a list", [sound]],
    ["one policy", sound],
    [
      "the answer of list_policies, in which an empty clause means an absent one",
      {
        policies: [
          {
            ...sound,
            policyId: "5a0d7f3e-1b6c-4d92-a7e8-3c4f9b2d6e11",
            time: "",
            createdAt: { seconds: "1767225600", nanos: "0" },
            updatedAt: { seconds: "1767225600", nanos: "0" },
          },
        ],
      },
    ],
  ])("accepts %s", async (_, content) => {
    expect(await check(content)).toEqual({
      status: 0,
      stdout: "1 policy checked: 0 errors, 0 warnings\n",
      stderr: "",
    });
  });

  test("points to every clause that cannot be parsed", async () => {
    const policies = [
      { ...sound, condition: "wallet.id == 'w1' &&\n  eth.tx.valeu <= 1000" },
      { ...sound, policyName: "other", consensus: "approvers.count() > '1'", time: "true && " },
    ];
    expect(await check({ policies })).toEqual({
      status: 1,
      stderr: "",
      stdout: [
        "error POLICY_UNKNOWN_FIELD: small transfers, condition, line 2, column 3 policies.json policies[0]",
        "  field does not exist: `eth.tx.valeu`; did you mean `eth.tx.value`?",
        "    wallet.id == 'w1' &&",
        "      eth.tx.valeu <= 1000",
        "      ^^^^^^^^^^^^",
        "  expected one of `from`, `to`, `data`, `value`, `gas`, `gas_price`, `chain_id`, `nonce`,",
        "  `max_fee_per_gas`, `max_priority_fee_per_gas`, `max_fee_per_blob_gas`, `type`, `function_name`,",
        "  `function_signature`, `contract_call_args`",
        "",
        "error POLICY_TYPE: other, consensus, line 1, column 1 policies.json policies[1]",
        "  `>` cannot be used between int and string",
        "    approvers.count() > '1'",
        "    ^^^^^^^^^^^^^^^^^^^^^^^",
        "  expected two numbers or two timestamps",
        "",
        "error POLICY_PARSE: other, time, line 1, column 9 policies.json policies[1]",
        "  expected a value, found the end",
        "    true &&",
        "            ^",
        "",
        "2 policies checked: 3 errors, 0 warnings",
        "",
      ].join("\n"),
    });
  });

  test("checks a single expression", async () => {
    expect(
      await keyhearth(["policy", "check", "--consensus", "approvers.any(u, u.id = 'u1')"]),
    ).toEqual({
      status: 1,
      stderr: "",
      stdout: [
        "error POLICY_PARSE: consensus, line 1, column 23",
        "  `=` has no meaning here; did you mean `==`?",
        "    approvers.any(u, u.id = 'u1')",
        "                          ^",
        "",
        "1 expression checked: 1 error, 0 warnings",
        "",
      ].join("\n"),
    });
  });

  test("reads standard input", async () => {
    expect(
      (await keyhearth(["policy", "check", "-"], { stdin: JSON.stringify(sound) })).status,
    ).toBe(0);
    const wrong = JSON.stringify({ ...sound, consensus: "" });
    const { status, stdout } = await keyhearth(["policy", "check", "-"], { stdin: wrong });
    expect(status).toBe(1);
    expect(stdout).toContain("consensus, line 1, column 1 (standard input) policy\n");
  });

  test("writes JSON for programs", async () => {
    const { status, stdout } = await check([{ ...sound, condition: "walet.id == 'w1'" }], "--json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      errors: 1,
      warnings: 0,
      findings: [
        {
          severity: "error",
          file: "policies.json",
          path: "[0].condition",
          policyId: "small transfers",
          policyName: "small transfers",
          clause: "condition",
          code: "POLICY_UNKNOWN_FIELD",
          message: "field does not exist: `walet.id`; did you mean `wallet.id`?",
          start: 0,
          end: 8,
          line: 1,
          column: 1,
          expected: expect.stringMatching(/^one of `activity`, `wallet`/),
          suggestion: "wallet.id",
        },
      ],
    });
  });

  const both = { ...sound, condition: "private_key.id == 'k1' && wallet.id == 'w1'" };

  test("warns about suspicious clauses, with exit code 0", async () => {
    const { status, stdout } = await check([sound, { ...both, policyName: "both" }]);
    expect(status).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe(
      "warning mixed-key-roots: both, condition, line 1, column 27 policies.json [1]",
    );
    expect(lines.slice(-5)).toEqual([
      "    private_key.id == 'k1' && wallet.id == 'w1'",
      "                              ^^^^^^",
      "",
      "2 policies checked: 0 errors, 1 warning",
      "",
    ]);
  });

  test("says so if the suspicious clause is absent", async () => {
    const { stdout } = await check([{ ...sound, consensus: undefined }]);
    const [title, , ...rest] = stdout.split("\n");
    expect(title).toBe(
      "warning consensus-any: small transfers, consensus, absent policies.json [0]",
    );
    expect(rest.join("\n")).not.toContain("^");
  });

  test("fails on warnings with --strict", async () => {
    expect((await check([sound], "--strict")).status).toBe(0);
    expect((await check([both], "--strict")).status).toBe(1);
    expect(
      (await keyhearth(["policy", "check", "--condition", both.condition, "--strict"])).status,
    ).toBe(1);
  });

  test("warns about an expression for either effect, and never about clauses that were not given", async () => {
    const { stdout } = await keyhearth([
      "policy",
      "check",
      "--condition",
      "activity.action == 'SIGN'",
    ]);
    expect(stdout).toBe("1 expression checked: 0 errors, 0 warnings\n");
  });

  test("looks ids up in the organization", async () => {
    const organization = write("organization.json", { users: [{ id: "u2" }] });
    expect((await check([sound])).stdout).toBe("1 policy checked: 0 errors, 0 warnings\n");
    const { stdout } = await check([sound], "--organization", organization);
    expect(stdout).toMatch(/^warning unknown-user: small transfers, consensus, line 1, column 26 /);
  });

  test("writes warnings as JSON too", async () => {
    const { stdout } = await check([both], "--json");
    expect(JSON.parse(stdout)).toEqual({
      errors: 0,
      warnings: 1,
      findings: [
        {
          severity: "warning",
          file: "policies.json",
          path: "[0].condition",
          policyId: "small transfers",
          policyName: "small transfers",
          clause: "condition",
          code: "mixed-key-roots",
          message: expect.stringContaining("`wallet`"),
          start: 26,
          end: 32,
          line: 1,
          column: 27,
        },
      ],
    });
  });

  test.each<[string, unknown, string]>([
    [
      "a text",
      '"true"',
      'the file must be a list of policies, `{ "policies": [...] }` or one policy',
    ],
    [
      "an object of something else",
      { policiess: [] },
      "`policiess` is unknown: did you mean `policies`?",
    ],
    ["a policy without effect", [{ policyName: "a" }], "`[0].effect` is missing"],
    [
      "a policy without name",
      [{ effect: "EFFECT_ALLOW" }],
      "`[0]` has neither `policyId` nor `policyName`",
    ],
    [
      "a policy with an empty name",
      [{ ...sound, policyName: "" }],
      "`[0].policyName` must be a name",
    ],
    [
      "another effect",
      [{ ...sound, effect: "ALLOW" }],
      "`[0].effect` must be one of `EFFECT_ALLOW`, `EFFECT_DENY`",
    ],
    [
      "a condition that is not a text",
      [{ ...sound, condition: true }],
      "`[0].condition` must be an expression in a text",
    ],
    [
      "a misspelt clause",
      [{ ...sound, consenus: "true" }],
      "`[0].consenus` is unknown: did you mean `consensus`?",
    ],
    ["two policies of one name", [sound, sound], '`[1]` has the name of `[0]`: "small transfers"'],
  ])("refuses %s with exit code 2", async (_, content, message) => {
    const { status, stdout, stderr } = await check(content);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("accepts either files or expressions, but not both and not neither", async () => {
    const stderr = "keyhearth: check takes either files or expressions (--condition TEXT, ...)\n";
    const mistake = { status: 2, stdout: "", stderr };
    expect(await keyhearth(["policy", "check"])).toEqual(mistake);
    expect(await keyhearth(["policy", "check", "-", "--condition", "true"])).toEqual(mistake);
  });
});
