import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Answer, Request as SignerRequest } from "@keyhearth/engine/core/protocol";
import { testCourier } from "@keyhearth/engine/messages.testing";
import { TEST_ISSUER, testIssuerKeys } from "@keyhearth/engine/oidc.testing";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { parseProviders } from "@keyhearth/signer/oauth2/providers";
import { createIssuerKeys } from "@keyhearth/signer/oidc/issuer-keys";
import { type Issuer, parseIssuers } from "@keyhearth/signer/oidc/issuers";
import { createTokenVerifier } from "@keyhearth/signer/oidc/verify-tokens";
import { openSigner, type Signer } from "@keyhearth/signer/signer";
import { settle } from "@keyhearth/signer/turns/answer-verified";
import type { Hints } from "@keyhearth/signer/turns/fair-queue";
import { workersOf } from "@keyhearth/signer/workers/threads";
import { type AppOptions, createApp } from "./app.ts";
import { createHost, type Host } from "./host/host.ts";
import { createSignup, type Signup } from "./host/signup.ts";
import { createLog } from "./observability/log.ts";
import { createMetrics } from "./observability/metrics.ts";
import { createReader, type Reader } from "./reader/reader.ts";
import { foundOrganization } from "./start/first-start.ts";
import type { Store } from "./store/connect.ts";
import { borrowTestDatabase } from "./store/database.testing.ts";
import { findRootOrganizationId } from "./store/organizations.ts";

/**
 * The real app, a real database and a real signer, in one process and without a socket, for tests of
 * endpoints. With KEYHEARTH_TEST_POSTGRES the database is PostgreSQL, otherwise PGlite in memory.
 */
export type TestServer = {
  host: Host;
  store: Store;
  /** In-memory `fetch` of the app. */
  fetch: typeof globalThis.fetch;
  /** The clock of host and signer: real time until it is moved. */
  clock: { offsetMs: number };
  /** What the signer logged. */
  events: CoreEvent[];
  /** The signer itself, for tests that talk to it directly. */
  signer: {
    handle(request: SignerRequest): Answer;
    /** The answer, after attestation statements have been verified. */
    answer(request: SignerRequest, hints?: Hints): Promise<Answer>;
    restart(): void;
    stateDirectory: string;
  };
  stop(): Promise<void>;
};

export async function startTestServer({
  issuers,
  providers,
  storageLimit = null,
  signerWorkers = Number(process.env.KEYHEARTH_TEST_SIGNER_WORKERS ?? 1),
  signerWorkerHeapMb,
}: {
  /** How much a family may store. */
  storageLimit?: Host["storage"]["limit"];
  /** Whose tokens count, as KEYHEARTH_OIDC_ISSUERS has them. */
  issuers?: string;
  /** Where codes are exchanged, as KEYHEARTH_OAUTH2_PROVIDERS has it. */
  providers?: string;
  /** How many threads of the signer decide. */
  signerWorkers?: number;
  /** Of each. */
  signerWorkerHeapMb?: number;
} = {}): Promise<TestServer> {
  const database = await borrowTestDatabase();
  const { store } = database;

  const clock = { offsetMs: 0 };
  const now = () => Date.now() + clock.offsetMs;
  const events: CoreEvent[] = [];
  const signer = openTestSigner(now, events, {
    issuers,
    providers,
    count: signerWorkers,
    maxHeapMb: signerWorkerHeapMb,
  });
  const host = createHost({
    store,
    log: createLog({ level: "silent" }),
    metrics: createMetrics({ isWithProcess: false }),
    now,
    storageLimit,
    signer: {
      // Messages are copied, as a real connection would: host and signer share no objects.
      call: async (request, organizationId = "", familyId = organizationId) =>
        structuredClone(
          await signer.answer(structuredClone(request), { organizationId, familyId }),
        ),
      depth: () => 0,
      close: async () => signer.close(),
    },
  });
  shareReader(host);
  return {
    host,
    store,
    clock,
    events,
    fetch: fetchOf(host),
    signer,
    async stop() {
      signer.close();
      if (host.reader !== sharedReader) await host.reader.stop();
      await database.drop();
      rmSync(signer.stateDirectory, { recursive: true, force: true });
    },
  };
}

/** Another process on the same database and signer, with its own cache and turns. */
export function secondServer(
  server: TestServer,
  { signer = server.host.signer }: Partial<Pick<Host, "signer">> = {},
): TestServer {
  const { store, log, now } = server.host;
  const metrics = createMetrics({ isWithProcess: false });
  const host = createHost({ store, signer, log, now, metrics });
  shareReader(host);
  return { ...server, host, fetch: fetchOf(host) };
}

let sharedReader: Reader | undefined;

/** A thread takes a second of processor time to start. One that reads through its host serves all test servers. */
function shareReader(host: Host) {
  if (host.store.place !== null) return;
  sharedReader ??= createReader();
  host.reader = sharedReader;
}

