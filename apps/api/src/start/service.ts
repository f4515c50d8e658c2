import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "../app.ts";
import { type Config, defaultPublicUrl } from "../config.ts";
import { createHost, type Host } from "../host.ts";
import type { Log } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { startSealing } from "../receipts/seal-segments.ts";
import { createClientAddress, createRateLimit } from "../serve/rate-limit.ts";
import { createSite } from "../serve/site.ts";
import {
  connectToSigner,
  type SignerClient,
  type SignerEvent,
  startEmbeddedSigner,
} from "../signer.ts";
import { openStore } from "../store/connect.ts";
import { migrate } from "../store/migrate.ts";
import { hasOrganizations } from "../store/organizations.ts";
import { ensureRootOrganization, type FirstStart } from "./first-start.ts";
import { lockDataDirectory, prepareDataDirectory } from "./lock.ts";
import { StartError } from "./start-error.ts";

export type Service = {
  /** Where it really listens; differs from the configuration for port 0. */
  url: string;
  firstStart: FirstStart;
  signerPublicKey: string;
  /** Finishes what is under way, then lets go of everything. */
  stop(): Promise<void>;
};

const SEAL_INTERVAL_MS = 5000;
const SIGNER_WAIT_MS = 15_000;

/** Opens everything in order and closes what was opened if a later step fails. */
export async function startService(config: Config, log: Log): Promise<Service> {
  const closers: (() => Promise<void> | void)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) await close();
  };
  try {
    return await start(config, log, closers, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function start(
  config: Config,
  log: Log,
  closers: (() => Promise<void> | void)[],
  closeAll: () => Promise<void>,
): Promise<Service> {
  // Taken first: two processes must not open one embedded database or one signer's state.
  if (config.database.kind === "pglite" || config.signer.kind === "embedded") {
    const lock = lockDataDirectory(config.dataDirectory);
    closers.push(() => lock.release());
  } else {
    prepareDataDirectory(config.dataDirectory);
  }
  if (config.signer.kind === "embedded") {
    const lock = lockDataDirectory(config.signerStateDirectory);
    closers.push(() => lock.release());
  }
  const server = await listen(config);
  closers.push(() => void server.close());

  // A signer that has its root key need not wait to hear whether the database is new.
  const early = hasRootKey(config) ? openSigner(config, log, { mayCreate: false }) : null;
  if (early) closers.push(() => early.then(({ close }) => close(), noop));
  const store = await openStore(config.database);
  closers.push(() => store.close());
  await migrate(store, Date.now());

  const signer =
    (await early) ??
    (await openSigner(config, log, { mayCreate: !(await hasOrganizations(store.db)) }));
  if (!early) closers.push(() => signer.close());

  const metrics = createMetrics();
  const host = createHost({ store, signer, log, metrics });
  const { signerPublicKey, quorumPublicKey } = await describeSigner(host);
  const firstStart = await ensureRootOrganization(host, config.dataDirectory);
  const sealing = startSealing(host, SEAL_INTERVAL_MS);
  closers.push(() => sealing.stop());

  const openApi = readFileSync(
    new URL("../../../../contract/openapi.json", import.meta.url),
    "utf8",
  );
  const site = createSite({
    buildDirectory: join(import.meta.dirname, "../../../website/build"),
  });
  const app = createApp({
    host,
    wellKnown: async () => ({
      version: readVersion(),
      rootOrganizationId: firstStart.organizationId,
      signerPublicKey,
      quorumPublicKey,
    }),
    openApi: () => openApi,
    isReady: () => checkReady(host),
    metricsToken: config.metricsToken,
    rateLimit: config.rateLimit ? createRateLimit(config.rateLimit) : null,
    clientAddress: createClientAddress(config.trustedProxies),
    site: async (c) => (await site(c.req.raw)) ?? c.notFound(),
  });
  server.removeAllListeners("request");
  server.on("request", getRequestListener(app.fetch));

  const address = server.address();
  const port = typeof address === "object" && address ? address.port : config.port;
  return {
    url: config.port === port ? config.publicUrl : defaultPublicUrl(port),
    firstStart,
    signerPublicKey,
    async stop() {
      await drain(server);
      await closeAll();
    },
  };
}

/** Takes the port before the slow work, so that a taken port is told at once. */
async function listen({ host, port }: Config): Promise<Server> {
  const server = createServer((_, response) => {
    response.writeHead(503, { "Retry-After": "1", "Content-Type": "text/plain" });
    response.end("Keyhearth is starting.\n");
  });
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen(port, host, resolve);
  });
  return server;
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (cause.code) {
    case "EADDRINUSE":
      return new StartError(
        `port ${port} on ${host} is taken by another process; stop it, or choose another port with PORT`,
        { cause },
      );
    case "EACCES":
      return new StartError(
        `port ${port} may not be used by this user; choose a port above 1023 with PORT`,
        { cause },
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new StartError(`this machine has no address ${host}; set HOST to one that it has`, {
        cause,
      });
    default:
      return cause;
  }
}

/** Its failure is told where it is waited for. */
function noop() {}

function hasRootKey({ signer, signerStateDirectory }: Config): boolean {
  const has = (file: string) => existsSync(join(signerStateDirectory, file));
  return signer.kind === "embedded" && has("root-key") && has("keyring");
}

async function openSigner(
  config: Config,
  log: Log,
  { mayCreate }: { mayCreate: boolean },
): Promise<SignerClient> {
  const onEvent = ({ event, ...rest }: SignerEvent) => {
    const isAlarm = event === "refused" || event === "signer stopped";
    log[isAlarm ? "error" : "info"]({ signer: rest }, `signer: ${event}`);
  };
  if (config.signer.kind === "socket") {
    return connectToSigner({ path: config.signer.path, onEvent });
  }
  const stateDirectory = config.signerStateDirectory;
  return startEmbeddedSigner({ stateDirectory, mayCreate, onEvent });
}

/** Waits for a signer that is still starting; gives up with a sentence. */
async function describeSigner(host: Host) {
  const giveUpAt = performance.now() + SIGNER_WAIT_MS;
  for (;;) {
    try {
      const answer = await host.askSigner({ call: "describe" });
      if (answer.kind === "description") return answer;
      throw new Error("the signer does not describe itself");
    } catch (cause) {
      if (performance.now() > giveUpAt) {
        throw new StartError(
          "the signer of KEYHEARTH_SIGNER does not answer; start it first, and check the path and the rights of its socket",
          { cause },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function checkReady(host: Host): Promise<{ ready: boolean; reasons: string[] }> {
  const reasons: string[] = [];
  await Promise.all([
    within(2000, host.store.run("ready", "SELECT 1 WHERE $1::int = 1", [1])).catch(() => {
      reasons.push("the database does not answer");
    }),
    within(2000, host.askSigner({ call: "describe" }))
      .then((answer) => {
        if (answer.kind !== "description") reasons.push("the signer refuses to work");
      })
      .catch(() => {
        reasons.push("the signer does not answer");
      }),
  ]);
  return { ready: reasons.length === 0, reasons };
}

function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const DRAIN_MS = 8000;

/** No new requests; those under way end, at the latest after eight seconds. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(force);
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return JSON.parse(text).version;
}
