import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "../postgres/start.ts";
import { clientOf, type RootKey, readRootKey } from "../start/process.ts";
import { asUser, idOf, prepareUnit, readSettings, type Unit } from "./units.ts";

// Starts signer, courier and API by the unit files that the site shows, each as its own user, and checks
// what separates them.

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Only root can start processes as other users, and they must be able to read this folder. */
const canSeparate = process.getuid?.() === 0 && findPostgres() !== null && isReadableByAll(root);

describe.runIf(canSeparate)("an installation by the units of the site", () => {
  // Other users may not have access to the temporary directory of this one.
  const below = mkdtempSync("/tmp/keyhearth-units-");
  chmodSync(below, 0o755);
  const token = "a-token-for-the-metrics-of-this-test";
  const started: Running[] = [];
  let postgres: Postgres;
  let url: string;
  let key: RootKey;
  let signer: Unit;
  let courier: Unit;
  let api: Unit;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    const database = await createDatabase(postgres.url, "keyhearth");
    signer = prepareUnit("keyhearth-signer", below, {});
    const first = start({ ...signer, command: [...signer.command, "--create"] });
    await first.waitFor(/"listening"/);
    await first.stop();

    started.push(start(signer));
    courier = prepareUnit("keyhearth-courier", below, {});
    started.push(start(courier));
    for (const each of started) await each.waitFor(/"listening"/);
    api = prepareUnit("keyhearth", below, {
      PORT: "0",
      DATABASE_URL: database,
      KEYHEARTH_METRICS_TOKEN: token,
    });
    const service = start(api);
    started.unshift(service);
    await service.waitFor(/Stop it with/);
    const [, port] = /^ {2}Site +http:\/\/\S+:(\d+)$/m.exec(service.output()) ?? [];
    url = `http://127.0.0.1:${port}`;
    key = readRootKey(join(below, "var/lib/keyhearth"));
  }, 180_000);

  afterAll(async () => {
    for (const each of started) await each.stop();
    await postgres?.stop();
    rmSync(below, { recursive: true, force: true });
  });

  test("signs, through a signer and a courier in their own processes", async () => {
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready", reasons: [] }]);
    const client = clientOf({ url }, key);
    const { addresses } = await client.createWallet({
      walletName: "Treasury",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    });
    const signed = await client.signRawPayload({
      signWith: addresses[0] ?? "",
      payload: "5a".repeat(32),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
    expect(signed.r).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ["keyhearth", "var/lib/keyhearth-signer/root-key"],
    ["keyhearth", "var/lib/keyhearth-signer/keyring"],
    ["keyhearth", "var/lib/keyhearth-courier/courier-key"],
    ["keyhearth-courier", "var/lib/keyhearth-signer/root-key"],
    ["keyhearth-signer", "var/lib/keyhearth-courier/courier-key"],
    ["keyhearth-signer", "var/lib/keyhearth/root-api-key.json"],
  ])("the user %s cannot read %s", (user, file) => {
    const path = join(below, file);
    const read = (name: string) =>
      spawnSync("cat", [path], { uid: idOf(name), gid: idOf("keyhearth") }).status;
    const owner = /keyhearth(-\w+)?(?=\/[^/]+$)/.exec(path)?.[0] ?? "";
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(read(owner)).toBe(0);
    expect(read(user)).not.toBe(0);
    // Not even the group may look into the directory.
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test("the sockets are for their owner and the API only", () => {
    const connect = `require("node:net").connect(process.argv[1]).on("connect", () => process.exit(0)).on("error", ({ code }) => process.exit(code === "EACCES" ? 13 : 1))`;
    const statusOf = (user: Unit, path: string) => {
      const [program = "", ...args] = [...asUser(user), process.execPath, "-e", connect, path];
      return spawnSync(program, args).status;
    };
    for (const name of ["signer", "courier"]) {
      const path = join(below, `run/keyhearth-${name}/${name}.sock`);
      expect(statSync(path)).toMatchObject({
        uid: idOf(`keyhearth-${name}`),
        gid: idOf(`keyhearth-${name}`),
      });
      expect(statSync(path).mode & 0o777).toBe(0o660);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o750);
      const other = name === "signer" ? courier : signer;
      expect([name, statusOf(api, path), statusOf(other, path)]).toEqual([name, 0, 13]);
    }
  });

  test("behind the proxy, the client's address counts, and metrics need the token", async () => {
    const forwarded = { "x-forwarded-for": "203.0.113.9" };
    const answer = await fetch(`${url}/public/v1/query/whoami`, {
      method: "POST",
      headers: forwarded,
      body: "{}",
    });
    expect(answer.headers.get("x-rate-limit-request-remote-addr")).toBe("203.0.113.9");
    expect(answer.headers.get("ratelimit-limit")).toBe("60");
    const metrics = (headers: Record<string, string>) => fetch(`${url}/metrics`, { headers });
    expect((await metrics(forwarded)).status).toBe(403);
    const authorization = `Bearer ${token}`;
    const shown = await metrics({ ...forwarded, authorization });
    expect(await shown.text()).toContain("keyhearth_requests_total");
    expect((await fetch(`${url}/mailbox/messages?to=ada@example.com`)).ok).toBe(false);
  });

  test("a signer that was killed is found again, and until then the service is not ready", async () => {
    const [, running] = started;
    await running?.kill();
    const readiness = async () => (await fetch(`${url}/readyz`)).status;
    await expect.poll(readiness, { timeout: 10_000 }).toBe(503);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
      status: "not ready",
      reasons: ["the signer does not answer"],
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    started[1] = start(signer);
    await expect.poll(readiness, { timeout: 20_000 }).toBe(200);
  });
});

test.each(["keyhearth", "keyhearth-signer", "keyhearth-courier"])(
  "systemd never gives up on %s",
  (name) => {
    const settings = readSettings(name);
    expect(settings.get("Restart")).toEqual(["always"]);
    // By default, a unit that failed five times within ten seconds is not started again.
    expect(settings.get("StartLimitIntervalSec")).toEqual(["0"]);
  },
);

test("systemd finds no mistake in the units", ({ skip }) => {
  const folder = join(root, "apps/website/snippets/self-hosting");
  const names = ["keyhearth", "keyhearth-signer", "keyhearth-courier"];
  const units = names.map((name) => `${name}.service`);
  if (!existsSync("/usr/bin/systemd-analyze")) skip("systemd is not installed");
  const copies = mkdtempSync("/tmp/keyhearth-verify-");
  for (const unit of units) {
    // The program must exist, and this machine has it somewhere else.
    const sed = `s|/opt/keyhearth/node_modules/.bin/node|${process.execPath}|; s|/opt/keyhearth|${root}|`;
    execFileSync("sh", [
      "-c",
      `sed '${sed}' "$1" > "$2"`,
      "sh",
      join(folder, unit),
      join(copies, unit),
    ]);
  }
  const { stderr } = spawnSync(
    "systemd-analyze",
    ["verify", ...units.map((u) => join(copies, u))],
    {
      encoding: "utf8",
    },
  );
  rmSync(copies, { recursive: true });
  expect(stderr.split("\n").filter((line) => line.includes("keyhearth"))).toEqual([]);
});

type Running = {
  output(): string;
  waitFor(pattern: RegExp): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

function start({ command, environment, ...user }: Unit): Running {
  const [program = "", ...args] = [...asUser(user), ...command];
  const child: ChildProcess = spawn(program, args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: "pipe",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  return {
    output: () => output,
    async waitFor(pattern) {
      while (!pattern.test(output)) {
        if (child.exitCode !== null) throw new Error(`it ended:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

function isReadableByAll(directory: string): boolean {
  const isOpen = (statSync(directory).mode & 0o005) === 0o005;
  return isOpen && (dirname(directory) === directory || isReadableByAll(dirname(directory)));
}
