import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Transaction, verifyMessage } from "ethers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { testInLongForm } from "../start/long-form.ts";
import { compiled } from "../start/process.ts";
import { bin, newPerson, newUser, ownName, type Person } from "./cli.ts";
import { startProxy } from "./proxy.ts";

// A program with one key, driven by the official client: what it may do, what waits, and what nobody lets it do.

let person: Person;
let agent: { userId: string; profile: string[] };
let approver: { userId: string; profile: string[] };
let wallet: { walletId: string; name: string; address: string };
const policies = {
  small: ownName("small payments"),
  large: ownName("large payments"),
  messages: ownName("messages"),
};

beforeAll(async () => {
  person = await newPerson();
  agent = await newUser(person, ownName("agent"));
  approver = await newUser(person, ownName("approver"));
  const name = ownName("hot");
  const made = await person.json(["wallets", "create", name, "--account", "ethereum"]);
  wallet = { walletId: made.walletId, name, address: made.accounts[0].address };
  const by = (id: string) => `approvers.any(user, user.id == '${id}')`;
  const of = `wallet.id == '${wallet.walletId}'`;
  const file = person.write("agent-policies.json", [
    {
      ...{ policyName: policies.small, effect: "EFFECT_ALLOW", consensus: by(agent.userId) },
      condition: `activity.kind == 'SIGN_TRANSACTION' && ${of} && eth.tx.value <= 1000`,
    },
    {
      ...{ policyName: policies.large, effect: "EFFECT_ALLOW" },
      consensus: `${by(agent.userId)} && ${by(approver.userId)}`,
      condition: `activity.kind == 'SIGN_TRANSACTION' && ${of} && eth.tx.value <= 5000`,
    },
    {
      ...{ policyName: policies.messages, effect: "EFFECT_ALLOW", consensus: by(agent.userId) },
      condition: `activity.kind == 'SIGN_RAW_PAYLOAD' && ${of}`,
    },
  ]);
  await person.json(["policy", "create", file, "--yes"]);
});

let nonce = 0;
function unsignedOf(value: number): string {
  nonce += 1;
  const to = `0x${"d8".repeat(20)}`;
  const { unsignedSerialized } = Transaction.from({
    ...{ to, value, nonce, chainId: 1, type: 2, gasLimit: 21_000 },
    ...{ maxFeePerGas: 10 ** 9, maxPriorityFeePerGas: 10 ** 6 },
  });
  return unsignedSerialized;
}

const transaction = (value: number) => ({
  ...{ signWith: wallet.address, chain: "ethereum", unsignedTransaction: unsignedOf(value) },
});

/** The environment of a program that starts the command. */
const environment = () => ({
  PATH: process.env.PATH ?? "",
  XDG_CONFIG_HOME: person.folder,
  NODE_COMPILE_CACHE: compiled,
});

/** Says what is to be done at the end of a test, or of a group of tests. */
type AtEnd = (end: () => unknown) => void;

async function connected(
  transport: Transport,
  atEnd: AtEnd = (end) => onTestFinished(async () => void (await end())),
): Promise<Client> {
  const client = new Client({ name: "a test", version: "1.0.0" });
  await client.connect(transport);
  atEnd(() => client.close());
  return client;
}

function overStdio(profile = agent.profile): StdioClientTransport {
  const args = [bin, "mcp", ...profile];
  const { execPath: command } = process;
  return new StdioClientTransport({
    ...{ command, args, env: environment(), cwd: tmpdir(), stderr: "pipe" },
  });
}

