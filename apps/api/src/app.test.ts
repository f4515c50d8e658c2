import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { type Secret, secret } from "@keyhearth/crypto/secret";
import { ethereumAccount } from "@keyhearth/engine/organization.testing";
import { ApiKeyStamper } from "@keyhearth/sdk";
import { beforeAll, expect, test } from "vitest";
import type { AppOptions } from "./app.ts";
import { createHost, type Host } from "./host/host.ts";
import { createRateLimit } from "./host/rate-limit.ts";
import { MAX_BODY_BYTES, MAX_QUERY_BYTES } from "./http/bodies.ts";
import { createLog } from "./observability/log.ts";
import { createMetrics } from "./observability/metrics.ts";
import { MAX_SIMULATION_BYTES } from "./queries/simulate-activity.ts";
import { connectToSigner } from "./signer/socket.ts";
import {
  appOf,
  fromThisMachine,
  newOrganization,
  startTestServer,
  type TestOrganization,
} from "./testing.ts";

const base = "http://keyhearth.test";
const whoamiPath = "/public/v1/query/whoami";
const anyUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let organization: TestOrganization;

beforeAll(async () => {
  organization = await newOrganization();
});

async function stampOf({ rootKey }: TestOrganization, body: string): Promise<string> {
  const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = rootKey;
  return (await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body)).value;
}

type App = { fetch: typeof globalThis.fetch };

/** Another app on the same host, or on a changed one. */
function appWith(options: Partial<AppOptions> & { change?: Partial<Host> } = {}): App {
  const { change, ...others } = options;
  const { store, signer, log, metrics, now } = { ...organization.server.host, ...change };
  const app = appOf(createHost({ store, signer, log, metrics, now }), {
    wellKnown: async () => ({ service: "keyhearth" }),
    openApi: async () => Response.json({ openapi: "3.1.0" }),
    site: (c) => c.text("site", 404),
    ...others,
  });
  return { fetch: async (input, init) => app.request(String(input), init) };
}

/** Posts a stamped body; the default is that of `whoami`. */
async function post({
  app = organization.server,
  path = whoamiPath,
  body = JSON.stringify({ organizationId: organization.organizationId }),
  headers = {},
}: {
  app?: App;
  path?: string;
  body?: string;
  headers?: Record<string, string>;
} = {}): Promise<Response> {
  const stamp = await stampOf(organization, body);
  return app.fetch(base + path, {
    method: "POST",
    body,
    headers: { "X-Stamp": stamp, ...headers },
  });
}

/** What differs between error answers; their shape is always the same. */
async function errorOf(response: Response) {
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  const { code, message, details, ...rest } = await response.json();
  expect(rest).toEqual({});
  const [detail, ...others] = details;
  const { code: reason, field, docs } = detail;
  expect(detail).toEqual({
    "@type": "keyhearth.dev/ErrorDetail",
    code: reason,
    ...(field === undefined ? {} : { field }),
    docs: `/developer-reference/api-overview/errors#${reason.toLowerCase().replaceAll("_", "-")}`,
  });
  expect(docs).toMatch(/#[a-z-]+$/);
  expect(others).toEqual([]);
  return {
    status: response.status,
    code,
    reason,
    ...(field === undefined ? {} : { field }),
    message,
  };
}

const badBody = { status: 400, code: 3, reason: "BAD_REQUEST_BODY" };

test("answers have the content type `application/json` and keep non-ASCII text", async () => {
  const response = await post();
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toMatchObject({ userId: organization.userId });

  const timestampMs = String(Date.now());
  const body = JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    timestampMs,
    organizationId: organization.organizationId,
    parameters: { userTagName: "ops", userIds: [] },
  });
  const submitted = await post({ path: "/public/v1/submit/create_user_tag", body });
  expect(submitted.status).toBe(200);
  expect(submitted.headers.get("content-type")).toBe("application/json");
  expect(Object.keys(await submitted.json())).toEqual(["activity"]);
});

test("the body is read as JSON whatever the content type says, even without one", async () => {
  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "application/octet-stream",
  ]) {
    expect((await post({ headers: { "Content-Type": type } })).status).toBe(200);
  }
  const body = JSON.stringify({ organizationId: organization.organizationId });
  const bytes = new TextEncoder().encode(body);
  const response = await organization.server.fetch(base + whoamiPath, {
    method: "POST",
    body: bytes,
    headers: { "x-stamp": await stampOf(organization, body) },
  });
  expect(response.status).toBe(200);
});

