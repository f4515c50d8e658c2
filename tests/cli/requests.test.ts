import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { newPerson, newUser, ownName, type Person } from "./cli.ts";

let person: Person;
beforeAll(async () => {
  person = await newPerson();
});

describe("call", () => {
  test("completes the fields, and shows the result", async () => {
    const name = ownName("tag");
    const made = await person.json([
      "call",
      "create_user_tag",
      `userTagName=${name}`,
      "userIds=[]",
    ]);
    expect(made.activity).toMatchObject({ status: "ACTIVITY_STATUS_COMPLETED" });
    const { stdout } = await person.run(["call", "list_user_tags"]);
    expect(JSON.parse(stdout).userTags).toContainEqual(
      expect.objectContaining({ tagId: made.userTagId, tagName: name }),
    );
  });

  test("takes fields from a file and from standard input, and places inside them", async () => {
    const walletName = ownName("wallet");
    const account = {
      ...{ curve: "CURVE_ED25519", pathFormat: "PATH_FORMAT_BIP32", path: "m/44'/501'/0'/0'" },
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    };
    const file = person.write("wallet.json", { walletName, accounts: [account] });
    const fields = ["accounts[0].path=m/44'/501'/1'/0'", "mnemonicLength=24"];
    const made = await person.json(["call", "create_wallet", ...fields, "--parameters", file]);
    const { createWalletIntent: intent } = made.activity.intent;
    expect(intent).toMatchObject({ mnemonicLength: 24, accounts: [{ path: "m/44'/501'/1'/0'" }] });
    const stdin = JSON.stringify({ walletId: made.walletId });
    const { wallet } = await person.json(["call", "get_wallet", "--parameters", "-"], 0, { stdin });
    expect(wallet).toMatchObject({ walletName });
  });

  test.concurrent.each([
    [["create_walet"], "there is no operation create_walet: did you mean create_wallet?"],
    [
      ["create_wallet", "walletNam=x", "accounts=[]"],
      ["walletNam is unknown: did you mean walletName?", "walletName is missing"],
    ],
    [["create_wallet", "walletName=x", "accounts=x"], "accounts must be JSON"],
    [
      ["create_wallet", "walletName=x", "accounts=[]", "mnemonicLength=13"],
      "mnemonicLength must be one of 12, 15, 18, 21, 24, but is 13",
    ],
    [["create_wallet", "walletName"], "a field must be written as NAME=VALUE"],
    [["create_wallet", "__proto__.x=1"], "a field must be written as NAME=VALUE"],
    [["list_wallets", "--type", "X"], "list_wallets is a query, which has no types"],
    [["create_users", "--type", "X"], "--type must be ACTIVITY_TYPE_CREATE_USERS"],
    [
      ["get_wallet", "walletId=7"],
      'walletId has the wrong form: "7". Unique identifier of the wallet',
    ],
    [["list_wallets", "--parameters", "/none"], "cannot read /none: there is no such file"],
  ])("%j is a mistake that nothing is sent for", async (args, sentences) => {
    const { status, stdout, stderr } = await person.run(["call", ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    for (const sentence of [sentences].flat()) expect(stderr).toContain(sentence);
  });

  test("lists every operation, and describes their fields", async () => {
    const contract = await import("../../contract/openapi.json", { with: { type: "json" } });
    const paths = Object.keys(contract.default.paths).filter((path) =>
      path.startsWith("/public/v1/"),
    );
    const { operations } = await person.json(["call", "--list"]);
    expect(operations.map(({ name }: { name: string }) => name).sort()).toEqual(
      paths
        .map((path) => path.split("/").at(-1))
        .filter((name) => name !== "jwks")
        .sort(),
    );
    const { fields } = await person.json(["call", "create_wallet", "--fields"]);
    expect(fields).toMatchObject([
      { name: "walletName", isRequired: true },
      { name: "accounts", isRequired: true },
      { name: "mnemonicLength", isRequired: false },
    ]);
  });

  test("says which policy denied it, and why", async () => {
    const { profile } = await newUser(person, ownName("reader"));
    const policyName = ownName("only sign");
    const made = await person.json([
      ...["call", "create_policy", `policyName=${policyName}`, "effect=EFFECT_ALLOW"],
      "condition=activity.action == 'SIGN'",
    ]);
    const denied = await person.run(["wallets", "create", ownName("wallet"), ...profile]);
    expect(denied).toMatchObject({ status: 4, stdout: "" });
    expect(denied.stderr).toContain(
      `policy ${policyName} (${made.policyId}) does not allow it: condition \`activity.action == 'SIGN'\` is false, because activity.action is 'CREATE'`,
    );
    const { error } = await person.json(["wallets", "create", ownName("wallet"), ...profile], 4);
    expect(error).toMatchObject({ code: "POLICY_DENIED" });
    expect(error.policies).toContainEqual(expect.objectContaining({ policyName }));
    await person.json(["call", "delete_policy", `policyId=${made.policyId}`]);
  });
});

describe("request", () => {
  test("sends exactly the bytes of a file, and the same bytes are the same activity", async () => {
    const { organizationId } = person.product.root;
    const body = `{ "type": "ACTIVITY_TYPE_CREATE_USER_TAG", "timestampMs": "${Date.now()}", "organizationId": "${organizationId}",  "parameters": { "userTagName": "${ownName("tag")}", "userIds": [] } }`;
    const file = person.write("body.json", `${body}\n`);
    const first = await person.json(["request", "/public/v1/submit/create_user_tag", file]);
    expect(first.activity.votes[0].message).toBe(body);
    const again = await person.json(["request", "create_user_tag"], 0, { stdin: body });
    expect(again.activity.id).toBe(first.activity.id);
  });

  test("prints bytes, stamp and a command instead, which works", async () => {
    const body = JSON.stringify({ organizationId: person.product.root.organizationId });
    const printed = await person.json(["request", "whoami", "--no-post"], 0, { stdin: body });
    expect(printed).toMatchObject({ body, header: { name: "X-Stamp" } });
    const { stdout } = spawnSync("sh", ["-c", printed.curl], { encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({ userId: person.product.root.userId });
    const called = await person.run(["call", "whoami", "--no-post"]);
    expect(called.stdout).toContain(`body\n${body}\n`);
  });

  test.concurrent.each([
    [["/public/v1/query/whoam"], "{}", 4, "ROUTE|there is no endpoint"],
    [["whoam"], "{}", 2, "did you mean /public/v1/query/whoami?"],
    [["whoami"], "", 2, "(standard input) is empty"],
    [["whoami"], "{", 2, "bad request body: it ends too early"],
  ])("%j with %j is refused", async (args, stdin, _status, sentence) => {
    const { status, stderr } = await person.run(["request", ...args], { stdin });
    expect(status).not.toBe(0);
    expect(stderr).toMatch(new RegExp(sentence.replace(/[?()]/g, "\\$&")));
  });
});