/** Starts the command with `--http`, and returns its address and token. */
async function startOverHttp(
  options: string[] = [],
  atEnd: AtEnd = (end) => onTestFinished(() => void end()),
) {
  const args = [bin, "mcp", ...agent.profile, "--http", "0", ...options];
  const child = spawn(process.execPath, args, { env: environment(), cwd: tmpdir() });
  atEnd(() => child.kill());
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk) => {
      log += chunk;
      if (/listening on/.test(log) && (options.length > 0 || /Bearer \S+\n/.test(log))) resolve();
    });
    child.once("close", () => reject(new Error(log)));
  });
  const [, url = ""] = /listening on (\S+)/.exec(log) ?? [];
  const [, token = ""] = /Bearer (\S+)/.exec(log) ?? [];
  return { child, url: new URL(url), token, log: () => log };
}

function overHttp({ url, token }: { url: URL; token: string }) {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return new StreamableHTTPClientTransport(url, { requestInit });
}

type Answer = {
  isError?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool answers.
  facts: any;
  text: string;
};

async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options?: Parameters<Client["callTool"]>[1],
): Promise<Answer> {
  const answer = await client.callTool({ name, arguments: args }, options);
  const [content] = answer.content as { text: string }[];
  return {
    ...(answer.isError === true && { isError: true }),
    facts: answer.structuredContent,
    text: content?.text ?? "",
  };
}

const reject = async (activityId: string) => {
  const { activity } = await person.json(["activities", "get", activityId, ...approver.profile]);
  const named = ["--yes", "--fingerprint", activity.fingerprint];
  return person.json(["activities", "reject", activityId, ...approver.profile, ...named]);
};

