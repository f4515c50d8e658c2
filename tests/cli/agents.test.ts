import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { compiled } from "../start/process.ts";
import { bin, hasScript, newPerson, newUser, ownName, type Person } from "./cli.ts";
import { startProxy } from "./proxy.ts";

let person: Person;
let wallet: { walletId: string; address: string };

beforeAll(async () => {
  person = await newPerson();
  // A profile pins the quorum key of the service.
  const key = person.product.environment.KEYHEARTH_ROOT_KEY ?? "";
  await person.json(["profile", "add", "root", "--url", person.product.url, "--key", key]);
  person.env.KEYHEARTH_PROFILE = "root";
  const made = await person.json(["wallets", "create", ownName("w"), "--account", "ethereum"]);
  wallet = { walletId: made.walletId, address: made.accounts[0].address };
});

const newName = () => ownName("agent").replace(" ", "-");

const policyOf = (change: object = {}) => ({
  ...{ policyName: "{{agent}} signs messages", effect: "EFFECT_ALLOW", notes: "of {{agent}}" },
  consensus: "approvers.any(user, user.id == '{{agent}}')",
  condition: `activity.kind == 'SIGN_RAW_PAYLOAD' && wallet.id == '${wallet.walletId}'`,
  ...change,
});

const create = (name: string, file: string, ...more: string[]) => [
  ...["agent", "create", name, "--policy", file, ...more],
];

const pathOf = (...parts: string[]) => join(person.folder, "keyhearth", ...parts);

/** A profile that has pinned the keys of the real service, and asks a host in between. */
async function pinnedAt(url: string): Promise<string[]> {
  const name = newName();
  const kept = JSON.parse(readFileSync(pathOf("profiles", "root.json"), "utf8"));
  writeFileSync(pathOf("profiles", `${name}.json`), JSON.stringify({ ...kept, url }), {
    mode: 0o600,
  });
  return ["--profile", name];
}

const usersNamed = async (name: string) =>
  (await person.json(["users", "list"])).users.filter(
    ({ userName }: { userName: string }) => userName === name,
  );

/** What the tool of an agent's server answers. */
async function signMessage(name: string, args: Record<string, unknown>) {
  const client = await serverOf(name);
  const { structuredContent } = await client.callTool({ name: "sign_message", arguments: args });
  await client.close();
  return structuredContent as Record<"status" | "activityId" | "fingerprint", string>;
}

