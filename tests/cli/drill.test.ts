import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { startSmtp, type TestSmtp } from "@keyhearth/courier/smtp.testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createDatabase, findPostgres, startPostgres } from "../postgres/start.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { testInLongForm } from "../start/long-form.ts";
import {
  clientOf,
  type Environment,
  type RootKey,
  readRootKey,
  run,
  runMain,
  type Service,
  startService,
} from "../start/process.ts";
import { bin, newPerson, type Person } from "./cli.ts";
import { pathWithPrograms, scriptOf } from "./programs.ts";

// Copies of a real service, in which mail and an event wait, are restored and sign. Whatever would receive something counts.

type World = {
  data: string;
  root: RootKey;
  address: string;
  keys: string;
  database: string;
};

let person: Person;
let path: string;
let smtp: TestSmtp;
let receiver: Server;
/** Until the copies are made, so that what happened there waits. */
let isAway = true;
let received = 0;
let world: World;

/** The settings of the service of the copies, so that it would deliver if it were started. */
const delivering = (): Environment => ({
  SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
  KEYHEARTH_MAIL_FROM: "login@acme.example",
  KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
});

beforeAll(async () => {
  person = await newPerson();
  path = pathWithPrograms(person.folder);
  smtp = await startSmtp();
  receiver = createServer((_, response) => {
    if (isAway) response.statusCode = 503;
    else received += 1;
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  world = await makeWorld("copied", {});
  isAway = false;
});

afterAll(async () => {
  await smtp?.stop();
  receiver?.close();
  if (world) rmSync(world.data, { recursive: true, force: true });
});

function script(name: string, args: string[], env: Environment = {}) {
  execFileSync("sh", [scriptOf(name), ...args], { env: { PATH: path, ...env }, stdio: "pipe" });
}

/** A service with a wallet, whose mail waits because it has no mail server, and whose event nobody takes. */
async function makeWorld(name: string, environment: Environment): Promise<World> {
  const data = await newDataDirectory(name);
  const service = await startService({
    KEYHEARTH_DATA_DIR: data,
    KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
    ...environment,
  });
  const root = readRootKey(data);
  const keys = join(person.folder, `${name}-keys`);
  const database = join(person.folder, `${name}-database`);
  const isEmbedded = environment.DATABASE_URL === undefined;
  let address = "";
  try {
    address = await fill(service, root);
    if (!isEmbedded) script("back-up-postgres.sh", [database], environment);
  } finally {
    await service.stop();
  }
  if (isEmbedded) script("back-up-embedded.sh", [data, database]);
  script("back-up-keys.sh", [join(data, "signer"), keys]);
  for (const name of ["courier-key", "root-api-key.json"]) {
    cpSync(join(data, name), join(keys, name));
  }
  return { data, root, address, keys, database };
}

async function fill(service: Service, root: RootKey): Promise<string> {
  const client = clientOf(service, root);
  const account = {
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  } as const;
  const solana = {
    curve: "CURVE_ED25519",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/501'/0'/0'",
    addressFormat: "ADDRESS_FORMAT_SOLANA",
  } as const;
  const { addresses } = await client.createWallet({ walletName: "Treasury", accounts: [account] });
  const { port } = receiver.address() as AddressInfo;
  await client.createWebhookEndpoint({ url: `http://127.0.0.1:${port}/`, name: "receiver" });
  await client.createWallet({ walletName: "Other", accounts: [solana] });
  await client.createInvitations({
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
  return String(addresses[0]);
}

/** What a drill has of the environment, without the key of the product that all files share. */
const surroundings = (env: Environment = {}) => ({
  env: { PATH: path, TMPDIR: place(), KEYHEARTH_ROOT_KEY: "", KEYHEARTH_URL: "", ...env },
});

const drill = (args: string[], status = 0, env: Environment = {}) =>
  person.json(["backup", "drill", ...args], status, surroundings(env));

/** Where drills restore: whatever stays there is found. */
function place(): string {
  const folder = join(person.folder, "t");
  mkdirSync(folder, { recursive: true });
  return folder;
}

function digestOf(...paths: string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const stats = statSync(path);
    hash.update(`${path} ${stats.mode} ${stats.mtimeMs}`);
    if (stats.isFile()) hash.update(readFileSync(path));
    else for (const name of readdirSync(path).sort()) hash.update(digestOf(join(path, name)));
  }
  return hash.digest("hex");
}

const messageOf = (findings: { check: string; message: string }[], check: string) =>
  findings.find((each) => each.check === check)?.message;

test("copies are restored and sign, nothing of them is sent, and nothing stays", async () => {
  const { keys, database, address } = world;
  const before = digestOf(keys, database);
  // The settings of the real installation are in the environment, and do not come along.
  const found = await drill([keys, database], 0, delivering());
  expect(messageOf(found.findings, "signature")).toBe(
    `${address} signed, and the signature verifies`,
  );
  expect(found.copy).toMatchObject({ organizations: 1, wallets: 2, accounts: 2 });
  expect(Date.now() - Date.parse(found.copy.lastActivityAt)).toBeLessThan(600_000);
  expect(found.signature).toMatchObject({ address });
  expect(digestOf(keys, database)).toBe(before);
  expect(readdirSync(place())).toEqual([]);

  expect([received, smtp.mails.length]).toEqual([0, 0]);

  // They wait in the copy: the service itself delivers both of them.
  const data = mkdtempSync(join(person.folder, "machine-"));
  cpSync(join(keys, "courier-key"), join(data, "courier-key"));
  script("restore-keys.sh", [join(data, "signer"), keys, new Date().toISOString()]);
  script("restore-embedded.sh", [data, database]);
  const service = await startService({ KEYHEARTH_DATA_DIR: data, ...delivering() });
  try {
    await expect.poll(() => [received > 0, smtp.mails.length]).toEqual([true, 1]);
  } finally {
    await service.stop();
  }
}, 180_000);

testInLongForm(
  "an account that is named signs, on another curve, with the key of a profile",
  async () => {
    const { keys, database, data } = world;
    const profile = ["--profile", "of-copies"];
    const added = ["profile", "add", "of-copies", "--key", join(keys, "root-api-key.json")];
    const service = await startService({ KEYHEARTH_DATA_DIR: data });
    let solana = "";
    try {
      await person.json([...added, "--url", service.url]);
      const { accounts } = await person.json(["accounts", "list", ...profile]);
      const format = "ADDRESS_FORMAT_SOLANA";
      solana = accounts.find(
        (each: { addressFormat: string }) => each.addressFormat === format,
      ).address;
    } finally {
      await service.stop();
    }
    const found = await drill([keys, database, "--with", solana, ...profile]);
    expect(found.signature).toMatchObject({ address: solana });
    expect(messageOf(found.findings, "pinned keys")).toBe(
      "they are those of the profile of-copies",
    );
    const none = await drill([keys, database, "--with", "0x00", ...profile], 1);
    expect(messageOf(none.findings, "signature")).toContain(
      "has no account 0x00: `keyhearth accounts",
    );
    expect(none.signature).toBe(null);
    // It would be the current one of the other drills.
    await person.json(["profile", "remove", "of-copies"]);
  },
  120_000,
);

testInLongForm(
  "without a key of a user the keys are opened, and the drill says that nothing was signed",
  async () => {
    const keys = join(person.folder, "no-user");
    cpSync(world.keys, keys, { recursive: true });
    // To read one of them would never end.
    for (const name of ["courier", "root-api-key.json"]) {
      rmSync(join(keys, name));
      execFileSync("mkfifo", [join(keys, name)]);
    }
    const shown = await person.run(["backup", "drill", keys, world.database], surroundings());
    expect(shown.stdout).toContain(
      "2 wallets, 2 accounts, 0 private keys of 1 organization are the signer's own",
    );
    expect(shown.stdout).toMatch(
      /^warning +signature +nothing was signed, because no key of a user is here/m,
    );
    expect(shown.stdout).toMatch(/nothing was signed \([\d.]+ s\)\n$/);
    expect(shown.status).toBe(0);
    expect(readdirSync(place())).toEqual([]);
  },
);

test("copies that are missing, damaged, of two installations or of a newer release are named", async () => {
  const { keys, database } = world;
  const lacks = await drill([join(person.folder, "none"), "/none"], 1);
  expect(messageOf(lacks.findings, "keys")).toContain("has no root-key");
  expect(messageOf(lacks.findings, "database")).toBe("cannot read /none: there is no such file");

  // The keys of the one and the database of the other.
  const second = await newDataDirectory("second");
  onTestFinished(() => rmSync(second, { recursive: true, force: true }));
  await (await startService({ KEYHEARTH_DATA_DIR: second })).stop();
  const strange = join(person.folder, "strange.tar");
  script("back-up-embedded.sh", [second, strange]);
  const mixed = await drill([keys, strange], 1);
  expect(messageOf(mixed.findings, "keys opened")).toMatch(
    /^the service does not open the copy: the copy of the database is of installation .*; take both copies from one/,
  );

  const newer = join(person.folder, "newer");
  execFileSync("mkdir", ["-p", newer]);
  execFileSync("tar", ["-xf", database, "-C", newer]);
  const layout = join(newer, "keyhearth.json");
  writeFileSync(layout, readFileSync(layout, "utf8").replace(/"layout": ?\d+/, '"layout": 99'));
  const later = join(person.folder, "newer.tar");
  execFileSync("tar", ["-cf", later, "-C", newer, "pglite", "keyhearth.json"]);
  expect(messageOf((await drill([keys, later], 1)).findings, "keys opened")).toContain(
    "was written by Keyhearth",
  );

  const nowhere = await drill([keys, database, "--directory", "/none"], 1);
  expect(messageOf(nowhere.findings, "root key")).toBe(
    "cannot make a folder in /none (ENOENT): name one that you may write to, with TMPDIR or, for a drill, with --directory",
  );
  expect(readdirSync(place())).toEqual([]);
}, 120_000);

const tar = (...args: string[]) => execFileSync("tar", args);

test("an archive with links, or with what is no file, is not opened", async () => {
  const { keys, database, data } = world;
  const folder = mkdtempSync(join(person.folder, "archive-"));
  const [first, files, last] = ["first", "files", "last"].map((name) => join(folder, name));
  for (const each of [first, files, last])
    mkdirSync(join(String(each), "real"), { recursive: true });
  tar("-xf", database, "-C", String(files));
  symlinkSync("real", join(String(first), "pglite"));
  const real = join(data, "pglite");
  symlinkSync(real, join(String(last), "pglite"));

  // Its list has a database, and what it leaves is a link to one that is in use.
  const linked = join(folder, "linked.tar");
  tar("-cf", linked, "-C", String(first), "real", "pglite");
  const listed = ["pglite/PG_VERSION", "pglite/global/pg_control", "keyhearth.json"];
  tar("-rf", linked, "-C", String(files), ...listed);
  tar("-rf", linked, "-C", String(last), "pglite");
  const before = digestOf(real);
  const found = await drill([keys, linked], 1);
  expect(messageOf(found.findings, "restore")).toMatch(
    /linked\.tar is not restored: it has pglite, which is neither a file nor a folder/,
  );
  expect(digestOf(real)).toBe(before);

  execFileSync("mkfifo", [join(String(files), "pglite/pipe")]);
  chmodSync(join(String(files), "pglite/base"), 0o500);
  const piped = join(folder, "2026-11-30T02:00.tar");
  tar("-cf", piped, "-C", String(files), "pglite", "keyhearth.json");
  chmodSync(join(String(files), "pglite/base"), 0o700);
  const stuck = await drill([keys, piped], 1);
  expect(messageOf(stuck.findings, "restore")).toContain("it has pglite/pipe, which is neither");

  const pipe = join(folder, "pipe.tar");
  execFileSync("mkfifo", [pipe]);
  const unread = await drill([keys, pipe], 1);
  expect(messageOf(unread.findings, "database")).toMatch(/pipe\.tar is not a file$/);
  expect(readdirSync(place())).toEqual([]);
}, 60_000);

/**
 * A library of WebAssembly as the embedded database loads them: with a text that the loader takes for a function in
 * JavaScript. Lengths are below 128, so each is one byte.
 */
function libraryOf(script: string): Buffer {
  const named = (text: string) => [text.length, ...Buffer.from(text)];
  const section = (id: number, ...bytes: number[]) => [id, bytes.length, ...bytes];
  const text = `(void)<::>{},${script}\0`;
  const info = [text.length, 0, 0, 0];
  const base = [...named("env"), ...named("__memory_base"), 3, 0x7f, 0];
  return Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(0, ...named("dylink.0"), 1, info.length, ...info),
    ...section(2, 2, ...named("env"), ...named("memory"), 2, 0, 0, ...base),
    ...section(6, 1, 0x7f, 0, 0x41, 0, 0x0b),
    ...section(7, 1, ...named("__em_js__f"), 3, 1),
    ...section(11, 1, 0, 0x23, 0, 0x0b, ...named(text)),
  ]);
}

test("a library in an archive runs nothing outside of the database", async () => {
  const { keys, database } = world;
  const folder = mkdtempSync(join(person.folder, "library-"));
  tar("-xf", database, "-C", folder);
  const trace = join(mkdtempSync("/tmp/t-"), "x");
  onTestFinished(() => rmSync(dirname(trace), { recursive: true, force: true }));
  const library = libraryOf(`process.getBuiltinModule('fs').writeFileSync('${trace}','')`);
  writeFileSync(join(folder, "pglite/l.so"), library, { mode: 0o755 });
  const settings = "session_preload_libraries = '/pglite/data/l.so'\n";
  writeFileSync(join(folder, "pglite/postgresql.conf"), settings, { flag: "a" });
  const archive = join(folder, "library.tar");
  tar("-cf", archive, "-C", folder, "pglite", "keyhearth.json");
  const found = await drill([keys, archive], 1);
  expect(messageOf(found.findings, "keys opened")).toContain("the service does not open the copy");
  expect(existsSync(trace)).toBe(false);
  expect(readdirSync(place())).toEqual([]);
}, 60_000);

/** Begins a drill, and returns it while the service starts on the copy. */
async function begun() {
  const folder = place();
  const environment = { ...person.env, ...surroundings().env };
  const child = run([bin, "backup", "drill", world.keys, world.database], environment);
  const restored = () =>
    readdirSync(folder).filter((name) => existsSync(join(folder, name, "data/pglite")));
  await expect.poll(restored, { interval: 20 }).toHaveLength(1);
  expect(statSync(join(folder, ...restored())).mode & 0o777).toBe(0o700);
  await expect
    .poll(() => existsSync(join(folder, ...restored(), "data/pglite/postmaster.pid")))
    .toBe(true);
  return { child, left: () => readdirSync(folder) };
}

testInLongForm(
  "a drill that takes too long says so, and what it had restored is gone",
  async () => {
    const folder = place();
    const { findings } = await drill([world.keys, world.database, "--minutes", "0.02"], 1);
    expect(findings.at(-1)).toEqual({
      check: "time",
      status: "error",
      message: expect.stringContaining("not done after 0.02 minutes"),
    });
    expect(readdirSync(folder)).toEqual([]);
  },
  60_000,
);

test("a restored copy signs for nobody who knows its port and a key that it trusts", async () => {
  const { keys, database, root } = world;
  const data = mkdtempSync(join(person.folder, "rehearsed-"));
  script("restore-keys.sh", [join(data, "signer"), keys, new Date().toISOString()]);
  script("restore-embedded.sh", [data, database]);
  const settings = { HOST: "", PORT: "", KEYHEARTH_DATA_DIR: data, KEYHEARTH_REHEARSAL: "on" };
  const rehearsal = runMain(settings);
  onTestFinished(async () => void (await rehearsal.stop()));
  const address = () => /^ {2}API +(\S+)$/m.exec(rehearsal.stdout())?.[1];
  await expect.poll(address, { timeout: 30_000 }).toBeDefined();
  const own = String(address());
  const { origin, pathname } = new URL(own);
  expect(pathname).toMatch(/^\/[\w-]{43}\/public\/v1$/);

  // The key may have been deleted since the copy was made.
  const known = clientOf({ url: own }, root);
  expect(await known.whoami()).toMatchObject({ userId: root.userId });
  for (const url of [origin, `${origin}/${"A".repeat(43)}`, `${origin}//`]) {
    await expect(clientOf({ url }, root).whoami(), url).rejects.toThrow(/only tried/);
  }
  const shown = await fetch(`${origin}/.well-known/keyhearth.json`);
  expect([shown.status, await shown.text()]).toEqual([404, expect.stringMatching(/only tried/)]);
}, 60_000);

testInLongForm(
  "a signal ends a drill, and what it had restored is gone",
  async () => {
    const { child, left } = await begun();
    child.child.kill("SIGINT");
    expect(await child.ended).toBe(130);
    expect(child.stdout()).toContain("stopped: the restored copy is removed");
    expect(left()).toEqual([]);

    // Nobody can clean up after this signal, but what runs beside the drill.
    const second = await begun();
    await second.child.kill();
    await expect.poll(second.left).toEqual([]);
  },
  120_000,
);

describe.runIf(findPostgres())("a dump of PostgreSQL", () => {
  test("is restored into a server of its own and signs, and runs no program", async () => {
    const postgres = await startPostgres({ fsync: false });
    onTestFinished(() => postgres.stop());
    const url = await createDatabase(postgres.url, "keyhearth");
    const dumped = await makeWorld("dumped", { DATABASE_URL: url });
    onTestFinished(() => rmSync(dumped.data, { recursive: true, force: true }));
    // The user of PostgreSQL must reach it.
    const temporary = mkdtempSync("/tmp/keyhearth-t-");
    onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
    chmodSync(temporary, 0o755);

    // What operators have in their databases beside the service's tables.
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query("CREATE PUBLICATION everything FOR ALL TABLES");
    await client.query("COMMENT ON EXTENSION plpgsql IS 'that of the operator'");
    const database = join(person.folder, "more.dump");
    script("back-up-postgres.sh", [database], { DATABASE_URL: url });
    const before = digestOf(dumped.keys, database);
    const found = await drill([dumped.keys, database], 0, {
      ...delivering(),
      DATABASE_URL: url,
      TMPDIR: temporary,
      PGPORT: "1",
    });
    expect(found.signature).toMatchObject({ address: dumped.address });
    expect(found.copy).toMatchObject({ wallets: 2 });
    expect(digestOf(dumped.keys, database)).toBe(before);

    // A check of a table is evaluated for the rows that a restore adds.
    const trace = join(temporary, "trace");
    await client.query(`
      CREATE FUNCTION run() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('listen_addresses') = '' THEN
          COPY (SELECT 1) TO PROGRAM 'cat > ${trace}';
        END IF;
        RETURN true;
      END $$`);
    await client.query("CREATE TABLE bait (one integer CHECK (public.run()))");
    await client.query("INSERT INTO bait VALUES (1)");
    chmodSync(temporary, 0o777);
    const hostile = join(person.folder, "hostile.dump");
    script("back-up-postgres.sh", [hostile], { DATABASE_URL: url });
    const refused = await drill([dumped.keys, hostile], 1, { TMPDIR: temporary });
    expect(messageOf(refused.findings, "restore")).toMatch(
      /^pg_restore does not restore the dump: .*to or from an external program/,
    );
    expect(readdirSync(temporary)).toEqual([]);
  }, 240_000);
});
