import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseApiKeyStamp, verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { Wallet } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { newPerson, ownName, type Person } from "./cli.ts";
import vectors from "./released-command.vectors.json" with { type: "json" };

// Keys, stamps and bundles of the released command and of ours, each read by the other.
//
// The vectors are files and stamps of its release 1.1.5. With KEYHEARTH_RELEASED_COMMAND, the path of that command, the
// rest runs it: it was built from the sources of the release, because registries do not offer it.

const released = process.env.KEYHEARTH_RELEASED_COMMAND ?? "";

let person: Person;
beforeAll(async () => {
  person = await newPerson();
});

const WHOAMI = "/public/v1/query/whoami";

const curves = ["p256", "secp256k1", "ed25519"] as const;

/** The answer of the service to a stamped request. */
async function answerTo(body: string, stamp: string) {
  const response = await fetch(`${person.product.url}${WHOAMI}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-stamp": stamp },
    body,
  });
  return { status: response.status, ...(await response.json()) };
}

const stampOf = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString("utf8"));

describe.each(curves)("what the released command has written on %s", (curve) => {
  const { files, body, stamp } = vectors[curve];

  function keyFile(): string {
    const folder = join(person.folder, `vector-${curve}`);
    mkdirSync(folder, { recursive: true });
    for (const [end, text] of Object.entries(files)) {
      // With the modes of that command.
      writeFileSync(join(folder, `${curve}.${end}`), text, {
        mode: end === "public" ? 0o644 : 0o600,
      });
    }
    return join(folder, `${curve}.private`);
  }

  test("is a key that ours reads, with its organization, and stamps with", async () => {
    const { organizations } = JSON.parse(files.meta);
    const env = { KEYHEARTH_ROOT_KEY: keyFile() };
    const args = ["request", "whoami", "-", "--no-post"];
    const own = await person.json(args, 0, { env, stdin: body });
    expect(stampOf(own.header.value)).toMatchObject({
      publicKey: files.public,
      scheme: stampOf(stamp).scheme,
    });
    // Signatures on Ed25519 are the same whoever makes them.
    if (curve === "ed25519") expect(stampOf(own.header.value)).toEqual(stampOf(stamp));
    const added = ["profile", "add", `vector-${curve}`, "--key", keyFile(), "--offline"];
    const { profile } = await person.json(added);
    expect(profile.organizationId).toBe(organizations[0]);
  });

  test("is a stamp that ours verifies", () => {
    const parsed = parseApiKeyStamp(stamp);
    expect(parsed.publicKey).toBe(files.public);
    expect(verifyApiKeyStamp(parsed, Buffer.from(body))).toBe(true);
    expect(verifyApiKeyStamp(parsed, Buffer.from(body.replace("ü", "u")))).toBe(false);
  });
});

describe.runIf(released !== "")("the released command itself", () => {
  const run = async (args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(released, [...args]);
    return stdout.trim() === "" ? {} : JSON.parse(stdout);
  };

  const ask = (folder: string, name: string) => {
    const { organizationId } = person.product.root;
    const body = JSON.stringify({ organizationId });
    const place = ["--organization", organizationId, "-d", folder, "-k", name];
    return run(["request", "--no-post", ...place, "--path", WHOAMI, "--body", body]);
  };

  test.each(curves)("makes a key on %s that ours uses", async (curve) => {
    const { organizationId, userId } = person.product.root;
    const folder = join(person.folder, "theirs");
    mkdirSync(folder, { recursive: true });
    const name = `theirs-${curve}`;
    const { publicKey } = await run(
      ["generate", "api-key", "--curve", curve, "-k", name, "-d", folder].concat(
        "--organization",
        organizationId,
      ),
    );
    const file = join(folder, `${name}.private`);
    await person.json(["users", "add-key", userId, "--public-key", file]);
    await person.json(["profile", "add", name, "--key", file]);
    expect(await person.json(["whoami", "--profile", name])).toMatchObject({ publicKey, userId });
    const { message, stamp } = await ask(folder, name);
    expect(await answerTo(message, stamp)).toMatchObject({ status: 200, userId });
  });

  test.each(curves)("stamps with a key on %s that ours has made", async (curve) => {
    const { userId } = person.product.root;
    const name = `ours-${curve}`;
    const { keyFile } = await person.json(["generate", "api-key", name, "--curve", curve]);
    await person.json(["users", "add-key", userId, "--public-key", name]);
    const { message, stamp } = await ask(join(keyFile, ".."), name);
    expect(await answerTo(message, stamp)).toMatchObject({ status: 200, userId });
  });

  test("encrypts what ours imports, and decrypts what ours exports, with keys of either", async () => {
    const { organizationId, userId } = person.product.root;
    await person.json(["profile", "add", "pinned"]);
    const pinned = ["--profile", "pinned"];
    const { phrase = "" } = Wallet.createRandom().mnemonic ?? {};
    const words = person.write("words", phrase);
    chmodSync(words, 0o600);
    const theirs = join(person.folder, "their-encryption-keys");
    mkdirSync(theirs);
    const place = ["--organization", organizationId];
    const key = ["--encryption-key-name", "theirs", "--encryption-keys-folder", theirs];
    await run(["generate", "encryption-key", ...key, ...place, "--user", userId]);

    const begun = await person.json(["import", "begin", "wallet", ...pinned]);
    const bundle = person.write("begun", begun.importBundle);
    const encrypted = join(person.folder, "encrypted");
    const signer = ["--signer-quorum-key", begun.signerPublicKey];
    await run([
      ...["encrypt", "--import-bundle-input", bundle, "--encrypted-bundle-output", encrypted],
      ...["--plaintext-input", words, "--user", userId, ...place, ...signer, ...key],
    ]);
    const step = person.write("step", {
      ...{ kind: "wallet", organizationId, userId, signerPublicKey: begun.signerPublicKey },
      ...{ importBundle: begun.importBundle },
      encryptedBundle: readFileSync(encrypted, "utf8"),
    });
    const finish = ["import", "finish", ownName("imported"), step, "--account", "ethereum"];
    const { walletId, addresses } = await person.json([...finish, ...pinned]);
    expect(addresses).toEqual([Wallet.fromPhrase(phrase).address]);

    await person.json(["generate", "encryption-key", "ours"]);
    const own = join(person.folder, "keyhearth/encryption-keys");
    for (const [name, folder] of [
      ["ours", own],
      ["theirs", theirs],
    ] as const) {
      const named = name === "ours" ? name : join(theirs, "theirs.private");
      const begin = ["export", "begin", "wallet", walletId, "--key", named, ...pinned];
      const exported = person.write("exported", (await person.json(begin)).exportBundle);
      const output = join(person.folder, `${name}-words`);
      await run([
        ...["decrypt", "--export-bundle-input", exported, "--plaintext-output", output],
        ...["--encryption-key-name", name, "--encryption-keys-folder", folder],
        ...[...signer, ...place],
      ]);
      expect(readFileSync(output, "utf8")).toBe(phrase);
    }
  });
});
