import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { certificate, certificateKey } from "./certificate.testing.ts";
import { type GuardedOptions, guardedRequest, refusalOf } from "./guarded-request.ts";
import { OutboundError } from "./outbound-error.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  vi.unstubAllEnvs();
});

const limits = { maxBytes: 1000, timeoutMs: 5000 };
const loopback = { ...limits, allowPrivate: ["127.0.0.0/8", "::1"] };

describe("a URL", () => {
  test.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://2130706433/",
    "http://127.0.0.1./",
    "http://127.0.0.1%2e/",
    "http://１２７.0.0.1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:53aa:64c::80ff:fffe]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
  ])("%s is refused as not public", async (url) => {
    expect(refusalOf(url, {})).toBe("its address is not a public one");
    await expectRefused(guardedRequest(url, limits));
  });

  test.each([
    ["ftp://example.com/", /http or https/],
    ["file:///etc/passwd", /http or https/],
    ["unix:/run/signer.sock", /http or https/],
    ["http://[fe80::1%25eth0]/", /http or https/],
    ["//example.com", /http or https/],
    ["http://user@example.com/", /user name/],
    ["http://:secret@example.com/", /user name/],
    ["http://example.com:25/", /port 25/],
    ["http://example.com:22/", /port 22/],
    [`http://example.com/${"x".repeat(2048)}`, /2048/],
  ])("%s is refused: %s", async (url, reason) => {
    expect(refusalOf(url, {})).toMatch(reason);
    await expectRefused(guardedRequest(url, { ...limits, resolve: publicly }));
  });

  test("of plain http is refused if https is required, except to what is listed", () => {
    const url = "http://example.com/";
    expect(refusalOf(url, { isHttpsRequired: true })).toBe("it must be an https URL");
    expect(refusalOf(url, { isHttpsRequired: true, allowPrivate: ["example.com"] })).toBeNull();
    expect(refusalOf(url, {})).toBeNull();
    const literal = "http://10.0.0.1:99/";
    expect(refusalOf(literal, { isHttpsRequired: true, allowPrivate: ["10.0.0.0/8"] })).toBeNull();
  });

  test("that is refused is never shown: not its password, and not the address of its name", async () => {
    const secret = guardedRequest("http://u:hunter2@example.com/", limits);
    await expect(secret).rejects.toThrow(/^(?!.*hunter2)/);
    const name = guardedRequest("http://receiver.test/", {
      ...limits,
      resolve: async () => ["10.9.8.7"],
    });
    await expect(name).rejects.toThrow(/^(?!.*10\.9\.8\.7).*receiver\.test is not at a public/);
  });
});

describe("a name", () => {
  test.each([
    ["a private address", ["10.0.0.1"]],
    ["loopback", ["127.0.0.1"]],
    ["a public and a private address", ["93.184.216.34", "127.0.0.1"]],
    ["IPv4-mapped loopback", ["::ffff:127.0.0.1"]],
    ["NAT64 of loopback", ["64:ff9b::7f00:1"]],
    ["link-local with a zone", ["fe80::1%lo"]],
    ["something that is not an address", ["0x7f000001"]],
    ["nothing", []],
  ])("at %s is refused, without a connection", async (_what, addresses) => {
    const { url, requests } = await serve((_request, response) => response.end("secret"));
    const request = guardedRequest(url("receiver.test"), {
      ...limits,
      resolve: async () => addresses,
    });
    await expect(request).rejects.toThrow(OutboundError);
    expect(requests).toEqual([]);
  });

  test("that changes its address after the check still reaches the checked one", async () => {
    const { url, requests } = await serve((_request, response) => response.end("here"));
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    let asked = 0;
    const response = await guardedRequest(url("receiver.test"), {
      ...loopback,
      allowPrivate: ["127.0.0.1"],
      resolve: async () => answers[asked++] ?? [],
    });
    expect(text(response.body)).toBe("here");
    expect(asked).toBe(1);
    expect(requests).toEqual([
      { host: expect.stringMatching(/^receiver\.test:/), to: "127.0.0.1" },
    ]);
  });

  test("that is public first and private next time is refused next time", async () => {
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const { url } = await serve((_request, response) => response.end());
    const resolve = async () => answers.shift() ?? [];
    const options = { ...limits, allowPrivate: ["127.0.0.1"], resolve };
    await guardedRequest(url("receiver.test"), options);
    await expectRefused(guardedRequest(url("receiver.test"), options));
  });

  test("that is listed may be private, with the same spelling in other letters or with a dot", async () => {
    const { url } = await serve((_request, response) => response.end("here"));
    const options = { ...limits, allowPrivate: ["receiver.test"], resolve: privately };
    for (const name of ["receiver.test", "RECEIVER.test", "receiver.test."]) {
      expect(text((await guardedRequest(url(name), options)).body)).toBe("here");
    }
    await expectRefused(guardedRequest(url("other.test"), options));
  });

  test("localhost is loopback, whatever the name servers say", async () => {
    const { url } = await serve((_request, response) => response.end("here"));
    await expectRefused(guardedRequest(url("localhost"), limits));
    expect((await guardedRequest(url("localhost"), loopback)).status).toBe(200);
    const listed = { ...limits, allowPrivate: ["localhost"] };
    expect((await guardedRequest(url("localhost"), listed)).status).toBe(200);
  });

  test("that nobody answers for ends with the time limit", async () => {
    const request = guardedRequest("http://receiver.test/", {
      ...limits,
      timeoutMs: 100,
      resolve: () => new Promise(() => {}),
    });
    await expect(request).rejects.toMatchObject({ failure: "timeout" });
  });
});

