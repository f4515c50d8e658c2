import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createIssuerKeys, type KeyHint } from "./issuer-keys.ts";
import { type Issuer, MAX_DOCUMENT_BYTES, parseIssuers } from "./issuers.ts";

const issuer = parseIssuers("https://id.example.com")[0] as Issuer;
const minute = 60_000;

function jwk(kid?: string, change: object = {}) {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...publicKey.export({ format: "jwk" }), ...(kid ? { kid } : {}), ...change };
}

const one: KeyHint = { alg: "ES256", kid: "one" };

/** An issuer whose keys the test sets, and a clock that it moves. */
function controlled() {
  const state = { nowMs: 0, requests: 0, keys: [jwk("one")] as object[] | null };
  const keys = createIssuerKeys(issuer, {
    now: () => state.nowMs,
    fetchKeys: async () => {
      state.requests += 1;
      if (!state.keys) throw new Error("unreachable");
      return JSON.stringify({ keys: state.keys });
    },
  });
  return { state, keys };
}

test("keys are fetched once, and by all who wait at the same time together", async () => {
  const { state, keys } = controlled();
  await Promise.all(Array.from({ length: 10 }, () => keys.find(one)));
  expect(await keys.find(one)).toHaveLength(1);
  expect(state.requests).toBe(1);
});

test("an unknown key id asks again, once a minute at most", async () => {
  const { state, keys } = controlled();
  await keys.find(one);
  const two = { ...one, kid: "two" };
  for (let i = 0; i < 5; i++) {
    await expect(keys.find(two)).rejects.toThrow("it is not signed with a key of its issuer");
  }
  expect(state.requests).toBe(1);
  state.keys = [jwk("two")];
  state.nowMs += minute;
  expect(await keys.find(two)).toHaveLength(1);
  await expect(keys.find(one)).rejects.toThrow("it is not signed with a key of its issuer");
  expect(state.requests).toBe(2);
});

test("keys are fetched again after an hour, so a key that was taken back ends", async () => {
  const { state, keys } = controlled();
  await keys.find(one);
  state.keys = [jwk("two")];
  state.nowMs += 60 * minute;
  await expect(keys.find(one)).rejects.toThrow("it is not signed with a key of its issuer");
  expect(state.requests).toBe(2);
});

test("while the issuer cannot be reached, its keys count for six hours", async () => {
  const { state, keys } = controlled();
  await keys.find(one);
  state.keys = null;
  state.nowMs += 359 * minute;
  expect(await keys.find(one)).toHaveLength(1);
  expect(await keys.find(one)).toHaveLength(1);
  expect(state.requests).toBe(2);
  state.nowMs += minute;
  const gone =
    /^the keys of its issuer https:\/\/id.example.com are not available now \(a document/;
  await expect(keys.find(one)).rejects.toThrow(gone);
  await expect(keys.find(one)).rejects.toThrow(gone);
  expect(state.requests).toBe(3);
});

test("a failure counts for a minute", async () => {
  const { state, keys } = controlled();
  state.keys = null;
  for (let i = 0; i < 5; i++) await expect(keys.find(one)).rejects.toThrow("try again in a minute");
  expect(state.requests).toBe(1);
  state.keys = [jwk("one")];
  state.nowMs += minute;
  expect(await keys.find(one)).toHaveLength(1);
});

test("only keys that may verify with the algorithm count", async () => {
  const { state, keys } = controlled();
  state.keys = [
    jwk("one", { use: "enc" }),
    jwk("one", { alg: "ES384" }),
    jwk("one", { key_ops: ["sign"] }),
    { kty: "oct", k: "c2VjcmV0", kid: "one" },
    { kty: "RSA", n: "AQAB", e: "AQAB", kid: "rsa" },
  ];
  await expect(keys.find(one)).rejects.toThrow("it is not signed with a key of its issuer");
  for (const alg of ["HS256", "none", "ES384", "EdDSA", "RS256"]) {
    await expect(keys.find({ alg, kid: "one" })).rejects.toThrow("not signed with a key");
  }
});

test("a token without a key id may be signed by any of four keys, and a broken key is left out", async () => {
  const { state, keys } = controlled();
  state.keys = [jwk(), jwk("a"), { ...jwk("b"), x: "AAAA" }, jwk("c"), jwk("d")];
  expect(await keys.find({ alg: "ES256", kid: undefined })).toHaveLength(3);
});

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  // A server that listens on a port has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves documents of an issuer, which get the issuer's own URL. */
async function issuerWith(answer: (url: string, path: string) => [number, string, object?]) {
  let url = "";
  const seen: string[] = [];
  url = await serve((request, response) => {
    const path = request.url ?? "";
    seen.push(path);
    const [status, body, headers = {}] = answer(url, path);
    response.writeHead(status, { ...headers }).end(body);
  });
  return { url, seen, keys: createIssuerKeys(parseIssuers(`private:${url}`)[0] as Issuer) };
}

const discovery = "/.well-known/openid-configuration";

test("the discovery document names the keys", async () => {
  const { keys, seen } = await issuerWith((url, path) =>
    path === discovery
      ? [200, JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` })]
      : [200, JSON.stringify({ keys: [jwk("one")] })],
  );
  expect(await keys.find(one)).toHaveLength(1);
  expect(seen).toEqual([discovery, "/keys"]);
});

test.each<[string, (url: string, path: string) => [number, string, object?], RegExp]>([
  [
    "another issuer's document",
    (url) => [200, JSON.stringify({ issuer: `${url}/`, jwks_uri: `${url}/keys` })],
    /its discovery document is that of another issuer/,
  ],
  [
    "keys at another private address",
    (url) => [200, JSON.stringify({ issuer: url, jwks_uri: "http://127.0.0.1:1/keys" })],
    /the URL was refused/,
  ],
  [
    "keys at the metadata address of a cloud",
    (url) => [200, JSON.stringify({ issuer: url, jwks_uri: "https://169.254.169.254/keys" })],
    /the URL was refused/,
  ],
  [
    "keys in a file",
    (url) => [200, JSON.stringify({ issuer: url, jwks_uri: "file:///etc/passwd" })],
    /the URL was refused/,
  ],
  [
    "a redirect",
    () => [302, "", { location: "http://127.0.0.1:1/" }],
    /it answered with status 302/,
  ],
  ["a document of more than 1 MiB", () => [200, " ".repeat(MAX_DOCUMENT_BYTES + 1)], /more than/],
  ["no JSON", () => [200, "<html>"], /a document is not JSON/],
  ["no object", () => [200, "null"], /a document is not JSON/],
  ["no keys", (url) => [200, JSON.stringify({ issuer: url, jwks_uri: `${url}/` })], /another form/],
])("an issuer with %s has no keys", async (_what, answer, message) => {
  const { keys, seen } = await issuerWith((url, path) =>
    path === "/" ? [200, "{}"] : answer(url, path),
  );
  await expect(keys.find(one)).rejects.toThrow(message);
  expect(seen.length).toBeLessThanOrEqual(2);
});
