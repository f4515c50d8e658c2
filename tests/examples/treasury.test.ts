import { join } from "node:path";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { type Hex, parseTransaction, recoverTransactionAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEvm } from "../chains/evm.ts";
import { startProxy } from "../cli/proxy.ts";
import { clientOf } from "../start/process.ts";
import { readJson } from "./files.ts";
import { type Playground, type Ran, run, startPlayground } from "./programs.ts";

// The command line of `examples/treasury`, used as three members would.

let playground: Playground;
let environment: Record<string, string>;
let facts: { organizationId: string; address: Hex };

beforeAll(async () => {
  playground = await startPlayground();
  environment = {
    ...playground.environment,
    TREASURY_DATA: join(playground.directory, "treasury"),
  };
  expect(await treasury("setup")).toMatchObject({ code: 0 });
  facts = readJson(join(playground.directory, "treasury", "treasury.json"));
}, 60_000);

afterAll(() => playground?.stop());

const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

function treasury(...args: (string | { input: string })[]): Promise<Ran> {
  const last = args.at(-1);
  const input = typeof last === "object" ? last.input : undefined;
  const words = args.filter((arg) => typeof arg === "string");
  return run("treasury/treasury.ts", words, environment, input);
}

/** The member's own client, with the key that the program wrote. */
function member(name: string): KeyhearthClient {
  const { organizationId } = facts;
  const key: { apiPublicKey: string; apiPrivateKey: string } = readJson(
    join(playground.directory, "treasury", `${name}.json`),
  );
  const stamper = new ApiKeyStamper(key);
  return new KeyhearthClient({ baseUrl: playground.service.url, organizationId, stamper });
}

async function proposal(amount: string): Promise<string> {
  const { output } = await treasury(
    "propose",
    "--to",
    recipient,
    "--amount",
    amount,
    "--as",
    "ada",
  );
  expect(output).toContain("waiting");
  return output.slice(0, 36);
}

test("the second approval signs, and the chain executes the payment", async () => {
  const id = await proposal("1.5");
  expect((await treasury("list", "--as", "carol")).output).toContain(
    `${id}  waiting      1.5 ETH to ${recipient}, by ada`,
  );

  const approved = await treasury("approve", id, "--as", "bob", { input: "y\n" });
  expect(approved.output).toMatch(/Pay {7}1\.5 ETH\n {2}to {8}0xd8dA[\s\S]*Approve\? \[y\/N\]/);
  expect(approved).toMatchObject({ code: 0, output: expect.stringContaining(`${id}: signed`) });
  expect(approved.output).toContain("approved  by ada and bob");

  const { output } = await treasury("status", id, "--as", "carol");
  const [, hash, signed] = /hash {6}(\S+)\n {2}signed {4}(0x02\w+)/.exec(output) ?? [];
  const serializedTransaction = signed as `0x02${string}`; // as the pattern says
  expect(parseTransaction(serializedTransaction)).toMatchObject({ value: 15n * 10n ** 17n });
  expect(await recoverTransactionAddress({ serializedTransaction })).toBe(facts.address);
  const evm = await startEvm();
  await evm.fund(facts.address);
  expect(await evm.execute(serializedTransaction)).toMatchObject({ hash, isReverted: false });
});

test("a no at the keyboard approves nothing, and neither does the end of the input", async () => {
  const id = await proposal("2");
  const inputs = ["n\n", "\n", ""];
  const declined = await Promise.all(
    inputs.map((input) => treasury("approve", id, "--as", "bob", { input })),
  );
  const notApproved = { code: 1, output: expect.stringContaining("Not approved") };
  expect(declined).toEqual([notApproved, notApproved, notApproved]);
  expect((await treasury("status", id, "--as", "bob")).output).toContain(`${id}: waiting`);
  const carol = await treasury("approve", id, "--as", "carol", ...(await unasked(id)));
  expect(carol).toMatchObject({ code: 0, output: expect.stringContaining("by ada and carol") });
});

test("one rejection ends a proposal, and the next one takes its nonce", async () => {
  const id = await proposal("3");
  const kept = await treasury("reject", id, "--as", "bob", { input: "n\n" });
  expect(kept.output).toContain("Not rejected");
  const { code, output } = await treasury("reject", id, "--as", "bob", ...(await unasked(id)));
  expect({ code, output }).toMatchObject({
    code: 0,
    output: expect.stringContaining("rejected  by bob"),
  });
  expect(await treasury("approve", id, "--as", "carol", ...(await unasked(id)))).toMatchObject({
    code: 1,
    output: expect.stringContaining("no longer waiting: rejected"),
  });
  const nonceOf = (text: string) => /nonce (\d+)/.exec(text)?.[1];
  const next = await treasury("propose", "--to", recipient, "--amount", "3", "--as", "carol");
  expect(nonceOf(next.output)).toBe(nonceOf(output));
});

