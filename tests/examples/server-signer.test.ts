import { request } from "node:http";
import { join } from "node:path";
import { type Hex, parseTransaction, recoverTransactionAddress, serializeTransaction } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Evm, startEvm } from "../chains/evm.ts";
import { startProxy } from "../cli/proxy.ts";
import { clientOf, type RootKey } from "../start/process.ts";
import { readJson } from "./files.ts";
import { type Playground, type Program, run, start, startPlayground } from "./programs.ts";

// The payout server of `examples/server-signer`. What it signs is executed by an implementation of the
// chain.

type Accounts = { smallAccount: Hex; largeAccount: Hex };

let playground: Playground;
let environment: Record<string, string>;
let server: Program;
let url: string;
let evm: Evm;
let keys: RootKey & Accounts;

beforeAll(async () => {
  playground = await startPlayground();
  environment = {
    ...playground.environment,
    PAYOUTS_DATA: join(playground.directory, "payouts"),
    PORT: "0",
  };
  expect(await run("server-signer/setup.ts", [], environment)).toMatchObject({ code: 0 });
  keys = readJson(join(playground.directory, "payouts", "server.json"));
  server = start("server-signer/server.ts", [], environment);
  url = (await server.waitFor(/http:\S+\/payouts/))[0];
  evm = await startEvm();
  await evm.fund(keys.smallAccount);
  await evm.fund(keys.largeAccount);
}, 60_000);

afterAll(async () => {
  await server?.stop();
  playground?.stop();
});

const listed = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const unlisted = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

