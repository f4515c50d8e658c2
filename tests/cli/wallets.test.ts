import { readFileSync } from "node:fs";
import { verifyMessage } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { addressEncodings } from "../../packages/crypto/src/addresses/formats.ts";
import { newPerson, newUser, ownName, type Person } from "./cli.ts";

let person: Person;
const walletName = ownName("treasury");
let addresses: { ethereum: string; solana: string; walletId: string };
beforeAll(async () => {
  person = await newPerson();
  const accounts = ["--account", "ethereum", "--account", "solana"];
  const made = await person.json(["wallets", "create", walletName, ...accounts]);
  const [ethereum, solana] = made.accounts.map(({ address }: { address: string }) => address);
  addresses = { ethereum, solana, walletId: made.walletId };
});

const unsigned =
  "02ed0180830f4240843b9aca0082520894d8da6bf26964af9d7eed9e03e53415d37aa96045872386f26fc1000080c0";

const HEX = expect.stringMatching(/^[0-9a-f]{64}$/);

describe("wallets and accounts", () => {
  test("are made, listed page by page, renamed and deleted", async () => {
    const next = await person.json([
      "accounts",
      "create",
      walletName,
      "ethereum",
      "--name",
      ownName("a"),
    ]);
    expect(next).toMatchObject({ path: "m/44'/60'/0'/0/1", curve: "CURVE_SECP256K1" });
    const list = ["accounts", "list", "--wallet", walletName];
    const all = await person.json(list);
    expect(all).toMatchObject({ hasMore: false, accounts: { length: 3 } });
    expect(await person.json([...list, "--limit", "2"])).toMatchObject({
      hasMore: true,
      accounts: all.accounts.slice(0, 2),
    });
    const table = await person.run([...list, "--limit", "2"]);
    expect(table.stdout).toMatch(
      /^ADDRESS +FORMAT +PATH +WALLET\n.*\n.*\nthere are more: raise --limit\n$/,
    );

    const name = ownName("short-lived");
    const { walletId } = await person.json(["wallets", "create", name, "--words", "24"]);
    await person.json(["wallets", "rename", name, `${name} 2`]);
    const { wallets } = await person.json(["wallets", "list"]);
    expect(wallets).toContainEqual(expect.objectContaining({ walletId, walletName: `${name} 2` }));
    const asked = await person.run(["wallets", "delete", walletId, "--without-export"]);
    expect(asked).toMatchObject({ status: 2, stdout: "" });
    expect(asked.stderr).toContain(
      "It was never exported, so nobody can restore it. Nobody can be asked here: add --yes",
    );
    const kept = await person.run(["wallets", "delete", walletId, "--yes"]);
    expect(kept.status).not.toBe(0);
    const byName = await person.run(["wallets", "delete", `${name} 2`, "--yes"]);
    expect(byName).toMatchObject({ status: 2, stdout: "" });
    expect(byName.stderr).toContain("--yes takes the id of a wallet");
    expect(await person.json(["wallets", "delete", walletId, "--without-export", "--yes"])).toEqual(
      {
        walletIds: [walletId],
      },
    );
  });

  test.concurrent.each([
    [
      ["wallets", "create", "x", "--account", "etherum"],
      2,
      "there is no address format etherum: did you mean ethereum?",
    ],
    [
      ["wallets", "create", "x", "--words", "13"],
      2,
      "--words must be 12, 15, 18, 21, 24, but is `13`",
    ],
    [["wallets", "create", walletName], 4, "already exists"],
    [["accounts", "create", `${walletName}x`, "ethereum"], 2, `did you mean ${walletName}?`],
    [["accounts", "list", "--limit", "0"], 2, "--limit must be a whole number from 1 to 10000"],
    [
      ["private-keys", "create", "x", "--account", "ethereum", "--account", "solana"],
      2,
      "needs CURVE_ED25519",
    ],
    [
      ["users", "create", "x", "--public-key", "ab".repeat(33)],
      2,
      "--public-key must have 66 hex characters",
    ],
    [
      ["users", "create", "x", "--public-key", "ab".repeat(32)],
      2,
      "64 hex characters are an Ed25519 public key only with --curve ed25519",
    ],
    [
      ["users", "add-key", "x", "--public-key", "ab".repeat(32), "--curve", "p256"],
      2,
      "64 hex characters are an Ed25519 public key only with --curve ed25519",
    ],
    [
      ["sub-organizations", "create", "x", "--public-key", "ab".repeat(32)],
      2,
      "64 hex characters are an Ed25519 public key only with --curve ed25519",
    ],
    [["users", "get", "7"], 2, "userId"],
    [["sub-organizations", "list", "--filter", "emial=x"], 2, "--filter must be NAME=VALUE"],
  ])("%j is refused", async (args, code, sentence) => {
    const { status, stdout, stderr } = await person.run(args);
    expect({ status, stdout }).toEqual({ status: code, stdout: "" });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain("ab".repeat(32));
  });

  test("address formats are those of the contract, with the curves of the signer and the paths of the page", async () => {
    const { addressFormats } = await person.json(["address-formats"]);
    const found = addressFormats.map(({ format, curves }: { format: string; curves: string[] }) => [
      format,
      [...curves].sort(),
    ]);
    expect(found).toEqual(
      Object.entries(addressEncodings).map(([format, { curves }]) => [format, [...curves].sort()]),
    );
    const page = readFileSync(
      new URL("../../apps/website/docs/concepts/wallets.mdx", import.meta.url),
      "utf8",
    );
    const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \| [^|]+ \| `(m\/[^`]+)` \|$/gm)];
    expect(rows.length).toBeGreaterThan(12);
    for (const [, names = "", path] of rows) {
      for (const [format] of names.matchAll(/ADDRESS_FORMAT_\w+/g)) {
        // The page says below its table that test networks usually have another coin type.
        if (format === "ADDRESS_FORMAT_DOGE_TESTNET") continue;
        expect(addressFormats).toContainEqual(expect.objectContaining({ format, path }));
      }
    }
  });

  test("private keys, users and sub-organizations are made and shown", async () => {
    const key = await person.json([
      "private-keys",
      "create",
      ownName("hot"),
      "--account",
      "ethereum",
    ]);
    const { privateKeys } = await person.json(["private-keys", "list"]);
    expect(privateKeys).toContainEqual(
      expect.objectContaining({ privateKeyId: key.privateKeyId, curve: "CURVE_SECP256K1" }),
    );
    const name = ownName("ada");
    const { userId } = await newUser(person, name);
    const { user } = await person.json(["users", "get", userId]);
    expect(user).toMatchObject({ userName: name, apiKeys: { length: 1 } });
    expect((await person.run(["users", "list"])).stdout).toContain(name);
    expect(await person.json(["users", "delete", userId, "--yes"])).toEqual({ userIds: [userId] });

    await person.json(["generate", "api-key", "ada"]);
    const organization = ownName("org");
    const made = await person.json([
      ...["sub-organizations", "create", organization, "--public-key", "ada"],
      ...["--account", "ethereum"],
    ]);
    const found = await person.json([
      "sub-organizations",
      "list",
      "--filter",
      `name=${organization}`,
    ]);
    expect(found.organizationIds).toEqual([made.subOrganizationId]);
    const there = ["--organization-id", made.subOrganizationId];
    const shown = await person.json(["organizations", "get", ...there]);
    expect(shown).toMatchObject({ name: organization, wallets: { length: 1 } });
    expect((await person.run(["organizations", "get"])).stdout).toContain("Root organization");
  });
});

describe("sign", () => {
  test("signs a message as wallets of Ethereum do", async () => {
    const text = "log in to exämple.com";
    const { signature } = await person.json([
      "sign",
      "message",
      text,
      "--with",
      addresses.ethereum,
    ]);
    expect(verifyMessage(text, signature)).toBe(addresses.ethereum);
    const file = person.write("message.txt", text);
    const fromFile = ["sign", "message", "--file", file, "--with", addresses.ethereum];
    expect(await person.json(fromFile)).toMatchObject({ signature });
  });

  test("signs the text itself with Ed25519", async () => {
    const { createPublicKey, verify } = await import("node:crypto");
    const { accounts } = await person.json(["accounts", "list", "--wallet", walletName]);
    const { publicKey } = accounts.find(
      ({ address }: { address: string }) => address === addresses.solana,
    );
    const { signature } = await person.json([
      "sign",
      "message",
      "hello",
      "--with",
      addresses.solana,
    ]);
    const x = Buffer.from(publicKey, "hex").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    expect(verify(null, Buffer.from("hello"), key, Buffer.from(signature, "hex"))).toBe(true);
  });

  test("signs a transaction from the command line, a file and standard input", async () => {
    const sign = ["--type", "ethereum", "--with", addresses.ethereum];
    const signed = await person.json(["sign", "transaction", unsigned, ...sign]);
    expect(signed.signedTransaction).toMatch(/^02f8/);
    const file = person.write("unsigned.hex", `0x${unsigned}\n`);
    expect(await person.json(["sign", "transaction", file, ...sign])).toEqual(signed);
    const stdin = unsigned;
    expect(await person.json(["sign", "transaction", "-", ...sign], 0, { stdin })).toEqual(signed);
  });

  test("signs payloads and typed data", async () => {
    const digest = "9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658";
    const by = ["--with", addresses.ethereum];
    const signature = await person.json(["sign", "payload", digest, "--hash", "no-op", ...by]);
    expect(signature).toMatchObject({ r: HEX, s: HEX });
    const typed = person.write("typed.json", {
      types: {
        EIP712Domain: [{ name: "name", type: "string" }],
        Note: [{ name: "text", type: "string" }],
      },
      primaryType: "Note",
      domain: { name: "notes" },
      message: { text: "hi" },
    });
    const args = ["sign", "payload", "--file", typed, "--encoding", "eip712", ...by];
    expect(await person.json(args)).toMatchObject({ r: HEX });
  });

  test.concurrent.each([
    [["sign", "message", "x"], "--with is missing: the address of an account"],
    [["sign", "message", "--with", "0x"], "sign message needs a text, or --file FILE"],
    [
      ["sign", "message", "x", "--with", "nobody"],
      "no account and no private key of the organization is nobody",
    ],
    [["sign", "payload", "abcd", "--with", "0x"], "--hash is missing: no-op for a digest"],
    [
      ["sign", "payload", "abcd", "--with", "0x", "--hash", "md5"],
      "--hash must be no-op or sha256",
    ],
    [["sign", "transaction", unsigned, "--with", "0x"], "--type is missing: ethereum, solana"],
    [["sign", "transaction", "/none", "--type", "ethereum", "--with", "0x"], "cannot read /none"],
  ])("%j is a mistake", async (args, sentence) => {
    const { status, stdout, stderr } = await person.run(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });
});

describe("activities", () => {
  test("wait with fingerprint and missing approvals, are approved after verification, and complete", async () => {
    const signer = await newUser(person, ownName("signer"));
    const condition = `activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' && wallet.id == '${addresses.walletId}'`;
    const { policyId } = await person.json([
      ...["call", "create_policy", `policyName=${ownName("two")}`, "effect=EFFECT_ALLOW"],
      ...[`condition=${condition}`, "consensus=approvers.count() >= 2"],
    ]);
    const sign = [
      "sign",
      "transaction",
      unsigned,
      "--type",
      "ethereum",
      "--with",
      addresses.ethereum,
    ];
    const waits = await person.run([...sign, ...signer.profile]);
    expect(waits).toMatchObject({ status: 5, stdout: "" });
    const [, id = ""] = /activity ([0-9a-f-]{36})\n/.exec(waits.stderr) ?? [];
    const [, fingerprint = ""] = /fingerprint +(sha256:[0-9a-f]{64})\n/.exec(waits.stderr) ?? [];
    expect(waits.stderr).toContain(
      `approve with \`keyhearth activities approve ${id} --fingerprint ${fingerprint}\``,
    );
    expect(waits.stderr).toMatch(/missing: the approval of .*Root user/);

    const listed = await person.json(["activities", "list", "--status", "waiting", "--limit", "1"]);
    expect(listed.activities).toMatchObject([{ id, fingerprint }]);
    expect(await person.json(["activities", "watch", id, "--timeout", "0"], 5)).toMatchObject({
      activity: { status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" },
      neededApprovals: expect.arrayContaining([{ userIds: [person.product.root.userId] }]),
    });
    const shown = await person.run(["activities", "get", id]);
    expect(shown.stdout).toContain(
      `approve with \`keyhearth activities approve ${id} --fingerprint ${fingerprint}\``,
    );
    const unasked = await person.run(["activities", "approve", id]);
    expect(unasked.status).toBe(2);
    expect(unasked.stderr).toContain(`fingerprint   ${fingerprint}`);
    expect(unasked.stderr).toContain(
      "Nobody can be asked here: add --yes --fingerprint FINGERPRINT to go on",
    );
    const unnamed = await person.run(["activities", "approve", id, "--yes"]);
    expect(unnamed).toMatchObject({ status: 2, stdout: "" });
    expect(unnamed.stderr).toContain("--yes needs --fingerprint FINGERPRINT");
    const other = ["activities", "approve", id, "--yes", "--fingerprint", "sha256:00"];
    expect((await person.run(other)).stderr).toContain(
      "it is another request, so nothing was approved",
    );
    const approve = ["activities", "approve", id, "--yes", "--fingerprint", fingerprint];
    expect(await person.json(approve)).toMatchObject({
      activity: { id, status: "ACTIVITY_STATUS_COMPLETED" },
    });
    expect((await person.run(["activities", "get", id])).stdout).toContain("signedTransaction");
    expect((await person.run(["activities", "watch", id])).status).toBe(0);
    expect(
      (await person.run(["activities", "reject", id, "--yes", "--fingerprint", fingerprint]))
        .status,
    ).toBe(4);

    const again = await person.json([...sign, ...signer.profile], 5);
    expect(again.error).toMatchObject({
      code: "CONSENSUS_NEEDED",
      activity: { fingerprint: expect.any(String) },
    });
    const reject = ["activities", "reject", again.error.activity.id];
    const notAsked = await person.run(reject);
    expect(notAsked.status).toBe(2);
    expect(notAsked.stderr).toContain(`fingerprint   ${again.error.activity.fingerprint}`);
    expect((await person.run([...reject, "--yes"])).stderr).toContain(
      "--yes needs --fingerprint FINGERPRINT",
    );
    expect((await person.run([...reject, "--yes", "--fingerprint", fingerprint])).stderr).toContain(
      "it is another request, so nothing was rejected",
    );
    const named = ["--fingerprint", again.error.activity.fingerprint];
    await person.json([...reject, "--yes", ...named]);
    expect((await person.run(["activities", "watch", again.error.activity.id])).status).toBe(4);
    await person.json(["call", "delete_policy", `policyId=${policyId}`]);
  });

  test("whose user was deleted are waited for by nobody, and say why", async () => {
    const leaver = await newUser(person, ownName("leaver"));
    const { policyId } = await person.json([
      ...["call", "create_policy", `policyName=${ownName("two again")}`, "effect=EFFECT_ALLOW"],
      ...[`condition=wallet.id == '${addresses.walletId}'`, "consensus=approvers.count() >= 2"],
    ]);
    const sign = ["sign", "payload", "00", "--hash", "sha256", "--with", addresses.ethereum];
    const { error } = await person.json([...sign, ...leaver.profile], 5);
    const { id } = error.activity;
    await person.json(["users", "delete", leaver.userId, "--yes"]);
    const watched = await person.run(["activities", "watch", id, "--timeout", "60"]);
    expect(watched.status).toBe(4);
    expect(watched.stdout).toMatch(
      /^failure +the activity lapsed, because the user who started it/m,
    );
    expect(watched.stdout).not.toContain("approve with");
    await person.json(["call", "delete_policy", `policyId=${policyId}`]);
  });
});
