import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Wallet } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { hasScript, newPerson, ownName, type Person } from "./cli.ts";

let person: Person;
let pinned: string[];
beforeAll(async () => {
  person = await newPerson();
  await person.json(["profile", "add", "pinned"]);
  pinned = ["--profile", "pinned"];
});

const words = () => Wallet.createRandom().mnemonic?.phrase ?? "";
const secretFile = (name: string, secret: string) => {
  const path = person.write(name, `${secret}\n`);
  chmodSync(path, 0o600);
  return path;
};

describe("a wallet", () => {
  test("is imported in one step, and exported again to a file of its owner", async () => {
    const mnemonic = words();
    const file = secretFile("words.txt", mnemonic);
    const name = ownName("cold");
    const imported = await person.json([
      "import",
      "wallet",
      name,
      "--file",
      file,
      "--account",
      "ethereum",
      ...pinned,
    ]);
    expect(imported.addresses).toEqual([Wallet.fromPhrase(mnemonic).address]);
    const output = join(person.folder, "exported.txt");
    const exported = await person.run(["export", "wallet", name, "--output", output, ...pinned]);
    expect(exported.status).toBe(0);
    expect(exported.stderr).toContain("this secret moves everything that its addresses hold");
    expect(exported.stdout + exported.stderr).not.toContain(mnemonic);
    expect(readFileSync(output, "utf8")).toBe(`${mnemonic}\n`);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const again = await person.run(["export", "wallet", name, "--output", output, ...pinned]);
    expect(again.stderr).toContain("exists: give the name of a new file");
    expect(await person.json(["export", "wallet", name, "--print", ...pinned])).toEqual({
      secret: mnemonic,
    });
    const neither = await person.run(["export", "wallet", name, ...pinned]);
    expect(neither).toMatchObject({ status: 2, stdout: "" });
    expect(neither.stderr).toContain("give either --output FILE");
  });

  test("is imported and exported in steps, of which those with the secret need no service", async () => {
    const offline = { env: { KEYHEARTH_URL: "http://127.0.0.1:1", KEYHEARTH_ROOT_KEY: "/none" } };
    const mnemonic = words();
    const file = secretFile("offline-words.txt", mnemonic);
    const begun = person.write(
      "begun.json",
      await person.json(["import", "begin", "wallet", ...pinned]),
    );
    const encrypt = ["import", "encrypt", begun, "--file", file];
    const encrypted = person.write("encrypted.json", await person.json(encrypt, 0, offline));
    expect(readFileSync(encrypted, "utf8")).not.toContain(mnemonic.split(" ")[0]);
    const name = ownName("far");
    const finish = ["import", "finish", name, encrypted, "--account", "ethereum"];
    const { walletId, addresses } = await person.json(finish);
    expect(addresses).toEqual([Wallet.fromPhrase(mnemonic).address]);

    await person.json(["generate", "encryption-key", "backup"]);
    const begin = ["export", "begin", "wallet", walletId, "--key", "backup", ...pinned];
    const bundle = person.write("bundle.json", await person.json(begin));
    const decrypt = ["export", "decrypt", bundle, "--key", "backup", "--print"];
    expect(await person.json(decrypt, 0, offline)).toEqual({ secret: mnemonic });
    const otherSigner = `${JSON.parse(readFileSync(bundle, "utf8")).signerPublicKey.slice(0, -2)}00`;
    const wrong = await person.run([...decrypt, "--signer-public-key", otherSigner], offline);
    expect(wrong.status).not.toBe(0);
    expect(wrong.stdout).toBe("");
    await person.json(["generate", "encryption-key", "other"]);
    const stranger = await person.run(["export", "decrypt", bundle, "--key", "other", "--print"]);
    expect(stranger).toMatchObject({ status: 1, stdout: "" });
  });

  test.concurrent.each([
    [["import", "wallet", "x"], "the words of the wallet is missing: give a file with --file"],
    [["import", "begin", "account"], "takes wallet or private-key, and not account"],
    [["import", "encrypt", "/none"], "cannot read /none"],
    [["import", "wallet", "x", "--file", "-"], "is empty"],
    [
      ["export", "wallet", "nothing of the kind", "--print"],
      "there is no wallet nothing of the kind",
    ],
    [["export", "begin", "wallet", "x"], "--key is missing"],
    [
      ["export", "begin", "thing", "x", "--key", "y"],
      "takes wallet, account or private-key, and not thing",
    ],
  ])("%j is a mistake", async (args, sentence) => {
    const { status, stdout, stderr } = await person.run(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  test("is not read from a file that others may read", async () => {
    const path = person.write("open-words.txt", words());
    chmodSync(path, 0o644);
    const { status, stderr } = await person.run([
      "import",
      "wallet",
      "x",
      "--file",
      path,
      ...pinned,
    ]);
    expect(status).toBe(2);
    expect(stderr).toContain(`run \`chmod 600 ${path}\``);
  });
});

test("a private key is imported from standard input, and exported", async () => {
  const key = Wallet.createRandom();
  const imported = await person.json(
    ["import", "private-key", ownName("hot"), "--file", "-", "--account", "ethereum", ...pinned],
    0,
    { stdin: `${key.privateKey}\n` },
  );
  expect(imported.addresses).toEqual([key.address]);
  const { secret } = await person.json([
    "export",
    "private-key",
    imported.privateKeyId,
    "--print",
    ...pinned,
  ]);
  expect(`0x${secret}`).toBe(key.privateKey);
});

test("an account is exported as its private key", async () => {
  const { accounts } = await person.json([
    "wallets",
    "create",
    ownName("w"),
    "--account",
    "ethereum",
  ]);
  const [{ address }] = accounts;
  const { secret } = await person.json(["export", "account", address, "--print"]);
  expect(new Wallet(secret).address).toBe(address);
});

describe("receipts", () => {
  test("are exported, verified by the pinned key without a service, and compared", async () => {
    const offline = { env: { KEYHEARTH_URL: "http://127.0.0.1:1", KEYHEARTH_ROOT_KEY: "/none" } };
    await person.json(["wallets", "create", ownName("w")]);
    const file = join(person.folder, "receipts.json");
    // The signer states what happened within seconds.
    await expect
      .poll(async () => {
        rmSync(file, { force: true });
        return (await person.json(["receipts", "export", file])).receipts;
      })
      .toBeGreaterThan(0);
    const report = await person.json(["receipts", "verify", file, ...pinned], 0, offline);
    expect(report).toMatchObject({ valid: true, problems: [] });
    expect(
      (await person.run(["receipts", "compare", file, file, ...pinned], offline)).stdout,
    ).toContain("the same history");
    const forged = JSON.parse(readFileSync(file, "utf8"));
    forged.segments[0].signature = forged.segments[0].signature.replace(/.$/, (last: string) =>
      last === "0" ? "1" : "0",
    );
    const other = person.write("forged.json", forged);
    const bad = await person.run(["receipts", "verify", other, ...pinned], offline);
    expect(bad.status).toBe(1);
    expect(bad.stdout).toContain("not valid");
    const unpinned = await person.run(["receipts", "verify", file], {
      env: { XDG_CONFIG_HOME: "/none" },
    });
    expect(unpinned.status).toBe(2);
    expect(unpinned.stderr).toContain(
      "no quorum key is known here: give yours with --quorum-public-key",
    );
  });
});

describe("doctor", () => {
  test("finds nothing wrong, and then each thing that is", async () => {
    const { findings } = await person.json(["doctor", ...pinned]);
    expect(findings.map(({ status }: { status: string }) => status)).toEqual(Array(7).fill("ok"));
    const path = join(person.folder, "keyhearth/profiles/pinned.json");
    const profile = readFileSync(path, "utf8");
    const { signerPublicKey } = JSON.parse(profile);
    writeFileSync(
      path,
      profile.replaceAll(signerPublicKey, signerPublicKey.replace(/.{4}$/, "0000")),
    );
    chmodSync(join(person.folder, "keyhearth"), 0o755);
    const wrong = await person.run(["doctor", ...pinned]);
    writeFileSync(path, profile);
    expect(wrong.status).toBe(1);
    expect(wrong.stdout).toContain(`run \`chmod 700 ${join(person.folder, "keyhearth")}\``);
    expect(wrong.stdout).toContain("the service shows other keys than the profile has pinned");
    const gone = await person.run(["doctor"], { env: { KEYHEARTH_URL: "http://127.0.0.1:1" } });
    expect(gone.status).toBe(1);
    expect(gone.stdout).toContain("cannot be reached");
  });
});

test("a shell completes commands and options", async () => {
  expect((await person.run(["completion", "bash"])).stdout).toContain(
    "# bash completion for keyhearth",
  );
  const { stdout } = await person.run(["complete", "--", "wallets", "cr"]);
  expect(stdout).toContain("create\tcreate a wallet with its first accounts");
  expect((await person.run(["complete", "--", "sign", "payload", "--"])).stdout).toContain(
    "--encoding",
  );
  expect((await person.run(["completion", "tcsh"])).status).toBe(2);
});

test.runIf(hasScript)("a person at a terminal is asked before a wallet is deleted", async () => {
  const name = ownName("asked");
  const { walletId } = await person.json(["wallets", "create", name]);
  const args = ["wallets", "delete", walletId, "--without-export"];
  expect(await person.answer(args, "Delete the wallet", "n")).toContain("nothing was done");
  expect(await person.answer(args, "Delete the wallet", "y")).toContain(
    `deleted the wallet ${walletId}`,
  );
});
