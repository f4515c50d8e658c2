import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from "node:http";
import { getRequestListener } from "@hono/node-server";
import { watchDescriptors } from "@keyhearth/outbound/descriptors";
import { onceAMinute } from "@keyhearth/outbound/once-a-minute";
import type { Hono } from "hono";
import type { Config } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import { createClientAddress, createOriginOf } from "../host/rate-limit.ts";
import { oneAtATime } from "../http/connections.ts";
import { refuseExpectations } from "../http/expectations.ts";
import { hasManyHeaders, refuseManyHeaders } from "../http/many-headers.ts";
import { newcomersInTurn } from "../http/newcomers.ts";
import {
  type BoundsOfProcess,
  boundsFor,
  type Cut,
  OpenConnections,
} from "../http/open-connections.ts";
import { refuseUnreadableAddress } from "../http/unreadable-address.ts";
import { refuseUnreadable } from "../http/unreadable-requests.ts";
import type { Log } from "../observability/log.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Env } from "../wire/request.ts";
import { answerStarting } from "./starting.ts";

/**
 * How long a client may take. A request that is late is answered with 408, and its connection closed.
 * Proxies keep idle connections for a minute, so ours last a little longer.
 */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 75_000,
  // Those that are late by then are cut at once, which takes a millisecond each.
  connectionsCheckingInterval: 100,
};

const SILENCE_MS = 120_000;

/**
 * A connection without a request is cut after so long. Node.js does it earlier, unless the client sends
 * something that begins no request, such as an empty line each minute.
 */
const LONGEST_IDLE_MS = timeouts.keepAliveTimeout + timeouts.headersTimeout + 5000;

const SWEEP_MS = 1000;

type ListenOptions = Pick<Config, "host" | "port" | "trustedProxies">;
type Watchers = { log: Log; metrics: Metrics };

/** Listens before the slow work begins, so that a port in use is reported at once. */
export async function listen(
  { host, port, trustedProxies }: ListenOptions,
  watchers: Watchers,
  bounds = boundsOfProcess(1),
): Promise<Server> {
  // Node.js would answer one without a body. The app's listener refuses it, as it does that of HTTP/1.0.
  const server = createServer({ ...timeouts, requireHostHeader: false });
  // A connection on which nothing moves, in either direction, such as one that does not read its answer.
  server.setTimeout(SILENCE_MS);
  boundConnections(server, { trustedProxies, bounds }, watchers);
  server.on("checkExpectation", refuseExpectations());
  server.on("clientError", refuseUnreadable);
  server.on("request", answerStarting);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen(port, host, resolve);
  });
  return server;
}

/** From now on the app answers. */
export function serve(
  server: Server,
  { fetch }: Pick<Hono<Env>, "fetch">,
  { trustedProxies }: Pick<Config, "trustedProxies">,
) {
  const inTurn = newcomersInTurn(
    getRequestListener(fetch, { errorHandler: refuseUnreadableAddress }),
    createClientOf(trustedProxies),
  );
  server.removeListener("request", answerStarting);
  server.on("request", oneAtATime(refuseManyHeaders(inTurn)));
}

/** Without a file descriptor, Node.js closes new connections and says nothing. So there are never so many. */
function boundConnections(
  server: Server,
  { trustedProxies, bounds }: Pick<Config, "trustedProxies"> & { bounds: BoundsOfProcess },
  { log, metrics }: Watchers,
) {
  const report = createCutReport(log, bounds);
  const onCut = (cut: Cut) => {
    metrics.connectionCut(cut.bound);
    report(cut);
  };
  const connections = new OpenConnections(bounds, {
    onCut,
    clientOf: createClientOf(trustedProxies),
    now: () => performance.now(),
  });
  const originOf = createOriginOf(trustedProxies);
  server.on("connection", (socket) => connections.open(socket, originOf(socket.remoteAddress)));
  server.on("request", (request, response) => {
    if (!hasManyHeaders(request)) connections.begin(request, response);
  });

  const { shortages, stop } = watchDescriptors(({ event, ...rest }) => {
    const { cause, ...members } = rest;
    if (cause) log.error({ ...members, err: cause }, `${event}; raise the limit of this process`);
    else log.info(members, event);
  });
  const sweep = setInterval(() => {
    connections.cutIdle(LONGEST_IDLE_MS);
    metrics.connections(connections.count);
    metrics.shortages(shortages());
  }, SWEEP_MS).unref();
  server.once("close", () => {
    clearInterval(sweep);
    stop();
  });
}

/** The address of the client who sent a request, as proxies report it. */
function createClientOf(trustedProxies: Config["trustedProxies"]) {
  const clientAddress = createClientAddress(trustedProxies);
  return ({ socket, headers }: IncomingMessage) =>
    clientAddress(socket.remoteAddress, forwardedFor(headers));
}

function forwardedFor({ "x-forwarded-for": value }: IncomingHttpHeaders): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** How many connections this process can have. */
export function boundsOfProcess(workers: number): BoundsOfProcess {
  return boundsFor(descriptorLimit(), workers);
}

/** How many files and connections this process may open. Null if the system has no such limit. */
function descriptorLimit(): number | null {
  // Otherwise, the report looks up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true });
  const report: { userLimits?: { open_files?: { soft?: unknown } } } = process.report.getReport();
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === "number" ? soft : null;
}

/** The operator hears of each bound once a minute. */
function createCutReport(
  log: Log,
  { most, mostOfAddress, isByFiles }: BoundsOfProcess,
): (cut: Cut) => void {
  const isTime = onceAMinute<Cut["bound"]>();
  return ({ bound, ...members }) => {
    if (!isTime(bound)) return;
    if (bound === "address")
      return log.warn({ ...members, most: mostOfAddress }, TOO_MANY_OF_ADDRESS);
    log.warn({ ...members, most }, isByFiles ? `${TOO_MANY}, ${OR_RAISE}` : TOO_MANY);
  };
}

const TOO_MANY_OF_ADDRESS =
  "an address has as many connections as it may, so its oldest idle ones are cut; if it is your proxy, name it in KEYHEARTH_TRUSTED_PROXIES";

const TOO_MANY =
  "there are as many connections as there may be, so the oldest idle ones of the address with the most are cut; have a proxy or firewall bound the connections of each address";

const OR_RAISE = "or raise the limit on open files (LimitNOFILE, ulimit -n)";

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
