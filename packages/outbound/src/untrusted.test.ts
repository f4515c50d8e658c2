import { once } from "node:events";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { connect, createServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { certificate, certificateKey } from "./certificate.testing.ts";
import { isNoTls, whyUntrusted } from "./untrusted.ts";

/** The code of the error of a connection to this port. */
async function codeOf(port: number, options: object = {}): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", ...options });
  const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
  return String(error.code);
}

test("what Node.js refuses a certificate for is a reason, and another error is none", async () => {
  const server = createServer({ cert: certificate, key: certificateKey }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  expect(whyUntrusted(await codeOf(port, { servername: "receiver.test" }))).toBe(
    "its certificate is not from an authority that this machine trusts",
  );
  const trusting = { ca: certificate, servername: "other.test" };
  expect(whyUntrusted(await codeOf(port, trusting))).toBe("its certificate is for another name");
  expect(whyUntrusted("CERT_HAS_EXPIRED")).toBe("its certificate has expired");
  expect(whyUntrusted("CERT_NOT_YET_VALID")).toContain("not valid yet");
  expect(whyUntrusted("CERT_REVOKED")).toBe("its certificate is not accepted");
  expect(["ECONNREFUSED", "ENOTFOUND", "28P01"].map(whyUntrusted)).toEqual([null, null, null]);
});

test("a server of something else does not speak TLS", async () => {
  const server = createPlainServer((socket) => socket.end("220 mail.example.com\r\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  expect(isNoTls(await codeOf((server.address() as AddressInfo).port))).toBe(true);
  expect(["ECONNREFUSED", "CERT_HAS_EXPIRED"].map(isNoTls)).toEqual([false, false]);
});
