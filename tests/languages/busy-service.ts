import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Received = { path: string; stamp: string; body: string };

export type BusyService = { url: string; received: Received[]; stop(): void };

/**
 * Comes before the real service. It answers every request with "busy" the first time, and forwards
 * it the second time. It shows every submission as pending, so that a client has to read the activity.
 */
export async function startBusyService(target: string): Promise<BusyService> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? "";
    const stamp = String(request.headers["x-stamp"]);
    const isRepeated = received.some((each) => each.body === body && each.path === path);
    received.push({ path, stamp, body });
    if (!isRepeated) {
      response.writeHead(received.length % 2 ? 503 : 429, { "retry-after": "0" });
      response.end(JSON.stringify({ code: 14, message: "busy", details: [] }));
      return;
    }
    const answer = await fetch(target + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-stamp": stamp },
      body,
    });
    const json = await answer.json();
    if (path.startsWith("/public/v1/submit/")) {
      json.activity = { ...json.activity, status: "ACTIVITY_STATUS_PENDING", result: {} };
    }
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(json));
  });
  return { received, ...(await listen(server)) };
}

/** A server that answers everything with a page, like a proxy that is wrongly set up. */
export async function startPageServer(): Promise<{ url: string; stop(): void }> {
  return await listen(
    createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Welcome</title>");
    }),
  );
}

async function listen(server: ReturnType<typeof createServer>) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
