import { execFile } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { readPicture } from "@keyhearth/courier/logo-form";
import { png } from "@keyhearth/courier/png.testing";
import { startSmtp } from "@keyhearth/courier/smtp.testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Contents } from "../../scripts/bundle/contents.ts";
import { installLocked } from "../../scripts/bundle/install.ts";
import type { Locked } from "../../scripts/bundle/lock.ts";
import { programs } from "../../scripts/bundle/programs.ts";
import { writeBundle } from "../../scripts/bundle/write.ts";
import { flags } from "../../scripts/setup/allocation.mjs";
import { newDataDirectory } from "../start/data-directory.ts";
import {
  clientOf,
  type Environment,
  fetchMailbox,
  type Process,
  type RootKey,
  readRootKey,
  run,
  serviceOf,
  until,
} from "../start/process.ts";

// Each bundle is in a folder of its own outside the repository, with the packages that it locks and no others.

const root = fileURLToPath(new URL("../..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-bundles-"));
const folderOf = (name: string) => join(temporary, name);

beforeAll(async () => {
  const made = process.env.KEYHEARTH_TEST_BUNDLES;
  for (const program of programs) {
    const folder = folderOf(program.name);
    if (made) cpSync(join(made, program.name), folder, { recursive: true });
    else await writeBundle(root, program, folder);
    installLocked(folder);
  }
}, 120_000);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const PACKAGE = /node_modules\/((?:@[^/]+\/)?[^/]+)/;
const folderAbove = (path: string) => path.split("/").slice(0, 2).join("/");

const TIMEOUT = { timeout: 180_000 };

async function start(name: string, args: string[], environment: Environment): Promise<Process> {
  const process = run(["main.js", ...args], environment, { folder: folderOf(name) });
  onTestFinished(async () => void (await process.stop()));
  await until(process, () => /listening|Stop it with/.test(process.stdout()));
  return process;
}

async function startApi(environment: Environment) {
  const settings = { HOST: "127.0.0.1", PORT: "0", KEYHEARTH_LOG_LEVEL: "warn" };
  return serviceOf(await start("api", [], { ...settings, ...environment }));
}

const account = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

/** Creates an organization with a wallet. Returns a client of it, and what it can sign. */
async function newOrganization(service: { url: string }, key: RootKey) {
  const { apiPublicKey: publicKey } = key;
  const { subOrganizationId, wallet } = await clientOf(service, key).createSubOrganization({
    subOrganizationName: "Acme",
    rootUsers: [
      {
        userName: "Root user",
        apiKeys: [{ apiKeyName: "Key", publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
    wallet: { walletName: "First", accounts: [account] },
  });
  const parameters = {
    signWith: wallet?.addresses[0] ?? "",
    payload: "ab".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  } as const;
  return { key: { ...key, organizationId: subOrganizationId }, parameters };
}

async function invite(service: { url: string }, key: RootKey) {
  await clientOf(service, key).createInvitations({
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: key.userId,
      },
    ],
  });
}

test("signer, courier and API work together, each in its own folder", TIMEOUT, async () => {
  const mailServer = await startSmtp();
  onTestFinished(() => mailServer.stop());
  const [signerState, courierState] = ["signer-state", "courier-state"].map(folderOf);
  const data = await newDataDirectory("bundles");
  onTestFinished(() => rmSync(data, { recursive: true }));
  const signer = await start("signer", ["--state", `${signerState}`, "--create"], {});
  await start("courier", ["--state", `${courierState}`], {
    SMTP_URL: `smtp://127.0.0.1:${mailServer.port}?tls=off`,
    KEYHEARTH_MAIL_FROM: "Acme <login@acme.example>",
  });
  const service = await startApi({
    KEYHEARTH_DATA_DIR: data,
    KEYHEARTH_SIGNER: `unix:${signerState}/signer.sock`,
    KEYHEARTH_COURIER: `unix:${courierState}/courier.sock`,
  });
  if (process.platform === "linux") {
    const command = readFileSync(`/proc/${signer.child.pid}/cmdline`, "utf8").split("\0");
    expect(command.slice(1, 1 + flags.length)).toEqual(flags);
  }

  const root = readRootKey(data);
  const { key, parameters } = await newOrganization(service, root);
  const { r } = await clientOf(service, key).signRawPayload(parameters);
  expect(r).toMatch(/^[0-9a-f]{64}$/);
  await invite(service, root);
  await expect.poll(() => mailServer.mails.length, { timeout: 20_000 }).toBe(1);
  expect(mailServer.mails[0]?.envelopeTo).toEqual(["grace@example.com"]);
});

test(
  "the API alone has its threads and files, and signs the same without native code",
  TIMEOUT,
  async () => {
    const data = folderOf("data-alone");
    const native = join(folderOf("api"), "node_modules/secp256k1");
    const service = await startApi({ KEYHEARTH_DATA_DIR: data });
    const root = readRootKey(data);
    const { key, parameters } = await newOrganization(service, root);
    const client = clientOf(service, key);
    const { r, s, v } = await client.signRawPayload(parameters);
    if (process.platform === "linux") {
      expect(readFileSync(`/proc/${service.child.pid}/maps`, "utf8")).toContain("secp256k1");
    }

    // In the reader's thread.
    const activity = { type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters } as const;
    expect((await client.simulateActivity({ activity })).outcome).toBe("OUTCOME_ALLOW");
    await invite(service, root);
    await expect.poll(async () => (await fetchMailbox(service)).json()).toHaveLength(1);
    for (const path of [
      "/",
      "/concepts/wallets",
      "/openapi.json",
      "/mailbox",
      "/mailbox/mailbox.js",
      "/frames/export",
      "/frames/export.js",
      "/dashboard",
      "/dashboard/wallets",
      "/dashboard/first.js",
    ]) {
      expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 200]);
    }
    await service.stop();

    const feedback = await promisify(execFile)(process.execPath, ["feedback.js", "--json"], {
      cwd: folderOf("api"),
      env: { KEYHEARTH_DATA_DIR: data },
    });
    expect(feedback.stdout).toBe("");

    renameSync(native, `${native}-away`);
    const portable = await startApi({ KEYHEARTH_DATA_DIR: data });
    expect(await clientOf(portable, key).signRawPayload(parameters)).toMatchObject({ r, s, v });
  },
);

