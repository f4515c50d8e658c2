import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeyhearthClient } from "@keyhearth/sdk";
import { type Hex, recoverAddress } from "viem";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { bin } from "../cli/cli.ts";
import { pathWithPrograms } from "../cli/programs.ts";
import { createDatabase, findPostgres, startPostgres } from "../postgres/start.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { isLong } from "../start/long-form.ts";
import {
  clientOf,
  fetchMailbox,
  type RootKey,
  readRootKey,
  type Service,
  startService,
  startSigner,
} from "../start/process.ts";
import { newApiKey } from "./keys.ts";

// Performs the backup and the restore that the site documents, with the scripts that it shows, and uses
// the wallets afterwards.

const root = fileURLToPath(new URL("../../", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-backup-"));
const place = (name: string) => join(temporary, name);
/** What the API's data directory has beside the database and the signer's state. */
const apiKeys = ["courier-key", "root-api-key.json"];
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** The commands that the Debian packages put on PATH, for what is checked out. */
const searched = pathWithPrograms(temporary);

const scriptNames = readdirSync(join(root, "apps/website/snippets/self-hosting")).filter((name) =>
  /^(back-up|restore)-.+\.sh$/.test(name),
);

function script(name: string, args: string[], environment: Record<string, string> = {}): string {
  const path = join(root, "apps/website/snippets/self-hosting", name);
  return execFileSync("sh", [path, ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
    env: { HOME: process.env.HOME, ...environment, PATH: searched },
  });
}

describe("the scripts for PostgreSQL", () => {
  const scripts = ["back-up-postgres.sh", "restore-postgres.sh"];

  /** What PostgreSQL's programs are given, as other users of the machine see it, and apart from that. */
  function given(name: string, url: string) {
    const programs = mkdtempSync(join(temporary, "programs-"));
    const record = `#!/bin/sh\nfor each; do echo "$each"; done >> "${programs}/seen"\ncase "$*" in *--file=*) : > "${place("x.dump.new")}" ;; esac\necho "$PGPASSWORD" > "${programs}/password"\n`;
    for (const program of ["pg_dump", "pg_restore"]) {
      writeFileSync(join(programs, program), record, { mode: 0o755 });
    }
    const path = [programs, process.env.PATH].join(delimiter);
    const file = join(root, "apps/website/snippets/self-hosting", name);
    const env = { PATH: path, DATABASE_URL: url };
    execFileSync("sh", [file, place("x.dump")], { env, stdio: "pipe" });
    const read = (part: string) => readFileSync(join(programs, part), "utf8");
    return { seen: read("seen"), password: read("password").trim() };
  }

  test.each(scripts)("%s shows the database's password to nobody else", (name) => {
    const shown = given(name, "postgres://keyhearth:hunter2:=&x@db.internal:5432/keyhearth?a=b");
    expect(shown.password).toBe("hunter2:=&x");
    expect(shown.seen).not.toContain("hunter2");
    expect(shown.seen).toContain("postgres://keyhearth@db.internal:5432/keyhearth?a=b\n");
  });

  test.each(scripts)("%s takes an address without a password", (name) => {
    const url = "postgres://keyhearth@%2Fvar%2Frun%2Fpostgresql:5432/keyhearth?a=b&c=d";
    const shown = given(name, url);
    expect(shown.password).toBe("");
    expect(shown.seen).toContain(`${url}\n`);
  });

  test.each(scripts)("%s refuses a password that it cannot hide", (name) => {
    for (const url of [
      "postgres://keyhearth:hunt%32@db/keyhearth",
      "postgres://db/keyhearth?user=keyhearth&password=hunter2",
      "postgres://db/keyhearth?password=hunter2",
    ]) {
      expect(() => given(name, url)).toThrow("put it into ~/.pgpass");
    }
  });
});

describe("the script that copies the keys", () => {
  const filesOf = (directory: string) => readdirSync(directory).sort();
  const made = (name: string) => filesOf(temporary).filter((each) => each.startsWith(name));

  test("runs right after the signer's first start, and again when there is a courier", async () => {
    const signer = await startSigner(place("first-state"));
    try {
      const [state, secrets] = [place("first-state"), place("first-copy")];
      const shown = script("back-up-keys.sh", [state, `${secrets}/`]);
      expect(filesOf(secrets)).toEqual(["keyring", "root-key"]);
      expect(script("back-up-keys.sh", [state, secrets])).toBe(shown);
      writeFileSync(join(state, "courier"), "04");
      expect(script("back-up-keys.sh", [state, secrets])).toBe(shown);
      expect(filesOf(secrets)).toEqual(["courier", "keyring", "root-key"]);
      expect(made("first-copy")).toEqual(["first-copy"]);
      expect(statSync(secrets).mode & 0o077).toBe(0);
    } finally {
      await signer.stop();
    }
  });

  test("leaves nothing of a copy that cannot be opened, and no other signer's keys", async () => {
    const signer = await startSigner(place("damaged-state"));
    await signer.stop();
    const [state, secrets] = [place("damaged-state"), place("damaged-copy")];
    const keyring = readFileSync(join(state, "keyring"));
    writeFileSync(join(state, "keyring"), keyring.subarray(1));
    expect(() => script("back-up-keys.sh", [state, secrets])).toThrow("keyring");
    expect(made("damaged-copy")).toEqual([]);
    mkdirSync(secrets);
    writeFileSync(join(secrets, "root-key"), "another");
    expect(() => script("back-up-keys.sh", [state, secrets])).toThrow("keys of another signer");
    expect(readFileSync(join(secrets, "root-key"), "utf8")).toBe("another");
    const restore = [secrets, state, new Date().toISOString()];
    writeFileSync(join(secrets, "keyring"), "another");
    expect(() => script("restore-keys.sh", restore)).toThrow("keys of another signer");
    expect(readFileSync(join(secrets, "root-key"), "utf8")).toBe("another");
  });
});

describe.runIf(findPostgres())("with PostgreSQL and a signer in its own process", () => {
  test("a dump made while the service runs is restored, on a machine that has only the copies", async () => {
    const postgres = await startPostgres({ fsync: false });
    try {
      await restoreDump(postgres.url);
    } finally {
      await postgres.stop();
    }
  }, 300_000);
});

async function restoreDump(serverUrl: string) {
  const data = place("api");
  const databaseUrl = await createDatabase(serverUrl, "keyhearth");
  const signer = await startSigner(place("state"));
  const socket = `unix:${signer.socket}`;
  const environment = {
    KEYHEARTH_DATA_DIR: data,
    DATABASE_URL: databaseUrl,
    KEYHEARTH_SIGNER: socket,
  };
  const { before, lost } = await withService(environment, async (service) => {
    const world = await makeWorld(service, readRootKey(data));
    script("back-up-postgres.sh", [place("keyhearth.dump")], { DATABASE_URL: databaseUrl });
    return { before: world, lost: await changeSince(service, world) };
  });
  await signer.stop();
  mkdirSync(place("keys-of-api"));
  for (const name of apiKeys) copyFileSync(join(data, name), join(place("keys-of-api"), name));
  const shown = JSON.parse(script("back-up-keys.sh", [place("state"), place("keys")]));
  expect(shown.signerPublicKey).toBe(before.signerPublicKey);
  expect(statSync(join(place("keys"), "root-key")).mode & 0o077).toBe(0);

  const restoredUrl = await createDatabase(serverUrl, "restored");
  script("restore-postgres.sh", [place("keyhearth.dump")], { DATABASE_URL: restoredUrl });
  // A copy of the keys alone does not say how new the database must be.
  const state = place("keys");
  await expect(startSigner(state)).rejects.toThrow(
    "could not tell an old database from the newest",
  );
  script("restore-keys.sh", [place("restored-state"), state, new Date().toISOString()]);
  const second = await startSigner(place("restored-state"));
  // The API's data directory is lost too. Its courier has the key again that the signer seals messages to.
  const machine = place("restored-api");
  mkdirSync(machine);
  for (const name of apiKeys) copyFileSync(join(place("keys-of-api"), name), join(machine, name));
  const restored = {
    KEYHEARTH_DATA_DIR: machine,
    DATABASE_URL: restoredUrl,
    KEYHEARTH_SIGNER: `unix:${second.socket}`,
  };
  await withService(restored, async (service) => {
    await expectRestored(service, before, lost);
    expect(readFileSync(join(machine, "courier-key"))).toEqual(
      readFileSync(join(place("keys-of-api"), "courier-key")),
    );
    // Messages that the signer seals now can be opened.
    await sendInvitation(service, before.root);
    expect(await (await fetchMailbox(service)).json()).toHaveLength(1);
  });
  await second.stop();
}

test("a copy of the embedded database is restored, in its place and on a machine that has only the copies", async () => {
  const data = await newDataDirectory("embedded");
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const environment = { KEYHEARTH_DATA_DIR: data };
  const [file, secrets] = [place("database.tar"), place("secrets")];
  const before = await withService(environment, async (service) => {
    expect(() => script("back-up-embedded.sh", [data, file])).toThrow("stop the service");
    return makeWorld(service, readRootKey(data));
  });
  script("back-up-embedded.sh", [data, file]);
  script("back-up-embedded.sh", [data, file]);
  expect(existsSync(`${file}.new`)).toBe(false);
  script("back-up-keys.sh", [join(data, "signer"), secrets]);
  for (const name of apiKeys) {
    copyFileSync(join(data, name), join(secrets, name));
  }
  const lost = await withService(environment, (service) => changeSince(service, before));
  // A file that is not a copy changes nothing, and a second run does what the first did.
  const unchanged = readdirSync(data);
  writeFileSync(place("no.tar"), "nothing");
  expect(() => script("restore-embedded.sh", [data, place("no.tar")])).toThrow();
  expect(readdirSync(data)).toEqual(unchanged);
  script("restore-embedded.sh", [data, file]);
  script("restore-embedded.sh", [data, file]);
  const lock = await withService(environment, async (service) => {
    await expectRestored(service, before, lost);
    expect(() => script("restore-embedded.sh", [data, file])).toThrow("stop the service");
    const [name = "no lock"] = readdirSync(data).filter((each) => each.includes(".lock."));
    return { path: join(data, name), content: readFileSync(join(data, name)) };
  });

  // What a killed service leaves goes with the next start, even if that finds a damaged database.
  writeFileSync(lock.path, lock.content);
  writeFileSync(join(data, "pglite/global/pg_control"), "");
  expect(() => script("restore-embedded.sh", [data, file])).toThrow("stop the service");
  await expect(startService(environment)).rejects.toThrow("cannot be opened");
  script("restore-embedded.sh", [data, file]);
  await withService(environment, (service) => expectRestored(service, before, lost));

  const machine = mkdtempSync(join(temporary, "machine-"));
  for (const name of apiKeys) {
    copyFileSync(join(secrets, name), join(machine, name));
  }
  script("restore-keys.sh", [join(machine, "signer"), secrets, new Date().toISOString()]);
  script("restore-embedded.sh", [machine, file]);
  await withService({ KEYHEARTH_DATA_DIR: machine }, (service) =>
    expectRestored(service, before, lost),
  );
}, 180_000);

/** The lines of the page for the embedded database, in the folder of an installation. */
function pastedLines(): { backUp: string[]; restoreAll: string[] } {
  const page = readFileSync(join(root, "apps/website/docs/self-hosting/backup.mdx"), "utf8");
  const blocks = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const having = (text: string) => {
    const found = blocks.filter((block) => block.includes(text));
    expect(found, text).toHaveLength(1);
    return found.join("").trim();
  };
  return {
    backUp: [having("back-up-embedded.sh data"), having("back-up-keys.sh data/signer")],
    // The page says that what restores the keys comes before what restores the database.
    restoreAll: [having("restore-keys.sh data/signer"), having("restore-embedded.sh data")],
  };
}

test("the lines of the page, pasted in an installation, back it up and bring it back when all is lost", async () => {
  const folder = join(mkdtempSync(join(temporary, "pasted-")), "installation");
  mkdirSync(folder);
  for (const name of scriptNames) {
    copyFileSync(join(root, "apps/website/snippets/self-hosting", name), join(folder, name));
  }
  const paste = (lines: string[]) =>
    execFileSync("sh", ["-ec", lines.join("\n")], {
      cwd: folder,
      stdio: "pipe",
      env: { HOME: process.env.HOME, PATH: searched },
    });
  const environment = { KEYHEARTH_DATA_DIR: join(folder, "data") };
  const { backUp, restoreAll } = pastedLines();
  const keysOf = async (service: Service) => {
    const facts = await (await fetch(`${service.url}/.well-known/keyhearth.json`)).json();
    return { facts, root: readRootKey(join(folder, "data")) };
  };
  const before = await withService(environment, keysOf);
  paste(backUp);
  if (isLong) drill(folder);
  rmSync(join(folder, "data"), { recursive: true });
  const now = new Date().toISOString();
  paste(restoreAll.map((lines) => lines.replace(/\d{4}-\d\d-\d\dT\d\d:\d\dZ/, now)));
  expect(await withService(environment, keysOf)).toEqual(before);
}, 120_000);

/** What the page asks for once a month, before anything is lost. tests/cli/drill tries copies of the same scripts always. */
function drill(folder: string) {
  const copies = [join(folder, "../keyhearth-keys"), join(folder, "../keyhearth-database.tar")];
  const said = execFileSync(process.execPath, [bin, "backup", "drill", ...copies], {
    env: { XDG_CONFIG_HOME: folder, PATH: searched },
    encoding: "utf8",
  });
  expect(said).toContain("the copies restore and their keys open");
}

test.each(scriptNames)("%s without its arguments says how to call it", (name) => {
  expect(() => script(name, [])).toThrow(`usage: sh ${name} `);
  expect(() => script(name, ["1", "2", "3", "4"])).toThrow(`usage: sh ${name} `);
});

async function sendInvitation(service: Service, root: RootKey) {
  await clientOf(service, root).createInvitations({
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: root.userId,
      },
    ],
  });
}

