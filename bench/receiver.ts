import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A receiver of webhooks, a separate process that answers at once and keeps nothing. */
process.once("message", () => {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
    process.send?.({ result: { url: `http://127.0.0.1:${port}/` } });
  });
});