/** A real signer with its own state directory, which can be closed and opened again. */
function openTestSigner(
  readClock: () => number,
  events: CoreEvent[],
  {
    issuers,
    providers = "none",
    ...threads
  }: {
    issuers?: string | undefined;
    providers?: string | undefined;
    count: number;
    maxHeapMb: number | undefined;
  },
): TestServer["signer"] & { close(): void } {
  const stateDirectory = mkdtempSync(join(tmpdir(), "keyhearth-signer-"));
  const log = (event: CoreEvent) => void events.push(event);
  // The test issuer's keys are in a file, so no test needs a network.
  const keysFile = join(stateDirectory, "issuer-keys.json");
  writeFileSync(keysFile, JSON.stringify(testIssuerKeys()));
  const accepted = parseIssuers(issuers ?? `${TEST_ISSUER}=${keysFile}`);
  const keysOf = (issuer: Issuer) => createIssuerKeys(issuer, { now: readClock });
  const verifyTokens = createTokenVerifier(accepted, keysOf);
  // Time that a test lets pass has passed for the machine too.
  const machine = { now: readClock, running: readClock, up: readClock };
  const options = {
    machine,
    log,
    verifyTokens,
    providers: parseProviders(providers),
    startThreads: workersOf(threads),
  };
  const open = () => openSigner({ stateDirectory, mayCreate: true, ...options });
  let signer: Signer = open();
  const courierKey = encodeHex(testCourier.publicKey);
  signer.handle({ call: "describe", courierKey });
  return {
    stateDirectory,
    handle: (request) => signer.handle(request),
    async answer(request, hints) {
      return settle(signer.answer(request, hints));
    },
    close: () => signer.close(),
    restart() {
      signer.close();
      signer = open();
    },
  };
}

export function fetchOf(
  host: Host,
  signup: Signup = createSignup({ isOpen: true, isLimited: false }),
): typeof globalThis.fetch {
  const app = appOf(host, { signup });
  return async (input, init) => app.request(input instanceof URL ? input.href : input, init);
}

/** The app of a host, without limits, a site and sign-up unless they are given. */
export function appOf(host: Host, options: Partial<Omit<AppOptions, "host">> = {}) {
  return createApp({
    host,
    signup: createSignup({ isOpen: false, isLimited: true }),
    wellKnown: async () => ({}),
    openApi: async () => Response.json({}),
    isReady: async () => ({ ready: true, reasons: [] }),
    metricsToken: null,
    rateLimit: null,
    clientAddress: () => "127.0.0.1",
    site: (c) => c.notFound(),
    ...options,
  });
}

/** The request as Node.js has it, of a browser or a program on the machine that runs the service. */
export function fromThisMachine({
  remoteAddress = "127.0.0.1",
  headers = {},
}: {
  remoteAddress?: string;
  headers?: Record<string, string>;
} = {}) {
  const socket = { remoteAddress, localPort: 3000 };
  return { incoming: { headers: { host: "localhost:3000", ...headers }, socket } };
}

/** What a monitor on this machine reads. */
export async function metricsOf(host: Host): Promise<string> {
  const response = await appOf(host).request("/metrics", {}, fromThisMachine());
  return response.text();
}

export type TestClient = KeyhearthClient;

export type TestOrganization = {
  server: TestServer;
  organizationId: string;
  userId: string;
  /** A client that stamps with the root user's key. */
  root: TestClient;
  rootKey: TestKey;
};

let shared: Promise<TestServer> | undefined;

/** The tests of other files use the shared server too, and a signer's clock never runs backwards. */
function withFixedClock(server: TestServer): TestServer {
  return { ...server, clock: Object.freeze({ offsetMs: 0 }) };
}

/** A fresh top-level organization on the server that the tests of one process share. */
export async function newOrganization(server?: TestServer): Promise<TestOrganization> {
  if (!server) shared ??= startTestServer().then(withFixedClock);
  const at = server ?? (await shared);
  if (!at) throw new Error("there is no server to test");
  const founded = await foundOrganization(at.host, {
    organizationName: "Test organization",
    rootUserName: "Root user",
  });
  if (!founded) throw new Error("the organization exists already");
  const { organizationId, userId, apiPublicKey, apiPrivateKey } = founded;
  const rootKey = { publicKey: apiPublicKey, privateKey: apiPrivateKey };
  const root = clientOf(at, organizationId, rootKey);
  return { server: at, organizationId, userId, root, rootKey };
}

/** The root organization of the server, as the first start would found it. */
export async function rootOrganizationIdOf({ host }: TestServer): Promise<string> {
  const names = { organizationName: "Root organization", rootUserName: "Root user" };
  const founded = await foundOrganization(host, { ...names, isRoot: true });
  const rootId = founded?.organizationId ?? (await findRootOrganizationId(host.store.db));
  if (rootId === undefined) throw new Error("a server without a root organization");
  return rootId;
}

export type TestKey = { publicKey: string; privateKey: string };

/** A new P-256 API key, hex. */
export function newKey(): TestKey {
  const privateKey = generatePrivateKey("CURVE_P256");
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", privateKey));
  return { publicKey, privateKey: encodeHex(privateKey) };
}

export function clientOf(
  { fetch }: TestServer,
  organizationId: string,
  { publicKey, privateKey }: TestKey,
): TestClient {
  return new KeyhearthClient({
    baseUrl: "http://keyhearth.test",
    organizationId,
    stamper: new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey }),
    fetch,
  });
}