/** A program that has started the server of an agent. */
async function serverOf(name: string): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "mcp", "--profile", name],
    env: {
      PATH: process.env.PATH ?? "",
      XDG_CONFIG_HOME: person.folder,
      NODE_COMPILE_CACHE: compiled,
    },
    ...{ cwd: tmpdir(), stderr: "ignore" },
  });
  const client = new Client({ name: "a test", version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const deletePolicy = async (name: string) => {
  const { policies } = await person.json(["policy", "list"]);
  const named = ({ policyName }: { policyName: string }) => policyName === name;
  await person.json(["policy", "delete", policies.find(named).policyId, "--yes"]);
};

const policiesOf = async (name: string) =>
  (await person.json(["policy", "list"])).policies.filter(
    ({ policyName }: { policyName: string }) => policyName.includes(name),
  );

describe("agent list", () => {
  test("names the policies of earlier files that another program could complete, and how to correct them", async () => {
    const name = newName();
    const { userId } = await person.json(
      create(name, person.write("own.json", [policyOf()]), "--yes"),
    );
    const agent = `approvers.any(user, user.id == '${userId}')`;
    const weak = { ...policyOf(), policyName: ownName("larger"), notes: "" };
    const file = person.write("weak.json", [
      { ...weak, consensus: `${agent} && approvers.count() >= 2` },
    ]);
    await person.json(["policy", "create", file, "--yes"]);
    const listed = async () =>
      (await person.json(["agent", "list"])).agents.find(
        (each: { name: string }) => each.name === name,
      );
    const [{ policyId }] = await policiesOf(weak.policyName);
    const why = "takes the approval of any user in addition to the agent's";
    expect((await listed()).weakPolicies).toEqual([{ policyId, policyName: weak.policyName, why }]);
    const { stdout } = await person.run(["agent", "list"]);
    expect(stdout).toMatch(new RegExp(`${name} .*no: another program could approve\n`));
    expect(stdout).toContain(`run \`keyhearth policy update ${policyId} FILE\``);

    const { userId: ownId } = await person.json(["whoami"]);
    const corrected = {
      ...weak,
      consensus: `${agent} && approvers.any(user, user.id == '${ownId}')`,
    };
    const update = [
      "policy",
      "update",
      policyId,
      person.write("corrected.json", corrected),
      "--yes",
    ];
    await person.json(update);
    expect((await listed()).weakPolicies).toEqual([]);
    await person.json(["agent", "remove", name, "--yes"]);
  });
});

describe("agent create", () => {
  test("shows what it makes, asks, and makes a user who signs and does nothing else", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    const asked = await person.run(create(name, file));
    expect(asked).toMatchObject({ status: 2, stdout: "" });
    expect(asked.stderr).toContain(
      [
        "agent create makes, in this order:",
        `  user ${name}, who is not a root user`,
        `  policy DENY Agent ${name} signs and does nothing else`,
        `  policy ALLOW ${name} signs messages`,
        `  key ${pathOf("keys", `${name}.private`)}, for you alone`,
        `  profile ${name}`,
        "more: the change allows what the organization now does not, for example:",
      ].join("\n"),
    );
    expect(asked.stderr).toContain(`Create the agent ${name} with 2 policies? Nobody can be asked`);
    expect(await usersNamed(name)).toEqual([]);

    const made = await person.json(create(name, file, "--yes"));
    const { userId, keyFile } = made;
    expect(made).toMatchObject({ profile: name, comparison: { answer: "more" } });
    expect((statSync(keyFile).mode & 0o777).toString(8)).toBe("600");
    expect((statSync(pathOf("profiles", `${name}.json`)).mode & 0o777).toString(8)).toBe("600");
    const [user] = await usersNamed(name);
    expect(user).toMatchObject({ userId, apiKeys: [{ apiKeyName: "agent" }], userTags: [] });
    expect(await policiesOf(name)).toMatchObject([
      {
        policyName: `Agent ${name} signs and does nothing else`,
        effect: "EFFECT_DENY",
        condition: "activity.action != 'SIGN'",
        consensus: `approvers.any(user, user.id == '${userId}')`,
      },
      { notes: `of ${name}`, consensus: `approvers.any(user, user.id == '${userId}')` },
    ]);

    const as = ["--profile", name];
    const { signature } = await person.json([
      "sign",
      "message",
      "hi",
      "--with",
      wallet.address,
      ...as,
    ]);
    expect(signature).toMatch(/^0x/);
    // The file names its organization, so the variables of all samples are enough.
    const env = { KEYHEARTH_ROOT_KEY: keyFile, KEYHEARTH_PROFILE: "" };
    expect(await person.json(["whoami"], 0, { env })).toMatchObject({ userId });
    // What every other user may do.
    await person.json(["generate", "api-key", `${name}-2`]);
    const denied = await person.run([
      "users",
      "add-key",
      userId,
      "--public-key",
      `${name}-2`,
      ...as,
    ]);
    expect(denied.status).toBe(4);
    expect(denied.stderr).toContain("signs and does nothing else");
    const publicKey = readFileSync(pathOf("keys", `${name}-2.public`), "utf8");
    const login = ["call", "stamp_login", `publicKey=${publicKey}`, "expirationSeconds=900", ...as];
    expect((await person.run(login)).status).toBe(4);
    const payload = ["sign", "payload", "00", "--hash", "sha256", "--with", wallet.address, ...as];
    expect((await person.run(payload)).status).toBe(0);

    // The same command again changes nothing.
    expect(await person.json(create(name, file, "--yes"))).toMatchObject({ userId });
    expect(await policiesOf(name)).toHaveLength(2);
    expect((await usersNamed(name))[0].apiKeys).toEqual(user.apiKeys);

    const listed = await person.json(["agent", "list"]);
    expect(listed.agents).toContainEqual({
      ...{ userId, name, keys: 1, isRoot: false, weakPolicies: [] },
      policies: [`Agent ${name} signs and does nothing else`, `${name} signs messages`],
    });
    expect((await person.run(["agent", "list"])).stdout).toMatch(
      /^USER +NAME +KEYS +POLICIES +BOUND\n/,
    );

    const client = await serverOf(name);
    const arguments_ = { signWith: wallet.address, message: "hi" };
    const { structuredContent } = await client.callTool({
      ...{ name: "sign_message", arguments: arguments_ },
    });
    expect(structuredContent).toMatchObject({ status: "signed", signature });

    const unsure = await person.run(["agent", "remove", name]);
    expect(unsure).toMatchObject({ status: 2, stdout: "" });
    expect(unsure.stderr).toContain(
      `Delete the agent ${name} (${userId}) and 2 policies? Nobody can be asked`,
    );
    await person.json(["agent", "remove", name, "--yes"]);
    expect(await usersNamed(name)).toEqual([]);
    expect(await policiesOf(name)).toEqual([]);
    expect(existsSync(pathOf("profiles", `${name}.json`))).toBe(false);
    expect((await person.run(["agent", "remove", name, "--yes"])).stderr).toContain(
      "there is no agent",
    );
  });

  // Whichever step fails, nobody can act as the agent, and the same command goes on.
  test.each([
    ["the user", "create_users", { users: 0, policies: 0 }],
    ["the policies", "create_policies", { users: 1, policies: 0 }],
    ["the key", "create_api_keys", { users: 1, policies: 2 }],
    ["the end of the first key", "delete_api_keys", { users: 1, policies: 2 }],
  ])("goes on after a failure at %s", async (_, path, { users, policies }) => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    let isBroken = true;
    const proxy = await startProxy(person.product.url, (asked) =>
      isBroken && asked.endsWith(path)
        ? { status: 500, code: 13, message: "no", details: [] }
        : undefined,
    );
    const as = await pinnedAt(proxy.url);
    const failed = await person.run([...create(name, file, "--yes"), ...as]);
    expect(failed.status).not.toBe(0);
    if (users > 0) expect(failed.stderr).toContain("is not finished, and can do nothing yet");
    const made = await usersNamed(name);
    expect(made).toHaveLength(users);
    expect(await policiesOf(name)).toHaveLength(policies);
    expect(existsSync(pathOf("profiles", `${name}.json`))).toBe(false);
    if (path !== "delete_api_keys") {
      for (const { apiKeys } of made) {
        expect(apiKeys).toMatchObject([{ apiKeyName: "nobody has this key" }]);
      }
    }
    isBroken = false;
    const { userId } = await person.json([...create(name, file, "--yes"), ...as]);
    const [user] = await usersNamed(name);
    expect(user).toMatchObject({ userId, apiKeys: [{ apiKeyName: "agent" }] });
    expect(user.apiKeys).toHaveLength(1);
    if (users > 0) expect(userId).toBe(made[0].userId);
    expect(await policiesOf(name)).toHaveLength(2);
    await person.json(["agent", "remove", name, "--yes"]);
  });

  test("what failed is taken back by agent remove", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    const proxy = await startProxy(person.product.url, (asked) =>
      asked.endsWith("create_policies")
        ? { status: 500, code: 13, message: "no", details: [] }
        : undefined,
    );
    const failed = await person.run([
      ...create(name, file, "--yes"),
      ...(await pinnedAt(proxy.url)),
    ]);
    expect(failed.status).not.toBe(0);
    await person.json(["agent", "remove", name, "--yes"]);
    expect(await usersNamed(name)).toEqual([]);
  });

  test("refuses what would set the agent free, and what is not about it", async () => {
    const name = newName();
    const own = "approvers.any(user, user.id == '{{agent}}')";
    const two = `${own} && approvers.count() >= 2`;
    for (const [problem, ...policies] of [
      [
        "would let the agent do more than sign",
        policyOf({ condition: "activity.resource == 'POLICY'" }),
      ],
      [
        "would let the agent do more than sign",
        policyOf({ condition: "activity.kind == 'CREATE_API_KEYS'" }),
      ],
      [
        "would let the agent do more than sign",
        policyOf({ condition: "activity.action == 'UPDATE'", consensus: two }),
      ],
      [
        "would let the agent do more than sign",
        policyOf({ condition: `wallet.id == '${wallet.walletId}'` }),
      ],
      ["would let the agent do more than sign", policyOf({ condition: undefined })],
      ["decides about other users too", policyOf({ consensus: "approvers.count() >= 1" })],
      // The text mentions the agent, and the policy decides about everybody.
      ["decides about other users too", policyOf({ consensus: "'{{agent}}' != ''" })],
      [
        "decides about other users too",
        policyOf({ consensus: `${own} || approvers.count() >= 1` }),
      ],
      [
        "decides about other users too",
        policyOf(),
        policyOf({ policyName: "b", effect: "EFFECT_DENY", consensus: "'{{agent}}' != ''" }),
      ],
      [
        "decides about other users too",
        policyOf(),
        policyOf({ policyName: "b", consensus: undefined }),
      ],
      ["cannot be parsed", policyOf({ condition: "walet.id == 'x'" })],
      // Another agent is a user too.
      ["takes the approval of any user", policyOf({ consensus: two })],
      [
        "takes the approval of any user",
        policyOf({ consensus: `${own} && approvers.count() >= 9` }),
      ],
      [
        "takes the approval of any user",
        policyOf({ consensus: `${own} && approvers.any(user, user.id != '{{agent}}')` }),
      ],
      [
        "takes the approval of any user",
        policyOf({
          consensus: `${own} && credentials.any(key, key.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')`,
        }),
      ],
      [
        "does not show whose approval it takes",
        policyOf({ consensus: `${own} && approvers[1].alias != ''` }),
      ],
    ] as const) {
      const file = person.write(`${name}.json`, policies);
      const { status, stderr } = await person.run(create(name, file, "--yes"));
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(problem) });
    }
    const unrelated = policyOf({
      ...{ policyName: `${name} of others`, consensus: "approvers.count() >= 100" },
    });
    const file = person.write(`${name}.json`, [policyOf(), unrelated]);
    const made = await person.json(create(name, file, "--allow-unrelated", "--yes"));
    expect(made.policyNames).toContain(`${name} of others`);
    await person.json(["agent", "remove", name, "--yes"]);
    await deletePolicy(`${name} of others`);
  });

  test("has two agents ask for a payment that waits for the person who made them", async () => {
    const [one, other] = [newName(), newName()];
    const own = "approvers.any(user, user.id == '{{agent}}')";
    const both = policyOf({
      policyName: "{{agent}} and {{person}} sign",
      consensus: `${own} && approvers.any(user, user.id == '{{person}}')`,
    });
    const file = person.write(`${one}.json`, [both]);
    const { userId, username } = await person.json(["whoami"]);
    for (const name of [one, other]) await person.json(create(name, file, "--yes"));
    const [, made] = await policiesOf(one);
    expect(made).toMatchObject({
      policyName: `${one} and ${username} sign`,
      consensus: expect.stringContaining(`&& approvers.any(user, user.id == '${userId}')`),
    });
    // The same bytes by another user are a vote.
    const ask = { signWith: wallet.address, message: "hi", timestampMs: String(Date.now()) };
    const first = await signMessage(one, ask);
    expect(first).toMatchObject({ status: "waiting" });
    expect(await signMessage(other, ask)).not.toMatchObject({ status: "signed" });
    const { activityId, fingerprint } = first;
    const signed = await person.json([
      ...["activities", "approve", activityId, "--fingerprint", fingerprint, "--yes"],
    ]);
    expect(signed.status ?? signed.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    for (const name of [one, other]) await person.json(["agent", "remove", name, "--yes"]);
  });

  test("puts nobody in the place of the person whom its own files do not name", async () => {
    const name = newName();
    const consensus =
      "approvers.any(user, user.id == '{{agent}}') && approvers.any(user, user.id == '{{person}}')";
    const file = person.write(`${name}.json`, [policyOf({ consensus })]);
    const clerk = await newUser(person, ownName("clerk"));
    const proxy = await startProxy(person.product.url, (path) =>
      path.endsWith("/whoami")
        ? {
            organizationId: person.product.root.organizationId,
            organizationName: "",
            ...clerk,
            username: "x",
          }
        : undefined,
    );
    const as = await pinnedAt(proxy.url);
    const { status, stderr } = await person.run([...create(name, file, "--yes"), ...as]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("the service says that your key is of another user"),
    });
    expect(await usersNamed(name)).toEqual([]);
  });

  test("does not go on with a user whom somebody else made for it", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    await person.json(["generate", "api-key", `${name}-of-others`]);
    const publicKey = readFileSync(pathOf("keys", `${name}-of-others.public`), "utf8").trim();
    const key = { apiKeyName: "nobody has this key", publicKey, curveType: "API_KEY_CURVE_P256" };
    const user = { userName: name, userTags: [], apiKeys: [key], authenticators: [] };
    const users = JSON.stringify([{ ...user, oauthProviders: [] }]);
    await person.json(["call", "create_users", `users=${users}`]);
    const { status, stderr } = await person.run(create(name, file, "--yes"));
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("which this command did not begin here"),
    });
    expect(await policiesOf(name)).toEqual([]);
    // This machine did not make the user, so the service would choose it.
    const [{ userId }] = await usersNamed(name);
    const byName = await person.run(["agent", "remove", name, "--yes"]);
    expect(byName).toMatchObject({ status: 2, stdout: "" });
    expect(byName.stderr).toContain(`write ${userId} in place of "${name}"`);
    await person.json(["agent", "remove", userId, "--yes"]);
    expect(await usersNamed(name)).toEqual([]);
  });

  test("wants the service's quorum key, and says how to pin it", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    const without = { KEYHEARTH_PROFILE: "" };
    for (const [env, more, why] of [
      [without, [], "there is no profile"],
      [{}, ["--profile", "offline"], "the profile offline has none"],
    ] as const) {
      if (more.length > 0) {
        const key = person.product.environment.KEYHEARTH_ROOT_KEY ?? "";
        const { url } = person.product;
        const add = ["profile", "add", "offline", "--offline", "--url", url, "--key", key];
        await person.json(add);
      }
      const { status, stderr } = await person.run([...create(name, file, "--yes"), ...more], {
        env,
      });
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) });
      expect(stderr).toContain(`\`keyhearth profile add NAME --url ${person.product.url} --key`);
    }
    expect(await usersNamed(name)).toEqual([]);
  });

  test("does not go on with what this machine did not write down", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    const { userId } = await person.json(create(name, file, "--yes"));
    const made = pathOf("agents", `${name}.json`);
    expect((statSync(made).mode & 0o777).toString(8)).toBe("600");
    const kept = readFileSync(made, "utf8");
    writeFileSync(made, kept.replace(userId, "x') || approvers.any(u, true"));
    const changed = await person.run(create(name, file, "--yes"));
    expect(changed).toMatchObject({ status: 2, stdout: "" });
    expect(changed.stderr).toContain("is not what this command wrote down of an agent");
    rmSync(made);
    const again = await person.run(create(name, file, "--yes"));
    expect(again).toMatchObject({ status: 2, stdout: "" });
    expect(again.stderr).toContain("which this command did not begin here");
    expect(again.stderr).toContain(`keyhearth agent remove ${name}`);
    const removed = await person.run(["agent", "remove", userId, "--yes"]);
    expect(removed.status).toBe(0);
    expect(removed.stderr).toContain("policies that this machine did not make for the agent alone");
    const left = await policiesOf(name);
    expect(left).toHaveLength(2);
    for (const { policyId, policyName, consensus } of left) {
      expect(removed.stderr).toContain(policyId);
      expect(removed.stderr).toContain(`consensus: ${consensus}`);
      await deletePolicy(policyName);
    }
  });

  test("is taken back without what denies something to others too", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    const { userId } = await person.json(create(name, file, "--yes"));
    const [other] = (await person.json(["users", "list"])).users.filter(
      (each: { userId: string }) => each.userId !== userId,
    );
    const both = person.write("both.json", {
      ...{ policyName: `${name} and another never`, effect: "EFFECT_DENY" },
      consensus: `approvers.any(user, user.id in ['${userId}', '${other.userId}'])`,
      condition: "activity.kind == 'SIGN_TRANSACTION' && wallet.id == 'none'",
    });
    await person.json(["policy", "create", both, "--yes"]);
    const removed = await person.run(["agent", "remove", name, "--yes"]);
    expect(removed).toMatchObject({ status: 0 });
    expect(removed.stderr).toContain(` DENY ${name} and another never\n`);
    expect(await policiesOf(name)).toMatchObject([{ policyName: `${name} and another never` }]);
    await deletePolicy(`${name} and another never`);
  });

  test("refuses names that are taken", async () => {
    const file = person.write("names.json", [policyOf()]);
    const { userName } = (await person.json(["users", "list"])).users[0];
    const [user, key, profile] = [newName(), newName(), newName()];
    await person.json(["generate", "api-key", key]);
    await person.json(["users", "create", user, "--public-key", key]);
    await person.json(["profile", "add", profile, "--url", person.product.url]);
    for (const [name, problem] of [
      [user, `there is a user ${user} already`],
      [key, `there is a key ${key} already`],
      [profile, `there is a profile ${profile} already`],
      ["../x", "must begin with a letter or digit"],
      [userName, "the name of an agent must begin with"],
    ]) {
      const { status, stderr } = await person.run(create(name, file, "--yes"));
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(problem) });
    }
    const taken = newName();
    const other = person.write("other.json", [policyOf({ policyName: `of ${taken}` })]);
    const given = person.write("given.json", {
      ...{ policyName: `of ${taken}`, effect: "EFFECT_DENY", condition: "false" },
    });
    await person.json(["policy", "create", given, "--yes"]);
    const refused = await person.run(create(taken, other, "--yes"));
    expect(refused.stderr).toContain(`there is a policy "of ${taken}" already`);
    expect(await usersNamed(taken)).toEqual([]);
    await deletePolicy(`of ${taken}`);
    const missing = await person.run(["agent", "create", "x"]);
    expect(missing.stderr).toContain("--policy is missing: a file with the policies of the agent");
  });

  test("says so if a policy lets every user sign already", async () => {
    const name = newName();
    const open = person.write("open.json", {
      ...{ policyName: `${name} everyone`, effect: "EFFECT_ALLOW" },
      condition: `activity.kind == 'SIGN_TRANSACTION' && wallet.id == '${name}'`,
    });
    await person.json(["policy", "create", open, "--yes"]);
    const file = person.write(`${name}.json`, [policyOf()]);
    const { stderr } = await person.run(create(name, file));
    expect(stderr).toContain(
      `the policy "${name} everyone" already lets every user sign something`,
    );
    await deletePolicy(`${name} everyone`);
  });

  test.skipIf(!hasScript)("asks on a terminal, and a no makes nothing", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    const question = `Create the agent ${name}`;
    const no = await person.answer(create(name, file), question, "\r");
    expect(no).toContain("nothing was done");
    expect(await usersNamed(name)).toEqual([]);
    const yes = await person.answer(create(name, file), question, "y");
    expect(yes).toContain(`keyhearth mcp --profile ${name}`);
    await person.json(["agent", "remove", name, "--yes"]);
  });
});

