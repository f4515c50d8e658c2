import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasScript, newPerson, type Person } from "./cli.ts";
import { startProxy } from "./proxy.ts";

let person: Person;
beforeAll(async () => {
  person = await newPerson();
});

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe("whoami", () => {
  test("shows the organization and the user of the key", async () => {
    const { organizationId, userId, apiPublicKey } = person.product.root;
    expect(await person.json(["whoami"])).toEqual({
      url: person.product.url,
      organizationId,
      organizationName: "Root organization",
      userId,
      username: "Root user",
      publicKey: apiPublicKey,
    });
    const { status, stdout, stderr } = await person.run(["whoami"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`Root organization (${organizationId})`);
  });

  test("says how to choose a service if none is chosen", async () => {
    const env = { KEYHEARTH_URL: "", KEYHEARTH_ROOT_KEY: "", XDG_CONFIG_HOME: "/nowhere" };
    const { status, stderr } = await person.run(["whoami"], { env });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^keyhearth: no service is chosen: run `keyhearth init`, or set .*\n$/);
  });

  test("names a key that the organization does not know", async () => {
    await person.json(["generate", "api-key", "stranger"]);
    const { organizationId } = person.product.root;
    const args = ["profile", "add", "stranger", "--key", "stranger"];
    const { status, stderr } = await person.run([...args, "--organization", organizationId]);
    expect(status).toBe(4);
    expect(stderr).toContain("the organization does not know this key");
    expect(existsSync(join(person.folder, "keyhearth/profiles/stranger.json"))).toBe(false);
  });
});

