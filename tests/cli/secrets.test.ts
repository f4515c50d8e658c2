import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Wallet } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { hasScript, newPerson, ownName, type Person } from "./cli.ts";
import { startProxy } from "./proxy.ts";

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
    expect(exported.stderr).toContain(`exporting the wallet ${name} (${imported.walletId})`);
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
    const encrypt = ["import", "encrypt", begun, "--file", file, ...pinned];
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

describe("an import between this machine and the signer", () => {
  /** A tenant of the same service, whose import the signer has begun as it should. */
  const tenant = async () => {
    const key = `tenant-${Math.random().toString(36).slice(2, 10)}`;
    await person.json(["generate", "api-key", key]);
    const { subOrganizationId } = await person.json([
      ...["sub-organizations", "create", ownName("tenant"), "--public-key", key],
    ]);
    await person.json([
      ...["profile", "add", key, "--key", key, "--url", person.product.url],
      ...["--organization", subOrganizationId],
    ]);
    return {
      wallet: await person.json(["import", "begin", "wallet", "--profile", key]),
      privateKey: await person.json(["import", "begin", "private-key", "--profile", key]),
    };
  };

  /** The profile, in front of which this host stands. */
  const through = (url: string) => {
    const folder = join(person.folder, "keyhearth/profiles");
    const profile = JSON.parse(readFileSync(join(folder, "pinned.json"), "utf8"));
    writeFileSync(join(folder, "lied.json"), JSON.stringify({ ...profile, url }), { mode: 0o600 });
    return ["--profile", "lied"];
  };

  test.each(["names another user", "tells the truth of the user"])(
    "never gives a host that %s the secret of one",
    async (what) => {
      const mallory = await tenant();
      const { organizationId, userId } = mallory.wallet;
      const proxy = await startProxy(person.product.url, (path) => {
        if (path.endsWith("/whoami") && what === "names another user") {
          return { organizationId, organizationName: "x", userId, username: "x" };
        }
        const isWallet = path.endsWith("/init_import_wallet");
        if (!isWallet && !path.endsWith("/init_import_private_key")) return undefined;
        const { importBundle } = isWallet ? mallory.wallet : mallory.privateKey;
        const name = isWallet ? "initImportWalletResult" : "initImportPrivateKeyResult";
        return { result: { [name]: { importBundle } } };
      });
      const where = through(proxy.url);
      const file = secretFile("lied-words.txt", words());
      const key = secretFile("lied-key.txt", Wallet.createRandom().privateKey);
      for (const args of [
        ["import", "wallet", ownName("x"), "--file", file],
        ["import", "private-key", ownName("x"), "--file", key, "--account", "ethereum"],
        ...(what === "names another user" ? [["import", "begin", "wallet"]] : []),
      ]) {
        const { status, stdout, stderr } = await person.run([...args, ...where]);
        expect({ args, status, stdout }).toEqual({ args, status: 1, stdout: "" });
        if (what === "names another user") {
          expect(stderr).toContain("is of another organization or user than the profile");
        }
      }
      proxy.close();
      expect(proxy.paths.some((path) => path.endsWith("whoami"))).toBe(true);
      expect(proxy.paths.filter((path) => /submit\/import_/.test(path))).toEqual([]);
    },
  );

  test("needs the user's id, and says how to keep it", async () => {
    const path = join(person.folder, "keyhearth/profiles/unnamed.json");
    await person.json(["generate", "api-key", "unnamed"]);
    await person.json(["users", "create", ownName("unnamed"), "--public-key", "unnamed"]);
    const { organizationId } = person.product.root;
    const add = ["profile", "add", "unnamed", "--key", "unnamed", "--url", person.product.url];
    const { profile, userId } = await person.json([...add, "--organization", organizationId]);
    expect(profile.userId).toBe(userId);
    const { userId: _, ...older } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify(older));
    const begin = ["import", "begin", "wallet", "--profile", "unnamed"];
    const { status, stdout, stderr } = await person.run(begin);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(
      /^keyhearth: it is not known here whose key this is, .*run `keyhearth profile add NAME --url .*\n$/,
    );
  });

  test("makes no profile of a host that takes the key for another user's", async () => {
    const { organizationId } = person.product.root;
    const userId = "00000000-0000-4000-8000-000000000000";
    const proxy = await startProxy(person.product.url, (path) =>
      path.endsWith("/whoami")
        ? { organizationId, organizationName: "x", userId, username: "x" }
        : undefined,
    );
    const { status, stderr } = await person.run(["profile", "add", "taken", "--url", proxy.url]);
    proxy.close();
    expect(status).toBe(1);
    expect(stderr).toContain("is of another user than the file names, so no profile was made");
    expect(existsSync(join(person.folder, "keyhearth/profiles/taken.json"))).toBe(false);
  });

  test("encrypts nothing by what the file of its first step says alone", async () => {
    const offline = { env: { XDG_CONFIG_HOME: "/none" } };
    const begun = await person.json(["import", "begin", "wallet", ...pinned]);
    const mallory = await tenant();
    const file = secretFile("apart-words.txt", words());
    const encrypt = (name: string, content: unknown) => {
      return ["import", "encrypt", person.write(name, content), "--file", file];
    };
    const alone = await person.run(encrypt("alone.json", begun), offline);
    expect(alone).toMatchObject({ status: 2, stdout: "" });
    expect(alone.stderr).toMatch(
      /^keyhearth: .*give --signer-public-key, --organization-id and --user-id, or with --profile .*\n$/,
    );
    const given = [
      ...["--signer-public-key", begun.signerPublicKey],
      ...["--organization-id", begun.organizationId, "--user-id", begun.userId],
    ];
    expect(
      await person.json([...encrypt("alone.json", begun), ...given], 0, offline),
    ).toMatchObject({ kind: "wallet", userId: begun.userId });
    const otherKey = person.product.root.apiPublicKey;
    for (const [name, changed, sentence] of [
      ["signer", { signerPublicKey: `04${otherKey.slice(2).repeat(2)}` }, "key of the signer"],
      ["tenant", mallory.wallet, "has another organization"],
      ["user", { userId: mallory.wallet.userId }, "has another user"],
      ["bundle", { importBundle: mallory.wallet.importBundle }, ""],
    ] as const) {
      const args = encrypt(`changed-${name}.json`, { ...begun, ...changed });
      for (const origin of [given, pinned]) {
        const { status, stdout, stderr } = await person.run([...args, ...origin]);
        expect({ name, status, stdout }).toEqual({ name, status: 1, stdout: "" });
        expect(stderr).toContain(sentence);
      }
    }
    const wrong = [...encrypt("alone.json", begun), ...given, "--user-id", "7"];
    expect(await person.run(wrong, offline)).toMatchObject({
      status: 2,
      stderr: 'keyhearth: --user-id must be a UUID, but is "7"\n',
    });
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
