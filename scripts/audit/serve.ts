import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createSite } from "../../apps/api/src/serve/site.ts";

export type ServedSite = { url: string; stop(): Promise<void> };

/** Serves a built site on a free loopback port, with the code that serves it in the product. */
export async function serveSite(buildDirectory: string): Promise<ServedSite> {
  const site = createSite({ buildDirectory });
  const fetch = async (request: Request) =>
    (await site(request)) ?? new Response(null, { status: 405 });
  const { address, server } = await new Promise<{
    address: AddressInfo;
    server: ReturnType<typeof serve>;
  }>((resolve) => {
    const server = serve({ fetch, hostname: "127.0.0.1", port: 0 }, (address) =>
      resolve({ address, server }),
    );
  });
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