// Sets the title of the window, clears the screen and says what did not happen.
const ESCAPES = "\u001b]0;owned\u0007\u001b[2J\u001b[H$ ";

test("what a service answers is printed as text, and is called signed only if the treasury signed it", async () => {
  const id = await proposal("0.7");
  await treasury("approve", id, "--as", "carol", ...(await unasked(id)));
  const other = await proposal("0.8");
  await treasury("approve", other, "--as", "carol", ...(await unasked(other)));
  const { activity } = await member("ada").getActivity({ activityId: id });
  const { activity: ofOther } = await member("ada").getActivity({ activityId: other });
  let shown: object = activity;
  const host = await startProxy(playground.service.url, (path) =>
    path.endsWith("/get_activity") ? { activity: shown } : undefined,
  );
  const status = () =>
    run("treasury/treasury.ts", ["status", id, "--as", "ada"], {
      ...environment,
      KEYHEARTH_URL: host.url,
    });
  expect(await status()).toMatchObject({
    code: 0,
    output: expect.stringContaining("signed    0x"),
  });
  const user = { userName: ESCAPES };
  const votes = activity.votes.map((vote) => ({ ...vote, user }));
  shown = {
    ...activity,
    votes,
    status: ESCAPES,

    failure: { message: ESCAPES },
  };
  const escaped = await status();
  expect(escaped).toMatchObject({ code: 0, output: expect.stringContaining(": unknown") });
  expect(escaped.output).not.toContain("\u001b");
  for (const result of [
    { signTransactionResult: { signedTransaction: `${ESCAPES}00` } },
    { signTransactionResult: { signedTransaction: "02c0" } },
    {
      signTransactionResult: {
        signedTransaction: `${activity.result.signTransactionResult?.signedTransaction}00`,
      },
    },
    ofOther.result,
  ]) {
    shown = { ...activity, result };
    const { code, output } = await status();
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining("a transaction that is not the proposed one"),
    });
    expect(output).not.toContain("\u001b");
  }
});

/** What names the request of a proposal to a vote that nobody is asked about. */
async function unasked(id: string): Promise<string[]> {
  const { activity } = await member("ada").getActivity({ activityId: id });
  return ["--fingerprint", activity.fingerprint, "--yes"];
}