test("browsers may call the API: preflights are answered, and pages may read every answer", async () => {
  const { fetch } = organization.server;
  const response = await fetch(base + whoamiPath, {
    method: "OPTIONS",
    headers: {
      Origin: "https://wallet.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type,x-stamp",
    },
  });
  expect(response.status).toBe(204);
  expect(await response.text()).toBe("");
  const { headers } = response;
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
  expect(headers.get("access-control-max-age")).toBe("86400");
  const allowed = headers.get("access-control-allow-headers")?.split(", ");
  expect(allowed?.sort()).toEqual([
    "content-type",
    "traceparent",
    "x-client-version",
    "x-request-id",
    "x-session",
    "x-stamp",
    "x-stamp-attested",
    "x-stamp-webauthn",
  ]);
  for (const answer of [await post(), await post({ body: "" })]) {
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toContain("x-request-id");
    expect(answer.headers.get("access-control-allow-credentials")).toBe(null);
  }
});

test("no browser keeps an answer, guesses its type or shows it in a frame", async () => {
  for (const { headers } of [await post(), await post({ body: "" })]) {
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
  }
});

test("a body that is too large is refused, by its stated length or while it is read", async () => {
  const tooLarge = {
    status: 413,
    code: 3,
    reason: "BODY_TOO_LARGE",
    message: "the request body is larger than 65536 bytes; send less in one request",
  };
  const { organizationId } = organization;
  const padded = (size: number) => {
    const empty = JSON.stringify({ organizationId, padding: "" }).length;
    return JSON.stringify({ organizationId, padding: "x".repeat(size - empty) });
  };
  const stated = { "Content-Length": String(MAX_QUERY_BYTES + 1) };
  expect(await errorOf(await post({ headers: stated }))).toEqual(tooLarge);
  expect(await errorOf(await post({ body: padded(MAX_QUERY_BYTES + 1) }))).toEqual(tooLarge);
  expect((await post({ body: padded(MAX_QUERY_BYTES) })).status).toBe(200);
  // A simulation may be larger, because transactions are, and so may a submission.
  const simulation = {
    path: "/public/v1/query/simulate_activity",
    headers: { "Content-Length": String(MAX_SIMULATION_BYTES + 1) },
  };
  expect(await errorOf(await post(simulation))).toEqual({
    ...tooLarge,
    message: "the request body is larger than 262144 bytes; send less in one request",
  });
  const path = "/public/v1/submit/create_wallet";
  const submission = { path, headers: { "Content-Length": String(MAX_BODY_BYTES + 1) } };
  expect(await errorOf(await post(submission))).toEqual({
    ...tooLarge,
    message: "the request body is larger than 1048576 bytes; send less in one request",
  });
});

test("a body that does not state its length is refused if it is large, and works if it is small", async () => {
  const send = (body: BodyInit, stamp = "") => {
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      body,
      duplex: "half",
      headers: { "Transfer-Encoding": "chunked", "X-Stamp": stamp },
    };
    return organization.server.fetch(base + whoamiPath, init);
  };
  const small = JSON.stringify({ organizationId: organization.organizationId });
  expect((await send(small, await stampOf(organization, small))).status).toBe(200);
  const tooLarge = {
    status: 413,
    code: 3,
    reason: "BODY_TOO_LARGE",
    message:
      "the request body is larger than 16384 bytes and does not state its length; send it with Content-Length",
  };
  expect(await errorOf(await send("x".repeat(16_385)))).toEqual(tooLarge);

  let sent = 0;
  const chunk = new Uint8Array(64 * 1024).fill(0x20);
  const stream = new ReadableStream({
    pull(controller) {
      sent += chunk.length;
      controller.enqueue(chunk);
    },
  });
  // The stream never ends, so only a refusal on the way can answer.
  expect(await errorOf(await send(stream))).toEqual(tooLarge);
  expect(sent).toBeLessThan(2 * MAX_BODY_BYTES);
});

test("an unknown endpoint is a 404 in JSON, even if every object has a member of that name", async () => {
  const [whoami, wallet, wallets] = ["whoami", "get_wallet", "list_wallets"].map(
    (name) => `/public/v1/query/${name}`,
  );
  for (const [path, ...meant] of [
    ["/public/v1/query/nothing"],
    ["/public/v1/submit/nothing"],
    ["/public/v1/query/create_wallet", "/public/v1/submit/create_wallet"],
    ["/public/v1/submit/whoami", whoami],
    ["/public/v1/query/constructor"],
    ["/public/v1/submit/__proto__"],
    ["/public/v1/submit/toString"],
    ["/public/v2/query/whoami", whoami],
    ["/public/v1/query/whoami/", whoami],
    ["/public/v1/query/whoami/more"],
    ["/public/v1/public/v1/query/whoami", whoami],
    ["/public/v1/query/get_wallets", wallets, wallet],
    ["/public/v1/query/fetchWallet", wallet, wallets],
    ["/public/v1/submit/create_walet", "/public/v1/submit/create_wallet"],
    ["/public/v1/submit/add-users", "/public/v1/submit/create_users"],
    ["/public/v1"],
  ] as const) {
    const hint = meant.length === 0 ? ";" : `: did you mean \`${meant.join("` or `")}\`?`;
    expect(await errorOf(await post({ path }))).toEqual({
      status: 404,
      code: 5,
      reason: "ROUTE_NOT_FOUND",
      message: `there is no endpoint \`${path}\`${hint} /api and /openapi.json list all of them`,
    });
  }
  const long = await errorOf(await post({ path: `/public/v1/query/${"x".repeat(5000)}` }));
  expect(long.message.length).toBeLessThan(200);
});

