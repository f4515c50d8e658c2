import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { Config } from "../config/config.ts";
import { oneAtATime } from "../http/connections.ts";
import type { Env } from "../http/request.ts";
import { StartError } from "./start-error.ts";
import { answerStarting } from "./starting.ts";

/**
 * How long a client may take. A request that is late is answered with 408, and its connection closed.
 * Proxies keep idle connections for a minute, so ours last a little longer.
 */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
};

const SILENCE_MS = 120_000;

/** Listens before the slow work begins, so that a port in use is reported at once. */
export async function listen({ host, port }: Pick<Config, "host" | "port">): Promise<Server> {
  const server = createServer(timeouts, answerStarting);
  // A connection on which nothing moves, in either direction, such as one that does not read its answer.
  server.setTimeout(SILENCE_MS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen(port, host, resolve);
  });
  return server;
}

/** From now on the app answers. */
export function serve(server: Server, { fetch }: Pick<Hono<Env>, "fetch">) {
  server.removeAllListeners("request");
  server.on("request", oneAtATime(getRequestListener(fetch)));
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (cause.code) {
    case "EADDRINUSE":
      return new StartError(
        `port ${port} on ${host} is in use by another process; stop it, or choose another port with PORT`,
        { cause },
      );
    case "EACCES":
      return new StartError(
        `this user may not listen on port ${port}; choose a port above 1023 with PORT`,
        { cause },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new StartError(
        `this machine does not have the address ${host}; set HOST to one that it has`,
        {
          cause,
        },
      );
    default:
      return cause;
  }
}

/** The port that the server listens on. It differs from the configuration for port 0. */
export function portOf(server: Server, { port }: Pick<Config, "port">): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : port;
}

const DRAIN_MS = 8000;

/** Accepts no new requests and lets those under way finish, for at most eight seconds. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
}
