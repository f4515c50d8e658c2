import { describe, expect, test } from "vitest";
import { keyhearth, temporaryFiles } from "../keyhearth.testing.ts";

const write = temporaryFiles();

const signing = {
  policyName: "signing",
  effect: "EFFECT_ALLOW",
  condition: "activity.action == 'SIGN' && eth.tx.value <= 1000",
  consensus: "approvers.filter(u, u.tags.contains('ops')).count() >= 2",
};

const users = ["ada", "bob", "eve"].map((id) => ({
  id,
  tags: id === "eve" ? [] : ["ops"],
  email: `${id}@example.org`,
}));

async function compare(before: unknown, after: unknown, ...args: string[]) {
  const files = [write("before.json", before), write("after.json", after)];
  const { status, stdout, stderr } = await keyhearth(["policy", "compare", ...files, ...args]);
  const shorten = (text: string) => text.replaceAll(/[^\s"]*\/(?=\w+\.json)/g, "");
  return { status, stdout: shorten(stdout), stderr: shorten(stderr) };
}

describe("keyhearth policy compare", () => {
  test("answers `no more` with exit code 0", async () => {
    const narrower = { ...signing, condition: `${signing.condition} && wallet.id == 'w1'` };
    expect(await compare([signing], [narrower])).toEqual({
      status: 0,
      stdout: "no more: after.json allows nothing that before.json does not\n",
      stderr: "",
    });
  });

  test("answers `more` with exit code 1 and a request of the organization", async () => {
    const wider = { ...signing, condition: "activity.action == 'SIGN' && eth.tx.value <= 1001" };
    const organization = write("organization.json", { users });
    const { status, stdout } = await compare([signing], [wider], "--organization", organization);
    expect(status).toBe(1);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("more: after.json allows what before.json does not, for example:");
    const rows = Object.fromEntries(
      lines.slice(2, -1).map((line) => line.trim().split(/ {2,}/) as [string, string]),
    );
    expect(rows).toMatchObject({
      "activity.action": "'SIGN'",
      "eth.tx.value": "1001",
      "in after.json": "allowed by signing",
      "in before.json": "allowed by no policy",
    });
    expect([rows["submitted by"], rows["approved by"]].sort()).toEqual([
      "ada (email ada@example.org; tags ops)",
      "bob (email bob@example.org; tags ops)",
    ]);
  });

  test("names the policy that denies the example", async () => {
    const denying = {
      policyName: "no tokens",
      effect: "EFFECT_DENY",
      condition: "eth.tx.to == '0xdAC17F958D2ee523a2206206994597C13D831ec7'",
    };
    const { status, stdout } = await compare([signing, denying], [signing]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/eth\.tx\.to +'0xdac17f958d2ee523a2206206994597c13d831ec7'/i);
    expect(stdout).toMatch(/in before\.json +denied by no tokens\n/);
  });

  test("knows that a consensus that nobody can reach allows nothing", async () => {
    const three = {
      ...signing,
      consensus: "approvers.filter(u, u.tags.contains('ops')).count() >= 3",
    };
    const organization = write("organization.json", {
      users,
      rootQuorum: { threshold: 1, userIds: ["eve"] },
    });
    expect((await compare([], [three])).status).toBe(1);
    expect((await compare([], [three], "--organization", organization)).status).toBe(0);
  });

  test("answers `unknown` with exit code 3 and the parts that it depends on", async () => {
    const policy = (amount: number) => ({
      policyName: "payouts",
      effect: "EFFECT_ALLOW",
      condition: `solana.tx.transfers.all(t, t.amount <= ${amount})`,
    });
    const { status, stdout } = await compare([policy(10)], [policy(5)]);
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      "unknown: whether after.json allows more than before.json",
      "  depends on 2 parts that cannot be compared",
      "",
      "payouts, condition after.json [0]",
      "  tests of the elements of a list are not compared with each other",
    ]);
    expect(stdout).toContain(`    ${policy(10).condition}\n    ${"^".repeat(42)}\n`);
    expect(status).toBe(3);
    const { stdout: json } = await compare([policy(10)], [policy(5)], "--json");
    expect(JSON.parse(json)).toMatchObject({
      answer: "unknown",
      reasons: [
        { policyId: "payouts", set: "after", clause: "condition", start: 0, end: 41 },
        { policyId: "payouts", set: "before", clause: "condition", start: 0, end: 42 },
      ],
    });
  });

  test("writes JSON for programs: the example is a request that `explain` accepts", async () => {
    const wider = { ...signing, condition: "activity.action == 'SIGN' && eth.tx.value <= 1001" };
    const { status, stdout } = await compare([signing], [wider], "--json");
    expect(status).toBe(1);
    const { answer, example } = JSON.parse(stdout);
    expect(answer).toBe("more");
    expect(example).toMatchObject({ allowedBy: ["signing"], deniedBy: [] });
    const request = write("request.json", {
      users: example.approvers.map(({ userId, tags, email, alias }: Record<string, unknown>) => {
        return { id: userId, tags, email, alias };
      }),
      rootQuorum: { threshold: 1, userIds: [] },
      approvedBy: example.approvers.map(({ userId }: { userId: string }) => userId),
      context: example.context,
      now: example.now,
    });
    const explained = async (policies: unknown) => {
      const file = write("policies.json", policies);
      return (await keyhearth(["policy", "explain", "--policies", file, "--request", request]))
        .stdout;
    };
    expect(await explained([wider])).toMatch(/^OUTCOME_ALLOW: allowed by signing\n/);
    expect(await explained([signing])).toMatch(/^OUTCOME_DENY_IMPLICIT: no policy allows it\n/);
  });

  test("points to a policy that cannot be parsed, with exit code 2", async () => {
    const { status, stdout, stderr } = await compare(
      [signing],
      [{ ...signing, condition: "eth.tx.to" }],
    );
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe(
      [
        "keyhearth: after.json: 1 clause cannot be parsed",
        "  signing, condition, line 1, column 1:",
        "    the whole expression must be bool, found string",
        "      eth.tx.to",
        "      ^^^^^^^^^",
        "",
      ].join("\n"),
    );
  });

  test("refuses an organization whose quorum names other users than its own", async () => {
    const organization = write("organization.json", {
      users,
      rootQuorum: { threshold: 1, userIds: ["zoe"] },
    });
    const { status, stderr } = await compare([signing], [signing], "--organization", organization);
    expect(status).toBe(2);
    expect(stderr).toContain(
      '`rootQuorum.userIds[0]` must be the id of one of `users`, and is "zoe"',
    );
  });
});
