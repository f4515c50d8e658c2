import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { certificate, certificateKey } from "@keyhearth/outbound/certificate.testing";
import { afterEach, expect, test } from "vitest";
import { newClient } from "../peer.testing.ts";

let server: Server | undefined;
afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  server = undefined;
});

async function portOf(started: Server): Promise<number> {
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  // Listening on TCP, so the address is not a path.
  return (started.address() as AddressInfo).port;
}

async function messageAt(baseUrl: string, fetch?: typeof globalThis.fetch): Promise<string> {
  const given = fetch ? { maxRetries: 0, fetch } : { maxRetries: 0 };
  const error = await newClient(baseUrl, given)
    .whoami()
    .then(String, (caught) => caught);
  expect(error).toMatchObject({ name: "Unavailable", code: "NETWORK", docsUrl: undefined });
  return error.message;
}

test("a port that speaks http is named with the address to use", async () => {
  const port = await portOf(createServer((_, response) => response.end("plain")));
  expect(await messageAt(`https://127.0.0.1:${port}`)).toBe(
    `Could not reach https://127.0.0.1:${port}: the port speaks http, not https. Set baseUrl to http://127.0.0.1:${port}`,
  );
});

test("a port that speaks https is named with the address to use, and so is a certificate", async () => {
  const port = await portOf(createTlsServer({ cert: certificate, key: certificateKey }));
  expect(await messageAt(`http://127.0.0.1:${port}`)).toBe(
    `Could not reach http://127.0.0.1:${port}: the connection was closed without an answer. If the port speaks https, set baseUrl to https://127.0.0.1:${port}`,
  );
  expect(await messageAt(`https://127.0.0.1:${port}`)).toMatch(
    /: its certificate is not accepted \(\w+\)\. Set baseUrl to the name in the certificate/,
  );
});

test("a port where nothing listens says so, and so does a name without an address", async () => {
  const port = await portOf(createServer());
  await new Promise((resolve) => server?.close(resolve));
  server = undefined;
  const baseUrl = `http://127.0.0.1:${port}`;
  expect(await messageAt(`${baseUrl}/public/v1`)).toBe(
    `Could not reach ${baseUrl}: nothing listens there. Start the service, or set baseUrl to its address`,
  );
  expect(await messageAt("http://keys.invalid")).toMatch(/: its name has no address\./);
});

test("a browser gives no reason, and an https address of this machine is suspected", async () => {
  const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  const check = "Check that the service runs there, and the network between";
  expect(await messageAt("https://localhost:3000", fetch)).toBe(
    `Could not reach https://localhost:3000. ${check}. If the service speaks http there, set baseUrl to http://localhost:3000`,
  );
  expect(await messageAt("https://keys.example.com", fetch)).toBe(
    `Could not reach https://keys.example.com. ${check}`,
  );
});

test("what a runtime says is looked through, but not without end", async () => {
  const loop = Object.assign(new Error("a"), { code: "x".repeat(100) });
  loop.cause = new AggregateError([Object.assign(loop), new Error("b", { cause: "text" })]);
  expect(await messageAt("http://localhost:3000", () => Promise.reject(loop))).toMatch(
    /^Could not reach http:\/\/localhost:3000\. Check/,
  );
  const both = Object.assign(new Error("c"), { code: "ECONNREFUSED" });
  const fetch = () => Promise.reject(new TypeError("d", { cause: new AggregateError([both]) }));
  expect(await messageAt("http://localhost:3000", fetch)).toContain("nothing listens there");
});