async function post(body: object, headers = { "content-type": "application/json" }) {
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

/** The options of a vote that nobody is asked about, as the server answered the payout. */
function unasked({ fingerprint }: { fingerprint: string }): string[] {
  return ["--fingerprint", fingerprint, "--yes"];
}

async function get(id: string) {
  return (await fetch(`${url}/${id}`)).json();
}

test("a payout within the limit is signed, and the chain executes it", async () => {
  const before = await evm.balanceOf(listed);
  const { status, body } = await post({ to: listed, amount: "0.05" });
  expect(status).toBe(201);
  const { signedTransaction, hash } = body.payout;
  expect(parseTransaction(signedTransaction)).toMatchObject({ chainId: 1, value: 5n * 10n ** 16n });
  expect(await recoverTransactionAddress({ serializedTransaction: signedTransaction })).toBe(
    keys.smallAccount,
  );
  expect(await evm.execute(signedTransaction)).toMatchObject({ hash, isReverted: false });
  expect(await evm.balanceOf(listed)).toBe(before + 5n * 10n ** 16n);
});

test("payouts at the same time have different nonces, so all of them are paid", async () => {
  const before = await evm.balanceOf(listed);
  const answers = await Promise.all([1, 2, 3].map(() => post({ to: listed, amount: "0.001" })));
  const signed: Hex[] = answers.map(({ body }) => body.payout.signedTransaction);
  const inOrder = signed.toSorted(
    (a, b) => (parseTransaction(a).nonce ?? 0) - (parseTransaction(b).nonce ?? 0),
  );
  for (const transaction of inOrder) await evm.execute(transaction);
  expect(await evm.balanceOf(listed)).toBe(before + 3n * 10n ** 15n);
});

test("a payout to anybody else is refused, and the answer says which part refused it", async () => {
  const { status, body } = await post({ to: unlisted, amount: "0.05" });
  expect(status).toBe(403);
  expect(body.reasons).toContainEqual(
    expect.objectContaining({
      policy: expect.stringContaining("Payouts up to"),
      because: [expect.stringContaining(`false, because eth.tx.to is '${unlisted.toLowerCase()}'`)],
    }),
  );
  // It has used no nonce.
  const { body: next } = await post({ to: listed, amount: "0.001" });
  expect(await evm.execute(next.payout.signedTransaction)).toMatchObject({ isReverted: false });
});

test("nobody can pay more than the maximum", async () => {
  const { status, body } = await post({ to: listed, amount: "5.000000000000000001" });
  expect(status).toBe(403);
  expect(JSON.stringify(body.reasons)).toContain("eth.tx.value <= 5000000000000000000");
});

test("above the limit, the approver reads the payout and approves it", async () => {
  const { status, body } = await post({ to: listed, amount: "2.5" });
  expect(status).toBe(202);
  const { id } = body.payout;
  expect((await get(id)).payout.status).toBe("waiting");

  // The next one needs the nonce of this one.
  expect(await post({ to: listed, amount: "3" })).toMatchObject({ status: 409, body: { id } });
  // Small payouts go on.
  expect((await post({ to: listed, amount: "0.001" })).status).toBe(201);

  const declined = await run("server-signer/approve.ts", [id], environment, "n\n");
  expect(declined.output).toContain(`Pay 2.5 ETH\n  to    ${listed}`);
  expect(declined).toMatchObject({ code: 1, output: expect.stringContaining("Not approved") });
  expect((await get(id)).payout.status).toBe("waiting");

  const approved = await run("server-signer/approve.ts", [id], environment, "y\n");
  expect(approved).toMatchObject({ code: 0, output: expect.stringContaining("Signed: GET") });
  const { payout } = await get(id);
  const before = await evm.balanceOf(listed);
  expect(await evm.execute(payout.signedTransaction)).toMatchObject({
    sender: keys.largeAccount.toLowerCase(),
  });
  expect(await evm.balanceOf(listed)).toBe(before + 25n * 10n ** 17n);
});

test("what a service answers to an approval is not printed", async () => {
  const { body } = await post({ to: listed, amount: "2.6" });
  const approver = clientOf(playground.service, playground.root);
  const { activity } = await approver.getActivity({ activityId: body.payout.id });
  const host = await startProxy(playground.service.url, (path) =>
    path.endsWith("/approve_activity")
      ? { activity: { ...activity, status: "\u001b]0;owned\u0007\u001b[2J" } }
      : undefined,
  );
  const args = [body.payout.id, ...unasked(body.payout)];
  const { output } = await run("server-signer/approve.ts", args, {
    ...environment,
    KEYHEARTH_URL: host.url,
  });
  expect(output).toContain("Pay 2.6 ETH");
  expect(output).not.toContain("\u001b");
  const ended = await run("server-signer/approve.ts", [...args, "--reject"], environment);
  expect(ended).toMatchObject({ code: 0 });
});

test("a vote that nobody is asked about needs the fingerprint, which names another request than the service", async () => {
  const { body } = await post({ to: listed, amount: "2.7" });
  const { id } = body.payout;
  const client = clientOf(playground.service, keys);
  const other = await client.signTransaction.submit({
    signWith: keys.largeAccount,
    type: "TRANSACTION_TYPE_ETHEREUM",
    unsignedTransaction: serializeTransaction({
      ...{ type: "eip1559", chainId: 1, nonce: 60, to: listed, value: 5n * 10n ** 18n },
      ...{ gas: 21_000n, maxFeePerGas: 10n ** 9n },
    }),
  });
  expect(other.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  // The service has the large payout under the id of the small one.
  const host = await startProxy(playground.service.url, (path) =>
    path.endsWith("/get_activity") ? { activity: { ...other, id } } : undefined,
  );
  const vote = (...options: string[]) =>
    run("server-signer/approve.ts", [id, ...options], {
      ...environment,
      KEYHEARTH_URL: host.url,
    });
  for (const how of [[], ["--reject"]]) {
    expect(await vote(...how, "--yes")).toMatchObject({
      code: 2,
      output: expect.stringContaining("--yes needs --fingerprint FINGERPRINT, because the service"),
    });
    expect(await vote(...how, ...unasked(body.payout))).toMatchObject({
      code: 1,
      output: expect.stringContaining("it is another request, so nothing was stamped"),
    });
    expect(await vote(...how, "--yes", "--fingerprint", "")).toMatchObject({
      code: 1,
      output: expect.stringContaining("fingerprint must be"),
    });
  }
  const { activity } = await client.getActivity({ activityId: other.id });
  expect(activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const own = ["--reject", ...unasked(body.payout)];
  const ended = await run("server-signer/approve.ts", [id, ...own], environment);
  expect(ended).toMatchObject({ code: 0 });
  await client.reject(other);
});

test("what the service calls signed is handed out only if it is what was asked for, signed by the account", async () => {
  const { body: first } = await post({ to: listed, amount: "0.002" });
  const { body: second } = await post({ to: listed, amount: "0.003" });
  const { signedTransaction: other } = second.payout;
  const forged = [other.slice(2), "02c0ffee", `${first.payout.signedTransaction.slice(2)}00`, ""];
  let answered = "";
  const client = clientOf(playground.service, keys);
  const { activity } = await client.getActivity({ activityId: first.payout.id });
  const host = await startProxy(playground.service.url, (path) => {
    if (!path.endsWith("/get_activity")) return undefined;
    const result = { signTransactionResult: { signedTransaction: answered } };
    return { activity: { ...activity, result } };
  });
  const lied = start("server-signer/server.ts", [], { ...environment, KEYHEARTH_URL: host.url });
  const [at] = await lied.waitFor(/http:\S+\/payouts/);
  for (answered of forged) {
    const reply = await fetch(`${at}/${first.payout.id}`);
    expect(reply.status).toBe(502);
    expect(await reply.json()).toEqual({
      error: expect.stringContaining("answered with something else than this server asked for"),
      id: first.payout.id,
    });
  }
  answered = first.payout.signedTransaction.slice(2);
  expect(await (await fetch(`${at}/${first.payout.id}`)).json()).toEqual(first);
  await lied.stop();
});

test("a rejected payout ends, and the next one takes its nonce", async () => {
  const { body } = await post({ to: listed, amount: "1" });
  const rejected = await run(
    "server-signer/approve.ts",
    [body.payout.id, "--reject", ...unasked(body.payout)],
    environment,
  );
  expect(rejected).toMatchObject({ code: 0 });
  expect((await get(body.payout.id)).payout).toMatchObject({ status: "rejected" });

  const { body: next } = await post({ to: listed, amount: "1" });
  const args = [next.payout.id, ...unasked(next.payout)];
  await run("server-signer/approve.ts", args, environment);
  const { payout } = await get(next.payout.id);
  expect(await evm.execute(payout.signedTransaction)).toMatchObject({ isReverted: false });
});

test("the server's key can do nothing else", async () => {
  const client = clientOf(playground.service, keys);
  const transaction = { type: "eip1559", chainId: 1, nonce: 90, to: listed, value: 1n } as const;
  const signing = (changes: object) =>
    client.signTransaction({
      signWith: keys.smallAccount,
      type: "TRANSACTION_TYPE_ETHEREUM",
      unsignedTransaction: serializeTransaction({
        ...transaction,
        gas: 21_000n,
        maxFeePerGas: 10n ** 9n,
        ...changes,
      }),
    });
  await expect(signing({})).resolves.toHaveProperty("signedTransaction");
  const refused = { code: "POLICY_DENIED" };
  await expect(signing({ maxFeePerGas: 10n ** 12n })).rejects.toMatchObject(refused);
  await expect(signing({ data: "0xa9059cbb" })).rejects.toMatchObject(refused);
  await expect(signing({ chainId: 10 })).rejects.toMatchObject(refused);
  const message = {
    signWith: keys.smallAccount,
    payload: "I owe you everything",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
  await expect(client.signRawPayload(message)).rejects.toMatchObject(refused);
  const policy = { policyName: "Mine", effect: "EFFECT_ALLOW", consensus: "true" } as const;
  await expect(client.createPolicy(policy)).rejects.toMatchObject(refused);
  // The public key of the private key 1.
  const publicKey = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
  const apiKeys = [{ apiKeyName: "more", publicKey, curveType: "API_KEY_CURVE_P256" as const }];
  const more = client.createApiKeys({ userId: keys.userId, apiKeys });
  await expect(more).rejects.toMatchObject(refused);
});

test("wrong fields are all named, and other content is refused", async () => {
  const { status, body } = await post({ to: "0x12", amount: 5 });
  expect(status).toBe(400);
  expect(Object.keys(body.fields)).toEqual(["to", "amount"]);
  for (const amount of ["0", "-1", "1e3", "0.0000000000000000001", ""]) {
    expect(await post({ to: listed, amount })).toMatchObject({ status: 400 });
  }
  expect(await post({ to: listed, amount: "1" }, { "content-type": "text/plain" })).toMatchObject({
    status: 400,
  });
  expect(await post({ to: listed, amount: "9".repeat(20_000) })).toMatchObject({ status: 400 });
  expect((await fetch(`${url}/${playground.root.userId}`)).status).toBe(404);
});

test("the setup runs once", async () => {
  const { code, output } = await run("server-signer/setup.ts", [], environment);
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("Already") });
});

test("a web page that somebody pointed at this machine cannot call the server", async () => {
  const { port } = new URL(url);
  const call = (path: string, host: string) =>
    new Promise((resolve, reject) => {
      const headers = { host, "content-type": "application/json" };
      const options = { method: "POST", host: "127.0.0.1", port, path, headers };
      const sent = request(options, (answer) => resolve(answer.resume().statusCode));
      sent.on("error", reject).end(JSON.stringify({ to: listed, amount: "0.001" }));
    });
  expect(await call("/payouts", `evil.example:${port}`)).toBe(403);
  expect(await call("/payouts", `localhost:${port}`)).toBe(201);
  expect(await call("//", `localhost:${port}`)).toBe(404);
});

test("callers learn nothing of activities that are no payouts of the server", async () => {
  const root = clientOf(playground.service, playground.root);
  const { activity } = await root.createWallet({ walletName: "Other", accounts: [] });
  expect((await fetch(`${url}/${activity.id}`)).status).toBe(404);
  const message = { signWith: keys.smallAccount, type: "TRANSACTION_TYPE_ETHEREUM" } as const;
  const transfer = { type: "eip1559", chainId: 1, nonce: 70, to: listed, value: 1n } as const;
  const signed = await root.signTransaction({
    ...message,
    unsignedTransaction: serializeTransaction({ ...transfer, gas: 21_000n, maxFeePerGas: 1n }),
  });
  expect((await fetch(`${url}/${signed.activity.id}`)).status).toBe(404);
});

test("the approver is asked about nothing but transfers that the server requested", async () => {
  const file = { ...keys, organizationId: keys.organizationId };
  const approve = (payout: { id: string; fingerprint: string }) =>
    run("server-signer/approve.ts", [payout.id, ...unasked(payout)], environment);
  const notPayout = { code: 1, output: expect.stringContaining("not a payout of the server") };
  const root = clientOf(playground.service, playground.root);
  // Requests of others that wait for the approver, because this policy asks for one.
  const { users } = await root.listUsers();
  const approverId = users.find(({ userName }) => userName.startsWith("Payout approver"))?.userId;
  const both = [file.userId, approverId].map((id) => `approvers.any(user, user.id == '${id}')`);
  await root.createPolicy({
    policyName: "Anything by two",
    effect: "EFFECT_ALLOW",
    consensus: both.join(" && "),
    condition: "activity.kind == 'SIGN_TRANSACTION'",
    notes: "",
  });
  const client = clientOf(playground.service, keys);
  const transfer = { type: "eip1559", chainId: 1, nonce: 80, to: listed, value: 1n } as const;
  const waiting = (signWith: string, changes: object) => {
    const unsigned = { ...transfer, gas: 21_000n, maxFeePerGas: 10n ** 9n, ...changes };
    return client.signTransaction.submit({
      signWith,
      type: "TRANSACTION_TYPE_ETHEREUM",
      unsignedTransaction: serializeTransaction(unsigned as typeof transfer),
    });
  };
  // A call that moves tokens would be shown as a payment of nothing.
  const data = "0xa9059cbb";
  expect(await approve(await waiting(keys.largeAccount, { data }))).toMatchObject(notPayout);
  const accessList = [{ address: unlisted, storageKeys: [] }];
  expect(await approve(await waiting(keys.largeAccount, { accessList }))).toMatchObject(notPayout);
  expect(await approve(await waiting(keys.smallAccount, { value: 2n * 10n ** 17n }))).toMatchObject(
    notPayout,
  );
});
