import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Received = {
  headers: IncomingHttpHeaders;
  body: string;
  activity: { id: string; status: string; organizationId: string; type: string; result: unknown };
};

/** Answers a delivery; 200 unless it says something else. */
export type Answering = (received: Received, response: ServerResponse) => number | undefined;

/** A receiver of webhooks on this machine. */
export async function startReceiver(answer: Answering = () => 200) {
  const received: Received[] = [];
  const state = { answer };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const each = { headers: request.headers, body, activity: JSON.parse(body) };
      received.push(each);
      const status = state.answer(each, response);
      if (status !== undefined) response.writeHead(status).end("received");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    state,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