test("a path that exists refuses other methods, and says which it takes", async () => {
  const metricsToken = "correct horse battery";
  const app = appWith({ metricsToken: secret(metricsToken) });
  const headers = { Authorization: `Bearer ${metricsToken}` };
  for (const path of [
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/.well-known/keyhearth.json",
  ]) {
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const response = await app.fetch(base + path, { method });
      expect(response.headers.get("allow")).toBe("GET, HEAD");
      expect(await errorOf(response)).toEqual({
        status: 405,
        code: 3,
        reason: "METHOD_NOT_ALLOWED",
        message: `\`${path}\` takes GET, got ${method}`,
      });
    }
    expect((await app.fetch(base + path, { method: "HEAD", headers })).status).toBe(200);
  }
  for (const path of ["/public/v1/query/nothing", "/public/v1/submit/toString", "/public/v1"]) {
    expect(await errorOf(await app.fetch(base + path))).toMatchObject({
      status: 404,
      reason: "ROUTE_NOT_FOUND",
    });
  }
});

test("the API accepts only POST", async () => {
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const response = await organization.server.fetch(base + whoamiPath, { method });
    expect(response.headers.get("allow")).toBe("POST, OPTIONS");
    expect(await errorOf(response)).toEqual({
      status: 405,
      code: 3,
      reason: "METHOD_NOT_ALLOWED",
      message: `the API takes POST with a JSON body, got ${method}`,
    });
  }
});

test("a body that is ambiguous or is not JSON is refused", async () => {
  const { organizationId, server } = organization;
  const id = JSON.stringify(organizationId);
  for (const body of [
    "",
    " ",
    "hello",
    `{"organizationId":${id}`,
    `{"organizationId":${id}} {}`,
    `{"organizationId":${id},}`,
    `\ufeff{"organizationId":${id}}`,
    `{"organizationId":${id},"organizationId":${id}}`,
    `{"organizationId":${id},"a":{"b":1,"\\u0062":2}}`,
    `{"organizationId":${id},"__proto__":{}}`,
    `{"organizationId":${id},"a":"\\ud800"}`,
    `{"organizationId":${id},"a":${"[".repeat(100)}${"]".repeat(100)}}`,
    `{"organizationId":${id},"a":${'{"type":'.repeat(6000)}1${"}".repeat(6000)}}`,
    "[]",
    `[${id}]`,
    id,
    "null",
    "7",
  ]) {
    for (const path of [whoamiPath, "/public/v1/submit/create_wallet"]) {
      expect(await errorOf(await post({ body, path }))).toEqual({
        ...badBody,
        message: expect.stringMatching(/^bad request body: ./),
      });
    }
  }

  const text = `{"organizationId":${id},"a":"?"}`;
  const bytes = new TextEncoder().encode(text);
  bytes[text.indexOf("?")] = 0xff;
  const response = await server.fetch(base + whoamiPath, {
    method: "POST",
    body: bytes,
    headers: { "X-Stamp": await stampOf(organization, text) },
  });
  expect(await errorOf(response)).toEqual({
    ...badBody,
    message: "bad request body: it is not valid UTF-8",
  });
});

test("a compressed body, or one in UTF-16, is named as what it is", async () => {
  const text = JSON.stringify({ organizationId: organization.organizationId });
  for (const [body, why] of [
    [
      gzipSync(text),
      "it is compressed; send it uncompressed, because the stamp is over the JSON itself (gzip)",
    ],
    [
      deflateSync(text),
      "it is compressed; send it uncompressed, because the stamp is over the JSON itself (deflate)",
    ],
    [
      zstdCompressSync(text),
      "it is compressed; send it uncompressed, because the stamp is over the JSON itself (zstd)",
    ],
    [
      Buffer.from(`\ufeff${text}`, "utf16le"),
      "it is UTF-16; send it as UTF-8 without a byte order mark",
    ],
    [Buffer.from(`\ufeff${text}`), "it starts with a byte order mark; send the JSON without it"],
  ] as const) {
    const init = { method: "POST", body: new Uint8Array(body) };
    const response = await organization.server.fetch(base + whoamiPath, init);
    expect(await errorOf(response)).toEqual({ ...badBody, message: `bad request body: ${why}` });
  }
});