describe.each<[string, (atEnd: AtEnd) => Promise<Transport>]>([
  ["over standard input", async () => overStdio()],
  ["over HTTP", async (atEnd) => overHttp(await startOverHttp([], atEnd))],
])("a program %s", (transportName, transport) => {
  // One server for all of its tests, as a program has.
  let client: Client;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    const atEnd: AtEnd = (end) => void ends.unshift(end);
    client = await connected(await transport(atEnd), atEnd);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  // Both are one server: the rest is the same over each.
  const testOnce = transportName === "over HTTP" ? testInLongForm : test;

  test("finds its wallet, asks what is allowed, and signs within its limit", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["list_wallets", "list_accounts", "simulate", "sign_transaction", "sign_message"],
      ...["wait_for_approval", "get_request", "list_requests"],
    ]);
    const { facts: listed } = await call(client, "list_wallets", { limit: 100 });
    const { walletId } = wallet;
    expect(listed.wallets).toContainEqual({
      walletId,
      walletName: wallet.name,
      createdAt: expect.stringMatching(/Z$/),
    });
    const { facts } = await call(client, "list_accounts", { walletId });
    expect(facts).toMatchObject({ accounts: [{ address: wallet.address }], hasMore: false });

    const asked = transaction(1000);
    const simulated = await call(client, "simulate", {
      request: { kind: "transaction", ...asked },
    });
    expect(simulated.facts).toMatchObject({ decision: "allowed", decidedBy: "the policies" });
    expect((await call(client, "list_requests", { limit: 50 })).facts.requests).not.toContainEqual(
      expect.objectContaining({ kind: "transaction", createdAt: "" }),
    );

    const signed = await call(client, "sign_transaction", asked);
    expect(signed).toMatchObject({
      facts: { status: "signed", kind: "transaction", signWith: wallet.address },
    });
    const { from, value } = Transaction.from(`0x${signed.facts.signedTransaction}`);
    expect({ from, value }).toEqual({ from: wallet.address, value: 1000n });
    expect(signed.text).toContain(signed.facts.signedTransaction);

    const message = "sign in to example.com";
    const greeted = await call(client, "sign_message", { signWith: wallet.address, message });
    expect(greeted.facts).toMatchObject({ status: "signed", scheme: "EIP-191" });
    expect(verifyMessage(message, greeted.facts.signature)).toBe(wallet.address);

    const { facts: read } = await call(client, "get_request", {
      activityId: greeted.facts.activityId,
    });
    expect(read).toEqual(greeted.facts);
    const { facts: requests } = await call(client, "list_requests", { limit: 2 });
    expect(requests.requests.map((each: { activityId: string }) => each.activityId)).toEqual([
      greeted.facts.activityId,
      signed.facts.activityId,
    ]);
  });

  test("is told which policy denied it, and why", async () => {
    const asked = transaction(5001);
    const simulated = await call(client, "simulate", {
      request: { kind: "transaction", ...asked },
    });
    expect(simulated.facts).toMatchObject({ decision: "denied" });
    const { isError, facts, text } = await call(client, "sign_transaction", asked);
    expect(isError).toBe(true);
    expect(facts.error).toMatchObject({ code: expect.any(String), neededApprovals: [] });
    expect(facts.error.policies).toContainEqual(
      expect.objectContaining({
        policyName: policies.large,
        outcome: "OUTCOME_DENY_IMPLICIT",
        trace: expect.arrayContaining([
          expect.objectContaining({ clause: "condition", value: false }),
        ]),
      }),
    );
    expect(text).toContain("`eth.tx.value <= 5000` is false, because eth.tx.value is 5001");
    expect(text).toContain("no approvals would allow it");
  });

  test("waits for a person, who approves", async () => {
    const asked = transaction(1001);
    const waiting = await call(client, "sign_transaction", asked);
    expect(waiting.isError).toBeUndefined();
    const { activityId, fingerprint } = waiting.facts;
    expect(waiting.facts).toMatchObject({
      status: "waiting",
      fingerprint: expect.stringMatching(/^sha256:/),
      // A root user's approval is enough as well.
      neededApprovals: expect.arrayContaining([[approver.userId]]),
    });
    expect(waiting.text).toContain(
      `keyhearth activities approve ${activityId} --fingerprint ${fingerprint}`,
    );
    expect((await call(client, "get_request", { activityId })).facts).toEqual(waiting.facts);
    const short = await call(client, "wait_for_approval", { activityId, timeoutSeconds: 1 });
    expect(short.facts).toMatchObject({ status: "waiting" });

    const messages: string[] = [];
    const waited = call(
      client,
      "wait_for_approval",
      { activityId, timeoutSeconds: 60 },
      { onprogress: ({ message }) => void messages.push(message ?? "") },
    );
    const approve = ["activities", "approve", activityId, "--fingerprint", fingerprint];
    await person.json([...approve, ...approver.profile, "--yes"]);
    const { facts } = await waited;
    expect(facts).toMatchObject({ status: "signed", votes: [{}, { userId: approver.userId }] });
    expect(Transaction.from(`0x${facts.signedTransaction}`).value).toBe(1001n);
    expect(messages[0]).toBe("the request waits for approvals: 1 vote so far");

    // The same request at the same time is the same activity, and signs nothing again.
    const { timestampMs } = waiting.facts;
    const again = await call(client, "sign_transaction", { ...asked, timestampMs });
    expect(again.facts).toEqual(facts);
  });

  testOnce("waits for a person, who rejects", async () => {
    const { facts } = await call(client, "sign_transaction", transaction(1002));
    const { activityId } = facts;
    const waited = call(client, "wait_for_approval", { activityId, timeoutSeconds: 60 });
    await reject(activityId);
    const ended = await waited;
    expect(ended.facts).toMatchObject({ status: "rejected" });
    expect(ended.facts).not.toHaveProperty("signedTransaction");
  });

  test("stops waiting when the program cancels", async () => {
    const { facts } = await call(client, "sign_transaction", transaction(1003));
    const { activityId } = facts;
    const controller = new AbortController();
    const { signal } = controller;
    const waits = Array.from({ length: 8 }, () =>
      call(client, "wait_for_approval", { activityId, timeoutSeconds: 60 }, { signal }).catch(
        (error: Error) => error,
      ),
    );
    // Each wait has a place, and there is no ninth.
    await expect
      .poll(() => call(client, "wait_for_approval", { activityId, timeoutSeconds: 1 }), {
        timeout: 10_000,
      })
      .toMatchObject({ isError: true, text: expect.stringContaining("8 waits for approvals") });
    controller.abort();
    for (const ended of await Promise.all(waits)) expect(ended).toBeInstanceOf(Error);
    const hasPlaces = () => call(client, "wait_for_approval", { activityId, timeoutSeconds: 1 });
    await expect
      .poll(hasPlaces, { timeout: 10_000 })
      .toMatchObject({ facts: { status: "waiting" } });
    await reject(activityId);
  });

  test("hears what is wrong with a call", async () => {
    const message = { signWith: wallet.address, message: "x" };
    for (const [name, args, problem] of [
      ["sign_message", { ...message, password: "x" }, "password"],
      ["sign_message", { ...message, message: "" }, "message"],
      ["sign_transaction", { ...transaction(1), unsignedTransaction: "0xzz" }, "hexadecimal"],
      ["sign_transaction", { ...transaction(1), chain: "dogecoin" }, "chain"],
      ["sign_message", { ...message, timestampMs: "yesterday" }, "13 digits"],
      ["get_request", { activityId: "../../x" }, "UUID"],
      ["list_wallets", { limit: 1e9 }, "limit"],
      ["get_request", { activityId: agent.userId }, agent.userId],
      ["sign_message", { ...message, signWith: "nobody" }, "no account and no private key"],
    ] as const) {
      const outcome = await call(client, name, args).catch((error: Error) => ({
        ...{ isError: true, text: error.message },
      }));
      expect(outcome, name).toMatchObject({ isError: true });
      expect(outcome.text).toContain(problem);
      expect(outcome.text).not.toMatch(/ at .*\.ts:\d/);
    }
    const unknown = call(client, "create_api_keys", {});
    await expect(unknown).rejects.toThrow("create_api_keys");
  });
});

