import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseApiKeyStamp, verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { newClient, organizationId, startPeer } from "../peer.testing.ts";

type Peer = Awaited<ReturnType<typeof startPeer>>;
let peer: Peer | undefined;

async function peerWith(...answers: Parameters<typeof startPeer>): Promise<Peer> {
  peer = await startPeer(...answers);
  return peer;
}

afterEach(async () => {
  await peer?.stop();
  peer = undefined;
});

const whoami = {
  organizationId,
  organizationName: "acme",
  userId: "8d1f6a4e-0c61-4b3f-9a55-3f4f6b0b2a01",
  username: "root",
};
const redirects = [301, 302, 303, 307, 308];
const tooMany = {
  status: 429,
  headers: { "Retry-After": "0" },
  json: { code: 8, message: "too many requests", details: [{ code: "RATE_LIMITED" }] },
};

describe("a request", () => {
  test("names the trace of its connection or its own, and nothing that is not one", async () => {
    const answers = Array.from({ length: 4 }, () => ({ json: whoami }));
    const { url, received } = await peerWith(...answers);
    const of = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
    const client = newClient(url, { traceparent: () => of("a") });
    await client.whoami();
    await client.whoami({}, { traceparent: of("b") });
    await client.whoami({}, { traceparent: `${of("c")}\r\nx-other: 1` });
    await newClient(url, { traceparent: () => undefined }).whoami();
    const sent = received.map(({ headers }) => headers.traceparent);
    expect(sent).toEqual([of("a"), of("b"), undefined, undefined]);
    expect(() => newClient(url, { traceparent: "00" as never })).toThrow(/traceparent/);
  });

  test("is sent as the exact characters that were stamped", async () => {
    const { url, received } = await peerWith({ json: whoami });
    const body = '{ "organizationId" : "é" }';
    await newClient(url).request("/public/v1/query/whoami", body);
    const [request] = received;
    expect(request).toMatchObject({ path: "/public/v1/query/whoami", body });
    expect(request?.headers["content-type"]).toBe("application/json");
    const stamp = parseApiKeyStamp(String(request?.headers["x-stamp"]));
    expect(verifyApiKeyStamp(stamp, encodeUtf8(body))).toBe(true);
  });

  test("keeps a path in the base URL", async () => {
    const { url, received } = await peerWith({ json: whoami });
    await newClient(`${url}/keys/`).whoami();
    expect(received[0]?.path).toBe("/keys/public/v1/query/whoami");
  });

  test("goes to the service if the base URL is that of its API", async () => {
    const { url, received } = await peerWith({ json: whoami }, { json: whoami }, { json: whoami });
    for (const baseUrl of [`${url}/public/v1`, `${url}/public/v1//`, `${url}/keys/public/v1`]) {
      await newClient(baseUrl).whoami();
    }
    const path = "/public/v1/query/whoami";
    expect(received.map((request) => request.path)).toEqual([path, path, `/keys${path}`]);
  });

  test("is repeated byte for byte, with the same stamp, if the service asks to slow down", async () => {
    const busy = { ...tooMany, status: 503 };
    const gone = { ...tooMany, status: 502 };
    const { url, received } = await peerWith(tooMany, busy, gone, { json: whoami });
    expect(await newClient(url).whoami()).toEqual(whoami);
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers["x-stamp"])).size).toBe(1);
  });

  test("fails after three repetitions", async () => {
    const { url, received } = await peerWith(tooMany, tooMany, tooMany, tooMany, { json: whoami });
    await expect(newClient(url).whoami()).rejects.toMatchObject({
      code: "RATE_LIMITED",
      httpStatus: 429,
      grpcCode: 8,
    });
    expect(received).toHaveLength(4);
  });

  test("is not repeated if it would have to wait long", async () => {
    const { url, received } = await peerWith({ ...tooMany, headers: { "Retry-After": "60" } });
    await expect(newClient(url).whoami()).rejects.toMatchObject({ code: "RATE_LIMITED" });
    expect(received).toHaveLength(1);
  });

  test("is repeated if a proxy could not reach the service, or the connection was lost", async () => {
    const gone = { status: 502, text: "<html>Bad Gateway</html>" };
    const { url, received } = await peerWith(gone, "close", { json: whoami });
    expect(await newClient(url).whoami()).toEqual(whoami);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(received).toHaveLength(3);
  });

  test("is not repeated after a 503 that does not say when to try again", async () => {
    const { url, received } = await peerWith({ status: 503, json: { code: 14, message: "down" } });
    await expect(newClient(url).whoami()).rejects.toMatchObject({ httpStatus: 503, grpcCode: 14 });
    expect(received).toHaveLength(1);
  });
});