test("everything that is wrong with a request comes back at once, field by field", async () => {
  const body = JSON.stringify({
    organizationId: "x",
    timestampMs: 5,
    generateAppProofs: "yes",
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: {
      walletName: "trea\u202esury",
      accounts: [{ curve: "P256", pathFormat: "PATH_FORMAT_BIP32", path: 7, addressFormat: null }],
      mnemonicLength: "12",
      colour: "red",
    },
  });
  const response = await post({ path: "/public/v1/submit/create_wallet", body });
  const { code, message, details } = await response.json();
  expect([response.status, code]).toEqual([400, 3]);
  const fields = details.map((detail: { field: string }) => detail.field);
  expect(fields).toEqual([
    "organizationId",
    "timestampMs",
    "generateAppProofs",
    "parameters.walletName",
    "parameters.accounts[0].curve",
    "parameters.accounts[0].path",
    "parameters.accounts[0].addressFormat",
    "parameters.mnemonicLength",
    "parameters.colour",
  ]);
  const messages = details.map((detail: { message: string }) => detail.message);
  expect(messages).toEqual([
    "malformed organization ID provided: `organizationId` must be a UUID in lower case, got `x`",
    "bad request body: `timestampMs` must be a string of decimal milliseconds, got `5`",
    "bad request body: `generateAppProofs` must be true or false, got `yes`",
    "must not contain control characters or characters that change the direction of text: `parameters.walletName` is `trea\\u{202e}sury`",
    "invalid curve: `parameters.accounts[0].curve` is `P256`; accepted: CURVE_SECP256K1, CURVE_ED25519, CURVE_P256",
    "invalid value: `parameters.accounts[0].path` is `7` (a number); expected a string",
    expect.stringMatching(
      /^invalid request body: missing field `parameters.accounts\[0\].addressFormat`; accepted: ADDRESS_FORMAT_/,
    ),
    "must be 12, 15, 18, 21 or 24: `parameters.mnemonicLength` is `12` (a string)",
    "invalid request body: unknown field `colour` in `parameters`; accepted: walletName, accounts, mnemonicLength",
  ]);
  expect(message).toBe(messages.join("; ").replace(messages[6], details[6].message));
  expect(details.map((detail: { code: string }) => detail.code)).toEqual([
    "ORGANIZATION_ID_MALFORMED",
    "BAD_REQUEST_BODY",
    "BAD_REQUEST_BODY",
    ...Array(5).fill("FIELD_INVALID"),
    "FIELD_UNKNOWN",
  ]);

  // Checks of the core that look at more than one field are complete too, and an answer is bounded.
  const accounts = Array(100).fill({ ...ethereumAccount, addressFormat: "ADDRESS_FORMAT_SUI" });
  const parameters = { walletName: "w", accounts };
  const many = JSON.stringify({ ...JSON.parse(body), ...valid(), parameters });
  const answer = await post({ path: "/public/v1/submit/create_wallet", body: many });
  expect((await answer.json()).details).toHaveLength(20);
});

/** The members of an envelope that are always right. */
function valid() {
  const { organizationId } = organization;
  return { organizationId, timestampMs: String(Date.now()), generateAppProofs: false };
}

test("an error about the envelope names the field that is wrong", async () => {
  const good = {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    timestampMs: String(Date.now()),
    organizationId: organization.organizationId,
    parameters: { userTagName: "x", userIds: [] },
  };
  for (const [change, field] of [
    [{ type: undefined }, "type"],
    [{ type: 1 }, "type"],
    [{ timestampMs: Date.now() }, "timestampMs"],
    [{ timestampMs: "soon" }, "timestampMs"],
    [{ timestampMs: "-1" }, "timestampMs"],
    [{ parameters: undefined }, "parameters"],
    [{ parameters: [] }, "parameters"],
  ] as const) {
    const body = JSON.stringify({ ...good, ...change });
    const error = await errorOf(await post({ path: "/public/v1/submit/create_user_tag", body }));
    expect(error).toEqual({ ...badBody, field, message: expect.stringContaining(field) });
  }
  const other = JSON.stringify({ ...good, type: "ACTIVITY_TYPE_CREATE_WALLET" });
  const path = "/public/v1/submit/create_user_tag";
  expect(await errorOf(await post({ path, body: other }))).toEqual({
    status: 400,
    code: 3,
    reason: "ACTIVITY_TYPE_INVALID",
    field: "type",
    message:
      "`type` is `ACTIVITY_TYPE_CREATE_WALLET`, which is not an activity of /public/v1/submit/create_user_tag; it accepts ACTIVITY_TYPE_CREATE_USER_TAG",
  });
});