describe("an answer that was lost", () => {
  let left = 0;
  async function throughProxy() {
    const proxy = await startProxy(person.product.url, (path) => {
      if (!path.endsWith("/sign_transaction") || left === 0) return undefined;
      left -= 1;
      return "lost";
    });
    const name = ownName("lost").replace(" ", "-");
    const { organizationId } = person.product.root;
    const add = ["profile", "add", name, "--key", agent.profile[1] ?? "", "--url", proxy.url];
    await person.json([...add, "--organization", organizationId]);
    return { client: await connected(overStdio(["--profile", name])), name };
  }

  test("is found again by the same call, and nothing is signed twice", async () => {
    const { client, name } = await throughProxy();
    const newest = async (from: Client) =>
      (await call(from, "list_requests", { limit: 2 })).facts.requests;
    const { facts: before } = await call(client, "sign_transaction", transaction(4));
    const asked = transaction(5);
    // The command itself sends the same bytes again, twice.
    left = 3;
    const lost = await call(client, "sign_transaction", asked);
    expect(lost).toMatchObject({ isError: true, facts: { error: { code: "NETWORK" } } });
    const { timestampMs } = lost.facts.error;
    expect(lost.text).toContain(`timestampMs ${timestampMs} identifies this request`);
    const again = await call(client, "sign_transaction", asked);
    expect(again.facts).toMatchObject({ status: "signed", timestampMs });
    // Also by another process, which is told the time.
    const other = await connected(overStdio(["--profile", name]));
    const told = await call(other, "sign_transaction", { ...asked, timestampMs });
    expect(told.facts).toEqual(again.facts);
    expect(await newest(client)).toMatchObject([
      { activityId: again.facts.activityId },
      { activityId: before.activityId },
    ]);
    // What was answered is over: the same call is a new request.
    const anew = await call(client, "sign_transaction", asked);
    expect(anew.facts.activityId).not.toBe(again.facts.activityId);
  });
});