type World = {
  root: RootKey;
  address: string;
  signerPublicKey: string;
  /** A key of the root user, and its id. */
  spare: RootKey;
  spareId: string;
};

/** What was made after the backup. */
type Lost = { walletId: string };

async function makeWorld(service: Service, root: RootKey): Promise<World> {
  const client = clientOf(service, root);
  const { addresses } = await client.createWallet(walletOf("Before the backup"));
  const spare = { ...root, ...newApiKey() };
  const { apiKeyIds } = await client.createApiKeys({
    userId: root.userId,
    apiKeys: [
      { apiKeyName: "spare", publicKey: spare.apiPublicKey, curveType: "API_KEY_CURVE_P256" },
    ],
  });
  const { signerPublicKey } = await wellKnown(service);
  const [address = ""] = addresses;
  const [spareId = ""] = apiKeyIds;
  return { root, address, signerPublicKey, spare, spareId };
}

async function changeSince(service: Service, world: World): Promise<Lost> {
  const client = clientOf(service, world.root);
  const { walletId } = await client.createWallet(walletOf("After the backup"));
  await client.deleteApiKeys({ userId: world.root.userId, apiKeyIds: [world.spareId] });
  await expect(clientOf(service, world.spare).whoami()).rejects.toMatchObject({
    code: "CREDENTIAL_NOT_FOUND",
  });
  return { walletId };
}