// A change that raises a bound, or adds to a list, says why the program needs it. Packages for other platforms are
// locked, and not installed.
test.each([
  {
    name: "signer",
    bytes: 2_900_000,
    parts: [
      "apps/signer",
      "builtin:node:http",
      "packages/crypto",
      "packages/engine",
      "packages/outbound",
      "packages/policy",
    ],
    packages: 31,
    installed: ["secp256k1"],
    locked: 4,
  },
  {
    name: "courier",
    bytes: 2_300_000,
    parts: ["apps/courier", "builtin:node:http", "packages/crypto", "packages/outbound"],
    packages: 59,
    installed: ["secp256k1"],
    locked: 4,
  },
  {
    name: "api",
    bytes: 7_300_000,
    parts: [
      "apps/api",
      "apps/courier",
      "apps/dashboard",
      "apps/frames",
      "apps/signer",
      "builtin:node:http",
      "packages/crypto",
      "packages/engine",
      "packages/outbound",
      "packages/policy",
      "packages/search",
    ],
    packages: 129,
    installed: ["secp256k1"],
    locked: 4,
  },
])("what is in the bundle of $name is listed and bounded", ({ name, ...bounds }) => {
  const read = (file: string) => JSON.parse(readFileSync(join(folderOf(name), file), "utf8"));
  const contents: Contents = read("contents.json");
  const files = Object.values(contents);
  const modules = files.flatMap((file) => Object.keys(file.modules));
  const own = modules.filter((path) => !path.includes("node_modules/"));
  const packages = new Set(modules.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(bounds.bytes);
  expect([...new Set(own.map(folderAbove))].toSorted()).toEqual([
    ...bounds.parts,
    "scripts/bundle",
    "scripts/setup",
  ]);
  expect(packages.size).toBeLessThanOrEqual(bounds.packages);
  const notices = readFileSync(join(folderOf(name), "NOTICES.txt"), "utf8");
  expect([...packages].filter((each) => !notices.includes(`${each} `))).toEqual([]);

  expect(Object.keys(read("package.json").dependencies)).toEqual(bounds.installed);
  const { "": _, ...locked } = read("package-lock.json").packages;
  expect(Object.keys(locked).length).toBeLessThanOrEqual(bounds.locked);
  const whole: Locked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const known = new Set(Object.values(whole).map(({ integrity }) => integrity));
  for (const { integrity } of Object.values(locked as Locked)) expect(known).toContain(integrity);
});

test.each(["courier", "api"])(
  "the bundle of %s has the thread that decodes logos",
  async (name) => {
    const thread = new Worker(join(folderOf(name), "logo.js"));
    onTestFinished(async () => void (await thread.terminate()));
    thread.postMessage(readPicture(png({ width: 680, height: 100 })));
    const [logo] = await once(thread, "message");
    expect(readPicture(logo)).toMatchObject({ width: 340, height: 50 });
  },
);

test("of Twilio's clients, the bundle has the one that sends SMS", async () => {
  const folder = folderOf("courier");
  const contents: Contents = JSON.parse(readFileSync(join(folder, "contents.json"), "utf8"));
  const [file = ""] =
    Object.entries(contents).find(([, { modules }]) =>
      Object.keys(modules).some((path) => path.endsWith("twilio/lib/rest/Twilio.js")),
    ) ?? [];
  const { default: twilio } = await import(join(folder, file));
  const asked: string[] = [];
  const httpClient = {
    async request({ uri }: { uri: string }) {
      asked.push(uri);
      return { statusCode: 201, body: { sid: "SM1" }, headers: {} };
    },
  };
  const client = twilio(`AC${"0".repeat(32)}`, "token", { httpClient });
  const message = { to: "+14155550100", from: "+14155550101", body: "Hello" };
  expect((await client.messages.create(message)).sid).toBe("SM1");
  expect(asked).toEqual([expect.stringMatching(/\/Accounts\/AC0{32}\/Messages\.json$/)]);
  expect(() => client.verify).toThrow("this bundle has no client for Twilio's Verify");
});

/** A file as it is read by somebody: what is stored compressed is not. */
function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  if (path.endsWith(".br")) return brotliDecompressSync(bytes);
  return path.endsWith(".tgz") ? gunzipSync(bytes) : bytes;
}

test("no bundle has a path of the repository in it, not even in its site and its packages", () => {
  const paths = programs.flatMap(({ name }) =>
    globSync("**/*", {
      cwd: folderOf(name),
      exclude: ["node_modules"],
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(paths.length).toBeGreaterThan(1000);
  for (const end of [".br", ".tgz"]) expect(paths.some((path) => path.endsWith(end))).toBe(true);
  expect(paths.filter((path) => contentOf(path).includes(root))).toEqual([]);
});

test("a source that refers to a file without a place in the bundle fails the build", async () => {
  const api = programs.find(({ name }) => name === "api");
  if (!api) throw new Error("no API");
  const { "contract/openapi.json": _, ...files } = api.files;
  await expect(writeBundle(root, { ...api, files }, folderOf("incomplete"))).rejects.toThrow(
    "the bundle has no place for contract/openapi.json",
  );
});
