import { describe, expect, test } from "vitest";
import { organizationId, waitingActivity } from "../../../sdk/src/peer.testing.ts";
import { keyhearth, temporaryFiles } from "../keyhearth.testing.ts";

const write = temporaryFiles();

const policy = {
  policyName: "all signatures",
  effect: "EFFECT_ALLOW",
  condition: "activity.action == 'SIGN'",
  consensus: "approvers.any(u, u.id == 'u1')",
  notes: "",
};

function waiting(parameters: object = policy, type = "ACTIVITY_TYPE_CREATE_POLICY_V3") {
  const envelope = { type, timestampMs: "1700000000000", organizationId, parameters };
  return waitingActivity(JSON.stringify(envelope));
}

async function check(content: unknown, ...args: string[]) {
  const file = write("activity.json", content);
  const { status, stdout, stderr } = await keyhearth(["policy", "check", file, ...args]);
  const shorten = (text: string) => text.replaceAll(/[^\s"]*\/(?=activity\.json)/g, "");
  return { status, stdout: shorten(stdout), stderr: shorten(stderr) };
}

describe("keyhearth policy check of an activity", () => {
  test("shows the verified stamp and request, and warns about the policy it would create", async () => {
    const activity = await waiting();
    const { status, stdout, stderr } = await check({ activity });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(
      [
        "verified: the stamp covers the request activity.json",
        `  stamped by    ${activity.votes[0]?.publicKey}`,
        "                the key of ada (u1), as the service says",
        `  fingerprint   ${activity.fingerprint}`,
        `  organization  ${organizationId}`,
        "  type          ACTIVITY_TYPE_CREATE_POLICY_V3",
        "  policy        all signatures: EFFECT_ALLOW",
        "    condition   activity.action == 'SIGN'",
        "    consensus   approvers.any(u, u.id == 'u1')",
        "",
        "warning sign-unscoped: all signatures, condition, line 1, column 1 activity.json parameters",
        "  this allows signing with every key, raw payloads included: add a test of `wallet.id`,",
        "  `private_key.id`, the transaction or `activity.params.encoding`",
        "    activity.action == 'SIGN'",
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^",
        "",
        "1 policy checked: 0 errors, 1 warning",
        "",
      ].join("\n"),
    );
    expect((await check({ activity }, "--strict")).status).toBe(1);
  });

  test("accepts the activity without its answer, also from standard input", async () => {
    const activity = await waiting();
    const { stdout } = await check({ activity });
    expect((await check(activity)).stdout).toBe(stdout);
    const read = await keyhearth(["policy", "check", "-"], { stdin: JSON.stringify(activity) });
    expect(read.stdout).toBe(stdout.replaceAll("activity.json", "(standard input)"));
  });

  test("trusts nothing that a service shows in addition to the stamped bytes", async () => {
    const activity = await waiting();
    const intent = { createPolicyIntentV3: { ...policy, condition: "wallet.id == 'w1'" } };
    const lie = { ...activity, type: "ACTIVITY_TYPE_CREATE_WALLET", intent, warnings: [] };
    expect(await check(lie)).toEqual(await check(activity));
  });

  test("refuses bytes other than the stamped ones, with exit code 2", async () => {
    const activity = await waiting();
    const harmless = await waiting({ ...policy, condition: "wallet.id == 'w1'" });
    const [vote, other] = [activity.votes[0], harmless.votes[0]];
    const lies = [
      { ...activity, votes: [{ ...vote, message: other?.message }] },
      { ...activity, fingerprint: harmless.fingerprint },
      {
        ...activity,
        fingerprint: harmless.fingerprint,
        votes: [{ ...vote, message: other?.message }],
      },
      { ...activity, votes: [{ ...vote, publicKey: other?.publicKey }] },
      { ...activity, votes: [] },
    ];
    for (const lie of lies) {
      const { status, stdout, stderr } = await check(lie);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(`activity.json: Activity ${activity.id} cannot be verified: `);
    }
  });

  test("distinguishes the policies of one request", async () => {
    const parameters = { policies: [{ ...policy, policyName: "one" }, policy] };
    const { stdout } = await check(
      await waiting(parameters, "ACTIVITY_TYPE_CREATE_POLICIES"),
      "--json",
    );
    const { findings, activities } = JSON.parse(stdout);
    expect(
      findings.map(({ path, policyName }: Record<string, string>) => [path, policyName]),
    ).toEqual([
      ["parameters.policies[0].condition", "one"],
      ["parameters.policies[1].condition", "all signatures"],
    ]);
    expect(activities).toMatchObject([
      { type: "ACTIVITY_TYPE_CREATE_POLICIES", policies: [{ policyName: "one" }, {}] },
    ]);
  });

  test("checks an update together with the organization's policies", async () => {
    const parameters = { policyId: "p1", policyConsensus: "" };
    const activity = await waiting(parameters, "ACTIVITY_TYPE_UPDATE_POLICY_V2");
    const listed = { policies: [{ ...policy, policyId: "p1" }] };
    const { status, stdout } = await check(activity, "--policies", write("policies.json", listed));
    expect(status).toBe(0);
    expect(stdout).toContain("all signatures (p1): EFFECT_ALLOW");
    expect(stdout).toMatch(/^warning consensus-any: all signatures \(p1\), consensus, absent /m);

    const { status: refused, stderr } = await check(activity);
    expect(refused).toBe(2);
    expect(stderr).toMatch(
      /not among the given policies\. Give all policies, .*: use --policies FILE/,
    );
  });

  test("looks ids up in the organization", async () => {
    const users = [{ id: "u2", tags: [], credentials: [{ id: "k", type: "t" }] }];
    const { stdout } = await check(
      await waiting(),
      "--organization",
      write("organization.json", {
        users,
        userTagIds: [],
        rootQuorum: { threshold: 1, userIds: ["u2"] },
      }),
    );
    expect(stdout).toContain("warning unknown-user: all signatures, consensus, line 1, column 26 ");
  });

  test("points to a clause that cannot be parsed", async () => {
    const { status, stdout } = await check(
      await waiting({ ...policy, condition: "walet.id == 'w1'" }),
    );
    expect(status).toBe(1);
    expect(stdout).toContain(
      "error POLICY_UNKNOWN_FIELD: all signatures, condition, line 1, column 1",
    );
  });

  test.each<[string, () => unknown, string]>([
    [
      "an activity about something else",
      () => waiting({ walletName: "w" }, "ACTIVITY_TYPE_CREATE_WALLET"),
      "does not create or change a policy: it is ACTIVITY_TYPE_CREATE_WALLET",
    ],
    ["an answer without votes", () => ({ activity: { id: "a" } }), "it has no `votes`"],
    [
      "an activity whose vote has no stamp",
      async () => ({ ...(await waiting()), votes: [{ message: "{}" }] }),
      "`votes[0]` is not a vote: it has no `publicKey`",
    ],
  ])("refuses %s with exit code 2", async (_, content, message) => {
    const { status, stdout, stderr } = await check(await content());
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("accepts --policies for activities only", async () => {
    const file = write("policies.json", [policy]);
    const mistake = (message: string) => ({
      status: 2,
      stdout: "",
      stderr: `keyhearth: ${message}\n`,
    });
    expect(await keyhearth(["policy", "check", file, "--policies", file])).toEqual(
      mistake("--policies is for activities, and no file is one"),
    );
    expect(await keyhearth(["policy", "check", "--time", "true", "--policies", file])).toEqual(
      mistake("--policies is for activities, not for expressions"),
    );
  });
});