describe("an error", () => {
  test("carries what the service says about it", async () => {
    const details = [
      {
        "@type": "keyhearth.dev/ErrorDetail",
        code: "FIELD_INVALID",
        field: "parameters.walletName",
        docs: "/developer-reference/api-overview/errors",
      },
    ];
    const { url } = await peerWith({
      status: 400,
      json: { code: 3, message: "walletName\n  must not be empty", details },
    });
    const failed = newClient(url).createWallet({ walletName: "", accounts: [] });
    await expect(failed).rejects.toMatchObject({
      name: "InvalidField",
      message: `walletName must not be empty. See ${url}/developer-reference/api-overview/errors`,
      code: "FIELD_INVALID",
      grpcCode: 3,
      httpStatus: 400,
      field: "parameters.walletName",
      docsUrl: `${url}/developer-reference/api-overview/errors`,
      fields: [{ field: "parameters.walletName", message: "walletName\n  must not be empty" }],
      details,
      activityStatus: undefined,
    });
  });

  test("is INVALID_RESPONSE if a proxy answers with a page", async () => {
    const { url } = await peerWith({ status: 502, text: "<html>Bad Gateway</html>" });
    const failed = newClient(url, { maxRetries: 0 }).whoami();
    await expect(failed).rejects.toMatchObject({
      name: "Unavailable",
      code: "INVALID_RESPONSE",
      httpStatus: 502,
    });
  });

  test("is INVALID_RESPONSE if a success is not JSON", async () => {
    const { url } = await peerWith({ text: "<html>Welcome</html>" });
    const failed = newClient(url).whoami();
    await expect(failed).rejects.toMatchObject({
      name: "UnexpectedAnswer",
      code: "INVALID_RESPONSE",
      httpStatus: 200,
      message: expect.stringContaining("Set baseUrl to the address of the service"),
    });
  });

  test.each(redirects)("is REDIRECTED for a %i, which nobody follows", async (status) => {
    const elsewhere = await startPeer({ json: whoami });
    onTestFinished(() => elsewhere.stop());
    const location = `${elsewhere.url}/keys/public/v1/query/whoami?token=secret`;
    const { url } = await peerWith({ status, headers: { Location: location }, json: whoami });
    await expect(newClient(url).whoami()).rejects.toMatchObject({
      name: "UnexpectedAnswer",
      code: "REDIRECTED",
      message: expect.stringContaining(`${url} redirects requests to ${elsewhere.url}/keys, and`),
    });
    expect(elsewhere.received).toEqual([]);
  });

  test("is REDIRECTED where the runtime hides where to, or has followed already", async () => {
    const opaque = { type: "opaqueredirect", status: 0, headers: new Headers(), body: null };
    const followed = { type: "basic", status: 200, headers: new Headers(), redirected: true };
    for (const response of [opaque, followed]) {
      // The parts of a response that browsers and React Native give then.
      const fetch = async () => response as unknown as Response;
      const failed = newClient("http://127.0.0.1:9", { fetch }).whoami();
      await expect(failed).rejects.toMatchObject({ code: "REDIRECTED" });
    }
  });

  test("is INVALID_RESPONSE for an answer that does not end", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
      },
    });
    const fetch = async () => new Response(endless);
    const failed = newClient("http://127.0.0.1:9", { fetch }).whoami();
    await expect(failed).rejects.toMatchObject({ code: "INVALID_RESPONSE" });
    expect(sent).toBeLessThan(80);
  });

  test("has one line without control characters, and links only the service", async () => {
    const details = [
      { code: "FIELD_INVALID\u001b[2J", docs: "/x" },
      { code: "FIELD_INVALID", docs: "/page\u001b[2J\nlevel=info all is well" },
    ];
    const message = "no\u001b]0;owned\u0007\u009b31m\u2028level=info\u202egnp.exe";
    const { url } = await peerWith({ status: 400, json: { code: 3, message, details } });
    const error: unknown = await newClient(url)
      .whoami()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: "FIELD_INVALID",
      docsUrl: undefined,
      message: "no ]0;owned 31m level=info gnp.exe",
      serviceMessage: "no ]0;owned 31m level=info gnp.exe",
    });
  });

  test("is as long as anyone reads", async () => {
    const json = { code: 3, message: "a".repeat(1_000_000) };
    const { url } = await peerWith({ status: 400, json });
    const error = await newClient(url)
      .whoami()
      .catch((caught: Error) => caught);
    expect((error as Error).message.length).toBeLessThan(5000);
  });

  test("is NETWORK, with its cause, if nothing is listening", async () => {
    const { url, stop } = await startPeer();
    await stop();
    const failed = newClient(url, { maxRetries: 0 }).whoami();
    await expect(failed).rejects.toMatchObject({
      code: "NETWORK",
      message: expect.stringContaining(`Could not reach ${url}: nothing listens`),
      cause: expect.any(Error),
    });
  });

  test("is TIMEOUT if the answer does not arrive in time", async () => {
    const { url } = await peerWith("hang");
    const failed = newClient(url, { timeoutMs: 40 }).whoami();
    await expect(failed).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  test("is ABORTED if the caller aborts, also between repetitions", async () => {
    const { url } = await peerWith("hang", { ...tooMany, headers: { "Retry-After": "9" } });
    const hanging = AbortSignal.timeout(40);
    const first = newClient(url).whoami({}, { signal: hanging });
    await expect(first).rejects.toMatchObject({ code: "ABORTED" });
    const waiting = AbortSignal.timeout(40);
    const second = newClient(url).whoami({}, { signal: waiting });
    await expect(second).rejects.toMatchObject({ code: "ABORTED", cause: expect.anything() });
  });
});
