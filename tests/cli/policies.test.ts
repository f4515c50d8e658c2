import { beforeAll, expect, test } from "vitest";
import { newPerson, newUser, ownName, type Person } from "./cli.ts";
import { startProxy } from "./proxy.ts";

let person: Person;
let user: { userId: string; profile: string[] };
beforeAll(async () => {
  person = await newPerson();
  user = await newUser(person, ownName("bot"));
});

const policyOf = (policyName: string, most: number, userId: string) => ({
  ...{ policyName, effect: "EFFECT_ALLOW", notes: "made by a test" },
  condition: `activity.kind == 'SIGN_TRANSACTION' && wallet.id == 'hot' && eth.tx.value <= ${most}`,
  consensus: `approvers.any(user, user.id == '${userId}')`,
});

test("a policy is created, updated and deleted after its comparison, and only with a yes", async () => {
  const name = ownName("small payments");
  const file = person.write("policies.json", [policyOf(name, 1000, user.userId)]);
  const asked = await person.run(["policy", "create", file]);
  expect(asked).toMatchObject({ status: 2, stdout: "" });
  expect(asked.stderr).toContain(
    "more: the change allows what the organization now does not, for example:",
  );
  expect(asked.stderr).toContain("Create 1 policy? Nobody can be asked here: add --yes to go on");
  expect((await person.json(["policy", "list"])).policies).not.toContainEqual(
    expect.objectContaining({ policyName: name }),
  );

  const { policyIds, comparison } = await person.json(["policy", "create", file, "--yes"]);
  expect(comparison).toMatchObject({ answer: "more" });
  const [policyId] = policyIds;
  // What the list writes is a file for the commands that need no service.
  const live = person.write("live.json", await person.json(["policy", "list"]));
  expect(await person.json(["policy", "compare", live, live])).toMatchObject({ answer: "no more" });
  expect((await person.run(["policy", "list"])).stdout).toContain(name);

  const { consensus: _, ...raised } = policyOf(name, 500, user.userId);
  const lower = person.write("lower.json", {
    ...raised,
    consensus: policyOf(name, 0, user.userId).consensus,
  });
  const question = await person.run(["policy", "update", name, lower]);
  expect(question.stderr).toContain(`Update the policy ${name} (${policyId})? Nobody can be asked`);
  const updated = await person.json(["policy", "update", policyId, lower, "--yes"]);
  expect(updated).toMatchObject({ policyId, comparison: { answer: "no more" } });
  const { policy } = await person.json(["call", "get_policy", `policyId=${policyId}`]);
  expect(policy).toMatchObject({ condition: raised.condition, notes: "made by a test" });
  const open = person.write("open.json", {
    policyName: name,
    effect: "EFFECT_ALLOW",
    condition: raised.condition,
  });
  await person.json(["policy", "update", policyId, open, "--yes"]);
  expect((await person.json(["call", "get_policy", `policyId=${policyId}`])).policy).toMatchObject({
    consensus: "",
  });

  expect((await person.run(["policy", "delete", `${name}x`, "--yes"])).stderr).toContain(
    `did you mean ${name}?`,
  );
  expect(await person.json(["policy", "delete", policyId, "--yes"])).toMatchObject({ policyId });
});

// It would be the service that chooses which policy goes.
test("what nobody is asked about is named by its id, and not by a name that the service knows", async () => {
  const [small, never] = [ownName("small"), ownName("never")];
  const deny = {
    ...{ policyName: never, effect: "EFFECT_DENY" },
    condition: "activity.kind == 'EXPORT_WALLET' && wallet.id == 'cold'",
  };
  const file = person.write("two.json", [policyOf(small, 10, user.userId), deny]);
  const { policyIds } = await person.json(["policy", "create", file, "--yes"]);
  const [smallId, neverId] = policyIds;
  const { policies } = await person.json(["policy", "list"]);
  // The DENY has the name of the other policy.
  const exchanged = policies.map((each: { policyId: string; policyName: string }) => ({
    ...each,
    policyName:
      each.policyId === neverId ? small : each.policyId === smallId ? never : each.policyName,
  }));
  const proxy = await startProxy(person.product.url, (path) =>
    path.endsWith("/list_policies") ? { policies: exchanged } : undefined,
  );
  const env = { KEYHEARTH_URL: proxy.url };
  const open = person.write("one.json", policyOf(small, 20, user.userId));
  for (const args of [
    ["policy", "update", small, open],
    ["policy", "delete", small],
  ]) {
    const { status, stderr } = await person.run([...args, "--yes"], { env });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`write ${neverId} in place of "${small}" if that is the id`),
    });
    expect((await person.run(args, { env })).stderr).toContain(`${small} (${neverId})?`);
  }
  const { policies: left } = await person.json(["policy", "list"]);
  expect(left).toContainEqual(expect.objectContaining({ policyId: neverId, ...deny }));
  for (const policyId of policyIds) await person.json(["policy", "delete", policyId, "--yes"]);
});

test("a file that the service would refuse is refused before it is asked", async () => {
  const broken = person.write("broken.json", [
    { ...policyOf("x", 1, "y"), condition: "walet.id == 'x'" },
  ]);
  const { status, stderr } = await person.run(["policy", "create", broken, "--yes"]);
  expect(status).toBe(2);
  expect(stderr).toContain("did you mean `wallet.id`?");
  const two = person.write("two.json", [policyOf("a", 1, "y"), policyOf("b", 1, "y")]);
  const many = await person.run(["policy", "update", "a", two, "--yes"]);
  expect(many.stderr).toContain("must contain one policy");
});

test("a simulation answers what would be decided, and whose approvals are missing", async () => {
  const tag = ["create_user_tag", "userTagName=x", "userIds=[]"];
  const root = await person.json(["policy", "simulate", ...tag]);
  expect(root).toMatchObject({ outcome: "OUTCOME_ALLOW", reason: "rootQuorum" });
  const as = ["--user", user.userId];
  expect(await person.json(["policy", "simulate", ...tag, ...as], 4)).toMatchObject({
    reason: "default",
  });
  const name = ownName("two for tags");
  const file = person.write("two-for-tags.json", {
    ...{ policyName: name, effect: "EFFECT_ALLOW" },
    condition: "activity.type == 'ACTIVITY_TYPE_CREATE_USER_TAG'",
    consensus: "approvers.count() >= 2",
  });
  const { policyIds } = await person.json(["policy", "create", file, "--yes"]);
  const waits = await person.run(["policy", "simulate", ...tag, ...as]);
  expect(waits.status).toBe(5);
  expect(waits.stdout).toContain("OUTCOME_REQUIRES_CONSENSUS, decided by the policies");
  expect(waits.stdout).toContain(`policy ${name}`);
  const { userId: rootId } = person.product.root;
  const both = ["policy", "simulate", ...tag, ...as, "--approver", rootId];
  expect((await person.run(both)).status).toBe(0);
  await person.json(["policy", "delete", policyIds[0], "--yes"]);
  const query = await person.run(["policy", "simulate", "whoami"]);
  expect(query.stderr).toContain("whoami is a query, and policies decide about submissions only");
});