test("a service that shows other requests and signatures is not believed", async () => {
  let lie: object | undefined;
  const proxy = await startProxy(person.product.url, (path) =>
    path.endsWith("/get_activity") ? lie : undefined,
  );
  const name = ownName("deceived").replace(" ", "-");
  const add = ["profile", "add", name, "--key", agent.profile[1] ?? "", "--url", proxy.url];
  await person.json([...add, "--organization", person.product.root.organizationId]);
  const client = await connected(overStdio(["--profile", name]));
  const large = (await call(client, "sign_transaction", transaction(4999))).facts;
  const { activityId, ...small } = (await call(client, "sign_transaction", transaction(1001)))
    .facts;
  const read = async (id: string) => (await person.json(["activities", "get", id])).activity;
  const ofLarge = await read(large.activityId);
  const ofSmall = await read(activityId);

  lie = { activity: { ...ofLarge, id: activityId } };
  for (const tool of ["get_request", "wait_for_approval"]) {
    const told = await call(client, tool, { activityId });
    expect(told).toMatchObject({ isError: true });
    expect(told.text).toContain("another request");
    expect(JSON.stringify(told)).not.toContain(large.fingerprint);
  }
  // A server that did not send it gives no command, unless it is told which request was sent.
  const other = await connected(overStdio(["--profile", name]));
  expect((await call(other, "get_request", { activityId })).text).not.toContain("approve ");
  const { fingerprint } = small;
  expect(await call(other, "get_request", { activityId, fingerprint })).toMatchObject({
    isError: true,
  });

  const status = "ACTIVITY_STATUS_COMPLETED";
  const result = { signTransactionResult: { signedTransaction: "deadbeef" } };
  lie = { activity: { ...ofSmall, status, result } };
  const signed = await call(client, "get_request", { activityId });
  expect(signed).toMatchObject({ isError: true });
  expect(signed.text).toContain("no valid signature");
  lie = undefined;
  expect((await call(other, "get_request", { activityId, fingerprint })).text).toContain(
    `keyhearth activities approve ${activityId} --fingerprint ${fingerprint}`,
  );
  await Promise.all([activityId, large.activityId].map(reject));
});