test("a vote that nobody is asked about needs the fingerprint, which names another request than the service", async () => {
  const proposed = await treasury(
    ...["propose", "--to", recipient, "--amount", "0.1", "--as", "ada"],
  );
  const small = proposed.output.slice(0, 36);
  const [, fingerprint = ""] = /--fingerprint (sha256:[0-9a-f]{64})$/m.exec(proposed.output) ?? [];
  const large = await proposal("90");
  const { activity } = await member("bob").getActivity({ activityId: large });
  // The service has the large payment under the id of the small one.
  const host = await startProxy(playground.service.url, (path) =>
    path.endsWith("/get_activity") ? { activity: { ...activity, id: small } } : undefined,
  );
  const vote = (command: string, ...options: string[]) =>
    run("treasury/treasury.ts", [command, small, "--as", "bob", ...options], {
      ...environment,
      KEYHEARTH_URL: host.url,
    });
  for (const command of ["approve", "reject"]) {
    expect(await vote(command, "--yes")).toMatchObject({
      code: 2,
      output: expect.stringContaining("--yes needs --fingerprint FINGERPRINT, because the service"),
    });
    expect(await vote(command, "--yes", "--fingerprint", fingerprint)).toMatchObject({
      code: 1,
      output: expect.stringContaining("it is another request, so nothing was stamped"),
    });
    expect(await vote(command, "--yes", "--fingerprint", "")).toMatchObject({
      code: 1,
      output: expect.stringContaining("fingerprint must be"),
    });
  }
  const { activity: after } = await member("ada").getActivity({ activityId: large });
  expect(after.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const signed = ["approve", small, "--as", "bob", "--fingerprint", fingerprint, "--yes"];
  expect(await treasury(...signed)).toMatchObject({
    code: 0,
    output: expect.stringContaining(`${small}: signed`),
  });
});

test("a vote that the service answers with another proposal is not taken for one on this", async () => {
  const [id, other] = [await proposal("0.3"), await proposal("0.4")];
  const { activity } = await member("ada").getActivity({ activityId: other });
  const host = await startProxy(playground.service.url, (path) =>
    path.endsWith("/approve_activity") ? { activity } : undefined,
  );
  const args = ["approve", id, "--as", "bob", ...(await unasked(id))];
  const at = { ...environment, KEYHEARTH_URL: host.url };
  expect(await run("treasury/treasury.ts", args, at)).toMatchObject({
    code: 1,
    output: expect.stringContaining("answered with the activity of another request"),
  });
});

test("the proposer cannot approve a second time", async () => {
  const id = await proposal("4");
  expect(await treasury("approve", id, "--as", "ada", ...(await unasked(id)))).toMatchObject({
    code: 1,
    output: expect.stringContaining("ask another member"),
  });
  expect((await treasury("status", id, "--as", "bob")).output).toContain(`${id}: waiting`);
});

test("the parent organization cannot approve", async () => {
  const id = await proposal("5");
  const parent = clientOf(playground.service, playground.root);
  const { organizationId } = facts;
  const { activity } = await parent.getActivity({ activityId: id }, { organizationId });
  await expect(parent.approve(activity, () => true)).rejects.toHaveProperty("code");
  expect((await treasury("status", id, "--as", "bob")).output).toContain(`${id}: waiting`);
});

test("nothing but a payment of the treasury is approved, even with --yes", async () => {
  const ada = member("ada");
  const { id } = await ada.createWallet.submit({ walletName: "Mine", accounts: [] });
  const bob = await treasury("approve", id, "--as", "bob", ...(await unasked(id)));
  expect(bob).toMatchObject({
    code: 1,
    output: expect.stringContaining("not a payment, but ACTIVITY_TYPE_CREATE_WALLET"),
  });
  expect((await ada.getActivity({ activityId: id })).activity.status).toBe(
    "ACTIVITY_STATUS_CONSENSUS_NEEDED",
  );
});

test("mistakes are named", async () => {
  const cases: [string[], number, string][] = [
    [[], 2, "Name one command"],
    [["list"], 2, "--as"],
    [["list", "--as", "mallory"], 1, "ada, bob, carol"],
    [["sell", "--as", "ada"], 2, "no command sell"],
    [["approve", "--as", "ada"], 2, "approve ID"],
    [["list", "--us", "ada"], 2, "--us"],
    [["propose", "--to", "0x12", "--amount", "1", "--as", "ada"], 1, "--to must be"],
    [["propose", "--to", recipient, "--amount", "1e18", "--as", "ada"], 1, "--amount must be"],
    [["status", playground.root.userId, "--as", "ada"], 1, "See http"],
    [["--help"], 0, "Commands:"],
  ];
  const runs = await Promise.all(cases.map(([args]) => treasury(...args)));
  expect(runs).toEqual(
    cases.map(([, code, text]) => ({ code, output: expect.stringContaining(text) })),
  );
});

test("the demonstration tells the whole story", async () => {
  const told = await run("treasury/demo.ts", ["--yes"], environment);
  expect(told).toMatchObject({ code: 0, output: expect.stringContaining(": signed") });
});

test("what somebody else wrote cannot rewrite or reorder what a member reads", async () => {
  const { id } = await member("ada").signRawPayload.submit({
    signWith: facts.address,
    payload: "pay \u202eecila\u202c \u009b2J \u001b[2J",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  const { output } = await treasury("approve", id, "--as", "bob", ...(await unasked(id)));
  expect(output).toContain("not a payment, but ACTIVITY_TYPE_SIGN_RAW_PAYLOAD");
  expect(output).toContain("pay \\u{202e}ecila");
  // Line feeds are the program's own.
  expect(output.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("a payment that can no longer be signed is shown as failed", async () => {
  const id = await proposal("6");
  const { wallets } = await member("ada").listWallets();
  const parameters = {
    walletIds: wallets.map(({ walletId }) => walletId),
    deleteWithoutExport: true,
  };
  const { id: deletion } = await member("ada").deleteWallets.submit(parameters);
  await member("carol").approve(deletion, () => true);

  const { code } = await treasury("approve", id, "--as", "bob", ...(await unasked(id)));
  expect(code).toBe(1);
  expect((await treasury("status", id, "--as", "bob")).output).toMatch(
    /: failed[\s\S]* failed {4}\w/,
  );
});