test("an organization id is a UUID in lower case", async () => {
  for (const [organizationId, shown] of [
    [undefined, "nothing"],
    ["", "``"],
    ["x", "`x`"],
    [organization.organizationId.toUpperCase(), `\`${organization.organizationId.toUpperCase()}\``],
    [`${organization.organizationId} `, `\`${organization.organizationId} \``],
    [7, "`7`"],
    [null, "`null`"],
    [["x"], "a list of 1"],
  ] as const) {
    const rest = {
      type: "ACTIVITY_TYPE_CREATE_WALLET",
      timestampMs: String(Date.now()),
      parameters: { walletName: "w" },
    };
    for (const path of [whoamiPath, "/public/v1/submit/create_wallet"]) {
      const body = JSON.stringify({ organizationId, ...rest });
      expect(await errorOf(await post({ body, path }))).toEqual({
        status: 400,
        code: 3,
        reason: "ORGANIZATION_ID_MALFORMED",
        field: "organizationId",
        message: `malformed organization ID provided: \`organizationId\` must be a UUID in lower case, got ${shown}`,
      });
    }
  }
});

test("a request carries exactly one stamp, of a known kind", async () => {
  const { server, organizationId } = organization;
  const body = JSON.stringify({ organizationId });
  const stamp = await stampOf(organization, body);
  const refusedWith = async (headers: Record<string, string>) =>
    errorOf(await server.fetch(base + whoamiPath, { method: "POST", body, headers }));
  const malformed = { status: 401, code: 16, reason: "STAMP_MALFORMED" };

  expect(await refusedWith({})).toEqual({
    status: 401,
    code: 16,
    reason: "STAMP_MISSING",
    message:
      "no valid authentication signature found for request: cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header)",
  });
  expect(await refusedWith({ "X-Stamp": stamp, "X-Stamp-Webauthn": "{}" })).toEqual({
    ...malformed,
    message: "malformed activity stamp: the request carries more than one stamp header; send one",
  });
  expect(await refusedWith({ "X-Stamp-Webauthn": stamp })).toEqual({
    ...malformed,
    message:
      "malformed activity stamp: could not extract webauthn stamp; expected JSON of {authenticatorData, clientDataJson, credentialId, signature}, each in base64url without padding",
  });
  expect(await refusedWith({ "X-Stamp-Attested": stamp })).toEqual({
    ...malformed,
    message:
      "malformed activity stamp: `X-Stamp-Attested` stamps only start a session, with stamp_login; stamp other requests with the key of the session in `X-Stamp`",
  });
  const parts = JSON.parse(Buffer.from(stamp, "base64url").toString());
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const schemes =
    "SIGNATURE_SCHEME_TK_API_P256, SIGNATURE_SCHEME_TK_API_SECP256K1, SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191, SIGNATURE_SCHEME_TK_API_ED25519";
  const { signature: _, ...unsigned } = parts;
  for (const [value, why] of [
    ["", "the header is empty"],
    ["x", "the header is not base64url without padding"],
    [`${stamp}, ${stamp}`, "the header is not base64url without padding"],
    ["x".repeat(1025), "the header has 1025 characters, and a stamp has at most 1024"],
    [
      Buffer.from('{"scheme":1,"scheme":2}').toString("base64url"),
      "its JSON cannot be read: the key `scheme` is given twice, at line 1, column 13",
    ],
    [encode([]), "its JSON is not an object"],
    [encode(unsigned), "`signature` is missing"],
    [encode({ ...parts, extra: 1 }), "`extra` is not a part of a stamp"],
    [encode({ ...parts, scheme: "none" }), `\`scheme\` is \`none\`; accepted: ${schemes}`],
    [
      encode({ ...parts, scheme: { toString: 1 } }),
      `\`scheme\` is not a string; accepted: ${schemes}`,
    ],
    [
      encode({ ...parts, publicKey: "00" }),
      `\`publicKey\` must be 66 hex characters, a compressed key for ${parts.scheme}`,
    ],
    [encode({ ...parts, signature: 7 }), "`signature` must be a DER signature in hex"],
  ] as const) {
    expect(await refusedWith({ "X-Stamp": value })).toEqual({
      ...malformed,
      message: `malformed activity stamp: could not extract api key stamp: ${why}; expected base64url of {publicKey, scheme, signature}`,
    });
  }
});

test("a request id is echoed; a missing or malformed one is replaced", async () => {
  const given = "client-7f.A_1";
  const idOf = async (id?: string, options: Parameters<typeof post>[0] = {}) => {
    const headers: Record<string, string> = id === undefined ? {} : { "X-Request-Id": id };
    return (await post({ ...options, headers })).headers.get("x-request-id");
  };
  expect(await idOf(given)).toBe(given);
  expect(await idOf(given, { body: "" })).toBe(given);
  const long = `${"a".repeat(39)}b`;
  expect(await idOf(`${long}${"c".repeat(88)}`)).toBe(long);
  for (const odd of [undefined, "", "a b", "<script>", "a".repeat(129)]) {
    expect(await idOf(odd)).toMatch(anyUuid);
  }
  expect(await idOf()).not.toBe(await idOf());
});