describe("over HTTP", () => {
  const initialize = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: {
      ...{ protocolVersion: "2025-06-18", capabilities: {} },
      clientInfo: { name: "a test", version: "1" },
    },
  };

  /** The status and text of an answer, with every header as it is given. */
  function post(url: URL, headers: Record<string, string>, body = JSON.stringify(initialize)) {
    return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const accept = { accept: "application/json, text/event-stream" };
      const all = { "content-type": "application/json", ...accept, ...headers };
      const sent = httpRequest(url, { method: "POST", headers: all }, (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode, text }));
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  test("only a program of this machine that knows the token is answered", async () => {
    const { url, token, log } = await startOverHttp();
    const authorization = `Bearer ${token}`;
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(url.hostname).toBe("127.0.0.1");
    for (const [headers, status, problem] of [
      [{}, 401, "the token is missing or is another one"],
      [{ authorization: "Bearer " }, 401, "the token is missing"],
      [{ authorization: `Bearer ${token}x` }, 401, "the token is missing"],
      [{ authorization: `Basic ${token}` }, 401, "the token is missing"],
      [{ authorization, host: "evil.example" }, 403, "the Host of a request must be 127.0.0.1"],
      [{ authorization, host: "127.0.0.1:1" }, 403, "the Host"],
      [{ authorization, origin: "https://evil.example" }, 403, "pages of other sites"],
      [{ authorization, origin: "http://127.0.0.1:1" }, 403, "pages of other sites"],
      [{ authorization, origin: "null" }, 403, "pages of other sites"],
      [{ authorization, "content-type": "text/plain" }, 415, ""],
    ] as const) {
      const answer = await post(url, headers);
      expect([headers, answer.status]).toEqual([headers, status]);
      expect(answer.text).toContain(problem);
    }
    expect((await post(new URL("/other", url), { authorization })).status).toBe(404);
    const long = JSON.stringify({ ...initialize, more: "x".repeat(1_100_000) });
    expect((await post(url, { authorization }, long)).status).toBe(413);
    expect((await post(url, { authorization })).status).toBe(200);
    expect((await post(url, { authorization, "mcp-session-id": "x" })).status).toBe(404);
    expect(log().match(new RegExp(token, "g"))).toHaveLength(1);
    for (let i = 0; i < 50; i++) await post(url, { origin: "https://evil.example" });
    expect(log().match(/refused/g)).toHaveLength(5);
    // Nothing listens where other machines could ask.
    const elsewhere = new URL(url.href.replace("127.0.0.1", "127.0.0.2"));
    await expect(post(elsewhere, { authorization })).rejects.toThrow("ECONNREFUSED");
  });

  test("the token of a file is not shown, and the file must be the user's own", async () => {
    const token = "0123456789abcdef0123456789abcdef";
    const file = join(person.folder, "token");
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const started = await startOverHttp(["--token-file", file]);
    const client = await connected(overHttp({ url: started.url, token }));
    expect((await client.listTools()).tools).toHaveLength(8);
    expect(started.log()).not.toContain(token);
    writeFileSync(join(person.folder, "open-token"), token, { mode: 0o644 });
    writeFileSync(join(person.folder, "short-token"), "short", { mode: 0o600 });
    const http = ["mcp", ...agent.profile, "--http", "0", "--token-file"];
    const open = await person.run([...http, join(person.folder, "open-token")]);
    expect(open).toMatchObject({ status: 2, stderr: expect.stringContaining("chmod 600") });
    const short = await person.run([...http, join(person.folder, "short-token")]);
    expect(short).toMatchObject({ status: 2, stderr: expect.stringContaining("32 to 512") });
    const useless = await person.run(["mcp", ...agent.profile, "--token-file", file]);
    expect(useless).toMatchObject({ status: 2, stderr: expect.stringContaining("is for --http") });
  });

  test("clients of the newest protocol work too, and one that goes away frees its places", async () => {
    const started = await startOverHttp();
    const other = new Client(
      { name: "a test", version: "1.0.0" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const transport = overHttp(started);
    await other.connect(transport);
    const { facts } = await call(other, "sign_transaction", transaction(1004));
    const { activityId } = facts;
    const waits = Array.from({ length: 8 }, () =>
      call(other, "wait_for_approval", { activityId, timeoutSeconds: 60 }).catch(() => "ended"),
    );
    const client = await connected(overHttp(started));
    const wait = () => call(client, "wait_for_approval", { activityId, timeoutSeconds: 1 });
    await expect.poll(wait, { timeout: 10_000 }).toMatchObject({ isError: true });
    await other.close();
    await Promise.all(waits);
    await expect.poll(wait, { timeout: 10_000 }).toMatchObject({ facts: { status: "waiting" } });
    await reject(activityId);
  });

  test("connections that show no token take no place of clients, and end after seconds", async () => {
    const { url, token } = await startOverHttp();
    const authorization = `Bearer ${token}`;
    let [open, cut] = [0, 0];
    const begin = (start = "") =>
      new Promise<void>((resolve) => {
        const socket = connect({ host: "127.0.0.1", port: Number(url.port) });
        onTestFinished(() => void socket.destroy());
        socket.on("error", () => {});
        socket.once("close", () => {
          [open, cut] = [open - 1, cut + 1];
        });
        socket.once("connect", () => {
          open += 1;
          socket.write(start);
          resolve();
        });
      });
    const client = await connected(overHttp({ url, token }));
    for (let i = 0; i < 100; i++) await begin(i % 2 === 0 ? "" : "POST /mcp HTTP/1.1\r\nHost: ");
    expect((await post(url, { authorization })).status).toBe(200);
    expect((await client.listTools()).tools).toHaveLength(8);
    expect(open).toBeGreaterThan(50);
    expect(open).toBeLessThanOrEqual(64);
    await expect.poll(() => cut, { timeout: 10_000 }).toBe(100);
  });

  test("a port in use is refused in one sentence", async () => {
    const { url } = await startOverHttp();
    const { status, stderr } = await person.run(["mcp", ...agent.profile, "--http", url.port]);
    expect(status).toBe(2);
    expect(stderr).toContain("another program listens there. Give another port");
  });
});

describe("the command", () => {
  test("refuses the key of a root user, and says how to make an agent", async () => {
    const { status, stdout, stderr } = await person.run(["mcp"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("this key belongs to a root user, whom no policy limits");
    expect(stderr).toContain("keyhearth agent create NAME --policy FILE");
  });

  test("says in one sentence that no service is there", async () => {
    const env = { KEYHEARTH_URL: "http://127.0.0.1:1" };
    const { status, stdout, stderr } = await person.run(["mcp"], { env });
    expect({ status, stdout }).toEqual({ status: 6, stdout: "" });
    expect(stderr).toMatch(/^keyhearth: http:\/\/127\.0\.0\.1:1 cannot be reached.*\n/);
  });

  test("refuses the key of another organization's user", async () => {
    const name = ownName("sub");
    const key = name.replace(" ", "-");
    await person.json(["generate", "api-key", key]);
    const { subOrganizationId } = await person.json([
      ...["sub-organizations", "create", name, "--public-key", key],
    ]);
    const options = [...agent.profile, "--organization-id", subOrganizationId];
    const { status, stderr } = await person.run(["mcp", ...options]);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/^keyhearth: /);
  });

  test("a user who becomes a root user signs nothing from then on", async () => {
    const name = ownName("later root");
    const word = name.replace(/ /g, "-");
    const [first, later] = [`first-${word}`, `later-${word}`] as const;
    await person.json(["generate", "api-key", first]);
    await person.json(["generate", "api-key", later]);
    const made = await person.json(["sub-organizations", "create", name, "--public-key", first]);
    const { url } = person.product;
    for (const key of [first, later]) {
      await person.json([
        ...["profile", "add", key, "--key", key, "--url", url, "--offline"],
        ...["--organization", made.subOrganizationId],
      ]);
    }
    const asFirst = ["--profile", first];
    const create = ["users", "create", "later", "--public-key", later];
    const { userId } = await person.json([...create, ...asFirst]);
    const client = await connected(overStdio(["--profile", later]));
    expect((await client.listTools()).tools).toHaveLength(8);
    const userIds = JSON.stringify([...made.rootUserIds, userId]);
    const quorum = ["call", "update_root_quorum", "threshold=1", `userIds=${userIds}`];
    await person.json([...quorum, ...asFirst]);
    const message = { signWith: wallet.address, message: "x" };
    const refused = await call(client, "sign_message", message);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("a root user") });
  });

  test("ends when the program that started it does, or closes its input", async () => {
    const args = [bin, "mcp", ...agent.profile];
    const ended = (child: ChildProcess) =>
      new Promise<number | null>((resolve) => child.once("close", resolve));
    const child = spawn(process.execPath, args, { env: environment(), cwd: tmpdir() });
    child.stdin.end();
    expect(await ended(child)).toBe(0);
    const signalled = spawn(process.execPath, args, { env: environment(), cwd: tmpdir() });
    signalled.stderr.once("data", () => signalled.kill("SIGTERM"));
    expect(await ended(signalled)).toBe(0);
  });

  test("shows no key in its log", async () => {
    const transport = overStdio();
    let log = "";
    transport.stderr?.on("data", (chunk) => {
      log += chunk;
    });
    const client = await connected(transport);
    await call(client, "sign_message", { signWith: wallet.address, message: "x" });
    await client.close();
    expect(log).toMatch(/^keyhearth mcp: as agent .*\nkeyhearth mcp: sign_message: signed \S+\n$/);
    expect(log).not.toMatch(/[0-9a-f]{64}/);
  });
});