describe("a request", () => {
  test("has its method, headers and body, and the fixed User-Agent", async () => {
    const { url, requests } = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.setHeader("x-agent", String(request.headers["user-agent"]));
        response.setHeader("x-given", String(request.headers["x-mine"]));
        response.writeHead(201);
        response.end(`${request.method} ${Buffer.concat(chunks)}`);
      });
    });
    const response = await guardedRequest(url("127.0.0.1"), {
      ...loopback,
      method: "POST",
      headers: { "x-mine": "given" },
      body: "grüße",
    });
    expect(response.status).toBe(201);
    expect(text(response.body)).toBe("POST grüße");
    expect(response.headers).toMatchObject({ "x-agent": "Keyhearth", "x-given": "given" });
    expect(requests).toHaveLength(1);
  });

  test.each(["Host", "Transfer-Encoding", "content-length", "User-Agent", "Connection"])(
    "may not set the header %s",
    async (name) => {
      const request = guardedRequest("http://127.0.0.1/", {
        ...loopback,
        headers: { [name]: "x" },
      });
      await expect(request).rejects.toThrow(TypeError);
    },
  );

  test("does not send a header that ends its line", async () => {
    const { url, requests } = await serve((_request, response) => response.end());
    const headers = { "x-mine": "a\r\nx-other: b" };
    await expect(guardedRequest(url("127.0.0.1"), { ...loopback, headers })).rejects.toThrow();
    expect(requests).toEqual([]);
  });

  test("does not follow a redirect", async () => {
    const { url, requests } = await serve((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    });
    const response = await guardedRequest(url("127.0.0.1"), loopback);
    expect(response).toMatchObject({
      status: 302,
      headers: { location: "http://169.254.169.254/" },
    });
    expect(requests).toHaveLength(1);
  });

  test("uses no proxy of the environment", async () => {
    const { url } = await serve((_request, response) => response.end("direct"));
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"]) {
      vi.stubEnv(name, "http://127.0.0.1:1");
    }
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    expect(text((await guardedRequest(url("127.0.0.1"), loopback)).body)).toBe("direct");
  });

  test("has a connection of its own", async () => {
    const ports = new Set<number | undefined>();
    const { url } = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    for (let i = 0; i < 3; i++) await guardedRequest(url("127.0.0.1"), loopback);
    expect(ports.size).toBe(3);
  });
});