test("an internal error shows the request's id and nothing about its cause", async () => {
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    destination: { write: (line) => void lines.push(line) },
  });
  const { store, signer } = organization.server.host;
  const { root, organizationId } = organization;
  const { walletId } = await root.createWallet({
    walletName: randomUUID(),
    accounts: [ethereumAccount],
  });
  await store.run("", "UPDATE wallet_accounts SET record = $1 WHERE wallet_id = $2::uuid", [
    new Uint8Array([1, 2, 3]),
    walletId,
  ]);
  const body = JSON.stringify({ organizationId, walletId });
  const app = appWith({ change: { log, signer } });
  const path = "/public/v1/query/list_wallet_accounts";
  const response = await post({ app, path, body, headers: { "X-Request-Id": "known" } });
  expect(await errorOf(response)).toEqual({
    status: 500,
    code: 13,
    reason: "INTERNAL",
    message: "internal server error (known)",
  });
  const [logged] = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
  expect(logged).toMatchObject({ msg: "internal error", requestId: "known" });
  expect(logged.err.message).toEqual(expect.any(String));
});

test("without the database the answer is 503 with the time to retry", async () => {
  const server = await startTestServer();
  const { root, organizationId } = await newOrganization(server);
  const body = JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { userTagName: "ops", userIds: [] },
  });
  const send = (path: string, text: string) =>
    server.fetch(base + path, { method: "POST", body: text });
  expect(await root.whoami()).toMatchObject({ organizationId });
  await server.store.close();
  for (const [path, text] of [
    [whoamiPath, JSON.stringify({ organizationId: randomUUID() })],
    ["/public/v1/submit/create_user_tag", body.replace(organizationId, randomUUID())],
  ] as const) {
    const response = await send(path, text);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await errorOf(response)).toEqual({
      status: 503,
      code: 14,
      reason: "DATABASE_UNAVAILABLE",
      message: "the database cannot be reached; send the same bytes again in a moment",
    });
  }
  await server.stop();
});

test("if the signer cannot be reached, submissions get 503 and queries still work", async () => {
  const signer = connectToSigner({
    addresses: [
      { kind: "unix", path: "/nonexistent/signer.sock", text: "unix:/nonexistent/signer.sock" },
    ],
    identity: null,
    onEvent: () => {},
  });
  try {
    const app = appWith({ change: { signer } });
    const body = JSON.stringify({
      type: "ACTIVITY_TYPE_CREATE_USER_TAG",
      timestampMs: String(Date.now()),
      organizationId: organization.organizationId,
      parameters: { userTagName: "never", userIds: [] },
    });
    const response = await post({ app, path: "/public/v1/submit/create_user_tag", body });
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await errorOf(response)).toEqual({
      status: 503,
      code: 14,
      reason: "SIGNER_UNAVAILABLE",
      message: "the signer cannot be reached; try again in a moment",
    });
    expect((await post({ app })).status).toBe(200);
  } finally {
    await signer.close();
  }
});

test("too many requests get 429, and every answer says how many are left", async () => {
  const rateLimit = createRateLimit({ perSecond: 2 });
  const app = appWith({ rateLimit, change: { now: () => 1_800_000_000_000 } });
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await post({ app, body: "" }));
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 429]);
  const left = answers.map(({ headers }) => headers.get("ratelimit-remaining"));
  expect(left).toEqual(["1", "0", "0"]);
  const last = answers.at(-1) ?? new Response();
  expect(last.headers.get("ratelimit-limit")).toBe("2");
  expect(await errorOf(last)).toEqual({
    status: 429,
    code: 8,
    reason: "RATE_LIMITED",
    message: "Too many requests. Please wait and try again in a few seconds",
  });
});

test("every answer of the API says what is left of the limit, also those that use up nothing", async () => {
  const rateLimit = createRateLimit({ perSecond: 60 });
  const app = appWith({ rateLimit, change: { now: () => 1_800_000_000_000 } });
  const large = { "Content-Length": String(MAX_BODY_BYTES + 1) };
  const leftAfter = async (request: Promise<Response>) => {
    const { status, headers } = await request;
    expect(headers.get("ratelimit-limit")).toBe("60");
    return [status, headers.get("ratelimit-remaining")];
  };
  expect(await leftAfter(app.fetch(base + whoamiPath, { method: "OPTIONS" }))).toEqual([204, "60"]);
  expect(await leftAfter(app.fetch(base + whoamiPath))).toEqual([405, "60"]);
  expect(await leftAfter(app.fetch(`${base}/public/v1`))).toEqual([404, "60"]);
  expect(await leftAfter(post({ app }))).toEqual([200, "59"]);
  expect(await leftAfter(post({ app, headers: large }))).toEqual([413, "58"]);
  expect(await leftAfter(post({ app, path: "/public/v1/query/x" }))).toEqual([404, "57"]);
});

