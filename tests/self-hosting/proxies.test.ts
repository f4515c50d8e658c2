import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findOnPath } from "../../scripts/setup/tools.mjs";
import { newDataDirectory } from "../start/data-directory.ts";
import { clientOf, readRootKey, type Service, startService } from "../start/process.ts";

// Puts the proxies in front of the service by the configurations that the site shows, without TLS. Where
// `CI` is set, a machine without one of them fails.

const samples = fileURLToPath(
  new URL("../../apps/website/snippets/self-hosting/", import.meta.url),
);
const nginx = findOnPath("nginx") ?? findOnPath("../sbin/nginx");
const caddy = findOnPath("caddy");
const isExpected = Boolean(process.env.CI);

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-proxies-"));
let data: string;
let service: Service;

beforeAll(async () => {
  data = await newDataDirectory("proxies");
  service = await startService({
    KEYHEARTH_DATA_DIR: data,
    KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1",
  });
});
afterAll(async () => {
  await service?.stop();
  for (const directory of [temporary, data]) rmSync(directory, { recursive: true, force: true });
});

/** The sample, for the port at which the service really is. */
function sample(name: string): string {
  const { host } = new URL(service.url);
  return readFileSync(join(samples, name), "utf8").replace("127.0.0.1:3000", host);
}

function nginxArguments(port: number): string[] {
  const temporaries = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${temporary}/${name};`,
  );
  const file = join(temporary, "nginx.conf");
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off; pid ${temporary}/nginx.pid; error_log stderr; events {}
http { access_log off; ${temporaries.join(" ")} server { listen 127.0.0.1:${port}; ${sample("nginx.conf")} } }`,
  );
  return ["-c", file, "-p", temporary];
}

function caddyArguments(port: number): string[] {
  const file = join(temporary, "Caddyfile");
  const site = sample("Caddyfile").replace("keys.example.com", `http://127.0.0.1:${port}`);
  writeFileSync(file, `{\n  admin off\n}\n${site}`);
  return ["run", "--adapter", "caddyfile", "--config", file];
}

describe.each([
  { name: "nginx", program: nginx, argumentsFor: nginxArguments },
  { name: "Caddy", program: caddy, argumentsFor: caddyArguments },
])("behind $name", ({ name, program, argumentsFor }) => {
  const isThere = program !== undefined || isExpected;
  let proxy: ChildProcess;
  let url: string;

  beforeAll(async () => {
    if (!isThere) return;
    if (!program)
      throw new Error(`${name} is not installed: run apt-get install nginx-light caddy`);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const env = { PATH: process.env.PATH, HOME: temporary };
    proxy = spawn(program, argumentsFor(port), { env, stdio: ["ignore", "ignore", "pipe"] });
    let log = "";
    proxy.stderr?.on("data", (text) => {
      log += text;
    });
    await vi.waitUntil(() => fetch(`${url}/healthz`).then(isReady, isUnreachable), {
      timeout: 20_000,
      interval: 50,
    });
    expect(log).not.toMatch(/emerg|"level":"error"/);
  });
  afterAll(async () => {
    if (!proxy || proxy.exitCode !== null) return;
    proxy.kill("SIGTERM");
    await once(proxy, "exit");
  });

  test.runIf(isThere)("signed requests arrive as they were stamped", async () => {
    const client = clientOf({ url }, readRootKey(data));
    await client.createUserTag({ userTagName: `Behind ${name}, “byte for byte” – ü`, userIds: [] });
    expect(await client.whoami()).toMatchObject({ username: expect.any(String) });
  });

  test.runIf(isThere)("a body of 1 MiB arrives", async () => {
    const { organizationId, ...key } = readRootKey(data);
    const body = JSON.stringify({
      type: "ACTIVITY_TYPE_CREATE_USER_TAG",
      timestampMs: String(Date.now()),
      organizationId,
      parameters: { userTagName: `large, behind ${name}`, userIds: [] },
    }).padEnd(1024 * 1024);
    const { name: header, value } = await new ApiKeyStamper(key).stamp(body);
    const response = await fetch(`${url}/public/v1/submit/create_user_tag`, {
      method: "POST",
      headers: { [header]: value },
      body,
    });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { activity: { organizationId, status: "ACTIVITY_STATUS_COMPLETED" } },
    ]);
  });

  test.runIf(isThere)("metrics are not for everybody", async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(403);
    expect((await fetch(`${service.url}/metrics`)).status).toBe(200);
  });

  // Caddy believes no address that a request names, so behind it this test has only one.
  test.runIf(isThere && name === "nginx")(
    "the service learns the addresses of clients",
    async () => {
      // As if another proxy came before this one, and named the client.
      const limits = async (client: string) => {
        const headers = { "X-Forwarded-For": client };
        const response = await fetch(`${url}/public/v1/query/whoami`, { method: "POST", headers });
        return Number(response.headers.get("ratelimit-remaining"));
      };
      const first = await limits("192.0.2.1");
      expect(await limits("192.0.2.2")).toBe(first);
    },
  );
});

const isReady = ({ status }: Response) => status === 200;
const isUnreachable = () => false;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}