describe("a profile", () => {
  const bare = { KEYHEARTH_URL: "", KEYHEARTH_ROOT_KEY: "" };

  test("is kept by init for its owner alone, used, listed and removed", async () => {
    const { KEYHEARTH_URL: url = "", KEYHEARTH_ROOT_KEY: key = "" } = person.env;
    const made = await person.json(["init", "--url", url, "--key", key, "--name", "one"]);
    expect(made).toMatchObject({
      profile: { name: "one", url, keyFile: key },
      username: "Root user",
    });
    const path = join(person.folder, "keyhearth/profiles/one.json");
    expect([mode(path), mode(join(person.folder, "keyhearth"))]).toEqual(["600", "700"]);
    const { apiPrivateKey } = JSON.parse(readFileSync(key, "utf8"));
    expect(readFileSync(path, "utf8")).not.toContain(apiPrivateKey);

    expect(await person.json(["whoami"], 0, { env: bare })).toMatchObject({ profile: "one" });
    await person.json(["profile", "add", "two", "--url", url, "--key", key]);
    expect(await person.json(["profile", "list"])).toMatchObject({
      current: "one",
      profiles: [{ name: "one" }, { name: "two" }],
    });
    await person.json(["profile", "use", "two"]);
    expect(await person.json(["whoami"], 0, { env: bare })).toMatchObject({ profile: "two" });
    const byName = { env: { ...bare, KEYHEARTH_PROFILE: "one" } };
    expect(await person.json(["whoami"], 0, byName)).toMatchObject({ profile: "one" });
    expect(await person.json(["whoami", "--profile", "one"])).toMatchObject({ profile: "one" });

    expect((await person.run(["profile", "use", "tow"])).stderr).toBe(
      "keyhearth: there is no profile tow: did you mean two?\n",
    );
    const again = await person.run(["profile", "add", "two", "--url", url, "--key", key]);
    expect(again).toMatchObject({ status: 2, stdout: "" });
    expect(again.stderr).toContain("there is a profile two already");
    await person.json(["profile", "remove", "two"]);
    expect(await person.json(["profile", "list"])).toMatchObject({ current: null });
    expect(existsSync(key)).toBe(true);
    await person.json(["profile", "remove", "one"]);
  });

  test.concurrent.each([
    [["profile", "add", "../x"], "must begin with a letter or digit"],
    [["profile", "add", "x", "--url", "keys.example.com"], "must be a URL such as"],
    [
      ["profile", "add", "x", "--url", "http://ada:secret@localhost"],
      "no user name and no password",
    ],
    [["profile", "add", "x", "--key", "nothing"], "there is no key file"],
    [["profile", "add", "x", "--organization", "7"], "must be a UUID such as"],
  ])("%j is a mistake", async (args, sentence) => {
    const { status, stdout, stderr } = await person.run(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("secret");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("refuses a service that shows another quorum key than the profile has", async () => {
    const { KEYHEARTH_URL: url = "", KEYHEARTH_ROOT_KEY: key = "" } = person.env;
    await person.json(["profile", "add", "pinned", "--url", url, "--key", key]);
    const path = join(person.folder, "keyhearth/profiles/pinned.json");
    const profile = JSON.parse(readFileSync(path, "utf8"));
    const name = `pinned-${Date.now()}`;
    await person.json(["wallets", "create", name, "--account", "ethereum", "--profile", "pinned"]);
    const other = profile.quorumPublicKey.replace(/.{4}$/, "0000");
    writeFileSync(path, JSON.stringify({ ...profile, quorumPublicKey: other }));
    const list = ["accounts", "list", "--wallet", name, "--profile", "pinned"];
    const { status, stdout, stderr } = await person.run(list);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("is not proven by the quorum key that you pinned");
  });
});

describe("a key file", () => {
  test("that others may read is refused with the command that corrects it", async () => {
    const path = join(person.folder, "open.json");
    copyFileSync(person.env.KEYHEARTH_ROOT_KEY ?? "", path);
    chmodSync(path, 0o644);
    const env = { KEYHEARTH_ROOT_KEY: path };
    const refused = await person.run(["whoami"], { env });
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain(
      `can be read by other users of this machine (mode 0644): run \`chmod 600 ${path}\``,
    );
    chmodSync(path, 0o600);
    expect((await person.run(["whoami"], { env })).status).toBe(0);
  });

  test("is never a key itself, which no message repeats", async () => {
    const secret = "5e".repeat(32);
    const { status, stderr } = await person.run(["whoami"], {
      env: { KEYHEARTH_ROOT_KEY: secret },
    });
    expect(status).toBe(2);
    expect(stderr).toContain("this is a key, and not the path of a key file");
    expect(stderr).not.toContain(secret);
  });

  test.each([
    ["{}", "is not a key file of a service: organizationId, apiPublicKey, apiPrivateKey missing"],
    [`${"5e".repeat(31)}:p256`, "is not a key file: it must be"],
    [`${"5e".repeat(32)}:p384`, "is not a key file: it must be"],
    [`${"00".repeat(32)}`, "the key file has no private key on p256"],
  ])("that contains %s is refused without showing it", async (content, sentence) => {
    const path = person.write("broken.private", content);
    chmodSync(path, 0o600);
    const { status, stderr } = await person.run(["whoami"], { env: { KEYHEARTH_ROOT_KEY: path } });
    expect(status).toBe(2);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/5e5e|0000000/);
  });

  test.each(["p256", "secp256k1", "ed25519"])(
    "of %s is made, registered and stamps",
    async (curve) => {
      const name = `of-${curve}`;
      const { keyFile, apiPublicKey } = await person.json([
        "generate",
        "api-key",
        name,
        "--curve",
        curve,
      ]);
      expect(mode(keyFile)).toBe("600");
      const { root, url } = person.product;
      await person.json(["users", "add-key", root.userId, "--public-key", name]);
      const id = ["--organization", root.organizationId];
      await person.json(["profile", "add", name, "--url", url, "--key", keyFile, ...id]);
      expect(await person.json(["whoami", "--profile", name])).toMatchObject({
        userId: root.userId,
        publicKey: apiPublicKey,
      });
      expect((await person.run(["generate", "api-key", name])).stderr).toContain(
        `there is a key ${name} already`,
      );
    },
  );

  test("of the released command is read", async () => {
    // As that command writes them: no suffix means P-256, and the metadata name the organization.
    const { apiPublicKey, apiPrivateKey, organizationId } = person.product.root;
    for (const [name, content] of [
      ["default.private", apiPrivateKey],
      ["default.public", apiPublicKey],
      [
        "default.meta",
        {
          ...{ name: "default", organizations: [organizationId], public_key: apiPublicKey },
          scheme: "SIGNATURE_SCHEME_TK_API_P256",
        },
      ],
    ] as const) {
      chmodSync(person.write(name, content), 0o600);
    }
    const env = { KEYHEARTH_ROOT_KEY: join(person.folder, "default.private") };
    expect(await person.json(["whoami"], 0, { env })).toMatchObject({ publicKey: apiPublicKey });
    chmodSync(person.write("default.public", `02${"11".repeat(32)}`), 0o600);
    expect((await person.run(["whoami"], { env })).stderr).toContain(
      "is not the public half of the key",
    );
  });

  test("that is printed instead is not stored", async () => {
    const key = await person.json(["generate", "api-key", "-", "--curve", "ed25519"]);
    expect(key).toMatchObject({ curveType: "API_KEY_CURVE_ED25519" });
    expect(key.apiPrivateKey).toMatch(/^[0-9a-f]{64}$/);
    const { targetPublicKey, targetPrivateKey } = await person.json([
      "generate",
      "encryption-key",
      "-",
    ]);
    expect([targetPublicKey, targetPrivateKey].map(({ length }) => length)).toEqual([130, 64]);
  });
});

describe("a service that cannot be asked", () => {
  const page = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end("<!doctype html><title>Welcome</title>");
  });
  const late = createServer((request, response) => {
    const clock = new Date(Date.now() - 3 * 3600_000).toUTCString();
    request.resume();
    response.writeHead(400, { "Content-Type": "application/json", Date: clock });
    const details = [{ code: "TIMESTAMP_OUT_OF_RANGE" }];
    response.end(JSON.stringify({ code: 3, message: "the timestamp is out of range", details }));
  });
  const at = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let nowhere = "";
  beforeAll(async () => {
    const gone = createServer();
    for (const server of [page, late, gone]) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    }
    nowhere = at(gone);
    gone.close();
  });
  afterAll(() => {
    page.close();
    late.close();
  });

  test("is named with its address and the remedy", async () => {
    const refused = await person.run(["whoami"], { env: { KEYHEARTH_URL: nowhere } });
    expect(refused).toMatchObject({ status: 6, stdout: "" });
    expect(refused.stderr).toBe(
      `keyhearth: ${nowhere} cannot be reached: nothing listens there. Start the service, or correct its address in KEYHEARTH_URL or in the profile\n`,
    );
    const json = await person.json(["whoami"], 6, { env: { KEYHEARTH_URL: nowhere } });
    expect(json).toMatchObject({ error: { code: "NETWORK" } });
  });

  test("because a page answers, or the path is wrong", async () => {
    const { status, stderr } = await person.run(["whoami"], { env: { KEYHEARTH_URL: at(page) } });
    expect(status).toBe(6);
    expect(stderr).toContain("answered 200, but not with the JSON of the API: correct the address");
    const below = await person.run(["whoami"], {
      env: { KEYHEARTH_URL: `${person.product.url}/dashboard` },
    });
    expect(below.status).toBe(6);
    expect(below.stderr).toContain("is not the address of the API");
    const tls = person.product.url.replace("http:", "https:");
    const wrong = await person.run(["whoami"], { env: { KEYHEARTH_URL: tls } });
    expect(wrong.status).toBe(6);
    expect(wrong.stderr).toContain("the port speaks http, and not https");
  });

  test("because the clocks differ", async () => {
    const { stderr } = await person.run(["whoami"], { env: { KEYHEARTH_URL: at(late) } });
    expect(stderr).toContain(
      "The clock of this machine is 180 min ahead of the service's: set it right",
    );
  });

  test("with a stack only if --debug asks for it", async () => {
    const env = { KEYHEARTH_URL: nowhere };
    expect((await person.run(["whoami"], { env })).stderr).not.toContain("    at ");
    expect((await person.run(["whoami", "--debug"], { env })).stderr).toContain("    at ");
  });
});