test("an answer under a limit names the address that counts, and the header that came", async () => {
  const app = appWith({
    rateLimit: createRateLimit({ perSecond: 60 }),
    clientAddress: (_, forwardedFor) => forwardedFor ?? "192.0.2.1",
  });
  const namesOf = ({ headers }: Response) => [
    headers.get("x-rate-limit-request-remote-addr"),
    headers.get("x-rate-limit-request-forwarded-for"),
  ];
  expect(namesOf(await post({ app }))).toEqual(["192.0.2.1", null]);
  const forwarded = { "X-Forwarded-For": "203.0.113.9" };
  expect(namesOf(await post({ app, headers: forwarded }))).toEqual(["203.0.113.9", "203.0.113.9"]);
  expect(namesOf(await post({ app, path: "/public/v1/query/x" }))).toEqual(["192.0.2.1", null]);
  const long = { "X-Forwarded-For": "1".repeat(1001) };
  expect(namesOf(await post({ app, headers: long }))[1]).toBeNull();
  expect(namesOf(await post())).toEqual([null, null]);
});

test("metrics count requests, activities and calls under a bounded set of labels", async () => {
  const metrics = createMetrics({ isWithProcess: false });
  const metricsToken = "correct horse battery";
  const app = appWith({ change: { metrics }, metricsToken: secret(metricsToken) });
  const body = JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    timestampMs: String(Date.now()),
    organizationId: organization.organizationId,
    parameters: { userTagName: "counted", userIds: [] },
  });
  await post({ app });
  await post({ app, body: "" });
  await post({ app, path: "/public/v1/submit/create_user_tag", body });
  await post({ app, path: `/public/v1/query/${randomUUID()}` });
  await app.fetch(`${base}/${randomUUID()}`);
  const headers = { Authorization: `Bearer ${metricsToken}` };
  const response = await app.fetch(`${base}/metrics`, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'keyhearth_requests_total{route="query/whoami",status="200"} 1',
      'keyhearth_requests_total{route="query/whoami",status="400"} 1',
      'keyhearth_requests_total{route="submit/create_user_tag",status="200"} 1',
      'keyhearth_requests_total{route="/public",status="404"} 1',
      'keyhearth_requests_total{route="/site",status="404"} 1',
      'keyhearth_activities_total{type="ACTIVITY_TYPE_CREATE_USER_TAG",status="ACTIVITY_STATUS_COMPLETED"} 1',
      'keyhearth_signer_call_duration_seconds_count{call="confirm"} 1',
      "keyhearth_signer_queue_depth 0",
      "keyhearth_database_commit_duration_seconds_count 1",
      "keyhearth_database_commit_conflicts_total 0",
      'keyhearth_database_query_duration_seconds_count{query="whoami"} 1',
    ]),
  );
});

test("paths that are no endpoint have one label in the metrics, whatever their method and answer", async () => {
  const metrics = createMetrics({ isWithProcess: false });
  const limits = { rateLimit: createRateLimit({ perSecond: 2 }), otherRequestsLimit: null };
  const app = appWith({ change: { metrics, now: () => 1_800_000_000_000 }, ...limits });
  const statuses = new Set<number>();
  for (const method of ["OPTIONS", "GET", "POST"]) {
    for (const path of ["submit", "query", "other"]) {
      for (let i = 0; i < 3; i++) {
        const url = `${base}/public/v1/${path}/${randomUUID()}`;
        statuses.add((await app.fetch(url, { method })).status);
      }
    }
  }
  expect([...statuses]).toEqual([204, 404, 429]);
  await app.fetch(base + whoamiPath, { method: "POST" });
  const { body } = await metrics.render();
  const counted = body.matchAll(/^keyhearth_requests_total\{route="([^"]+)",status="(\d+)"/gm);
  expect([...counted].map(([, route, status]) => `${route} ${status}`)).toEqual([
    "/public 204",
    "/public 404",
    "/public 429",
    "query/whoami 429",
  ]);
});

/** As Node.js gives the names of headers. */
function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]),
  );
}