async function expectRestored(service: Service, world: World, { walletId }: Lost) {
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const client = clientOf(service, world.root);
  expect(await sign(client, world.address)).toBe(world.address);
  // Organizations change again, and what came after the backup is gone.
  const { addresses } = await client.createWallet(walletOf("After the restore"));
  expect(await sign(client, addresses[0] ?? "")).toBe(addresses[0]);
  await expect(client.getWallet({ walletId })).rejects.toMatchObject({ httpStatus: 404 });
  // So is the deletion of the key.
  expect(await sign(clientOf(service, world.spare), world.address)).toBe(world.address);
}

/** Signs a digest with the address's key, and returns the address that the signature proves. */
async function sign(client: KeyhearthClient, signWith: string): Promise<string> {
  const hash: Hex = `0x${"5a".repeat(32)}`;
  const { r, s, v } = await client.signRawPayload({
    signWith,
    payload: hash,
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  return recoverAddress({
    hash,
    signature: { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) },
  });
}

function walletOf(walletName: string) {
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  } as const;
  return { walletName, accounts: [account] };
}

async function wellKnown({ url }: Service): Promise<{ signerPublicKey: string }> {
  return (await fetch(`${url}/.well-known/keyhearth.json`)).json();
}

async function withService<Result>(
  environment: Record<string, string>,
  use: (service: Service) => Promise<Result>,
): Promise<Result> {
  const service = await startService(environment);
  try {
    return await use(service);
  } finally {
    expect(await service.stop()).toBe(0);
  }
}