describe("a service that writes to the terminal", () => {
  const evil = "\u001b]0;PWN\u0007\u009b31m\u202e\u200b\nkeyhearth: all is well";
  const activity = {
    ...{ id: "11111111-1111-4111-8111-111111111111", votes: [] },
    ...{ organizationId: evil, type: evil, fingerprint: evil },
    ...{ status: `ACTIVITY_STATUS_${evil}`, createdAt: { seconds: "1", nanos: "0" } },
  };
  const policy = { policyName: evil, effect: "EFFECT_ALLOW", notes: "", time: "" };
  const clauses = { condition: "true", consensus: "true" };
  const answers: Record<string, object> = {
    whoami: { organizationId: evil, organizationName: evil, userId: evil, username: evil },
    get_activity: { activity },
    list_policies: { policies: [{ ...policy, ...clauses, policyId: evil }] },
    get_organization: { organizationData: { name: evil, users: [], policies: [] } },
    list_users: {
      users: [
        {
          ...{ userId: evil, userName: evil, userEmail: evil, userTags: [evil] },
          ...{ apiKeys: [], authenticators: [], oauthProviders: [] },
        },
      ],
    },
    get_user: { status: 400, code: 3, message: evil, details: [{ docsUrl: `https://x/${evil}` }] },
    simulate_activity: {
      ...{ outcome: evil, reason: evil, neededApprovals: [[evil]] },
      evaluations: [
        { policyId: evil, outcome: evil, trace: [{ clause: evil, value: false, steps: [] }] },
      ],
    },
    list_wallets: { wallets: [{ walletId: evil, walletName: evil, createdAt: { seconds: "1" } }] },
  };
  let env: Record<string, string> = {};
  beforeAll(async () => {
    const proxy = await startProxy(person.product.url, (path) => {
      const name = path.split("/").at(-1) ?? "";
      return name === "delete_policy" ? { result: { deletePolicyResult: {} } } : answers[name];
    });
    env = { KEYHEARTH_URL: proxy.url };
  });

  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/;

  test.each([
    ["whoami"],
    ["wallets list"],
    ["policy list"],
    ["users list"],
    ["users get 7"],
    ["activities get 11111111-1111-4111-8111-111111111111"],
    ["activities watch 11111111-1111-4111-8111-111111111111 --timeout 0"],
    ["policy simulate create_wallet walletName=x accounts=[]"],
    ["request /public/v1/query/whoami"],
    ["doctor"],
  ])("%s shows what it answers as text", async (line) => {
    const args = line.split(" ");
    const stdin = args[0] === "request" ? "{}" : "";
    for (const json of [[], ["--json"], ["--debug"]]) {
      const { stdout, stderr } = await person.run([...args, ...json], { env, stdin });
      expect(stdout + stderr).not.toMatch(steering);
      expect(stdout + stderr).not.toMatch(/^\s*keyhearth: all is well/m);
      expect(stdout + stderr).toContain("all is well");
      expect(stderr).not.toContain("this is a bug");
    }
  });

  test("names no activity by a piece of a command", async () => {
    const id = "`touch taken`; keyhearth activities approve 1";
    const waiting = { ...activity, id, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED", intent: {} };
    const proxy = await startProxy(person.product.url, (path) =>
      /get_activity|create_wallet/.test(path) ? { activity: waiting } : undefined,
    );
    const at = { KEYHEARTH_URL: proxy.url };
    for (const line of [
      "activities get 11111111-1111-4111-8111-111111111111",
      "wallets create taken",
    ]) {
      const { status, stdout, stderr } = await person.run(line.split(" "), { env: at });
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).not.toContain("touch");
      expect(stderr).toContain("an id that is not a UUID in lower case");
    }
  });

  test("is not asked by a body that a person cannot see", async () => {
    const body = `{"organizationId": "\u200b\u009b"}`;
    const args = ["request", "/public/v1/query/whoami", "--no-post"];
    const { stdout } = await person.run(args, { env, stdin: body });
    expect(stdout).not.toMatch(steering);
    expect(stdout).toContain("the body has characters that are shown as escapes");
    expect(await person.json(args, 0, { env, stdin: body })).toMatchObject({ body });
  });

  test.runIf(hasScript)("does so where a person is asked", async () => {
    const name = ["policy", "delete", evil];
    const asked = await person.answer([...name, "--no-color"], "Delete the policy", "n", env);
    const watched = await person.answer(
      ["activities", "watch", "11111111-1111-4111-8111-111111111111", "--timeout", "1"],
      "",
      "",
      env,
    );
    for (const shown of [asked, watched]) {
      expect(shown).toContain("PWN");
      // The terminal's own sequences, which move the cursor, are not in question.
      expect(shown).not.toContain("\u001b]0;PWN");
      expect(shown).not.toContain("\u009b");
      expect(shown).not.toMatch(/^keyhearth: all is well/m);
    }
  });
});

