import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { Hono } from "hono";
import {
  expressProxyHandler,
  honoProxyHandler,
  nextProxyHandler,
  type ProxyOptions,
  proxyHandler,
} from "../server.ts";

export type Listening = { url: string; stop(): Promise<void> };

/** Listens on a free port of this machine. */
export async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Listening on TCP, so the address is not a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves a function from `Request` to `Response`. */
export function listenWeb(fetch: (request: Request) => Promise<Response>): Promise<Listening> {
  return listen(getRequestListener(fetch, { overrideGlobalObjects: false }));
}

type Options = ProxyOptions & { address?: string };

/** A proxy below `/keyhearth` in each framework. `address` is what it takes for the client's. */
export const proxies: Record<string, (options: Options) => Promise<Listening>> = {
  Express: ({ address, ...options }) => {
    const app = express();
    const clientAddress = address === undefined ? {} : { clientAddress: () => address };
    app.use("/keyhearth", expressProxyHandler({ ...options, ...clientAddress }));
    return listen(app);
  },
  "Express after express.raw()": ({ address, ...options }) => {
    const app = express();
    const clientAddress = address === undefined ? {} : { clientAddress: () => address };
    const raw = express.raw({ type: () => true, limit: "4mb" });
    app.use("/keyhearth", raw, expressProxyHandler({ ...options, ...clientAddress }));
    return listen(app);
  },
  Hono: ({ address, ...options }) => {
    const app = new Hono();
    const clientAddress = address === undefined ? {} : { clientAddress: () => address };
    app.all("/keyhearth/*", honoProxyHandler({ ...options, ...clientAddress }));
    return listenWeb(async (request) => app.fetch(request));
  },
  "a route handler of Next.js": ({ address, ...options }) => {
    const clientAddress = address === undefined ? {} : { clientAddress: () => address };
    const POST = nextProxyHandler({ ...options, ...clientAddress });
    return listenWeb((request) => POST(plain(request)));
  },
  "a function of Request": ({ address, ...options }) => {
    const clientAddress = address === undefined ? {} : { clientAddress: () => address };
    const handle = proxyHandler({ ...options, ...clientAddress });
    return listenWeb((request) => handle(plain(request)));
  },
};

/** A `Request` of the platform, in place of the server's own. */
function plain({ url, method, headers, body, signal }: Request): Request {
  // The types do not know `duplex`, which streams need.
  const init: RequestInit & { duplex: "half" } = { method, headers, signal, duplex: "half" };
  return new Request(url, method === "GET" ? init : { ...init, body });
}