describe("a response", () => {
  test("that is too large is an error, or cut if the caller wants that", async () => {
    const { url } = await serve((_request, response) => response.end("x".repeat(100_000)));
    const small = { ...loopback, maxBytes: 10 };
    await expect(guardedRequest(url("127.0.0.1"), small)).rejects.toMatchObject({
      failure: "too-large",
    });
    const cut = await guardedRequest(url("127.0.0.1"), { ...small, isCut: true });
    expect(text(cut.body)).toBe("xxxxxxxxxx");
  });

  test("of exactly the most bytes is complete", async () => {
    const { url } = await serve((_request, response) => response.end("x".repeat(10)));
    const response = await guardedRequest(url("127.0.0.1"), { ...loopback, maxBytes: 10 });
    expect(response.body).toHaveLength(10);
  });

  test("that never ends is cut off by the size, and one that drips by the time", async () => {
    const { url } = await serve((_request, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const few = { ...loopback, maxBytes: 3 };
    await expect(guardedRequest(url("127.0.0.1"), few)).rejects.toMatchObject({
      failure: "too-large",
    });
    const short = { ...loopback, timeoutMs: 200 };
    await expect(guardedRequest(url("127.0.0.1"), short)).rejects.toMatchObject({
      failure: "timeout",
    });
  });

  test.each([
    ["silence", ""],
    ["half a header", "HTTP/1.1 200 OK\r\nx: "],
  ])("of %s ends with the time limit", async (_what, bytes) => {
    const port = await listenRaw(bytes, { isClosed: false });
    const request = guardedRequest(`http://127.0.0.1:${port}/`, { ...loopback, timeoutMs: 200 });
    await expect(request).rejects.toMatchObject({ failure: "timeout" });
  });

  test.each([
    ["nothing", ""],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    [
      "a switch of protocols",
      "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    ],
    ["headers without end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`],
    ["less than it says", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"],
  ])("of %s is an error", async (_what, bytes) => {
    const port = await listenRaw(bytes, { isClosed: true });
    const request = guardedRequest(`http://127.0.0.1:${port}/`, loopback);
    await expect(request).rejects.toMatchObject({ failure: "network" });
  });

  test("of nobody is an error that names no address", async () => {
    const { url, close } = await serve((_request, response) => response.end());
    const dead = url("127.0.0.1");
    await close();
    await expect(guardedRequest(dead, loopback)).rejects.toMatchObject({
      failure: "network",
      message: "the request failed: ECONNREFUSED",
    });
  });
});

describe("TLS", () => {
  const options: GuardedOptions = {
    ...limits,
    allowPrivate: ["127.0.0.1"],
    resolve: privately,
  };

  test("is verified for the name of the URL, not for the address", async () => {
    const port = await serveSecurely();
    const url = `https://receiver.test:${port}/`;
    const response = await guardedRequest(url, { ...options, ca: certificate });
    expect(text(response.body)).toBe("secure");
    const other = guardedRequest(`https://other.test:${port}/`, { ...options, ca: certificate });
    await expect(other).rejects.toMatchObject({
      failure: "network",
      message: "the request failed: ERR_TLS_CERT_ALTNAME_INVALID",
    });
  });

  test("is verified even if the environment says not to", async () => {
    const port = await serveSecurely();
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    await expect(guardedRequest(`https://receiver.test:${port}/`, options)).rejects.toMatchObject({
      failure: "network",
    });
  });
});

async function publicly() {
  return ["93.184.216.34"];
}

async function privately() {
  return ["127.0.0.1"];
}

async function expectRefused(request: Promise<unknown>) {
  await expect(request).rejects.toMatchObject({ failure: "refused" });
}

function text(bytes: Uint8Array) {
  return new TextDecoder().decode(bytes);
}

async function serve(listener: RequestListener) {
  const requests: { host: string | undefined; to: string | undefined }[] = [];
  const server = createServer((request, response) => {
    requests.push({ host: request.headers.host, to: request.socket.localAddress });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  const close = () => new Promise((resolve) => server.close(resolve));
  closers.push(() => server.closeAllConnections(), close);
  return { requests, url: (host: string) => `http://${host}:${port}/`, close };
}

async function serveSecurely() {
  const options = { key: certificateKey, cert: certificate };
  const server = createSecureServer(options, (_request, response) => response.end("secure"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port; // A server that listens on a port has one.
}

async function listenRaw(bytes: string, { isClosed }: { isClosed: boolean }) {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => (isClosed ? socket.end(bytes) : socket.write(bytes)));
    closers.unshift(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port; // A server that listens on a port has one.
}
