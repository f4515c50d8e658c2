import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { release } from "@keyhearth/outbound/release";
import { createApp } from "../app.ts";
import { createAssistant } from "../assistant/assistant.ts";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { OTHER_REQUESTS } from "../config/rate-limits.ts";
import { StartError } from "../config/start-error.ts";
import { prepareDataDirectory } from "../directory/data-directory.ts";
import { lockDataDirectory } from "../directory/lock.ts";
import { makeFeedbackAccess } from "../feedback/access.ts";
import { createFeedbackAnswers } from "../feedback/answers.ts";
import { createFeedback } from "../feedback/feedback.ts";
import { createHost, type Host } from "../host/host.ts";
import { createLargeRequests, LARGE_REQUEST_LIMITS } from "../host/large-requests.ts";
import { createLimits, openRateLimits } from "../host/limits.ts";
import { createAddressLimit, createClientAddress, type NewRateLimit } from "../host/rate-limit.ts";
import { createSignup } from "../host/signup.ts";
import { arrivingOf, createHeldBytes, HELD_LIMITS, type HeldBytes } from "../http/held-bytes.ts";
import { startDelivery } from "../jobs/mail/deliver.ts";
import { sealOpenMessages } from "../jobs/mail/seal-open-messages.ts";
import { startMeasuringFamilies } from "../jobs/measure-families.ts";
import { startPruning } from "../jobs/prune.ts";
import { startPushingMetrics } from "../jobs/push-metrics.ts";
import { startSealing } from "../jobs/seal-segments.ts";
import { startDelivering } from "../jobs/webhooks/deliver.ts";
import { createLibrary } from "../library/library.ts";
import { createMcp } from "../library/mcp.ts";
import { createMailbox, type Mailbox } from "../mailbox/mailbox.ts";
import { makeMailboxToken, readMailboxToken } from "../mailbox/token.ts";
import type { Log } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { startTracing } from "../observability/start-tracing.ts";
import { partOf } from "../part-of.ts";
import { createCaptcha } from "../proxy/captcha.ts";
import { openProxyKeys, type ProxyKeys } from "../proxy/key.ts";
import { createProxy } from "../proxy/proxy.ts";
import { createDashboard } from "../serve/dashboard.ts";
import { createFrames } from "../serve/frames.ts";
import { createPackages } from "../serve/packages.ts";
import { type ShownPlaces, shownDirectory } from "../serve/shown-places.ts";
import { createFile, createSite } from "../serve/site.ts";
import { readRedirects } from "../serve/site-paths.ts";
import { answerFromSite } from "../serve/site-route.ts";
import type { SignerClient } from "../signer/client.ts";
import { shownKeys } from "../signer/description.ts";
import { watchSignerRuns } from "../signer/runs.ts";
import { assertHostsAreOne } from "../store/check-hosts.ts";
import { assertStandbysFollow } from "../store/check-standbys.ts";
import type { Store } from "../store/connect.ts";
import { isDiskFull } from "../store/disk-full.ts";
import { hasOrganizations } from "../store/organizations.ts";
import { hasEmbeddedDatabase } from "../store/pglite-directory.ts";
import { isDatabaseDown } from "../store/unavailable.ts";
import { ensureRootOrganization } from "./first-start.ts";
import { checkInstallation, databaseLost } from "./installation.ts";
import { boundsOfProcess, drain, listen, portOf, serve } from "./listener.ts";
import { type OpenedCourier, openCourier } from "./open-courier.ts";
import { openDatabase } from "./open-database.ts";
import { describeSigner, hasRootKey, isNewSigner, openSigner } from "./open-signer.ts";
import { createReadiness } from "./readiness.ts";
import { createWorkerCounts, type Shown } from "./worker.ts";

export type Service = Shown & {
  /** Resolves if the service cannot go on, with the reason. */
  ended: Promise<StartError>;
  /** Finishes the requests under way, then closes everything. */
  stop(): Promise<void>;
};