describe("a service with answers of another form", () => {
  /** Every page is full, and the last entry of each is the same. */
  const account = { address: "a", curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" };
  const again = Array.from({ length: 100 }, (_, i) => ({ ...account, walletAccountId: `${i}` }));
  const wallet = { walletId: "w", walletName: "w" };
  const answers: [line: string, answers: Record<string, unknown>][] = [
    ["whoami", { whoami: { organizationId: {}, userId: [], username: 7 } }],
    ["wallets list", { list_wallets: { wallets: 5 } }],
    ["policy list", { list_policies: [] }],
    ["activities list", { list_activities: { activities: [{ votes: 1 }] } }],
    ["activities get 7", { get_activity: { activity: { votes: [{}], status: 5 } } }],
    ["users get 7", { get_user: {} }],
    [
      "sign message x --with nobody",
      { list_private_keys: { privateKeys: [] }, list_wallet_accounts: { accounts: again } },
    ],
    [
      "accounts create w solana",
      { list_wallets: { wallets: [wallet] }, list_wallet_accounts: { accounts: again } },
    ],
  ];

  test.each(answers)("ends %s as one that cannot be asked", async (line, lies) => {
    const proxy = await startProxy(person.product.url, (path) => {
      return lies[path.split("/").at(-1) ?? ""] as object | undefined;
    });
    const env = { KEYHEARTH_URL: proxy.url };
    const { status, stdout, stderr } = await person.run(line.split(" "), { env });
    proxy.close();
    expect({ status, stdout }).toEqual({ status: 6, stdout: "" });
    expect(stderr).toMatch(/^keyhearth: http:\S+ answered.*\n$/);
    expect(proxy.paths.length).toBeLessThan(10);
  });

  test.each([
    ["has no end", true],
    ["ends in the middle", false],
  ])("is not read on where what it says of itself %s", async (_, isEndless) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, isEndless ? {} : { "Content-Length": "1000" });
      const write = () => {
        while (response.write(Buffer.alloc(16_384, "a")));
      };
      if (isEndless) response.on("drain", write);
      if (isEndless) write();
      else response.write("{", () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const beganMs = performance.now();
    const { status, stderr } = await person.run(["profile", "add", "endless", "--url", url]);
    server.closeAllConnections();
    server.close();
    expect(status).toBe(6);
    expect(stderr).toMatch(/^keyhearth: http:\S+ (answered 200, but not|cannot be reached).*\n$/);
    expect(performance.now() - beganMs).toBeLessThan(9_000);
  });
});
