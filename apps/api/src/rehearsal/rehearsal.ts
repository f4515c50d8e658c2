import { fileURLToPath } from "node:url";
import { ApiError } from "@keyhearth/engine/errors";
import { release } from "@keyhearth/outbound/release";
import { createApp } from "../app.ts";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { StartError } from "../config/start-error.ts";
import { lockDataDirectory } from "../directory/lock.ts";
import { createHost, type Host } from "../host/host.ts";
import { createSignup } from "../host/signup.ts";
import { routeNotFound } from "../http/routes.ts";
import type { Log } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { createFile } from "../serve/site.ts";
import { shownKeys } from "../signer/description.ts";
import { checkInstallation, rootMissing } from "../start/installation.ts";
import { drain, listen, portOf, serve } from "../start/listener.ts";
import { openDatabase } from "../start/open-database.ts";
import { describeSigner, hasRootKey, openSigner } from "../start/open-signer.ts";
import { createReadiness } from "../start/readiness.ts";
import { findInstallationId } from "../store/installation.ts";
import { findRootOrganizationId } from "../store/organizations.ts";
import { hasEmbeddedDatabase } from "../store/pglite-directory.ts";
import { type Copy, checkKeys } from "./check-keys.ts";
import { atOwnAddress } from "./own-address.ts";
import { assertPrivateDatabase } from "./private-database.ts";

/** A restored copy that answers on this machine. */
export type Rehearsal = {
  /** With a secret in it. */
  url: string;
  rootOrganizationId: string;
  signerPublicKey: string;
  copy: Copy;
  /** Resolves if it cannot go on, with the reason. */
  ended: Promise<StartError>;
  stop(): Promise<void>;
};

/**
 * Opens a restored copy to find out whether it works. It is not the service with parts switched off, but the parts that
 * answer requests and nothing else: there is no courier, no delivery of webhooks, no list of issuers, and nothing that
 * runs by itself. So what waits in the copy goes nowhere, whatever its tables say.
 *
 * It founds nothing, and ends with its standard input, so that no copy of the keys outlives whoever opened it.
 */
export async function startRehearsal(config: Config, log: Log): Promise<Rehearsal> {
  const closers: (() => Promise<void> | void)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) await close();
  };
  try {
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<StartError>();
    process.stdin.resume().once("close", () => onEnd(new StartError(INPUT_ENDED)));
    const { server, ...started } = await start(config, { log, onEnd, closers });
    const stop = async () => {
      await drain(server);
      await closeAll();
    };
    return { ...started, ended, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

const INPUT_ENDED = "the standard input of the rehearsal ended, and so does the rehearsal";

type Surroundings = {
  log: Log;
  onEnd: (error: StartError) => void;
  closers: (() => Promise<void> | void)[];
};

async function start(config: Config, { log, onEnd, closers }: Surroundings) {
  assertPrivateDatabase(config);
  assertRestored(config);
  const lock = lockDataDirectory(config.dataDirectory);
  closers.push(() => lock.release());
  const metrics = createMetrics();
  const server = await listen(config, { log, metrics });
  closers.push(() => void server.close());
  const store = await openDatabase(config.database, log);
  closers.push(() => store.close());
  const signer = await openSigner(config, log, { mayCreate: false, onEnd });
  closers.push(() => signer.close());
  const host = createHost({ store, signer, log, metrics });
  closers.push(() => host.reader.stop());
  await assertOneInstallation(host);
  const keys = await checkInstallation(config, host);
  const rootOrganizationId = await findRootOrganizationId(store.db);
  if (rootOrganizationId === undefined) throw rootMissing(config);
  const copy = await checkKeys(host, createReporter(log));
  const isReady = createReadiness(host);
  const { ready, reasons } = await isReady();
  if (!ready) throw new StartError(`the copy does not work: ${reasons.join("; ")}`);

  const app = createApp({
    host,
    wellKnown: async () => ({
      version: release,
      // Nobody takes it for the installation that it is a copy of.
      isRehearsal: true,
      rootOrganizationId,
      ...shownKeys(keys),
    }),
    openApi: createFile(
      fileURLToPath(new URL("../../../../contract/openapi.json", import.meta.url)),
    ),
    isReady,
    metricsToken: null,
    rateLimit: null,
    signup: createSignup({ isOpen: false, isLimited: false }),
    clientAddress: () => config.host,
    site: (c) => {
      const isCall = c.req.path.startsWith("/public/") || c.req.method !== "GET";
      throw isCall ? routeNotFound(c.req.path) : noPages();
    },
  });
  const own = atOwnAddress(app);
  serve(server, own.app, config);
  const url = defaultPublicUrl(portOf(server, config)) + own.path;
  return { server, url, rootOrganizationId, signerPublicKey: keys.signerPublicKey, copy };
}

/** The service says it too, and names variables with which nothing is to be corrected here. */
async function assertOneInstallation(host: Host) {
  const ofDatabase = await findInstallationId(host.store.db);
  const { installationId } = await describeSigner(host);
  if (ofDatabase === undefined || ofDatabase === installationId) return;
  throw new StartError(
    `the copy of the database is of installation ${ofDatabase}, and that of the keys of installation ${installationId}; take both copies from one installation`,
  );
}

/** A rehearsal makes nothing of what a first start makes. */
function assertRestored(config: Config) {
  const { database, dataDirectory, signerStateDirectory } = config;
  if (!hasRootKey(config)) {
    throw new StartError(
      `${signerStateDirectory} has no root-key and keyring; restore them before a rehearsal`,
    );
  }
  if (database.kind === "pglite" && !hasEmbeddedDatabase(database.directory)) {
    throw new StartError(
      `${dataDirectory} has no embedded database; restore one before a rehearsal, or set DATABASE_URL`,
    );
  }
}

const REPORT_MS = 500;

/** A line of the log now and then, and the last one. */
function createReporter(log: Log): (done: number, of: number) => void {
  let nextAt = 0;
  return (done, of) => {
    const now = performance.now();
    if (now < nextAt && done < of) return;
    nextAt = now + REPORT_MS;
    log.info({ done, of }, "rehearsal: keys are looked at");
  };
}

function noPages(): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ROUTE_NOT_FOUND",
    "a rehearsal has no pages: it is a restored copy that is only tried",
  );
}