const SEAL_INTERVAL_MS = 5000;
const PRUNE_INTERVAL_MS = 10_000;
const WATCH_INTERVAL_MS = 10_000;
const MEASURE_INTERVAL_MS = 60_000;

/** Close what was opened, in reverse order. */
type Closers = (() => Promise<void> | void)[];

/** Opens everything in order. If a step fails, closes what was opened before. */
export async function startService(config: Config, log: Log): Promise<Service> {
  const closers: Closers = [];
  try {
    return await start(config, log, closers);
  } catch (error) {
    await closeAll(closers);
    if (isDiskFull(error)) throw diskFull(config, error);
    throw isDatabaseDown(error) ? databaseLostMeanwhile(error) : error;
  }
}

function databaseLostMeanwhile(cause: unknown): StartError {
  return new StartError("the database was lost while the service started; start it again", {
    cause,
  });
}

function diskFull({ database, dataDirectory }: Config, cause: unknown): StartError {
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  const isServer = database.kind === "postgres" && code === "53100";
  const disk = isServer
    ? "the disk of the database of DATABASE_URL"
    : `the disk of the data directory ${dataDirectory}`;
  return new StartError(`${disk} is full; free some space`, { cause });
}

async function start(config: Config, log: Log, closers: Closers): Promise<Service> {
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<StartError>();
  lockDirectories(config, closers);
  const metrics = createMetrics();
  const tracing = await startTracing(config.traces, { log, metrics });
  closers.push(() => tracing.stop());
  const pushing = await startPushingMetrics(config.metricsPush, { log, metrics });
  closers.push(() => pushing.stop());
  const bounds = boundsOfProcess(config.apiWorkers);
  const server = await listen(config, { log, metrics }, bounds);
  closers.push(() => void server.close());
  const { store, signer } = await openStoreAndSigner(config, { log, onEnd }, closers);

  const { newRateLimit, stop } = openRateLimits(mayHaveOthers(config) ? { store, log } : null);
  closers.push(stop);

  const host = createHost({
    store,
    signer,
    log,
    metrics,
    tracing,
    mayHaveOthers: mayHaveOthers(config),
    workers: config.apiWorkers,
    webhookPrivateTargets: config.webhookPrivateTargets,
    limits: createLimits(config.rateLimit, newRateLimit),
    storageLimit: config.storageLimit,
    retention: config.retention,
    largeRequests: createLargeRequests(partOf(LARGE_REQUEST_LIMITS, config.apiWorkers)),
  });
  closers.push(() => host.reader.stop());
  // Before the database is bound to the signer.
  await assertHostsAreOne(store);
  const keys = await checkInstallation(config, host);
  await assertStandbysFollow(store);
  watchStandbys(host);
  // Before anything is founded: only a new signer takes the key that it is given.
  const courier = await openCourier(config, host);
  closers.push(() => courier?.client.close());
  const firstStart = await ensureRootOrganization(config, host);
  if (courier) await deliverMessages(config, host, courier, closers);
  const watching = watchSignerRuns(host, WATCH_INTERVAL_MS);
  closers.push(() => watching.stop());
  const sealing = startSealing(host, SEAL_INTERVAL_MS);
  closers.push(() => sealing.stop());
  const pruning = startPruning(host, PRUNE_INTERVAL_MS);
  closers.push(() => pruning.stop());
  const measuring = startMeasuringFamilies(host, MEASURE_INTERVAL_MS);
  closers.push(() => measuring.stop());
  const delivering = startDelivering(host);
  closers.push(() => delivering.stop());

  const { dataDirectory } = config;
  const proxyKeys = openProxyKeys({ dataDirectory, path: config.proxyKeyFile }, log);
  const opened = openMailbox(config, host, courier);
  const mailbox = opened?.mailbox ?? null;
  const held = createHeldBytes({
    ...partOf(HELD_LIMITS, config.apiWorkers),
    arrivingOfAddress: arrivingOf(bounds),
  });
  const parts = { host, mailbox, proxyKeys, newRateLimit, held };
  const port = portOf(server, config);
  const url = config.port === port ? config.publicUrl : defaultPublicUrl(port);
  const places = { publicUrl: url, dataDirectory: shownDirectory(config, process.cwd()) };
  const app = createServiceApp(
    config,
    { ...parts, places, port, closers },
    {
      version: release,
      rootOrganizationId: firstStart.organizationId,
      signup: config.signup,
      ...(config.loginProviders.length > 0 && { loginProviders: config.loginProviders }),
      ...shownKeys(keys),
    },
  );
  serve(server, app, config);
  return {
    url,
    firstStart,
    signerPublicKey: keys.signerPublicKey,
    // Behind the #, which browsers send to nobody.
    mailboxUrl: opened && `${url}/mailbox#token=${opened.token}`,
    ended,
    async stop() {
      await drain(server);
      await closeAll(closers);
    },
  };
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** Processes share an installation only if its database and its signer are processes of their own. */
function mayHaveOthers({ database, signer }: Config): boolean {
  return database.kind === "postgres" && signer.kind !== "embedded";
}

function watchStandbys({ store, metrics, log }: Host) {
  store.standbys?.watch(({ away }) => {
    metrics.standbyAsked(away === null);
    if (away === null) log.info("a standby of DATABASE_READ_URL answers queries");
    else log.warn(`no standby of DATABASE_READ_URL answers queries: ${away}; the primary does`);
  });
}

async function deliverMessages(
  { hasMailbox }: Config,
  host: Host,
  { client, channels, publicKey }: OpenedCourier,
  closers: Closers,
) {
  await sealOpenMessages(host, publicKey);
  if (!channels.includes("email") && !hasMailbox) {
    host.log.warn(
      "no mail server is set, so email waits in the outbox; set SMTP_URL (/mailbox shows messages to a developer, while HOST and KEYHEARTH_PUBLIC_URL are of this machine and KEYHEARTH_TRUSTED_PROXIES is not set)",
    );
  }
  const delivery = startDelivery(host, { courier: client, channels, isMailbox: hasMailbox });
  closers.push(() => delivery.stop());
}

function openMailbox(
  { hasMailbox, dataDirectory }: Config,
  host: Host,
  courier: OpenedCourier | null,
) {
  if (!hasMailbox || !courier?.embedded) return null;
  const token = isFirstWorker() ? makeMailboxToken(dataDirectory) : readMailboxToken(dataDirectory);
  return { mailbox: createMailbox(host, courier.embedded, token), token };
}

async function closeAll(closers: Closers) {
  for (const close of closers.reverse()) await close();
}

/** Runs first: two processes must not open the same embedded database or signer state. */
function lockDirectories(config: Config, closers: Closers) {
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
}

async function openStoreAndSigner(
  config: Config,
  { log, onEnd }: { log: Log; onEnd: (error: StartError) => void },
  closers: Closers,
): Promise<{ store: Store; signer: SignerClient }> {
  const { database } = config;
  const isNew = database.kind === "pglite" && !hasEmbeddedDatabase(database.directory);
  // A signer that has its root key, or gets one for a new database, starts at the same time as the database.
  const early =
    isNew || hasRootKey(config) ? openSigner(config, log, { mayCreate: isNew, onEnd }) : null;
  if (early) {
    // Its failure may come while the database still opens. It is reported where the signer is awaited.
    early.catch(noop);
    closers.push(() => early.then(({ close }) => close(), noop));
  }
  if (early && isNew && !isNewSigner(config)) await assertNew(config, await early);
  const store = await openDatabase(database, log);
  closers.push(() => store.close());
  if (early) return { store, signer: await early };

  const mayCreate = !(await hasOrganizations(store.db));
  const signer = await openSigner(config, log, { mayCreate, onEnd });
  closers.push(() => signer.close());
  return { store, signer };
}

/** Beside a signer that has been in use, a missing database is not created, but to be restored. */
async function assertNew(config: Config, signer: SignerClient) {
  const { isNew, installationId } = await describeSigner({ askSigner: signer.call, signer });
  if (!isNew) throw databaseLost(config, installationId);
}

/** The first one of a start makes what all of them have. */
function isFirstWorker(): boolean {
  return cluster.worker === undefined || cluster.worker.id === 1;
}

function noop() {}

type Parts = {
  host: Host;
  mailbox: Mailbox | null;
  proxyKeys: ProxyKeys;
  newRateLimit: NewRateLimit;
  /** Of all paths: their bodies share the memory. */
  held: HeldBytes;
  places: ShownPlaces;
  port: number;
  closers: Closers;
};

function createServiceApp(
  config: Config,
  { host, mailbox, proxyKeys, newRateLimit, held, places, port, closers }: Parts,
  wellKnown: Record<string, unknown> & { signerPublicKey: string },
) {
  const contract = new URL("../../../../contract/openapi.json", import.meta.url);
  const moved = new URL("../../../../contract/site-redirects.json", import.meta.url);
  const packages = new URL("../../../../dist/packages/", import.meta.url);
  const frames = new URL("../../../../dist/frames/", import.meta.url);
  const dashboard = new URL("../../../../dist/dashboard/", import.meta.url);
  const site = createSite({
    buildDirectory: fileURLToPath(new URL("../../../website/build", import.meta.url)),
    redirects: readRedirects(JSON.parse(readFileSync(moved, "utf8"))),
    places,
    theme: config.siteTheme,
    hasModel: config.assistant !== null,
  });
  const library = createLibrary({ site });
  closers.push(() => library.stop());
  const perAddress = config.rateLimit?.address ?? null;
  const clientAddress = createClientAddress(config.trustedProxies);
  const isReady = createReadiness(host);
  // Nobody has to ask before the log says that the database is older than the signer.
  void isReady();
  return createApp({
    host,
    wellKnown: async () => wellKnown,
    openApi: createFile(fileURLToPath(contract)),
    isReady,
    diskFree: () => freeBytesOf(config.dataDirectory),
    metricsToken: config.metricsToken,
    ...(cluster.isWorker && { countedByOthers: createWorkerCounts(host.metrics) }),
    rateLimit:
      perAddress === null
        ? null
        : createAddressLimit({ name: "address", perSecond: perAddress }, newRateLimit),
    otherRequestsLimit:
      perAddress === null
        ? null
        : createAddressLimit(
            { name: "address-other", perSecond: OTHER_REQUESTS * perAddress },
            newRateLimit,
          ),
    signup: createSignup({
      isOpen: config.signup === "open",
      isLimited: config.rateLimit !== null,
      newRateLimit,
      workers: config.apiWorkers,
    }),
    clientAddress,
    held,
    mailbox,
    feedbackAnswers:
      config.database.kind === "pglite"
        ? createFeedbackAnswers(host, makeFeedbackAccess(config.dataDirectory, port).token)
        : null,
    feedback: createFeedback({
      host,
      publicUrl: config.publicUrl,
      clientAddress,
      newRateLimit,
      held,
    }),
    packages: createPackages(fileURLToPath(packages)),
    frames: createFrames({
      directory: fileURLToPath(frames),
      signerPublicKey: wellKnown.signerPublicKey,
      ancestors: config.frameAncestors,
    }),
    dashboard: createDashboard({ directory: fileURLToPath(dashboard) }),
    mcp: createMcp({
      host,
      library,
      version: release,
      publicUrl: places.publicUrl,
      clientAddress,
      newRateLimit,
      held,
    }),
    assistant: createAssistant({
      host,
      model: config.assistant,
      library,
      publicUrl: places.publicUrl,
      clientAddress,
      newRateLimit,
      held,
    }),
    proxy: createProxy({
      host,
      keys: proxyKeys,
      captcha: config.captcha && createCaptcha(config.captcha, host),
      clientAddress,
      newRateLimit,
      held,
      family: config.rateLimit && {
        email: config.rateLimit.familyEmail,
        sms: config.rateLimit.familySms,
      },
    }),
    site: (c) => answerFromSite(c, site),
  });
}
