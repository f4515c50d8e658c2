import { execFile } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asBundled } from "../start/bundled-imports.ts";
import { newDataDirectory } from "../start/data-directory.ts";
import { compiled, type Service, startService } from "../start/process.ts";

// Runs the guide's program against an OpenID provider of the tests, which answers as Google does: it publishes its keys,
// and sends the person back with an ID token for the nonce that the page asked for.

const folder = fileURLToPath(new URL("../../apps/website/snippets/google-login/", import.meta.url));
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

let provider: Server;
let issuer: string;
let service: Service;
let dataDirectory: string;
const asked: URLSearchParams[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", issuer);
    if (pathname === "/authorize") {
      asked.push(searchParams);
      response.writeHead(302, {
        location: `${searchParams.get("redirect_uri")}#id_token=${tokenFor(searchParams)}`,
      });
      return response.end();
    }
    const jwk = { ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" };
    const answers: Record<string, object> = {
      "/.well-known/openid-configuration": { issuer, jwks_uri: `${issuer}/keys` },
      "/keys": { keys: [jwk] },
    };
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify(answers[pathname] ?? {}));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`; // it listens on a port
  dataDirectory = await newDataDirectory("google-login");
  service = await startService({
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_OIDC_ISSUERS: `private:${issuer}`,
  });
}, 180_000);

afterAll(async () => {
  await service.stop();
  provider.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

function tokenFor(request: URLSearchParams): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    aud: request.get("client_id"),
    sub: "110169484474386276334",
    email: "ada@example.com",
    nonce: request.get("nonce"),
    iat: now,
    exp: now + 600,
  };
  const text = [{ alg: "ES256", typ: "JWT", kid: "one" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" as const };
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

test("the program signs a person up, and logs them in to the same account the second time", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...asBundled, join(folder, "app.ts")],
    {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compiled,
        KEYHEARTH_URL: service.url,
        KEYHEARTH_ROOT_KEY: join(dataDirectory, "root-api-key.json"),
        PROVIDER: `${issuer}/authorize`,
      },
      timeout: 60_000,
    },
  );
  expect(stdout.trim().split("\n")).toEqual([
    "Logged in as Google account with 1 wallet",
    "Logged in as Google account with 1 wallet",
    "The second login is the same account: true",
  ]);
  expect(asked.map((request) => request.get("response_type"))).toEqual(["id_token", "id_token"]);
  const [first, second] = asked.map((request) => request.get("nonce"));
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(second).not.toBe(first);
});
