import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createSite } from "../../apps/api/src/serve/site.ts";

/** Serves a built site as the service does, with its policy. */
export async function serveSite(
  buildDirectory: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const site = createSite({ buildDirectory });
  const server = createServer(async (request, response) => {
    const answer = await site(new Request(new URL(request.url ?? "/", "http://localhost")));
    if (!answer) return response.writeHead(404).end();
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