test("only this machine, or a request with the token, may read metrics", async () => {
  const statusFor = async (
    remoteAddress: string,
    headers: Record<string, string> = {},
    metricsToken: Secret | null = secret("correct horse battery"),
  ) => {
    const { log, metrics, signer, store } = organization.server.host;
    const host = createHost({ log, metrics, signer, store });
    const app = appOf(host, { metricsToken });
    const asked = fromThisMachine({ remoteAddress, headers: lowerCased(headers) });
    return (await app.request("/metrics", {}, asked)).status;
  };
  expect(await statusFor("127.0.0.1")).toBe(200);
  expect(await statusFor("::1")).toBe(200);
  expect(await statusFor("::ffff:127.0.0.1")).toBe(200);
  expect(await statusFor("203.0.113.7")).toBe(403);
  expect(await statusFor("127.0.0.1", { "X-Forwarded-For": "203.0.113.7" })).toBe(403);
  expect(await statusFor("203.0.113.7", { "X-Forwarded-For": "127.0.0.1" })).toBe(403);
  expect(await statusFor("127.0.0.1", { "X-Forwarded-For": "127.0.0.1" })).toBe(403);
  expect(await statusFor("127.0.0.1", { Host: "keys.example.com" })).toBe(403);
  expect(await statusFor("127.0.0.1", { Host: "127.0.0.1:3000" })).toBe(200);
  expect(await statusFor("127.0.0.1", { Forwarded: "for=203.0.113.7" })).toBe(403);
  expect(await statusFor("127.0.0.1", { "X-Forwarded-Host": "keys.example.com" })).toBe(403);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  expect(await statusFor("203.0.113.7", bearer("correct horse battery"))).toBe(200);
  expect(await statusFor("203.0.113.7", bearer("correct horse"))).toBe(403);
  expect(await statusFor("203.0.113.7", bearer(""), null)).toBe(403);
  expect(await statusFor("203.0.113.7", bearer("null"), null)).toBe(403);

  expect(await errorOf(await appWith().fetch(`${base}/metrics`))).toEqual({
    status: 403,
    code: 7,
    reason: "REQUEST_NOT_AUTHORIZED",
    message:
      "only this machine, at localhost or 127.0.0.1 and without a proxy, may read metrics; others send KEYHEARTH_METRICS_TOKEN as a bearer token",
  });
});

test("health, readiness, contract and well-known facts are public JSON; everything else is the site", async () => {
  const read = async (app: App, path: string) => {
    const response = await app.fetch(base + path);
    const type = response.headers.get("content-type");
    return { status: response.status, type, text: await response.text() };
  };
  const type = "application/json";
  const app = appWith();
  expect(await read(app, "/healthz")).toEqual({ status: 200, type, text: '{"status":"ok"}' });
  expect(await read(app, "/readyz")).toEqual({
    status: 200,
    type,
    text: '{"status":"ready","reasons":[]}',
  });
  expect(await read(app, "/openapi.json")).toEqual({
    status: 200,
    type,
    text: '{"openapi":"3.1.0"}',
  });
  expect(await read(app, "/.well-known/keyhearth.json")).toEqual({
    status: 200,
    type,
    text: '{"service":"keyhearth"}',
  });
  expect(await read(app, "/quickstart")).toMatchObject({ status: 404, text: "site" });
  const unready = appWith({ isReady: async () => ({ ready: false, reasons: ["no signer"] }) });
  expect(await read(unready, "/readyz")).toEqual({
    status: 503,
    type,
    text: '{"status":"not ready","reasons":["no signer"]}',
  });
});

test("no key, stamp or signature is ever written to the log", async () => {
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    destination: { write: (line) => void lines.push(line) },
  });
  const app = appWith({ change: { log } });
  const { organizationId, rootKey, server } = organization;
  const walletName = randomUUID();
  const submission = JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { walletName, accounts: [ethereumAccount] },
  });
  const missing = JSON.stringify({ organizationId, walletId: randomUUID() });
  const sent: [path: string, body: string][] = [
    ["/public/v1/submit/create_wallet", submission],
    [whoamiPath, JSON.stringify({ organizationId })],
    ["/public/v1/query/get_wallet", missing],
    ["/public/v1/submit/create_wallet", submission.replace(organizationId, randomUUID())],
    [whoamiPath, "{"],
  ];
  const secrets = [rootKey.privateKey];
  for (const [path, body] of sent) {
    const stamp = await stampOf(organization, body);
    secrets.push(stamp, JSON.parse(Buffer.from(stamp, "base64url").toString()).signature);
    await app.fetch(base + path, { method: "POST", body, headers: { "X-Stamp": stamp } });
  }
  expect(lines).toHaveLength(sent.length);
  for (const name of readdirSync(server.signer.stateDirectory)) {
    // It lists organizations, which are public.
    if (name === "newest-documents") continue;
    const bytes = readFileSync(join(server.signer.stateDirectory, name));
    // Any 16 consecutive bytes of what the signer keeps, as hex or base64.
    for (let at = 0; at + 16 <= Math.min(bytes.length, 512); at += 16) {
      const part = bytes.subarray(at, at + 16);
      if (part.some((byte) => byte !== part[0])) {
        secrets.push(
          encodeHex(part),
          part.toString("base64").slice(0, 20),
          part.toString("latin1"),
        );
      }
    }
  }
  const text = lines.join("\n");
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).toContain(whoamiPath);
  expect(text).not.toContain(walletName);
});