describe("a host that lies to agent commands", () => {
  const sign = (as: readonly string[]) =>
    person.run(["sign", "payload", "00", "--hash", "sha256", "--with", wallet.address, ...as]);

  test.each([
    ["another user", (id: string) => id],
    [
      "a piece of a policy",
      (id: string) => `x') || approvers.any(u, u.id == '${id}') || approvers.any(v, v.id == 'x`,
    ],
  ])("makes no agent of %s", async (_, idOf) => {
    const clerk = await newUser(person, ownName("clerk"));
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    const proxy = await startProxy(person.product.url, (path) =>
      path.endsWith("/create_users")
        ? { result: { createUsersResult: { userIds: [idOf(clerk.userId)] } } }
        : undefined,
    );
    const as = await pinnedAt(proxy.url);
    const { status } = await person.run([...create(name, file, "--yes"), ...as]);
    expect(status).toBe(1);
    expect(await policiesOf(name)).toEqual([]);
    expect((await sign(clerk.profile)).status).toBe(4);
  });

  test("does not have it go on with a user of its choice, nor leave out the restriction", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    let isBroken = true;
    let shown: object | undefined;
    const proxy = await startProxy(person.product.url, (path) => {
      if (isBroken && path.endsWith("/create_policies")) {
        return { status: 500, code: 13, message: "no", details: [] };
      }
      return path.endsWith("/get_organization") ? shown : undefined;
    });
    const as = await pinnedAt(proxy.url);
    expect((await person.run([...create(name, file, "--yes"), ...as])).status).not.toBe(0);
    const [{ userId }] = await usersNamed(name);
    isBroken = false;
    const { organizationData } = await person.json(["call", "get_organization"]);
    const clerk = await newUser(person, ownName("clerk"));
    const users = organizationData.users.map((each: { userId: string }) =>
      each.userId === userId ? { ...each, userId: clerk.userId } : each,
    );
    shown = { organizationData: { ...organizationData, users } };
    const other = await person.run([...create(name, file, "--yes"), ...as]);
    expect(other).toMatchObject({ status: 2, stdout: "" });
    expect(other.stderr).toContain(`the user of the agent ${name} (${userId}) is no longer in`);
    expect(await policiesOf(name)).toEqual([]);
    // It says that the policy which binds the agent is there.
    const restriction = {
      ...{ policyId: clerk.userId, policyName: `Agent ${name} signs and does nothing else` },
      ...{ effect: "EFFECT_DENY", condition: "activity.action != 'SIGN'", notes: "" },
      consensus: `approvers.any(user, user.id == '${userId}')`,
    };
    const policies = [...organizationData.policies, restriction];
    shown = { organizationData: { ...organizationData, policies } };
    const unbound = await person.run([...create(name, file, "--yes"), ...as]);
    expect(unbound).toMatchObject({ status: 2, stdout: "" });
    expect(await usersNamed(name)).toMatchObject([
      { apiKeys: [{ apiKeyName: "nobody has this key" }] },
    ]);
    await person.json(["agent", "remove", name, "--yes"]);
  });

  test("has no policy deleted that it names as the agent's", async () => {
    const name = newName();
    const file = person.write(`${name}.json`, [policyOf()]);
    await person.json(create(name, file, "--yes"));
    const never = ownName("never");
    const condition = "activity.kind == 'EXPORT_WALLET'";
    const deny = { policyName: never, effect: "EFFECT_DENY", condition };
    await person.json(["policy", "create", person.write("never.json", deny), "--yes"]);
    const { organizationData } = await person.json(["call", "get_organization"]);
    type Named = { policyName: string; policyId: string };
    const victim = organizationData.policies.find((each: Named) => each.policyName === never);
    const policies = organizationData.policies.map((each: Named) =>
      each.policyName === `${name} signs messages` ? { ...each, policyId: victim.policyId } : each,
    );
    const proxy = await startProxy(person.product.url, (path) =>
      path.endsWith("/get_organization")
        ? { organizationData: { ...organizationData, policies } }
        : undefined,
    );
    const as = await pinnedAt(proxy.url);
    const removed = await person.run(["agent", "remove", name, "--yes", ...as]);
    expect(removed.stderr).toContain(`${victim.policyId} ALLOW ${name} signs messages\n`);
    const left = (await person.json(["policy", "list"])).policies;
    expect(left.map(({ policyName }: Named) => policyName)).toContain(never);
    await deletePolicy(never);
  });
});
